package rowprog

import (
	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/lut"
)

// From makes a program of a graph. A node that is used with a delay is stored in a stream, and loaded from it.
func From(g *dataflow.Graph) *Program {
	d := &derivation{
		g: g, p: &Program{Planes: g.Planes, Streams: make([]Stream, g.Planes), Drifts: g.Drifts, Reach: g.Reach},
		at: make([]int, len(g.Nodes)), streams: map[int]int{}, loads: map[load]int{},
	}
	p := d.p
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == dataflow.Given {
			d.streams[i] = len(p.Streams)
			p.Streams, p.Given = append(p.Streams, Stream{}), append(p.Given, n.Parity)
		}
	}
	for i := range g.Nodes {
		if n := &g.Nodes[i]; n.Kind == dataflow.Random {
			d.streams[i] = len(p.Streams)
			p.Streams, p.Chances = append(p.Streams, Stream{}), append(p.Chances, n.Chance)
		}
	}
	for i := range g.Nodes {
		d.node(i)
	}
	for _, r := range g.Out {
		p.Out = append(p.Out, d.operand(r))
	}
	for i := range p.Ops {
		// Until now, the first operand of a carry had the number of a node.
		if op := &p.Ops[i]; op.Kind == Carry {
			op.In[0].Value = d.at[op.In[0].Value]
		}
	}
	p.Stores = make([]Store, len(p.Streams)-p.Kept())
	for node, stream := range d.streams {
		if stream >= p.Kept() {
			p.Stores[stream-p.Kept()] = Store{stream, Operand{Value: d.at[node]}}
		}
	}
	p.materialise()
	p.measure(g.Warm)
	return p
}

// derivation is a program while it is made.
type derivation struct {
	g       *dataflow.Graph
	p       *Program
	at      []int        // by node: its op
	streams map[int]int  // by node: the stream that keeps it
	loads   map[load]int // the ops that load rows
}

type load struct{ stream, dy, dz int }

// node emits the op of a node. References to leaves become loads of rows.
func (d *derivation) node(i int) {
	n := &d.g.Nodes[i]
	op := Op{N: n.N, Imm: n.Imm, Once: n.Once}
	switch n.Kind {
	case dataflow.Input, dataflow.Given, dataflow.Random:
		return // its rows are loaded by the ops that use them
	case dataflow.Const:
		op.Kind = Const
	case dataflow.Carry:
		op.Kind, op.N = Carry, 0
		op.In[1] = d.operand(n.In[1])
		op.In[0] = Operand{n.In[0].Node, n.In[0].DX} // a later node, whose op is not known yet
	default:
		op.Kind = Table
		for k, r := range n.Inputs() {
			op.In[k] = d.operand(r)
		}
	}
	d.at[i] = d.emit(op)
}

func (d *derivation) emit(op Op) int {
	d.p.Ops = append(d.p.Ops, op)
	return len(d.p.Ops) - 1
}

// Rows of leaves are numbered from the row of the output, which lies Up rows behind the row that is made. Rows of
// streams that the program makes are numbered from the row that is made.
func (d *derivation) operand(r dataflow.Ref) Operand {
	switch n := &d.g.Nodes[r.Node]; {
	case n.Kind == dataflow.Input:
		return Operand{d.load(load{n.Plane, d.g.Up - r.Delay, n.Layer}), r.DX}
	case n.Leaf():
		return Operand{d.load(load{stream: d.streams[r.Node], dy: d.g.Up - r.Delay}), r.DX}
	case r.Delay == 0:
		return Operand{d.at[r.Node], r.DX}
	}
	stream, ok := d.streams[r.Node]
	if !ok {
		stream = len(d.p.Streams)
		d.p.Streams = append(d.p.Streams, Stream{})
		d.streams[r.Node] = stream
	}
	return Operand{d.load(load{stream: stream, dy: -r.Delay}), r.DX}
}

// load returns the op that loads a row. Each row is loaded once.
func (d *derivation) load(l load) int {
	op, ok := d.loads[l]
	if !ok {
		op = d.emit(Op{Kind: Load, Stream: l.stream, DY: l.dy, DZ: l.dz})
		d.loads[l] = op
	}
	return op
}

// materialise ensures that each stored or output row is the unmoved row of a table, and that no two of them
// share a table.
func (p *Program) materialise() {
	taken := map[int]bool{}
	own := func(o Operand) Operand {
		// The op itself may compute the moved row, if it is not yet stored as another row.
		if p.Ops[o.Value].Kind == Table && !taken[o.Value] {
			taken[o.Value] = true
			p.move(o.Value, o.DX)
			return Operand{Value: o.Value}
		}
		op := Op{Kind: Table, Imm: lut.A, N: 1, In: [3]Operand{o}}
		if c := p.Ops[o.Value]; c.Kind == Const {
			op = c
		}
		p.Ops = append(p.Ops, op)
		taken[len(p.Ops)-1] = true
		return Operand{Value: len(p.Ops) - 1}
	}
	for k := range p.Stores {
		p.Stores[k].Value = own(p.Stores[k].Value)
	}
	for k := range p.Out {
		p.Out[k] = own(p.Out[k])
	}
}

// move makes an op compute its row moved by dx. Operands that refer to it are changed accordingly.
func (p *Program) move(value, dx int) {
	if dx == 0 {
		return
	}
	users := func(o *Operand) {
		if o.Value == value {
			o.DX -= dx
		}
	}
	for i := range p.Ops {
		op := &p.Ops[i]
		switch {
		case i == value:
			for k := range op.N {
				op.In[k].DX += dx
			}
		case op.Kind == Table:
			for k := range op.N {
				users(&op.In[k])
			}
		case op.Kind == Carry:
			users(&op.In[0])
			users(&op.In[1])
		}
	}
	for k := range p.Stores {
		users(&p.Stores[k].Value)
	}
	for k := range p.Out {
		users(&p.Out[k])
	}
}

// measure sets the fields that describe the ops. It keeps the reach of a program that drifts.
func (p *Program) measure(warm int) {
	if !p.Drifts {
		p.Reach = p.reach()
	}
	for _, op := range p.Ops {
		if op.Kind != Load {
			continue
		}
		switch {
		case op.Stream < p.Planes:
			p.Up, p.Down = max(p.Up, op.DY), min(p.Down, op.DY)
			p.Layers = max(p.Layers, op.DZ, -op.DZ)
		case op.Stream >= p.Kept():
			s := &p.Streams[op.Stream]
			s.Depth = max(s.Depth, -op.DY)
			p.Warm = warm
		}
	}
}
