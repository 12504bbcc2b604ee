package circuit

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
)

// Masked returns the circuit with one more plane, a mask. A cell whose bit there is 0 lies beyond an edge: it
// is in state 0 in all later generations. The mask never changes.
func Masked(c *Circuit) *Circuit {
	m := &Circuit{Planes: c.Planes + 1, Seed: c.Seed, Nodes: slices.Clone(c.Nodes)}
	mask := m.node(Node{Kind: Input, Plane: c.Planes})
	for _, out := range c.Out {
		m.Out = append(m.Out, m.lut(lut.And, out, mask, mask))
	}
	m.Out = append(m.Out, mask)
	return m
}
