package film

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/internal/volume"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// VolumeFlags say how a universe of three dimensions is drawn.
type VolumeFlags struct {
	Yaw    *float64 `placeholder:"D" help:"Direction of the viewer: degrees around the universe. Default: 30."`
	Pitch  *float64 `placeholder:"D" help:"Height of the viewer in degrees: -90 is straight below, 90 straight above. Default: 25."`
	Turn   *float64 `placeholder:"D" help:"Degrees that the viewer moves around the universe from frame to frame. Default: 0."`
	Zoom   *float64 `placeholder:"N" help:"Magnification, 0.1 to 20. At 1, the picture holds the whole universe. Default: 1."`
	Box    *Box     `placeholder:"X,Y,Z" help:"Cells to draw: three ranges, as in 0..31,0..63,10..20. Default: all."`
	Slice  *int     `placeholder:"Z" help:"Draw layer Z alone, as a flat picture."`
	Pixels *int     `placeholder:"N" help:"Width and height of the picture. Default: 640."`
	Colour string   `placeholder:"C" help:"What colours show: state, age, depth (layer) or position. Default: state."`
}

// Box is a flag that reads "0..31,0..63,10..20".
type Box volume.Box

// UnmarshalText implements encoding.TextUnmarshaler.
func (c *Box) UnmarshalText(text []byte) error {
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

// Fill sets the flags that were not given and refuses values that are not allowed. ages says that --ages was given.
func (v *VolumeFlags) Fill(t topology.Topology, ages bool) error {
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
	whole := Box{Max: [3]int{t.W, t.LayerRows(), t.D}}
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

// Sculptor takes the frames of a volume: Read looks at its cells, Draw makes a picture of them.
type Sculptor struct {
	// Flags say from where the next picture is seen. They must have been filled, and Colour must not become or
	// cease to be "age".
	Flags *VolumeFlags

	theme   scene.Theme
	cells   *volume.Volume
	flat    Camera // reads all cells as numbers of the palette's colours
	aged    bool
	palette []color.RGBA // by state or age
	turned  float64      // degrees
}

// NewSculptor returns a sculptor for universes of size t. It is an error if t has more than volume.MostCells cells.
func NewSculptor(flags *VolumeFlags, painter scene.Painter, t topology.Topology) (*Sculptor, error) {
	cells, err := volume.New(t.W, t.LayerRows(), t.D)
	if err != nil {
		return nil, err
	}
	painter.Aged = flags.Colour == "age"
	s := &Sculptor{Flags: flags, theme: painter.Theme, cells: cells, aged: painter.Aged}
	s.flat = Camera{Region: scene.Region{W: t.W, H: t.H}, Up: 1, Painter: painter}
	for _, c := range painter.Palette(0) {
		s.palette = append(s.palette, color.RGBAModel.Convert(c).(color.RGBA))
	}
	return s, nil
}

// Theme returns the colours of the pictures.
func (s *Sculptor) Theme() scene.Theme { return s.theme }

// Read looks at the cells of a universe at the generation of a frame, or of one before the film that ages need.
func (s *Sculptor) Read(e sim.Engine) error {
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

// Draw returns the next frame.
func (s *Sculptor) Draw(ctx context.Context) (*image.RGBA, error) {
	view := volume.View{
		Yaw: *s.Flags.Yaw + s.turned, Pitch: *s.Flags.Pitch, Zoom: *s.Flags.Zoom, Clip: volume.Box(*s.Flags.Box),
		Colour: s.colour, Background: s.theme.Dead, Frame: scene.Mix(s.theme.Dead, s.theme.Live, 0.4),
	}
	s.turned += *s.Flags.Turn
	return s.cells.Draw(ctx, view, *s.Flags.Pixels, *s.Flags.Pixels)
}

// colour is the colour of a live cell.
func (s *Sculptor) colour(x, y, z int, state byte) color.RGBA {
	switch s.Flags.Colour {
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
func (s *Sculptor) gradient(share float64) color.RGBA {
	if share < 0.5 {
		return scene.Mix(s.theme.Live, s.theme.Dying, 2*share)
	}
	return scene.Mix(s.theme.Dying, s.theme.Died, 2*share-1)
}

// Bases are the colours from which those of a film are made by light, shadow and haze: a few that are typical of
// the colours of cells.
func (s *Sculptor) Bases() []color.RGBA {
	const most = 8
	switch s.Flags.Colour {
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
