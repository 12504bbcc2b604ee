package origin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/topology"
)

// Size is a flag such as "512", "1000x777" or "64x48x40". The zero value means that the flag was not given.
type Size struct {
	W, H int
	D    int  // layers; 0 if they are not given
	one  bool // only one number was given: of a square, or of a cube
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	sides := strings.Split(strings.ToLower(string(text)), "x")
	read := Size{one: len(sides) == 1}
	var err error
	for i, to := range []*int{&read.W, &read.H, &read.D} {
		if i < len(sides) && err == nil {
			*to, err = side(sides[i])
		}
	}
	if err != nil || len(sides) > 3 {
		return fmt.Errorf("size %q: want W, WxH or WxHxD, each 1 to %d cells", text, topology.MaxSide)
	}
	if read.one {
		read.H = read.W
	}
	*s = read
	return nil
}

// topology is the universe of this size. For a rule of three dimensions one number is the side of a cube.
func (s Size) topology(kind topology.Kind, volume bool) (topology.Topology, error) {
	switch {
	case s.D > 0:
		return topology.NewVolume(kind, s.W, s.H, s.D)
	case volume && s.one:
		return topology.NewVolume(kind, s.W, s.W, s.W)
	}
	return topology.New(kind, s.W, s.H)
}

// Torus is the torus of this size, or of the default for soups if none is given. For a rule of three dimensions one
// number is the side of a cube.
func (s Size) Torus(volume bool) (topology.Topology, error) {
	switch {
	case s == Size{} && volume:
		s = Size{W: defaultDepth, H: defaultDepth, D: defaultDepth}
	case s == Size{}:
		s = Size{W: defaultSide, H: defaultSide}
	}
	return s.topology(topology.Torus, volume)
}

// is reports whether t has this size.
func (s Size) is(t topology.Topology) bool {
	d := s.D
	if t.Volume() && s.one {
		d = s.W
	}
	return t.W == s.W && t.LayerRows() == s.H && t.D == d
}

func side(digits string) (int, error) {
	n, err := number.Int(digits)
	if err == nil && (n < 1 || n > topology.MaxSide) {
		err = strconv.ErrRange
	}
	return n, err
}

// String returns the size in the form that the flag reads.
func (s Size) String() string {
	switch {
	case s.D > 0:
		return fmt.Sprintf("%dx%dx%d", s.W, s.H, s.D)
	case s.W == s.H:
		return strconv.Itoa(s.W)
	}
	return fmt.Sprintf("%dx%d", s.W, s.H)
}

// Point is a flag such as "X,Y".
type Point struct{ X, Y int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Point) UnmarshalText(text []byte) error {
	x, y, two := strings.Cut(string(text), ",")
	var err error
	if p.X, err = number.Int(x); err == nil {
		p.Y, err = number.Int(y)
	}
	if err != nil || !two || max(p.X, -p.X, p.Y, -p.Y) > furthest {
		return fmt.Errorf("position %q: want X,Y, each within ±%d", text, furthest)
	}
	return nil
}

// String returns the position in the form that the flag reads.
func (p Point) String() string { return fmt.Sprintf("%d,%d", p.X, p.Y) }

// furthest is the largest coordinate that --at accepts. Sums of a few such coordinates do not overflow.
const furthest = 1 << 30
