package emitter

import (
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/linearscan"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen/pipeline"
)

// ordered puts straight-line code into an order in which instructions that do not need each other follow one
// another. In the order of a program the digits of a running sum wait for each other, and a processor has to
// look far ahead for other work. in and out are as for line.
//
// The order is that in which a processor starts the instructions if it looks some of them ahead: see
// pipeline.Loop.Ordered. Fewer are looked ahead if too many vectors would wait for their use to be kept in
// registers.
func (e *emitter) ordered(code []pipeline.Instr, in, out []linearscan.Binding) []pipeline.Instr {
	const mostSpilled = 3
	for ahead := 32; ahead > 1; ahead /= 2 {
		if o := e.loop.Ordered(code, ahead); e.waiting(o, in, out) <= e.registers+mostSpilled {
			return o
		}
	}
	return code
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
