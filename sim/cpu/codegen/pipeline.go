package codegen

import (
	"cmp"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
)

// pipeline arranges a program for a loop over the vectors of a row. In the iteration for column j of the output, op v computes
// column j + lead[v] of its row: as far to the right as a later op of the same iteration needs it. What later iterations need of
// it, further to the left, is either kept in registers or read back from the memory its row is stored in:
//
//	column     j-1   j   j+1
//	load              ·   ●   enters
//	p = xor3          ◦   ●   computed in this iteration; ◦ kept from the last two
//	out               ●       uses p at j-1, j and j+1
type pipeline struct {
	program  *rowprog.Program
	lead     []int
	spread   []int  // columns computed before column 0 of the output
	scratch  []int  // by op: the scratch row that keeps it, -1 for none
	rows     int    // scratch rows
	margin   int    // columns beyond both ends of a row that they keep
	stored   []bool // by op: a stream keeps it
	inPlace  []bool // by stream: its new row may overwrite the old one column by column
	segments []segment
	list     []instr // one iteration
	once     []instr // before the first one
	first    []carry
	lagging  []key // what an iteration needs from the ones before it and no memory keeps
}

// key is a vector: column pos, counted from the iteration's column of the output, of a value.
type key struct{ value, pos int }

// instr computes a vector.
type instr struct {
	key
	reads []key
}

// carry is a value that enters the first iteration: into is what the iteration before would have left.
type carry struct{ into, from key }

// segment is a run of iterations before column 0, in which only ops of at least this spread compute.
type segment struct{ from, to int } // from ≤ -column < to, downwards

func newPipeline(p *rowprog.Program, registers int) *pipeline {
	s := &pipeline{program: p, lead: make([]int, len(p.Ops)), spread: make([]int, len(p.Ops))}
	for i, e := range p.Extents() {
		s.lead[i], s.spread[i] = e.Hi, e.Hi-e.Lo
	}
	s.stored = make([]bool, len(p.Ops))
	for _, st := range p.Stores {
		s.stored[st.Value.Value] = true
	}
	s.scratch = slices.Repeat([]int{-1}, len(p.Ops))
	s.list = s.iteration(func(int) bool { return true })
	s.keep(registers)
	s.startCarries()
	s.findInPlace()
	s.cut()
	return s
}

// iteration lists what the ops of one iteration that are active compute.
func (s *pipeline) iteration(active func(op int) bool) []instr {
	var list []instr
	for i, op := range s.program.Ops {
		if op.Once || op.Kind == rowprog.Load || op.Kind == rowprog.Carry || !active(i) {
			continue
		}
		in := instr{key: key{i, s.lead[i]}}
		for _, o := range op.In[:op.N] {
			in.reads = append(in.reads, s.resolve(o, s.lead[i]))
		}
		list = append(list, in)
	}
	return list
}

// resolve names the vector an operand of an op at column pos is; a carry is the value carried, one column back.
func (s *pipeline) resolve(o rowprog.Operand, pos int) key {
	k := key{o.Value, pos + o.DX}
	if op := &s.program.Ops[o.Value]; op.Kind == rowprog.Carry {
		return key{op.In[0].Value, k.pos + op.In[0].DX - 1}
	}
	return k
}

// keep decides what lagging values live in: registers when there are few of them, else a scratch row each.
func (s *pipeline) keep(registers int) {
	lag := make([]int, len(s.program.Ops))
	carried := map[int]bool{}
	for _, op := range s.program.Ops {
		if op.Kind == rowprog.Carry {
			carried[op.In[0].Value] = true
		}
	}
	for _, in := range s.list {
		for _, k := range in.reads {
			lag[k.value] = max(lag[k.value], s.lead[k.value]-k.pos)
		}
	}
	inRegisters, widest := 0, 0
	for i, op := range s.program.Ops {
		if op.Kind == rowprog.Table && !s.stored[i] {
			inRegisters += lag[i]
		}
		if op.Kind == rowprog.Table && !op.Once {
			widest = max(widest, s.spread[i])
		}
	}
	for i, op := range s.program.Ops {
		if op.Kind != rowprog.Table || s.stored[i] || lag[i] == 0 {
			continue
		}
		if carried[i] || len(carried) == 0 && inRegisters <= registers && widest <= 4 {
			for k := range lag[i] {
				s.lagging = append(s.lagging, key{i, s.lead[i] - 1 - k})
			}
			continue
		}
		s.scratch[i] = s.rows
		s.rows++
		s.margin = max(s.margin, s.lead[i], s.spread[i]-s.lead[i])
	}
}

// startCarries lists what must be computed before the first iteration for the carries.
func (s *pipeline) startCarries() {
	done := map[key]bool{}
	var need func(k key)
	need = func(k key) {
		op := &s.program.Ops[k.value]
		if !op.Once && op.Kind != rowprog.Const || done[k] {
			return
		}
		done[k] = true
		in := instr{key: k}
		for _, o := range op.In[:op.N] {
			r := key{o.Value, k.pos + o.DX}
			need(r)
			in.reads = append(in.reads, r)
		}
		s.once = append(s.once, in)
	}
	for i, op := range s.program.Ops {
		if op.Kind != rowprog.Carry {
			continue
		}
		from := key{op.In[1].Value, s.lead[i] + op.In[1].DX}
		need(from)
		s.first = append(s.first, carry{key{op.In[0].Value, s.lead[i] + op.In[0].DX - 1}, from})
	}
}

// findInPlace finds the streams of which each row replaces the last, column by column.
func (s *pipeline) findInPlace() {
	p := s.program
	s.inPlace = make([]bool, len(p.Streams))
	for _, st := range p.Stores {
		s.inPlace[st.Stream] = p.Streams[st.Stream].Depth == 1
	}
	loads := map[int]int{} // op → stream
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load && op.Stream >= p.Planes {
			loads[i] = op.Stream
		}
	}
	computed, read := map[int]int{}, map[int]int{} // by op: where in an iteration it is computed, and read first
	for i, in := range slices.Backward(s.list) {
		computed[in.value] = i
		for _, k := range in.reads {
			read[k.value] = i
		}
	}
	for _, st := range p.Stores {
		v := st.Value.Value
		for i, stream := range loads {
			if stream == st.Stream && (s.lead[i] != s.lead[v] || s.spread[i] != s.spread[v] || read[i] > computed[v]) {
				s.inPlace[stream] = false
			}
		}
	}
	for _, list := range [][]instr{s.list, s.once} {
		for _, in := range list {
			for _, k := range in.reads {
				if stream, ok := loads[k.value]; ok && k.pos != s.lead[k.value] {
					s.inPlace[stream] = false
				}
			}
		}
	}
}

// cut divides the iterations before column 0 where further ops set in.
func (s *pipeline) cut() {
	spreads := []int{0}
	for _, in := range s.list {
		spreads = append(spreads, s.spread[in.value])
	}
	slices.SortFunc(spreads, func(a, b int) int { return cmp.Compare(b, a) })
	spreads = slices.Compact(spreads)
	for i := range spreads[1:] {
		s.segments = append(s.segments, segment{spreads[i], spreads[i+1]})
	}
}

// active reports whether an op computes in the iteration for a column ≥ -before.
func (s *pipeline) active(before int) func(op int) bool {
	return func(op int) bool { return s.spread[op] >= before }
}
