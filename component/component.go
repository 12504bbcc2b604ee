package component

import (
	"fmt"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Connectivity says which cells touch each other.
type Connectivity uint8

const (
	Eight Connectivity = iota // over edges and corners
	Four                      // over edges only
	Six                       // over edges and the corners up left and down right, as hexagons do: the triangular lattice
)

// String is the number of neighbours: "8", "4" or "6".
func (c Connectivity) String() string { return strconv.Itoa(c.Neighbours()) }

// Neighbours is the number of cells that a cell touches: 8, 4 or 6.
func (c Connectivity) Neighbours() int {
	switch c {
	case Four:
		return 4
	case Six:
		return 6
	}
	return 8
}

// ParseConnectivity reads "8", "6" or "4".
func ParseConnectivity(text string) (Connectivity, error) {
	for _, c := range []Connectivity{Eight, Six, Four} {
		if c.String() == text {
			return c, nil
		}
	}
	return 0, fmt.Errorf("connectivity %q: want 8, 6 or 4", text)
}

// Fits returns an error if cells cannot touch in this way on a topology. Six needs edges that keep apart the
// two ways to lean: planes and tori.
func (c Connectivity) Fits(t topology.Topology) error {
	if t.Volume() {
		return fmt.Errorf("clusters on %v: want a universe of two dimensions", t)
	}
	if c == Six && t.Kind != topology.Unbounded && t.Kind != topology.Plane && t.Kind != topology.Torus {
		return fmt.Errorf("clusters of cells with 6 neighbours on a %v: want a plane or a torus", t.Kind)
	}
	return nil
}

// UnmarshalText implements encoding.TextUnmarshaler by ParseConnectivity.
func (c *Connectivity) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConnectivity(string(text))
	return err
}

// Span says in which directions some cluster spans a universe. On a plane a cluster spans from edge to edge. On
// a torus or a Klein bottle it closes on itself around the universe: some closed path in it crosses the left
// and right edges (X), or the top and bottom edges (Y), more often one way than the other. A cross-surface has
// only one way around, which counts as both: a path that crosses edges an odd number of times. Nothing spans a
// sphere or the unbounded plane.
type Span uint8

const (
	SpanX    Span = 1 << iota // from left to right
	SpanY                     // from top to bottom
	SpanNone Span = 0
	SpanBoth      = SpanX | SpanY // possibly by different clusters
)

var spanNames = [...]string{"none", "x", "y", "both"}

// String is "none", "x", "y" or "both".
func (s Span) String() string { return spanNames[s&SpanBoth] }

// Clusters describes the clusters of one universe.
type Clusters struct {
	Sizes Histogram
	Span  Span
}

// Label finds the clusters of src on a topology with a new Labeller. To label many universes, keep a Labeller.
func Label(src grid.Source, t topology.Topology, c Connectivity) (Clusters, error) {
	return new(Labeller).Label(src, t, c)
}
