package blocks

import (
	"slices"

	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
)

// InWords turns a program for rows in memory into one for rows that are the bits of words. Loads of other rows become
// shifts of words to the right, by the given numbers of bits. Loads of streams become shifts of the values that the
// streams keep. Parities are loaded as rows, after the planes. It returns false for programs that need their own past,
// as running sums of rows do.
//
// Bits that are shifted out of a word are lost. A value that is needed at several rows is therefore made for the row in
// the middle. The results at both ends of a word are wrong within the rows that a cell sees, and not beyond.
func InWords(p *rowprog.Program) (turned *rowprog.Program, shifts map[int]int, ok bool) {
	w := inWords{
		from: p, to: &rowprog.Program{Planes: p.Planes, Given: p.Given, Streams: p.Streams[:p.Kept()]},
		shifts: map[int]int{}, kept: map[int]int{}, needed: make([]span, len(p.Ops)), place: make([]int, len(p.Ops)),
		moved: map[move]int{},
	}
	for _, s := range p.Stores {
		w.kept[s.Stream] = s.Value.Value
	}
	if !w.need() || !w.make() {
		return nil, nil, false
	}
	wrong := w.wrong()
	w.to.Reach = max(p.Reach, wrong)
	return w.to, w.shifts, wrong <= max(p.Up, -p.Down)
}

// inWords is a program while it is turned.
type inWords struct {
	from, to *rowprog.Program
	shifts   map[int]int  // of the ops of to
	kept     map[int]int  // by stream: the op of from that it keeps
	needed   []span       // by op of from: the rows for which it is needed
	place    []int        // by op of from: its op of to
	moved    map[move]int // the ops of to that are shifts
}

// move is an op of to shifted by some bits.
type move struct{ op, by int }

// span is the rows lo to hi, or none.
type span struct {
	lo, hi int
	some   bool
}

// join adds another span, moved by some rows.
func (s *span) join(t span, by int) {
	if t.lo, t.hi = t.lo+by, t.hi+by; s.some {
		t.lo, t.hi = min(s.lo, t.lo), max(s.hi, t.hi)
	}
	*s = span{t.lo, t.hi, true}
}

func (s span) middle() int { return (s.lo + s.hi) >> 1 }

// need finds out for which rows each op is needed, relative to the output. It returns false if the program needs its
// own past.
func (w *inWords) need() bool {
	p := w.from
	for _, o := range p.Out {
		w.needed[o.Value].join(span{}, 0)
	}
	for range len(p.Ops) { // a carry reads a later op, so one round is not always enough
		before := slices.Clone(w.needed)
		for i := len(p.Ops) - 1; i >= 0; i-- {
			n, op := w.needed[i], &p.Ops[i]
			if !n.some {
				continue
			}
			if op.Kind == rowprog.Load && op.Stream >= p.Kept() {
				kept := w.kept[op.Stream]
				if kept > i {
					return false
				}
				w.needed[kept].join(n, op.DY)
			}
			for _, in := range op.In[:inputs(op)] {
				w.needed[in.Value].join(n, 0)
			}
		}
		if slices.Equal(before, w.needed) {
			return true
		}
	}
	return false
}

// inputs is the number of operands of an op.
func inputs(op *rowprog.Op) int {
	if op.Kind == rowprog.Carry {
		return 2
	}
	return op.N
}

// make makes the ops of the turned program. It returns false if a parity or a carry would have to be shifted.
func (w *inWords) make() bool {
	p := w.from
	for k := range p.Kept() {
		w.add(rowprog.Op{Kind: rowprog.Load, Stream: k})
	}
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load || !w.needed[i].some {
			continue
		}
		row := w.needed[i].middle()
		for k := range inputs(&op) {
			ok := true
			if op.Kind == rowprog.Carry && k == 0 { // a later op
				ok = w.needed[op.In[0].Value].middle() == row
			} else {
				op.In[k], ok = w.operand(op.In[k], row)
			}
			if !ok {
				return false
			}
		}
		w.place[i] = w.add(op)
	}
	for i := range w.to.Ops {
		if op := &w.to.Ops[i]; op.Kind == rowprog.Carry {
			op.In[0].Value = w.place[op.In[0].Value]
		}
	}
	for _, o := range p.Out {
		w.to.Out = append(w.to.Out, rowprog.Operand{Value: w.place[o.Value], DX: o.DX})
	}
	return true
}

func (w *inWords) add(op rowprog.Op) int {
	w.to.Ops = append(w.to.Ops, op)
	return len(w.to.Ops) - 1
}

// operand is an operand of an op that is made for a row.
func (w *inWords) operand(o rowprog.Operand, row int) (rowprog.Operand, bool) {
	op := &w.from.Ops[o.Value]
	value := o.Value
	var is move
	switch {
	case op.Kind != rowprog.Load:
	case op.Stream >= w.from.Kept():
		value, row = w.kept[op.Stream], row+op.DY
	default:
		is = move{op.Stream, row + op.DY}
		return w.shifted(is, o.DX), op.Stream < w.from.Planes || is.by == 0
	}
	is = move{w.place[value], row - w.needed[value].middle()}
	return w.shifted(is, o.DX), true
}

// shifted is an operand, moved by some columns, that is an op of to shifted by some bits.
func (w *inWords) shifted(m move, dx int) rowprog.Operand {
	if m.by == 0 {
		return rowprog.Operand{Value: m.op, DX: dx}
	}
	at, ok := w.moved[m]
	if !ok {
		at = w.add(rowprog.Op{
			Kind: rowprog.Table, Imm: lut.A, N: 1, In: [3]rowprog.Operand{{Value: m.op}}, Once: w.to.Ops[m.op].Once,
		})
		w.moved[m], w.shifts[at] = at, m.by
	}
	return rowprog.Operand{Value: at, DX: dx}
}

// wrong is the number of bits that come out wrong at one end of a word, at most.
func (w *inWords) wrong() (most int) {
	type ends struct{ low, high int }
	wrong := make([]ends, len(w.to.Ops))
	for range 2 { // a carry reads a later op
		for i, op := range w.to.Ops {
			var e ends
			for _, in := range op.In[:inputs(&op)] {
				e.low, e.high = max(e.low, wrong[in.Value].low), max(e.high, wrong[in.Value].high)
			}
			by := w.shifts[i]
			wrong[i] = ends{max(0, e.low-by), max(0, e.high+by)}
		}
	}
	for _, o := range w.to.Out {
		most = max(most, wrong[o.Value].low, wrong[o.Value].high)
	}
	return most
}
