package pipeline

import "github.com/gosper-life/gosper/internal/compile/rowprog"

// Ordered sorts straight-line code into the order in which a simple model of a processor starts the instructions. The
// model looks ahead by the given number of instructions. In each cycle it starts the four oldest ones that can start,
// and a result is ready two cycles later. Independent instructions then follow one another.
func (l *Loop) Ordered(code []Instr, ahead int) []Instr {
	before := l.before(code)
	const (
		width   = 4
		latency = 2
		never   = 1 << 30
	)
	order := make([]Instr, 0, len(code))
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

// before lists, for each instruction, the instructions that must come before it. They make the values that it reads,
// or they load the memory that it overwrites.
func (l *Loop) before(code []Instr) [][]int {
	made := make(map[Vector]int, len(code))
	before := make([][]int, len(code))
	readers := map[Vector][]int{} // of vectors that will be overwritten in memory, by stream and column
	for i := range code {
		for _, v := range code[i].Reads {
			if j, ok := made[v]; ok {
				before[i] = append(before[i], j)
			}
			// The new row of this stream overwrites the old one, so its store must wait for all reads
			// of the column.
			if op := &l.Program.Ops[v.Value]; op.Kind == rowprog.Load && l.InPlace[op.Stream] {
				at := Vector{Value: op.Stream, Column: v.Column}
				readers[at] = append(readers[at], i)
			}
		}
		for _, s := range l.Program.Stores {
			if s.Value.Value == code[i].Value {
				for _, j := range readers[Vector{Value: s.Stream, Column: code[i].Column}] {
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
