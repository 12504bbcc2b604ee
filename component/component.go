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
	// over edges and the corners up left and down right, as hexagons do: the triangular lattice; in a volume over faces
	Six
	Eighteen  // in a volume over faces and edges
	TwentySix // in a volume over faces, edges and corners
)

// neighbours is the number of cells that a cell touches, by connectivity.
var neighbours = [...]int{Eight: 8, Four: 4, Six: 6, Eighteen: 18, TwentySix: 26}

// String is the number of neighbours: "8", "4", "6", "18" or "26".
func (c Connectivity) String() string { return strconv.Itoa(c.Neighbours()) }

// Neighbours is the number of cells that a cell touches: 8, 4, 6, 18 or 26.
func (c Connectivity) Neighbours() int { return neighbours[c] }

// ParseConnectivity reads "8", "6" or "4", and for volumes "26", "18" or "6".
func ParseConnectivity(text string) (Connectivity, error) {
	for c := range neighbours {
		if strconv.Itoa(neighbours[c]) == text {
			return Connectivity(c), nil
		}
	}
	return 0, fmt.Errorf("connectivity %q: want 8, 6 or 4, or 26, 18 or 6 in three dimensions", text)
}

// Fits returns an error if cells cannot touch in this way on a topology. In two dimensions Six needs edges that keep
// apart the two ways to lean: planes and tori.
func (c Connectivity) Fits(t topology.Topology) error {
	switch {
	case t.Volume() && !c.inVolume():
		return fmt.Errorf("clusters of cells with %v neighbours in three dimensions: want 26, 18 or 6", c)
	case !t.Volume() && (c == Eighteen || c == TwentySix):
		return fmt.Errorf("clusters of cells with %v neighbours in two dimensions: want 8, 6 or 4", c)
	case t.Volume():
		return nil
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
// sphere or the unbounded plane. In a volume Z is from the first layer to the last.
type Span uint8

const (
	SpanX    Span = 1 << iota // from left to right
	SpanY                     // from top to bottom
	SpanZ                     // from the first layer to the last
	SpanNone Span = 0
	SpanBoth      = SpanX | SpanY // possibly by different clusters
	SpanAll       = SpanX | SpanY | SpanZ
)

var spanNames = [...]string{"none", "x", "y", "both", "z", "xz", "yz", "all"}

// String is "none", "x", "y" or "both" (x and y); in a volume also "z", "xz", "yz" or "all".
func (s Span) String() string { return spanNames[s&SpanAll] }

// Clusters describes the clusters of one universe.
type Clusters struct {
	Sizes Histogram
	Span  Span
}

// Label finds the clusters of src on a topology with a new Labeller. To label many universes, keep a Labeller.
func Label(src grid.Source, t topology.Topology, c Connectivity) (Clusters, error) {
	return new(Labeller).Label(src, t, c)
}
