// Package pipeline arranges a row program as a software pipeline: a loop over the vectors of a row whose
// iterations overlap.
//
// An iteration does not compute all values at one column. It computes each value as far to the right as a later
// value of the same iteration needs it. What later iterations need again, further to the left, stays in
// registers or is read back from memory:
//
//	column     j-1   j   j+1
//	load              ·   ●   read in the iteration for column j
//	p = xor3          ◦   ●   computed in it; ◦ computed by the two iterations before
//	out               ●       takes p at j-1, j and j+1
package pipeline

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
)

// Vector is one vector of a value's row. Value is an op of the program. Column counts vectors from the column
// of the output that the iteration computes.
type Vector struct{ Value, Column int }

// Instr computes one vector from others.
type Instr struct {
	Vector
	Reads []Vector
}

// At returns the instruction as it is some iterations later.
func (in Instr) At(iterations int) Instr {
	if iterations == 0 {
		return in
	}
	later := Instr{Vector: in.Vector.At(iterations), Reads: make([]Vector, len(in.Reads))}
	for i, v := range in.Reads {
		later.Reads[i] = v.At(iterations)
	}
	return later
}

// At returns the vector as it is some iterations later.
func (v Vector) At(iterations int) Vector { return Vector{v.Value, v.Column + iterations} }

// Loop is a row program arranged as a software pipeline.
type Loop struct {
	Program *rowprog.Program

	Prologue []Segment // the iterations before column 0, which fill the pipeline
	Setup    []Instr   // what the carries of the program begin with, computed after the prologue
	Initial  []Initial // where the results of Setup belong
	Body     []Instr   // every further iteration
	Carried  []Vector  // the values that an iteration takes in registers from earlier iterations

	Scratch []int  // by op: the scratch row that keeps it, -1 for none
	Rows    int    // scratch rows
	Margin  int    // columns beyond both ends of a row that the scratch rows have
	InPlace []bool // by stream: its new row may overwrite the old one, column by column

	lead   []int  // by op: how many columns to the right of the output an iteration computes it
	spread []int  // by op: how many of its columns are computed before column 0 of the output
	stored []bool // by op: a stream keeps it
}

// Segment is a run of iterations before column 0 that compute the same ops: those for From columns before it,
// From-1, … To+1.
type Segment struct{ From, To int }

// Initial says that the first iteration finds in Into what Setup has computed as From.
type Initial struct{ Into, From Vector }

// New arranges a program. registers is how many vectors may stay in registers from one iteration to the next.
//
// An op's extent says from which column to which the outputs of column 0 need it. Its lead is the last
// of these columns: there the iteration computes it. Its spread is how many iterations earlier it must
// begin:
//
//	column       -1   0   1       lead   spread
//	load          ●   ●   ●
//	p             ●   ●   ●        1       2      begins two iterations before column 0
//	q                 ●   ●        1       1      begins one iteration before it
//	out               ●            0       0
func New(p *rowprog.Program, registers int) *Loop {
	l := &Loop{Program: p, lead: make([]int, len(p.Ops)), spread: make([]int, len(p.Ops))}
	for i, e := range p.Extents() {
		l.lead[i], l.spread[i] = e.Hi, e.Hi-e.Lo
	}
	l.stored = make([]bool, len(p.Ops))
	for _, st := range p.Stores {
		l.stored[st.Value.Value] = true
	}
	l.Scratch = slices.Repeat([]int{-1}, len(p.Ops))
	l.Body = l.iteration(func(int) bool { return true })
	l.keep(registers)
	l.startCarries()
	l.findInPlace()
	l.cut()
	return l
}

// Iteration lists the instructions of an iteration before column 0. before is its distance from column 0.
func (l *Loop) Iteration(before int) []Instr {
	return l.iteration(func(op int) bool { return l.spread[op] >= before })
}

// StraightPrologue reports whether the prologue is to be straight-line code, so that its results stay in registers.
// Otherwise each segment of the prologue is a loop, and later segments get its results from memory only.
func (l *Loop) StraightPrologue() bool { return len(l.Initial) == 0 && len(l.Carried) > 0 }

// StoresOnly is the loop without outputs: it computes the rows that the streams keep.
func (l *Loop) StoresOnly() *Loop {
	needed := make([]bool, len(l.Program.Ops))
	for _, s := range l.Program.Stores {
		needed[s.Value.Value] = true
	}
	for i := len(needed) - 1; i >= 0; i-- {
		if op := &l.Program.Ops[i]; needed[i] {
			for _, o := range op.In[:op.N] {
				needed[o.Value] = true
			}
		}
	}
	s := *l
	s.Body = slices.DeleteFunc(slices.Clone(l.Body), func(in Instr) bool { return !needed[in.Value] })
	s.Initial, s.Carried = nil, nil
	return &s
}

// StoresAlone reports whether there are stores, and iterations of StoresOnly take nothing in registers from earlier
// ones.
func (l *Loop) StoresAlone() bool {
	for _, in := range l.StoresOnly().Body {
		for _, v := range in.Reads {
			inMemory := l.Program.Ops[v.Value].Kind != rowprog.Table || l.stored[v.Value] || l.Scratch[v.Value] >= 0
			if !inMemory && v.Column != l.lead[v.Value] {
				return false
			}
		}
	}
	return len(l.Program.Stores) > 0
}

// iteration lists the instructions of one iteration for the active ops.
func (l *Loop) iteration(active func(op int) bool) []Instr {
	var list []Instr
	for i, op := range l.Program.Ops {
		if op.Once || op.Kind == rowprog.Load || op.Kind == rowprog.Carry || !active(i) {
			continue
		}
		in := Instr{Vector: Vector{i, l.lead[i]}}
		for _, o := range op.In[:op.N] {
			in.Reads = append(in.Reads, l.resolve(o, l.lead[i]))
		}
		list = append(list, in)
	}
	return list
}

// resolve is the vector that an op at a column takes as an operand. A carry is the value that it carries, one
// column back.
func (l *Loop) resolve(o rowprog.Operand, column int) Vector {
	v := Vector{o.Value, column + o.DX}
	if op := &l.Program.Ops[o.Value]; op.Kind == rowprog.Carry {
		return Vector{op.In[0].Value, v.Column + op.In[0].DX - 1}
	}
	return v
}

// widestInRegisters is the greatest spread of a program whose values stay in registers. Wider ones have a
// prologue in loops, which leaves no registers filled.
const widestInRegisters = 4

// keep decides where the values live that later iterations need: in registers if there are enough, else in a
// scratch row each.
func (l *Loop) keep(registers int) {
	lag := make([]int, len(l.Program.Ops)) // by op: how many iterations later it is read last
	carried := map[int]bool{}
	for _, op := range l.Program.Ops {
		if op.Kind == rowprog.Carry {
			// A carry is read in the next iteration, so it stays in a register even if there are too
			// few for all others.
			carried[op.In[0].Value] = true
		}
	}
	for _, in := range l.Body {
		for _, v := range in.Reads {
			lag[v.Value] = max(lag[v.Value], l.lead[v.Value]-v.Column)
		}
	}
	inRegisters, widest := 0, 0
	for i, op := range l.Program.Ops {
		if op.Kind == rowprog.Table && !l.stored[i] {
			inRegisters += lag[i]
		}
		if op.Kind == rowprog.Table && !op.Once {
			widest = max(widest, l.spread[i])
		}
	}
	for i, op := range l.Program.Ops {
		if op.Kind != rowprog.Table || l.stored[i] || lag[i] == 0 {
			continue
		}
		if carried[i] || len(carried) == 0 && inRegisters <= registers && widest <= widestInRegisters {
			// The registers form a queue: in each iteration, all values move on by a column. Unrolled
			// iterations rename the registers instead of copying them.
			for k := range lag[i] {
				l.Carried = append(l.Carried, Vector{i, l.lead[i] - 1 - k})
			}
			continue
		}
		l.Scratch[i] = l.Rows
		l.Rows++
		l.Margin = max(l.Margin, l.lead[i], l.spread[i]-l.lead[i])
	}
}

// startCarries lists the instructions that the carries need before the first iteration.
func (l *Loop) startCarries() {
	done := map[Vector]bool{}
	var need func(v Vector)
	need = func(v Vector) {
		op := &l.Program.Ops[v.Value]
		if !op.Once && op.Kind != rowprog.Const || done[v] {
			return
		}
		done[v] = true
		in := Instr{Vector: v}
		for _, o := range op.In[:op.N] {
			read := Vector{o.Value, v.Column + o.DX}
			need(read)
			in.Reads = append(in.Reads, read)
		}
		l.Setup = append(l.Setup, in)
	}
	for i, op := range l.Program.Ops {
		if op.Kind != rowprog.Carry {
			continue
		}
		from := Vector{op.In[1].Value, l.lead[i] + op.In[1].DX}
		need(from)
		l.Initial = append(l.Initial, Initial{Vector{op.In[0].Value, l.lead[i] + op.In[0].DX - 1}, from})
	}
	// In the order of the program, which adds up a column with all its digits before the next one. Digit by digit,
	// all carries of a digit would have to wait for the next digit, and most of them be spilled.
	slices.SortStableFunc(l.Setup, func(a, b Instr) int { return cmp.Compare(a.Value, b.Value) })
}

// findInPlace finds the streams whose new row may overwrite the old one. A stream qualifies if only the last
// row is kept, and if every iteration reads a column of it before it stores that column.
func (l *Loop) findInPlace() {
	p := l.Program
	l.InPlace = make([]bool, len(p.Streams))
	if len(p.Stores) == 0 {
		return
	}
	for _, st := range p.Stores {
		l.InPlace[st.Stream] = p.Streams[st.Stream].Depth == 1
	}
	loads := map[int]int{} // op → stream
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load && op.Stream >= p.Planes {
			loads[i] = op.Stream
		}
	}
	// by op: where in an iteration it is computed, and where it is read first
	computed, read := map[int]int{}, map[int]int{}
	// Backwards, so that the first read of a value is noted last and stays.
	for i, in := range slices.Backward(l.Body) {
		computed[in.Value] = i
		for _, v := range in.Reads {
			read[v.Value] = i
		}
	}
	for _, st := range p.Stores {
		v := st.Value.Value
		for i, stream := range loads {
			if stream == st.Stream && (l.lead[i] != l.lead[v] || l.spread[i] != l.spread[v] || read[i] > computed[v]) {
				l.InPlace[stream] = false
			}
		}
	}
	for _, list := range [][]Instr{l.Body, l.Setup} {
		for _, in := range list {
			for _, v := range in.Reads {
				if stream, ok := loads[v.Value]; ok && v.Column != l.lead[v.Value] {
					l.InPlace[stream] = false
				}
			}
		}
	}
}

// cut divides the iterations before column 0 at the points where more ops begin.
//
//	spread        3     2     1     0
//	segments      3…3   2…2   1…1            columns before column 0
//	ops in them   those with a spread of at least 3, at least 2, at least 1
func (l *Loop) cut() {
	// An op with a spread of n is computed from the iteration for column -n on. The prologue therefore changes at each
	// spread that occurs.
	spreads := []int{0}
	for _, in := range l.Body {
		spreads = append(spreads, l.spread[in.Value])
	}
	slices.SortFunc(spreads, func(a, b int) int { return cmp.Compare(b, a) })
	spreads = slices.Compact(spreads)
	for i := range spreads[1:] {
		l.Prologue = append(l.Prologue, Segment{spreads[i], spreads[i+1]})
	}
}
