package compile

import (
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
)

// exchanged returns the circuit for cells that are held with state 0 and another state exchanged: before in the
// cells, and after in their next state (package background).
func exchanged(c *circuit.Circuit, before, after uint8) *circuit.Circuit {
	if before == 0 && after == 0 {
		return c
	}
	e := draft{&circuit.Circuit{Planes: c.Planes, Seed: c.Seed}}
	state := make([]circuit.Tap, c.Planes)
	for k := range state {
		state[k] = e.node(circuit.Node{Kind: circuit.Input, Plane: k})
	}
	state = e.with(state, before)
	at := make([]circuit.Tap, len(c.Nodes))
	moved := func(t circuit.Tap) circuit.Tap { return at[t.Node].At(t.DX, t.DY) }
	for i, n := range c.Nodes {
		if n.Kind == circuit.Input {
			at[i] = state[n.Plane]
			continue
		}
		at[i] = e.node(n.Over(moved))
	}
	out := make([]circuit.Tap, len(c.Out))
	for k, t := range c.Out {
		out[k] = moved(t)
	}
	e.Out = e.with(out, after)
	return e.Circuit
}

// with returns the planes of a state after state 0 and another one have been exchanged.
func (e draft) with(planes []circuit.Tap, other uint8) []circuit.Tap {
	if other == 0 {
		return planes
	}
	const turnOver = 0x1E // a xor (b or c)
	some, differs := planes[0], planes[0]
	if other&1 == 1 {
		differs = e.lut(lut.NotA, some, some, some)
	}
	for k, p := range planes[1:] {
		some = e.lut(lut.Or, some, p, p)
		if other>>(k+1)&1 == 1 {
			p = e.lut(lut.NotA, p, p, p)
		}
		differs = e.lut(lut.Or, differs, p, p)
	}
	zero, is := e.lut(lut.NotA, some, some, some), e.lut(lut.NotA, differs, differs, differs)
	out := make([]circuit.Tap, len(planes))
	for k, p := range planes {
		if out[k] = p; other>>k&1 == 1 {
			out[k] = e.lut(turnOver, p, zero, is)
		}
	}
	return out
}

// draft is a circuit in the making.
type draft struct{ *circuit.Circuit }

func (d draft) node(n circuit.Node) circuit.Tap {
	d.Nodes = append(d.Nodes, n)
	return circuit.Tap{Node: len(d.Nodes) - 1}
}

func (d draft) lut(imm uint8, a, b, c circuit.Tap) circuit.Tap {
	return d.node(circuit.Node{Kind: circuit.Table, Imm: imm, In: [3]circuit.Tap{a, b, c}})
}
