package code

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
)

// Chosen returns one circuit for all outer-totalistic rules of two states and the neighbourhood of r. The bits of the
// rule's code are inputs of the program and select the rule. One program can therefore run many universes side by
// side, each under a different rule. It returns false if r is no such rule.
func Chosen(r rule.Rule) (*circuit.Circuit, bool) {
	if _, ok := Of(r); !ok {
		return nil, false
	}
	b := builder{circuit.Circuit{Planes: 1}}
	state := b.node(circuit.Node{Kind: circuit.Input})
	// All cells of the neighbourhood and the centre count, column by column, because the sum of a column is shared
	// with its neighbours.
	offsets := append(r.Neighbourhood.Offsets(), rule.Offset{})
	slices.SortStableFunc(offsets, func(a, b rule.Offset) int {
		return cmp.Or(cmp.Compare(a.DX, b.DX), cmp.Compare(a.DY, b.DY))
	})
	var cells []circuit.Tap
	for _, o := range offsets {
		cells = append(cells, state.At(o.DX, o.DY))
	}
	digits := b.Count(cells)
	// The next state for each sum: with the centre, a live cell has one neighbour fewer.
	next := make([]circuit.Tap, len(cells)+1)
	for sum := range next {
		switch sum {
		case 0:
			next[sum] = b.choice(0, 0)
		case len(cells):
			next[sum] = b.choice(sum-1, 1)
		default:
			next[sum] = b.choose(state, b.choice(sum-1, 1), b.choice(sum, 0))
		}
	}
	for _, digit := range digits {
		for i := 0; i < len(next); i += 2 {
			if i+1 == len(next) {
				next[i/2] = next[i]
				continue
			}
			next[i/2] = b.choose(digit, next[i+1], next[i])
		}
		next = next[:(len(next)+1)/2]
	}
	b.Out = next
	return &b.Circuit, true
}

// builder is a circuit in the making.
type builder struct{ circuit.Circuit }

func (b *builder) node(n circuit.Node) circuit.Tap {
	b.Nodes = append(b.Nodes, n)
	return circuit.Tap{Node: len(b.Nodes) - 1}
}

// choose adds the table of x ? y : z.
func (b *builder) choose(x, y, z circuit.Tap) circuit.Tap {
	return b.node(circuit.Node{Kind: circuit.Table, Imm: 0xCA, In: [3]circuit.Tap{x, y, z}})
}

// choice adds the bit of the code for n live neighbours and a state.
func (b *builder) choice(n, state int) circuit.Tap {
	return b.node(circuit.Node{Kind: circuit.Given, Parity: circuit.Parity{Choice: 2*n + state + 1}})
}
