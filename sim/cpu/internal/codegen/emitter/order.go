package emitter

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// ordered puts straight-line code into an order in which instructions that do not need each other follow one another. In the order of a program the
// digits of a running sum wait for each other, and a processor has to look far ahead for other work. in and out are as for line.
//
// The order is that in which a processor starts the instructions if it looks some of them ahead: see issue. Fewer are looked ahead if too many vectors
// would wait for their use to be kept in registers.
func (e *emitter) ordered(code []pipeline.Instr, in, out []linearscan.Binding) []pipeline.Instr {
	const mostSpilled = 3
	before := e.before(code)
	for ahead := 32; ahead > 1; ahead /= 2 {
		if o := issue(code, before, ahead); e.waiting(o, in, out) <= e.registers+mostSpilled {
			return o
		}
	}
	return code
}

// before lists for each instruction those that must come before it: those that make what it reads, and those that load what it overwrites in memory.
func (e *emitter) before(code []pipeline.Instr) [][]int {
	made := make(map[pipeline.Vector]int, len(code))
	before := make([][]int, len(code))
	readers := map[pipeline.Vector][]int{} // of vectors that will be overwritten in memory, by stream and column
	for i := range code {
		for _, v := range code[i].Reads {
			if j, ok := made[v]; ok {
				before[i] = append(before[i], j)
			}
			if op := &e.program.Ops[v.Value]; op.Kind == rowprog.Load && e.loop.InPlace[op.Stream] {
				at := pipeline.Vector{Value: op.Stream, Column: v.Column}
				readers[at] = append(readers[at], i)
			}
		}
		for _, s := range e.program.Stores {
			if s.Value.Value == code[i].Value {
				for _, j := range readers[pipeline.Vector{Value: s.Stream, Column: code[i].Column}] {
					if j < i {
						before[i] = append(before[i], j)
					}
				}
			}
		}
		made[code[i].Vector] = i
	}
	return before
}

// issue is the order in which a processor starts instructions if it looks so many of them ahead, starts the oldest ones that can start, four a cycle, and
// has each result two cycles later.
func issue(code []pipeline.Instr, before [][]int, ahead int) []pipeline.Instr {
	const (
		width   = 4
		latency = 2
		never   = 1 << 30
	)
	order := make([]pipeline.Instr, 0, len(code))
	ready := make([]int, len(code)) // by instruction: the cycle in which its result is there
	for i := range ready {
		ready[i] = never
	}
	waits := func(i, cycle int) bool {
		for _, j := range before[i] {
			if ready[j] > cycle {
				return true
			}
		}
		return false
	}
	oldest := 0
	for cycle := 0; oldest < len(code); cycle++ {
		for i, n := oldest, 0; i < min(len(code), oldest+ahead) && n < width; i++ {
			if ready[i] == never && !waits(i, cycle) {
				ready[i] = cycle + latency
				order = append(order, code[i])
				n++
			}
		}
		for oldest < len(code) && ready[oldest] < never {
			oldest++
		}
	}
	return order
}

// waiting is the greatest number of vectors that wait in registers for their use, between two instructions.
func (e *emitter) waiting(code []pipeline.Instr, in, out []linearscan.Binding) int {
	last := map[pipeline.Vector]int{}
	for i := range code {
		for _, v := range code[i].Reads {
			last[v] = i
		}
	}
	for _, b := range out {
		last[b.Vector] = len(code)
	}
	change := make([]int, len(code)+2)
	waits := func(v pipeline.Vector, from int) {
		if to := last[v]; to > from && !e.InMemory(v) {
			change[from]++
			change[to]--
		}
	}
	for _, b := range in {
		waits(b.Vector, 0)
	}
	for i := range code {
		waits(code[i].Vector, i)
	}
	most, n := 0, 0
	for _, c := range change {
		n += c
		most = max(most, n)
	}
	return most
}
