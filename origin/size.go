package origin

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/topology"
)

// Size is a flag such as "512" or "1000x777". The zero value means that the flag was not given.
type Size struct{ W, H int }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	w, h, two := strings.Cut(strings.ToLower(string(text)), "x")
	if !two {
		h = w
	}
	var err error
	if s.W, err = side(w); err == nil {
		s.H, err = side(h)
	}
	if err != nil {
		return fmt.Errorf("size %q: want W or WxH, each 1 to %d cells", text, topology.MaxSide)
	}
	return nil
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
	if s.W == s.H {
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
