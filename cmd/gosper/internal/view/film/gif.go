package film

import (
	"image"
	"image/color"
	"image/gif"
	"io"
	"slices"
	"time"
)

// gifWriter collects the changes and writes them at the end. If the palette has room, unchanged pixels are transparent, because long runs of one
// colour cost almost nothing.
type gifWriter struct {
	w       io.Writer
	header  Header
	changes changes
	palette color.Palette
	clear   bool // the last colour of palette is transparent
	film    gif.GIF
}

func newGIF(w io.Writer, h Header, c changes) *gifWriter {
	g := &gifWriter{w: w, header: h, changes: c, palette: slices.Clone(h.Palette)}
	if len(g.palette) < 256 {
		g.palette, g.clear = append(g.palette, color.RGBA{}), true
	}
	g.film.Config = image.Config{ColorModel: g.palette, Width: h.W, Height: h.H}
	return g
}

// Frame implements Writer.
func (g *gifWriter) Frame(pixels []uint8) error {
	first := g.changes.last == nil
	r := g.changes.next(pixels)
	img := image.NewPaletted(r, g.palette)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := img.Pix[(y-r.Min.Y)*img.Stride:][:r.Dx()]
		from := y*g.header.W + r.Min.X
		copy(row, pixels[from:])
		if first || !g.clear {
			continue
		}
		for x, v := range g.changes.last[from : from+r.Dx()] {
			if row[x] == v {
				row[x] = uint8(len(g.palette) - 1)
			}
		}
	}
	copy(g.changes.last, pixels)
	g.film.Image = append(g.film.Image, img)
	g.film.Delay = append(g.film.Delay, int((g.header.Delay+5*time.Millisecond)/(10*time.Millisecond)))
	g.film.Disposal = append(g.film.Disposal, gif.DisposalNone)
	return nil
}

// Close implements Writer.
func (g *gifWriter) Close() error {
	if err := complete(len(g.film.Image), g.header); err != nil {
		return err
	}
	return gif.EncodeAll(g.w, &g.film)
}
