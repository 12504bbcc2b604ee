package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// check refuses flags that do not go with the universe. It returns whether the universe is drawn as a volume.
func (cmd *Command) check(t topology.Topology) (drawn bool, err error) {
	v := &cmd.VolumeFlags
	given := map[string]bool{
		"--yaw": v.Yaw != nil, "--pitch": v.Pitch != nil, "--turn": v.Turn != nil, "--zoom": v.Zoom != nil,
		"--box": v.Box != nil, "--pixels": v.Pixels != nil, "--colour": v.Colour != "", "--slice": v.Slice != nil,
	}
	names := []string{"--yaw", "--pitch", "--turn", "--zoom", "--box", "--pixels", "--colour"}
	switch {
	case !t.Volume():
		for _, name := range append(names, "--slice") {
			if given[name] {
				return false, fmt.Errorf("%s: it is for universes of three dimensions, and %v has two", name, t)
			}
		}
		return false, nil
	case v.Slice != nil:
		for _, name := range names {
			if given[name] {
				return false, fmt.Errorf("%s: it does not go with --slice, which draws one layer as a flat picture", name)
			}
		}
		if *v.Slice < 0 || *v.Slice >= t.D {
			return false, fmt.Errorf("--slice %d: want a layer from 0 to %d", *v.Slice, t.D-1)
		}
		if cmd.Crop != nil {
			return false, errors.New("--crop does not go with --slice")
		}
		return false, nil
	case cmd.Crop != nil || cmd.Scale != (scale{}):
		return false, errors.New("--crop and --scale are for flat pictures; use --box, --zoom and --pixels, or --slice")
	}
	return true, v.Fill(t, cmd.Ages)
}

// reduced finds the nearest of a film's 256 colours.
type reduced struct {
	palette color.Palette
	nearest []int16 // by the upper five bits of red, green and blue; -1 if not looked for yet
}

// newReduced returns the colours of films: each base at several brightnesses, each of these at several shares of the
// background, which mixes in by distance and at the edges of what is seen.
func newReduced(bases []color.RGBA, background color.RGBA) *reduced {
	r := &reduced{palette: color.Palette{background}, nearest: make([]int16, 1<<15)}
	for i := range r.nearest {
		r.nearest[i] = -1
	}
	const mixes = 4
	levels := 255 / mixes / len(bases)
	for _, base := range bases {
		for level := range levels {
			bright := scene.Mix(color.RGBA{A: 0xff}, base, 0.12+0.88*float64(level)/float64(max(levels-1, 1)))
			for m := range mixes {
				r.palette = append(r.palette, scene.Mix(bright, background, []float64{0, 0.18, 0.4, 0.7}[m]))
			}
		}
	}
	return r
}

// pixels returns the numbers of a picture's colours, row after row. The nearest colour of the palette is looked up once
// for all colours with the same five highest bits of red, green and blue, by the colour in their middle:
//
//	key   14 … 10   9 … 5   4 … 0
//	      red       green   blue
func (r *reduced) pixels(p *image.RGBA) []uint8 {
	pixels := make([]uint8, 0, len(p.Pix)/4)
	for i := 0; i < len(p.Pix); i += 4 {
		red, green, blue := p.Pix[i], p.Pix[i+1], p.Pix[i+2]
		key := int(red>>3)<<10 | int(green>>3)<<5 | int(blue>>3)
		if r.nearest[key] < 0 {
			r.nearest[key] = int16(r.palette.Index(color.RGBA{red&^7 | 4, green&^7 | 4, blue&^7 | 4, 0xff}))
		}
		pixels = append(pixels, uint8(r.nearest[key]))
	}
	return pixels
}

// volumeFilm writes the frames of a volume. A PNG has all colours, films have 256.
func (r *rendering) volumeFilm(ctx context.Context, out io.Writer, done *rendered) error {
	s, err := film.NewSculptor(&r.cmd.VolumeFlags, r.cmd.painter(r.origin.Config.Rule), r.origin.Config.Topology)
	if err != nil {
		return err
	}
	var w film.Writer
	var colours *reduced
	if r.format != film.PNG {
		colours = newReduced(s.Bases(), r.cmd.Theme.Dead)
		header := r.cmd.header(*s.Flags.Pixels, *s.Flags.Pixels, r.frames)
		header.Palette = colours.palette
		if w, err = film.NewWriter(out, r.format, header); err != nil {
			return err
		}
	}
	before := uint64(0) // frames run before the film starts, so that cells have an age in its first frame
	if r.cmd.Colour == "age" {
		before = min(r.cmd.From, scene.Oldest) / r.cmd.Every
	}
	err = r.run(ctx, before, func(e sim.Engine) error {
		done.Last = e.Generation()
		if err := s.Read(e); err != nil {
			return err
		}
		if before > 0 {
			before--
			return nil
		}
		picture, err := s.Draw(ctx)
		if err != nil {
			return err
		}
		if w == nil {
			return png.Encode(out, picture)
		}
		return w.Frame(colours.pixels(picture))
	})
	if err != nil || w == nil {
		return err
	}
	return w.Close()
}
