package topology

import (
	"fmt"
	"strings"
)

// Kind is the way opposite edges are joined.
type Kind uint8

const (
	Unbounded Kind = iota // no edges at all
	Torus                 // opposite edges joined, perhaps with a shift
	Plane                 // dead cells outside
	Klein                 // opposite edges joined, one pair with a twist
	Cross                 // cross-surface: both pairs twisted
	Sphere                // adjacent edges joined; square only
)

// kindNames spells the kinds for command lines, in the order of the constants.
var kindNames = [...]string{"unbounded", "torus", "plane", "klein", "cross", "sphere"}

// String is the kind's name as ParseKind reads it.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind reads a kind by its name, in any case: torus, plane, unbounded, klein, cross or sphere.
func ParseKind(name string) (Kind, error) {
	for k, n := range kindNames {
		if strings.EqualFold(name, n) {
			return Kind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown topology %q: allowed are torus, plane, unbounded, klein, cross and sphere", name)
}

// Axis names the pair of edges that carries a shift or a twist.
type Axis uint8

const (
	NoAxis     Axis = iota
	Horizontal      // the top and bottom edges (Golly marks the width: ":K30*,20", ":T30+5,20")
	Vertical        // the left and right edges (Golly marks the height)
)

// MaxSide is the largest width or height in cells, Golly's own limit.
const MaxSide = 2_000_000_000

// Topology is a universe's size and the joining of its edges. The zero value is the unbounded plane. Values are
// comparable, and those that Parse and New return are equal exactly when they join the same cells.
type Topology struct {
	Kind  Kind
	W, H  int  // cells; 0 is infinite (Unbounded has both 0, Torus and Plane may have one)
	Twist Axis // Klein: the twisted pair
	Axis  Axis // the pair that is shifted (NoAxis when Shift is 0)
	Shift int  // cells
}

// New is a topology of w×h cells without a shift. A side of 0 is infinite, which only a torus or a plane may have; with
// two of them, and for Unbounded, the result is the unbounded plane. A Klein bottle is twisted on its left and right
// edges, as Golly reads ":K30,20".
func New(kind Kind, w, h int) (Topology, error) {
	t := Topology{Kind: kind, W: w, H: h}
	if kind == Klein {
		t.Twist = Vertical
	}
	t = t.canonical()
	return t, t.Validate()
}

// Bounded reports whether both sides are finite.
func (t Topology) Bounded() bool { return t.W > 0 && t.H > 0 }

// Validate reports the first way in which t is not a topology: an impossible size, twist or shift.
func (t Topology) Validate() error {
	switch {
	case int(t.Kind) >= len(kindNames):
		return fmt.Errorf("unknown topology kind %d", t.Kind)
	case t.W < 0 || t.H < 0 || t.W > MaxSide || t.H > MaxSide:
		return fmt.Errorf("size %d×%d: each side must be 1 to %d cells, or 0 for infinite", t.W, t.H, MaxSide)
	case t.Kind == Unbounded && (t.W != 0 || t.H != 0):
		return fmt.Errorf("the unbounded plane has no size, not %d×%d", t.W, t.H)
	case (t.Kind == Klein || t.Kind == Cross || t.Kind == Sphere) && !t.Bounded():
		return fmt.Errorf("a %s of %d×%d cells: only a torus or a plane can be infinite", t.Kind, t.W, t.H)
	case t.Kind == Sphere && t.W != t.H:
		return fmt.Errorf("a sphere must be square, not %d×%d", t.W, t.H)
	case (t.Kind == Klein) != (t.Twist == Horizontal || t.Twist == Vertical):
		return fmt.Errorf("exactly one pair of edges of a Klein bottle is twisted, and none elsewhere")
	case t.Shift == 0 && t.Axis == NoAxis:
		return nil
	case t.Kind != Torus && t.Kind != Klein:
		return fmt.Errorf("a %s cannot have a shift: only a torus or a Klein bottle can", t.Kind)
	case t.Axis != Horizontal && t.Axis != Vertical:
		return fmt.Errorf("a shift must be on the horizontal or the vertical edges")
	case t.Kind == Klein && t.Axis != t.Twist:
		return fmt.Errorf("the shift of a Klein bottle must be on its twisted edges")
	case !t.Bounded():
		return fmt.Errorf("an infinite torus cannot have a shift")
	}
	return nil
}

// canonical is the spelling that Parse and New return, of several for the same universe.
func (t Topology) canonical() Topology {
	if t.W == 0 && t.H == 0 && (t.Kind == Torus || t.Kind == Plane) {
		return Topology{}
	}
	side := t.W
	if t.Axis == Vertical {
		side = t.H
	}
	switch {
	case t.Shift == 0 || side <= 0:
	case t.Kind == Torus:
		// The representative nearest to 0, so that ":T30,20-2" keeps its sign.
		t.Shift = floorMod(t.Shift, side)
		if 2*t.Shift > side {
			t.Shift -= side
		}
	case t.Kind == Klein:
		// On a reflected edge only the parity of a shift matters, and on an odd side not even that. Golly makes every
		// shift of an even side a shift by 1, and drops those of odd sides.
		t.Shift = 1 - side%2
	}
	if t.Shift == 0 {
		t.Axis = NoAxis
	}
	return t
}

// WrapsStraight reports whether what leaves the grid enters it straight across: on a torus without a shift.
func (t Topology) WrapsStraight() bool { return t.Kind == Torus && t.Shift == 0 }
