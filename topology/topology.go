// Package topology says what lies beyond the edge of a universe: how a coordinate outside the grid folds back into it.
//
// The notation and the index maps are Golly's bounded grids (help page "Bounded Grids"), with the coordinate origin at the
// top-left cell, x to the right and y down.
package topology

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

// Axis names the pair of edges that carries a shift or a twist.
type Axis uint8

const (
	NoAxis     Axis = iota
	Horizontal      // the top and bottom edges (Golly marks the width: ":K30*,20", ":T30+5,20")
	Vertical        // the left and right edges (Golly marks the height)
)

// Topology is a universe's size and the joining of its edges. The zero value is the unbounded plane. Values are comparable.
type Topology struct {
	Kind  Kind
	W, H  int  // cells; 0 is infinite (Unbounded has both 0, Torus and Plane may have one)
	Twist Axis // Klein: the twisted pair
	Axis  Axis // the pair that is shifted (NoAxis when Shift is 0)
	Shift int  // cells
}
