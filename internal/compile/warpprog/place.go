package warpprog

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
)

// Place chooses the column at which each node is made, so that moving its inputs costs little. It goes from the
// output back and first places each node where most of its users want it. Then it moves single nodes as long as
// that lowers the cost.
//
// A strip has ends, so no row may be needed farther to a side than the radius. With a lead, bit x of the output
// is column x+lead. Nodes are then placed so that no user reads to the left, if that is possible (see
// LooksLeft).
func Place(cost CostModel, radius, lead int) dataflow.Pass {
	return dataflow.Pass{
		Name: "place", Why: "Nodes are made at the columns where the fewest of their inputs have to be moved from lane to lane.",
		Run: func(g *dataflow.Graph) { place(g, cost, radius, lead) },
	}
}

// place chooses the column at which each node is made. From the outputs back, each node first takes
// the column that most of its users want. Then single nodes move while that lowers the cost.
func place(g *dataflow.Graph, cost CostModel, radius, lead int) {
	p := &placing{
		g: g, model: cost, radius: radius, lead: lead, at: make([]int, len(g.Nodes)),
		wishes: make([][]wish, len(g.Nodes)),
	}
	for i := range g.Nodes {
		for _, r := range g.Nodes[i].Inputs() {
			p.wishes[r.Node] = append(p.wishes[r.Node], wish{i, r.DX})
		}
	}
	for _, r := range g.Out {
		p.wishes[r.Node] = append(p.wishes[r.Node], wish{output, r.DX})
	}
	if g.Drifts { // only the columns that users want: at others, what enters at the sides would not be zeros
		p.least, p.most = slices.Repeat([]int{math.MinInt}, len(p.at)), slices.Repeat([]int{math.MaxInt}, len(p.at))
	} else {
		p.reach()
	}
	for i := len(g.Nodes) - 1; i >= 0; i-- {
		if g.Nodes[i].N > 0 { // inputs and constants keep their column
			p.at[i] = p.mostWanted(i)
		}
	}
	if !g.Drifts {
		p.improve()
	}
	for i := range g.Nodes {
		for k := range g.Nodes[i].N {
			r := &g.Nodes[i].In[k]
			// Row i is now made moved by at[i], and so needs its inputs moved as far. An input that is made moved itself has
			// done a part of the way.
			r.DX += p.at[i] - p.at[r.Node]
		}
	}
	for k := range g.Out {
		g.Out[k].DX += lead - p.at[g.Out[k].Node]
	}
}

// placing holds the chosen columns: the row of node i is computed moved by at[i].
type placing struct {
	g            *dataflow.Graph
	model        CostModel
	radius, lead int
	at           []int
	wishes       [][]wish // by node
	// least and most are, by node, the columns at which it may be computed.
	least, most []int
}

// wish is a use of a node's row, moved by dx. A node at column at[user] + dx needs no move for it.
type wish struct{ user, dx int }

// output stands for the output as a user. It needs rows unmoved.
const output = -1

// column is the column in which a user wants the value of a node: its own, or that of the output, moved by the
// distance of the reference.
func (p *placing) column(w wish) int {
	if w.user == output {
		return w.dx + p.lead
	}
	return p.at[w.user] + w.dx
}

// reach finds the columns at which nodes may be computed. If users need a node at columns lo to hi relative to
// the cell, they need bits lo-at to hi-at of its row. These must not be farther away than the radius.
func (p *placing) reach() {
	lo, hi := slices.Repeat([]int{math.MaxInt}, len(p.at)), slices.Repeat([]int{math.MinInt}, len(p.at))
	for changed := true; changed; {
		changed = false
		for i := len(p.at) - 1; i >= 0; i-- {
			for _, w := range p.wishes[i] {
				// The output itself needs column 0 only.
				from, to := 0, 0
				if w.user != output {
					from, to = lo[w.user], hi[w.user]
				}
				if from > to { // no output is known to need the user itself
					continue
				}
				if l, h := min(lo[i], from+w.dx), max(hi[i], to+w.dx); l != lo[i] || h != hi[i] {
					lo[i], hi[i], changed = l, h, true
				}
			}
		}
	}
	for i := range lo {
		if lo[i] > hi[i] {
			lo[i], hi[i] = 0, 0
		}
		p.least, p.most = append(p.least, hi[i]-p.radius), append(p.most, lo[i]+p.radius)
	}
}

// mostWanted returns the column at which the most users of a node need no move, among the columns at which the
// node may be computed.
func (p *placing) mostWanted(i int) int {
	votes := map[int]int{}
	best := 0
	first := true
	for _, w := range p.wishes[i] {
		if w.user != output && w.user <= i { // a recurrence: the user has no column yet
			continue
		}
		column := min(max(p.column(w), p.least[i]), p.most[i])
		votes[column]++
		better := votes[column] > votes[best]
		if p.lead > 0 {
			better = column < best // so that no user has to read to the left
		}
		if first || better {
			best, first = column, false
		}
	}
	return best
}

// leftwards is the extra cost of a move to the left in a program that should read only to the right.
const leftwards = 1 << 20

// cost returns the cost of all moves.
func (p *placing) cost() int {
	m := newMoves(p.model, p.g)
	count := func(r dataflow.Ref, by int) {
		r.DX += by - p.at[r.Node]
		m.add(r)
		if r.DX < 0 && p.lead > 0 && p.g.Nodes[r.Node].Kind != dataflow.Given {
			m.cost += leftwards
		}
	}
	for i, n := range p.g.Nodes {
		for _, r := range n.Inputs() {
			count(r, p.at[i])
		}
	}
	for _, r := range p.g.Out {
		count(r, p.lead)
	}
	return m.cost
}

// improve tries other columns for every node: those at which one of its inputs or users needs no move. Each trial
// computes the cost of the whole graph, so improve does not change large graphs.
func (p *placing) improve() {
	const largest = 250
	if len(p.g.Nodes) > largest {
		return
	}
	best := p.cost()
	for improved := true; improved; {
		improved = false
		for i, n := range p.g.Nodes {
			if n.N == 0 {
				continue
			}
			var tries []int
			for _, r := range n.Inputs() {
				tries = append(tries, p.at[r.Node]-r.DX)
			}
			for _, w := range p.wishes[i] {
				tries = append(tries, p.column(w))
			}
			slices.Sort(tries)
			for _, column := range slices.Compact(tries) {
				if column < p.least[i] || column > p.most[i] {
					continue
				}
				was := p.at[i]
				p.at[i] = column
				if cost := p.cost(); cost < best {
					best, improved = cost, true
				} else {
					p.at[i] = was
				}
			}
		}
	}
}
