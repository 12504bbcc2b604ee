package component

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Connectivity says which cells touch each other.
type Connectivity uint8

const (
	Eight Connectivity = iota // over edges and corners
	Four                      // over edges only
)

// String is "8" or "4".
func (c Connectivity) String() string {
	if c == Four {
		return "4"
	}
	return "8"
}

// Neighbours is the number of cells that a cell touches: 8 or 4.
func (c Connectivity) Neighbours() int {
	if c == Four {
		return 4
	}
	return 8
}

// ParseConnectivity reads "8" or "4".
func ParseConnectivity(text string) (Connectivity, error) {
	switch text {
	case "8":
		return Eight, nil
	case "4":
		return Four, nil
	}
	return 0, fmt.Errorf("connectivity %q: want 8 or 4", text)
}

// UnmarshalText implements encoding.TextUnmarshaler by ParseConnectivity.
func (c *Connectivity) UnmarshalText(text []byte) (err error) {
	*c, err = ParseConnectivity(string(text))
	return err
}

// Span says in which directions some cluster spans a universe. On a plane a cluster spans from edge to edge. On a torus or a Klein bottle it closes
// on itself around the universe: some closed path in it crosses the left and right edges (X), or the top and bottom edges (Y), more often one way
// than the other. A cross-surface has only one way around, which counts as both: a path that crosses edges an odd number of times. Nothing spans a
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
