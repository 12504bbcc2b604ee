package warpprog

import "github.com/gosper-life/gosper/internal/compile/dataflow"

// CostModel estimates the cost of a graph on a warp. The unit is the machine's: only ratios matter.
type CostModel struct {
	Words   int // words of a lane; its columns go to them in turn
	Table   int // a lookup table of a word
	Shift   int // a funnel shift: a word moved by some bits, filled from the next word
	Shuffle int // a word fetched from another lane
}

// Cost returns the work for one row of all words of a lane.
func (c CostModel) Cost(g *dataflow.Graph) int {
	m := newMoves(c, g)
	g.Refs(func(r *dataflow.Ref) { m.add(*r) })
	return c.Words*c.Table*g.Tables() + m.cost
}

// moves adds up the cost of references. A move that several references need is counted once.
type moves struct {
	CostModel
	g    *dataflow.Graph
	seen map[move]bool
	cost int
}

// move is a word of a node's past, shifted by n bits or fetched from n lanes on.
type move struct {
	node, delay, word, n int
	shift                bool
}

func newMoves(c CostModel, g *dataflow.Graph) *moves {
	return &moves{CostModel: c, g: g, seen: map[move]bool{}}
}

// add counts the shuffles and shifts that a reference needs, unless another reference to the same row
// has paid for them already.
func (m *moves) add(r dataflow.Ref) {
	if r.DX == 0 || m.g.Nodes[r.Node].Kind == dataflow.Given { // a parity is made where it is used
		return
	}
	pay := func(v move, cost int) {
		if !m.seen[v] {
			m.seen[v] = true
			m.cost += cost
		}
	}
	for j := range m.Words {
		word, q := Split(j+r.DX, m.Words)
		v := move{node: r.Node, delay: r.Delay, word: word}
		fetch := func(lanes int) {
			if v.n = lanes; lanes != 0 {
				pay(v, m.Shuffle)
			}
		}
		first, bits := LanesOf(q)
		fetch(first)
		if bits != 0 {
			fetch(first + 1)
			v.n, v.shift = q, true
			pay(v, m.Shift)
		}
	}
}
