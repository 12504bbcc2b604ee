package render

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/internal/volume"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// volumeFlags say how a universe of three dimensions is drawn.
type volumeFlags struct {
	Yaw    *float64 `placeholder:"D" help:"Degrees by which the viewer goes around the universe. Default: 30."`
	Pitch  *float64 `placeholder:"D" help:"Degrees by which the viewer looks down on the universe, -90 to 90. Default: 25."`
	Turn   *float64 `placeholder:"D" help:"Degrees that the viewer goes on around the universe from frame to frame. Default: 0."`
	Zoom   *float64 `placeholder:"N" help:"How much closer the viewer comes than to see the whole universe, 0.1 to 20. Default: 1."`
	Box    *box     `placeholder:"X,Y,Z" help:"Cells to draw: three ranges, as in 0..31,0..63,10..20. Default: all."`
	Slice  *int     `placeholder:"Z" help:"Draw layer Z alone, as a flat picture."`
	Pixels *int     `placeholder:"N" help:"Width and height of the picture. Default: 640."`
	Colour string   `placeholder:"C" help:"What colours show: state, age, depth (layer) or position. Default: state."`
}

// box is a flag that reads "0..31,0..63,10..20".
type box volume.Box

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *box) UnmarshalText(text []byte) error {
	bad := fmt.Errorf("box %q: want ranges of x, y and z, as in 0..31,0..63,10..20", text)
	ranges := strings.Split(string(text), ",")
	if len(ranges) != 3 {
		return bad
	}
	for axis, r := range ranges {
		first, last, isRange := strings.Cut(r, "..")
		if !isRange {
			last = first
		}
		from, err := strconv.Atoi(first)
		to, err2 := strconv.Atoi(last)
		if err != nil || err2 != nil || from < 0 || to < from || to == math.MaxInt {
			return bad
		}
		c.Min[axis], c.Max[axis] = from, to+1
	}
	return nil
}

// check refuses flags that do not go with the universe. It returns whether the universe is drawn as a volume.
func (cmd *Command) check(t topology.Topology) (drawn bool, err error) {
	v := &cmd.volumeFlags
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
	return true, v.fill(t, cmd.Ages)
}

// fill sets the flags that were not given and refuses values that are not allowed. ages says that --ages was given.
func (v *volumeFlags) fill(t topology.Topology, ages bool) error {
	for _, f := range []struct {
		name             string
		value            **float64
		usual, low, high float64
	}{
		{"yaw", &v.Yaw, 30, -360, 360},
		{"pitch", &v.Pitch, 25, -90, 90},
		{"turn", &v.Turn, 0, -360, 360},
		{"zoom", &v.Zoom, 1, 0.1, 20},
	} {
		if *f.value == nil {
			*f.value = &f.usual
		}
		if x := **f.value; !(x >= f.low && x <= f.high) {
			return fmt.Errorf("--%s %v: want %v to %v", f.name, x, f.low, f.high)
		}
	}
	if v.Pixels == nil {
		v.Pixels = new(int)
		*v.Pixels = 640
	}
	const most = 8192
	if *v.Pixels < 1 || *v.Pixels > most {
		return fmt.Errorf("--pixels %d: want 1 to %d", *v.Pixels, most)
	}
	switch v.Colour {
	case "":
		v.Colour = "state"
		if ages {
			v.Colour = "age"
		}
	case "state", "age", "depth", "position":
	default:
		return fmt.Errorf("--colour %q: want state, age, depth or position", v.Colour)
	}
	whole := box{Max: [3]int{t.W, t.LayerRows(), t.D}}
	if v.Box == nil {
		v.Box = &whole
	}
	for axis, name := range []string{"x", "y", "z"} {
		if v.Box.Max[axis] > whole.Max[axis] {
			return fmt.Errorf("--box: %s goes to %d, want at most %d", name, v.Box.Max[axis]-1, whole.Max[axis]-1)
		}
	}
	return nil
}

// sculptor takes the frames of a volume.
type sculptor struct {
	flags   *volumeFlags
	theme   scene.Theme
	cells   *volume.Volume
	flat    film.Camera // reads all cells as numbers of the palette's colours
	aged    bool
	palette []color.RGBA // by state or age
	turned  float64      // degrees
}

func newSculptor(cmd *Command, painter scene.Painter, t topology.Topology) (*sculptor, error) {
	cells, err := volume.New(t.W, t.LayerRows(), t.D)
	if err != nil {
		return nil, err
	}
	painter.Aged = cmd.volumeFlags.Colour == "age"
	s := &sculptor{flags: &cmd.volumeFlags, theme: cmd.Theme, cells: cells, aged: painter.Aged}
	s.flat = film.Camera{Region: scene.Region{W: t.W, H: t.H}, Up: 1, Painter: painter}
	for _, c := range painter.Palette(0) {
		s.palette = append(s.palette, color.RGBAModel.Convert(c).(color.RGBA))
	}
	return s, nil
}

// read looks at the cells of a universe at the generation of a frame, or of one before the film that ages need.
func (s *sculptor) read(e sim.Engine) error {
	colours, err := s.flat.Take(e, e.Generation(), e.Info().Background)
	if err != nil {
		return err
	}
	s.cells.Clear()
	i := 0
	for z := range s.cells.D {
		for y := range s.cells.H {
			for x := range s.cells.W {
				if c := colours[i]; c >= scene.Newborn || c > 0 && !s.aged {
					s.cells.Set(x, y, z, c)
				}
				i++
			}
		}
	}
	return nil
}

// draw returns the next frame.
func (s *sculptor) draw(ctx context.Context) (*image.RGBA, error) {
	view := volume.View{
		Yaw: *s.flags.Yaw + s.turned, Pitch: *s.flags.Pitch, Zoom: *s.flags.Zoom, Clip: volume.Box(*s.flags.Box),
		Colour: s.colour, Background: s.theme.Dead, Frame: scene.Mix(s.theme.Dead, s.theme.Live, 0.4),
	}
	s.turned += *s.flags.Turn
	return s.cells.Draw(ctx, view, *s.flags.Pixels, *s.flags.Pixels)
}

// colour is the colour of a live cell.
func (s *sculptor) colour(x, y, z int, state byte) color.RGBA {
	switch s.flags.Colour {
	case "depth":
		return s.gradient(share(z, s.cells.D))
	case "position":
		part := func(c, side int) uint8 { return uint8(70 + 180*share(c, side)) }
		return color.RGBA{part(x, s.cells.W), part(s.cells.H-1-y, s.cells.H), part(z, s.cells.D), 0xff}
	}
	return s.palette[state]
}

// share returns the position of a cell along a side, from 0 to 1.
func share(c, side int) float64 { return float64(c) / float64(max(side-1, 1)) }

// gradient is a colour between those of newborn and of old cells.
func (s *sculptor) gradient(share float64) color.RGBA {
	if share < 0.5 {
		return scene.Mix(s.theme.Live, s.theme.Dying, 2*share)
	}
	return scene.Mix(s.theme.Dying, s.theme.Died, 2*share-1)
}

// bases are the colours from which those of a film are made by light, shadow and haze: a few that are typical of
// the colours of cells.
func (s *sculptor) bases() []color.RGBA {
	const most = 8
	switch s.flags.Colour {
	case "depth":
		var bases []color.RGBA
		for i := range most {
			bases = append(bases, s.gradient(share(i, most)))
		}
		return bases
	case "position":
		var bases []color.RGBA
		for corner := range most {
			part := func(bit int) uint8 { return uint8(70 + 180*(corner>>bit&1)) }
			bases = append(bases, color.RGBA{part(0), part(1), part(2), 0xff})
		}
		return bases
	}
	first := 1
	if s.aged {
		first = scene.Newborn
	}
	live := s.palette[first:]
	var bases []color.RGBA
	for i := range min(most, len(live)) {
		bases = append(bases, live[i*(len(live)-1)/max(min(most, len(live))-1, 1)])
	}
	return bases
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

// pixels returns the numbers of a picture's colours, row after row.
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
	s, err := newSculptor(r.cmd, r.cmd.painter(r.origin.Config.Rule), r.origin.Config.Topology)
	if err != nil {
		return err
	}
	var w film.Writer
	var colours *reduced
	if r.format != film.PNG {
		colours = newReduced(s.bases(), r.cmd.Theme.Dead)
		header := r.cmd.header(*s.flags.Pixels, *s.flags.Pixels, r.frames)
		header.Palette = colours.palette
		if w, err = film.NewWriter(out, r.format, header); err != nil {
			return err
		}
	}
	before := uint64(0) // frames run before the film starts, so that cells have an age in its first frame
	if s.aged {
		before = min(r.cmd.From, scene.Oldest) / r.cmd.Every
	}
	err = r.run(ctx, before, func(e sim.Engine) error {
		done.Last = e.Generation()
		if err := s.read(e); err != nil {
			return err
		}
		if before > 0 {
			before--
			return nil
		}
		picture, err := s.draw(ctx)
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
