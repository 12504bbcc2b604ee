package compile

import "github.com/gosper-life/gosper/internal/compile/circuit"

// draft is a circuit in the making.
type draft struct{ *circuit.Circuit }

func (d draft) node(n circuit.Node) circuit.Tap {
	d.Nodes = append(d.Nodes, n)
	return circuit.Tap{Node: len(d.Nodes) - 1}
}

func (d draft) lut(imm uint8, a, b, c circuit.Tap) circuit.Tap {
	return d.node(circuit.Node{Kind: circuit.Table, Imm: imm, In: [3]circuit.Tap{a, b, c}})
}
