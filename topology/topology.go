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

// kinds describes each kind: its names, how its edges are joined, and which options it allows. Everything else
// follows from that. It is in the order of the constants.
var kinds = [...]struct {
	name     string // for command lines
	letter   byte   // of Golly's suffix; 0 if it has none
	join     Join   // of both pairs of edges, except the twisted one of a Klein bottle
	infinite bool   // one or both sides may be infinite
	shift    bool   // it may have a shift
	twist    bool   // one pair of edges is twisted: see Topology.Twist
	square   bool   // it has only one side length
	layers   bool   // it may have three dimensions: see Topology.D
}{
	Unbounded: {name: "unbounded", join: Open, infinite: true},
	Torus:     {name: "torus", letter: 'T', join: Wrap, infinite: true, shift: true, layers: true},
	Plane:     {name: "plane", letter: 'P', join: Wall, infinite: true, layers: true},
	Klein:     {name: "klein", letter: 'K', join: Wrap, shift: true, twist: true},
	Cross:     {name: "cross", letter: 'C', join: Mirror},
	Sphere:    {name: "sphere", letter: 'S', join: Turn, square: true},
}

// Join says how a pair of opposite edges is joined.
type Join uint8

const (
	Open   Join = iota // there are no edges
	Wall               // dead cells lie beyond
	Wrap               // to each other
	Mirror             // to each other, with a twist
	Turn               // to the edges beside them
)

// Join returns how a pair of edges is joined. A shift is applied in addition (see Axis).
func (t Topology) Join(pair Axis) Join {
	if t.Kind == Klein && t.Twist == pair {
		return Mirror
	}
	return kinds[t.Kind].join
}

// String returns the kind's name in the form that ParseKind reads.
func (k Kind) String() string {
	if int(k) < len(kinds) {
		return kinds[k].name
	}
	return fmt.Sprintf("Kind(%d)", uint8(k))
}

// ParseKind reads a kind by its name, in any case: unbounded, torus, plane, klein, cross or sphere.
func ParseKind(name string) (Kind, error) {
	var names []string
	for k := range kinds {
		if strings.EqualFold(name, kinds[k].name) {
			return Kind(k), nil
		}
		names = append(names, kinds[k].name)
	}
	last := len(names) - 1
	return 0, fmt.Errorf("unknown topology %q: allowed are %s and %s", name, strings.Join(names[:last], ", "), names[last])
}

// Axis names the pair of edges that carries a shift or a twist.
type Axis uint8

const (
	NoAxis     Axis = iota
	Horizontal      // the top and bottom edges (Golly marks the width: ":K30*,20", ":T30+5,20")
	Vertical        // the left and right edges (Golly marks the height)
)

// MaxSide is the largest width or height in cells, Golly's own limit. A volume may have as many rows in all its layers
// together.
const MaxSide = 2_000_000_000

// Topology is a universe's size and how its edges are joined. The zero value is the unbounded plane. Values are
// comparable. Values from Parse and New are equal exactly if they join the same cells.
//
// A universe of three dimensions is a volume: D layers of cells, one behind the other. Its cells are addressed as a
// grid of W columns and H rows, layer after layer: the cell (x, y, z) is in column x and row y + z·LayerRows(). Code
// that does not look at neighbours needs only that.
type Topology struct {
	Kind  Kind
	W, H  int  // cells; 0 is infinite (Unbounded has both 0, Torus and Plane may have one)
	D     int  // layers of a volume, of H/D rows each; 0 means two dimensions (only Torus and Plane may have layers)
	Twist Axis // Klein: the twisted pair
	Axis  Axis // the pair that is shifted (NoAxis when Shift is 0)
	Shift int  // cells
}

// New returns a topology of w×h cells without a shift. A side of 0 is infinite, which only a torus or a plane
// allows. If both are 0, or for Unbounded, the result is the unbounded plane. A Klein bottle is twisted on its
// left and right edges, as Golly reads ":K30,20".
func New(kind Kind, w, h int) (Topology, error) {
	t := Topology{Kind: kind, W: w, H: h}
	if kind == Klein {
		t.Twist = Vertical
	}
	t = t.canonical()
	return t, t.Validate()
}

// NewVolume returns a universe of w×h×d cells: d layers of h rows. Only a torus and a plane have layers.
func NewVolume(kind Kind, w, h, d int) (Topology, error) {
	if err := checkVolume(kind, w, h, d); err != nil {
		return Topology{}, err
	}
	return Topology{Kind: kind, W: w, H: h * d, D: d}, nil
}

func checkVolume(kind Kind, w, h, d int) error {
	switch {
	case int(kind) >= len(kinds) || !kinds[kind].layers:
		return fmt.Errorf("topology %s has no layers: only a torus and a plane can have three dimensions", kind)
	case min(w, h, d) < 1 || max(w, h, d) > MaxSide:
		return fmt.Errorf("size %d×%d×%d: each side of a volume must be 1 to %d cells", w, h, d, MaxSide)
	case d > MaxSide/h:
		return fmt.Errorf("size %d×%d×%d: a volume has at most %d rows in all its layers together", w, h, d, MaxSide)
	}
	return nil
}

// Volume reports whether the universe has three dimensions.
func (t Topology) Volume() bool { return t.D > 0 }

// LayerRows is the number of rows of a layer: H in two dimensions.
func (t Topology) LayerRows() int { return t.H / max(t.D, 1) }

// Size is the size in words: "64×48", "64×48×40".
func (t Topology) Size() string {
	if t.Volume() {
		return fmt.Sprintf("%d×%d×%d", t.W, t.LayerRows(), t.D)
	}
	return fmt.Sprintf("%d×%d", t.W, t.H)
}

// Bounded reports whether both sides are finite.
func (t Topology) Bounded() bool { return t.W > 0 && t.H > 0 }

// Validate returns the first error of t: an impossible size, twist or shift.
func (t Topology) Validate() error {
	switch {
	case int(t.Kind) >= len(kinds):
		return fmt.Errorf("unknown topology kind %d", t.Kind)
	case t.W < 0 || t.H < 0 || t.W > MaxSide || t.H > MaxSide:
		return fmt.Errorf("size %d×%d: each side must be 1 to %d cells, or 0 for infinite", t.W, t.H, MaxSide)
	case t.Kind == Unbounded && (t.W != 0 || t.H != 0):
		return fmt.Errorf("the unbounded plane has no size, not %d×%d", t.W, t.H)
	case !kinds[t.Kind].infinite && !t.Bounded():
		return fmt.Errorf("a %s of %d×%d cells: only a torus or a plane can be infinite", t.Kind, t.W, t.H)
	case kinds[t.Kind].square && t.W != t.H:
		return fmt.Errorf("a sphere must be square, not %d×%d", t.W, t.H)
	case kinds[t.Kind].twist != (t.Twist == Horizontal || t.Twist == Vertical):
		return fmt.Errorf("exactly one pair of edges of a Klein bottle is twisted, and none elsewhere")
	case t.D < 0 || t.D > 0 && t.H%t.D != 0:
		return fmt.Errorf("%d rows in %d layers: want as many rows in each layer", t.H, t.D)
	case t.D > 0 && (t.Shift != 0 || t.Axis != NoAxis):
		return fmt.Errorf("a volume cannot have a shift")
	case t.D > 0:
		return checkVolume(t.Kind, t.W, t.LayerRows(), t.D)
	case t.Shift == 0 && t.Axis == NoAxis:
		return nil
	case !kinds[t.Kind].shift:
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

// canonical returns the form that Parse and New return, of several for the same universe.
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
		// Take the shift nearest to 0, so that ":T30,20-2" keeps its sign.
		t.Shift = floorMod(t.Shift, side)
		if 2*t.Shift > side {
			t.Shift -= side
		}
	case t.Kind == Klein:
		// On a mirrored edge only the parity of a shift matters, and on an odd side not even that. Golly turns every
		// shift of an even side into a shift by 1, and drops those of odd sides.
		t.Shift = 1 - side%2
	}
	if t.Shift == 0 {
		t.Axis = NoAxis
	}
	return t
}

// WrapsStraight reports whether cells beyond an edge are those at the opposite edge, without a shift: on a
// torus of two dimensions without a shift.
func (t Topology) WrapsStraight() bool {
	return t.Join(Horizontal) == Wrap && t.Join(Vertical) == Wrap && t.Axis == NoAxis && !t.Volume()
}

// KeepsRows reports whether the cells beyond the left and right end of a row are dead or cells of that row.
func (t Topology) KeepsRows() bool {
	join := t.Join(Vertical)
	return join == Wall || join == Wrap && t.Axis != Vertical
}

// WrapsRows reports whether the rows beyond the top and bottom edge are whole rows of the universe, without a shift.
// It is for two dimensions: each layer of a volume has edges of its own.
func (t Topology) WrapsRows() bool {
	return t.Join(Horizontal) == Wrap && t.Axis != Horizontal && !t.Volume()
}
