package film

import (
	"bufio"
	"compress/lzw"
	"encoding/binary"
	"image/color"
	"io"
	"math/bits"
	"slices"
	"time"
)

// gifWriter writes the changes from frame to frame. If the palette has room, unchanged pixels are transparent,
// because long runs of one colour cost almost nothing.
//
// Format: Graphics Interchange Format, Version 89a, CompuServe 1990, and Netscape's extension for films that
// begin again. Package image/gif would bring its decoder along into the page without a server, and holds all
// frames of a film.
type gifWriter struct {
	w       *bufio.Writer
	header  Header
	changes changes
	depth   int // bits of a colour's number
	clear   int // the index of the transparent colour, or -1
	frames  int
	pixels  []uint8 // of a frame's changes
}

// newGIF writes the header of an animated GIF. If the palette has room, one more colour is transparent.
// Pixels that have not changed since the frame before get that colour, and runs of it compress well.
func newGIF(w io.Writer, h Header, c changes) *gifWriter {
	g := &gifWriter{w: bufio.NewWriter(w), header: h, changes: c, clear: -1}
	palette := slices.Clone(h.Palette)
	if len(palette) < 256 {
		g.clear = len(palette)
		palette = append(palette, color.RGBA{})
	}
	g.depth = max(1, bits.Len(uint(len(palette)-1)))
	const colours = 0x80 // the film has a table of colours: 2 to the power of 1 + the lowest three bits
	g.w.WriteString("GIF89a")
	g.numbers(h.W, h.H)
	g.w.Write([]byte{colours | byte(g.depth-1), 0, 0})
	for i := range 1 << g.depth {
		var rgb [3]byte
		if i < len(palette) {
			c := color.RGBAModel.Convert(palette[i]).(color.RGBA)
			rgb = [3]byte{c.R, c.G, c.B}
		}
		g.w.Write(rgb[:])
	}
	if h.Frames > 1 {
		g.w.WriteString("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00") // again and again
	}
	return g
}

// numbers writes numbers of 16 bits.
func (g *gifWriter) numbers(all ...int) {
	for _, n := range all {
		g.w.Write(binary.LittleEndian.AppendUint16(nil, uint16(n)))
	}
}

// Frame implements Writer.
func (g *gifWriter) Frame(pixels []uint8) error {
	first := g.changes.last == nil
	r := g.changes.next(pixels)
	g.pixels = g.pixels[:0]
	for y := r.Min.Y; y < r.Max.Y; y++ {
		from := y*g.header.W + r.Min.X
		for i, v := range pixels[from : from+r.Dx()] {
			if !first && g.clear >= 0 && g.changes.last[from+i] == v {
				v = uint8(g.clear)
			}
			g.pixels = append(g.pixels, v)
		}
	}
	copy(g.changes.last, pixels)
	g.frames++

	const stays = 1 << 2 // the frame stays below the next one
	flags := byte(stays)
	if g.clear >= 0 {
		flags |= 1
	}
	g.w.Write([]byte{0x21, 0xf9, 4, flags})
	g.numbers(int((g.header.Delay + 5*time.Millisecond) / (10 * time.Millisecond)))
	g.w.Write([]byte{byte(max(g.clear, 0)), 0, 0x2c})
	g.numbers(r.Min.X, r.Min.Y, r.Dx(), r.Dy())
	literal := max(2, g.depth)
	g.w.Write([]byte{0, byte(literal)})
	blocks := &gifBlocks{w: g.w}
	packed := lzw.NewWriter(blocks, lzw.LSB, literal)
	packed.Write(g.pixels)
	packed.Close()
	blocks.flush()
	return g.w.WriteByte(0) // the last block; a bufio.Writer keeps its first error
}

// Close implements Writer.
func (g *gifWriter) Close() error {
	if err := complete(g.frames, g.header); err != nil {
		return err
	}
	g.w.WriteByte(0x3b)
	return g.w.Flush()
}

// gifBlocks cuts data into blocks, each after its length.
type gifBlocks struct {
	w     *bufio.Writer
	block [255]byte
	n     int
}

// Write implements io.Writer.
func (b *gifBlocks) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		n := copy(b.block[b.n:], rest)
		b.n, rest = b.n+n, rest[n:]
		if b.n == len(b.block) {
			b.flush()
		}
	}
	return len(data), nil
}

// flush ends a block. GIF divides its data into blocks of up to 255 bytes, each with its length before
// it.
func (b *gifBlocks) flush() {
	if b.n > 0 {
		b.w.WriteByte(byte(b.n))
		b.w.Write(b.block[:b.n])
		b.n = 0
	}
}
