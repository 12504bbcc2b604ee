package bytewise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// run is a line of cells along an edge of the neighbourhood: (dx + k·lean, top + k) from k = 0 down to bottom. The
// count at a cell differs from the count at the cell to its left by weight × the cells of all runs.
//
// The sum of a run at (x, y) is that at (x - lean, y - 1) with the last cell of the run and without the cell above
// its first. Therefore, a sum takes two additions for a run of any length.
type run struct {
	dx, top, bottom int
	lean            int // -1, 0, 1: columns to the right for each row down
	weight          int32
}

// counter is a rule in the form in which the engine computes it.
type counter struct {
	radius  int
	states  int
	runs    []run
	weights [256]uint8    // of a neighbour, by its state
	lowest  int           // the least possible sum
	alive   []uint8       // by sum - lowest: bit 0 for births, bit 1 for survivals
	next    [4 * 256]byte // by 4 × state + alive
	least   int           // the least weight of neighbours at which a cell is born; 0 if some weigh less than nothing
	most    int           // the largest weight of an offset
}

// mostSums bounds the memory of counter.alive, and mostRuns the time of a cell.
const (
	mostSums = 1 << 24
	mostRuns = 8 // times the radius
)

// newCounter returns the counter of a rule. The error says why it would be slow.
func newCounter(r rule.Rule) (*counter, error) {
	n := r.Neighbourhood
	c := &counter{radius: n.Radius, states: r.States, next: aging(r.States)}
	centre := 0 // counted with its neighbours if that leaves no hole, and then taken off the survivals
	if left := n.Weight(-1, 0); left == n.Weight(1, 0) {
		centre = left
	}
	edges, negative, positive := c.edges(n, centre)
	c.runs = runsOf(edges)
	if len(c.runs) > mostRuns*(n.Radius+1) {
		return nil, fmt.Errorf("its neighbourhood has too many edges, %d", len(c.runs))
	}
	heaviest := 0
	for s := range r.States {
		c.weights[s] = uint8(r.StateWeight(uint8(s)))
		heaviest = max(heaviest, r.StateWeight(uint8(s)))
	}
	c.lowest = negative * heaviest
	highest := positive * heaviest
	if highest-c.lowest >= mostSums {
		return nil, fmt.Errorf("its neighbourhood counts up to %d, too far for a table", highest)
	}
	c.alive = make([]uint8, highest-c.lowest+1)
	for _, in := range r.Birth.Clip(c.lowest, highest) {
		for count := in.Lo; count <= in.Hi; count++ {
			c.alive[count-c.lowest] |= 1
		}
	}
	for _, in := range r.Survival.Shift(centre*r.StateWeight(1)).Clip(c.lowest, highest) {
		for count := in.Lo; count <= in.Hi; count++ {
			c.alive[count-c.lowest] |= 2
		}
	}
	if negative == 0 {
		c.least = highest + 1
		if births := r.Birth.Clip(0, highest); len(births) > 0 {
			c.least = births[0].Lo
		}
	}
	return c, nil
}

// edge is a place in the neighbourhood at which the weight differs from the weight of the place to its right.
type edge struct{ dx, dy int }

// edges returns the edges of a neighbourhood, and the sums of its negative and of its positive weights.
func (c *counter) edges(n neighbourhood.Set, centre int) (edges map[edge]int32, negative, positive int) {
	edges = map[edge]int32{}
	for dy := -n.Radius; dy <= n.Radius; dy++ {
		left := 0
		for dx := -n.Radius; dx <= n.Radius+1; dx++ {
			w := n.Weight(dx, dy)
			if dx == 0 && dy == 0 {
				w = centre
			}
			if w != left {
				edges[edge{dx - 1, dy}] = int32(left - w)
			}
			negative, positive = negative+min(w, 0), positive+max(w, 0)
			c.most = max(c.most, w)
			left = w
		}
	}
	return edges, negative, positive
}

// runsOf divides edges into runs, each as long as possible, from the top.
func runsOf(edges map[edge]int32) (runs []run) {
	inOrder := slices.SortedStableFunc(maps.Keys(edges), func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.dy, b.dy), cmp.Compare(a.dx, b.dx))
	})
	for _, first := range inOrder {
		w := edges[first]
		if w == 0 { // it is part of a run already
			continue
		}
		longest := run{dx: first.dx, top: first.dy, bottom: first.dy, weight: w}
		at := func(lean, y int) edge { return edge{first.dx + (y-first.dy)*lean, y} }
		for _, lean := range []int{0, -1, 1} {
			bottom := first.dy
			for edges[at(lean, bottom+1)] == w {
				bottom++
			}
			if bottom > longest.bottom {
				longest.lean, longest.bottom = lean, bottom
			}
		}
		for y := longest.top; y <= longest.bottom; y++ {
			delete(edges, at(longest.lean, y))
		}
		runs = append(runs, longest)
	}
	return runs
}
