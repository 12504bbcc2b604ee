// Package rowprogtest makes small row programs for the tests of executors.
package rowprogtest

import "github.com/gosper-life/gosper/internal/compile/rowprog"

// Loads is a program that loads a row of each of n planes, and goes on with some ops. The last one is the output.
func Loads(n int, ops ...rowprog.Op) *rowprog.Program {
	p := &rowprog.Program{Planes: n, Streams: make([]rowprog.Stream, n)}
	for k := range n {
		p.Ops = append(p.Ops, rowprog.Op{Kind: rowprog.Load, Stream: k})
	}
	p.Ops = append(p.Ops, ops...)
	p.Out = []rowprog.Operand{{Value: len(p.Ops) - 1}}
	return p
}

// Table is an op that looks up the values of earlier ops.
func Table(imm uint8, in ...int) rowprog.Op {
	op := rowprog.Op{Kind: rowprog.Table, Imm: imm, N: len(in)}
	for k, value := range in {
		op.In[k].Value = value
	}
	return op
}
