package logic

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// Lower turns a circuit into a program for executors that do op after op, each for a whole row. Where a neighbour sum can be
// made in several ways it takes the one with the fewest tables.
func Lower(c *Circuit) *Program { return shortest(c, waysToSum) }

// LowerColumns is Lower for executors that do column after column, each with all ops: sums may then run along the row (Carry).
func LowerColumns(c *Circuit) *Program {
	return shortest(c, append(slices.Clone(waysToSum), columnBox))
}

// LowerStrips is Lower for executors that go down a strip of a universe and take what lies beyond its sides for zeros: sums may then run
// along diagonals (Program.Drifts).
func LowerStrips(c *Circuit) *Program {
	return shortest(c, append(slices.Clone(waysToSum), diamond))
}

func shortest(c *Circuit, ways []wayToSum) *Program {
	var best *Program
	for _, way := range ways {
		p, ok := lower(c, way)
		if ok && (best == nil || p.Cost().Tables < best.Cost().Tables) {
			best = p
		}
		if c.sum() == nil {
			break
		}
	}
	return best
}

// sum returns the circuit's neighbour sum, nil for rules of the 3×3 block.
func (c *Circuit) sum() *NeighbourSum {
	for i := range c.Nodes {
		if s := c.Nodes[i].Sum; s != nil {
			return s
		}
	}
	return nil
}

// lowering is a program under construction.
type lowering struct {
	Program
	circuit *Circuit
	way     wayToSum
	at      map[Tap]Operand // nodes already lowered, by node and DY
	rings   map[int]int     // streams that keep the rows of a node, by node
	radius  int
	warm    int
	failed  bool // the way to sum does not fit the sum
	once    bool // what is emitted now is for column 0 only
}

func lower(c *Circuit, way wayToSum) (*Program, bool) {
	l := &lowering{circuit: c, way: way, at: map[Tap]Operand{}, rings: map[int]int{}}
	l.Planes = c.Planes
	l.Streams = make([]Stream, c.Planes)
	for _, out := range c.Out {
		o := l.value(out)
		l.Out = append(l.Out, o)
	}
	if l.failed {
		return nil, false
	}
	p := &l.Program
	p.optimise()
	p.materialise()
	p.finish(l.warm)
	return p, true
}

// materialise makes sure that every row that is stored or put out is a table's own row, unmoved, and no other's.
func (p *Program) materialise() {
	taken := map[int]bool{}
	own := func(o Operand) Operand {
		if p.Ops[o.Value].Kind == Table && !taken[o.Value] {
			taken[o.Value] = true
			p.move(o.Value, o.DX)
			return Operand{Value: o.Value}
		}
		op := Op{Kind: Table, Imm: immA, N: 1, In: [3]Operand{o}}
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

// move makes an op compute the row that operands at dx of it are.
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

// value lowers a tap. Vertical offsets are pushed down to the rows of cells that are loaded.
func (l *lowering) value(t Tap) Operand {
	key := Tap{t.Node, 0, t.DY}
	o, ok := l.at[key]
	if !ok {
		o = l.lowerNode(key)
		l.at[key] = o
	}
	return Operand{o.Value, o.DX + t.DX}
}

func (l *lowering) lowerNode(t Tap) Operand {
	n := &l.circuit.Nodes[t.Node]
	switch n.Kind {
	case Input:
		return l.load(n.Plane, t.DY)
	case LUT:
		var in [3]Operand
		for k, tap := range n.In {
			in[k] = l.value(tap.At(0, t.DY))
		}
		return l.table(n.Imm, in[0], in[1], in[2])
	default:
		total := l.way(l, n.Sum)
		if total.digits == nil {
			l.failed = true
			return l.constant(0)
		}
		birth, survival := shift(n.Birth, total.offset), shift(n.Survival, total.offset+total.centre)
		return l.threshold(total, l.value(n.Cell), birth, survival)
	}
}

// kept returns a node at row y+dy like value, but computes it only once, when row y+radius enters, and keeps its rows.
func (l *lowering) kept(t Tap, dy int) Operand {
	if l.circuit.Nodes[t.Node].Kind == Input || dy == l.radius {
		return l.value(t.At(0, dy))
	}
	stream, ok := l.rings[t.Node]
	if !ok {
		stream = l.stream(l.value(Tap{Node: t.Node, DY: l.radius}))
		l.rings[t.Node] = stream
	}
	l.warm = max(l.warm, 2*l.radius)
	o := l.load(stream, dy-l.radius)
	return Operand{o.Value, o.DX + t.DX}
}

func shift(set rule.Counts, by int) rule.Counts {
	set = slices.Clone(set)
	for i := range set {
		set[i].Lo += by
		set[i].Hi += by
	}
	return set
}

func (l *lowering) emit(op Op) Operand {
	l.Ops = append(l.Ops, op)
	return Operand{Value: len(l.Ops) - 1}
}

func (l *lowering) load(stream, dy int) Operand {
	return l.emit(Op{Kind: Load, Stream: stream, DY: dy})
}

func (l *lowering) constant(bit int) Operand {
	return l.emit(Op{Kind: Const, Imm: uint8(-bit)})
}

func (l *lowering) table(imm uint8, in ...Operand) Operand {
	t := table{imm: imm, in: in}
	t.reduce()
	if len(t.in) == 0 {
		return l.constant(int(t.imm & 1))
	}
	op := t.op()
	op.Once = l.once
	return l.emit(op)
}

// stream keeps the rows of a value for later rows.
func (l *lowering) stream(o Operand) int {
	s := l.newStream()
	l.Stores = append(l.Stores, Store{s, o})
	return s
}

func (l *lowering) newStream() int {
	l.Streams = append(l.Streams, Stream{})
	return len(l.Streams) - 1
}
