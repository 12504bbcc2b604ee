package rowprog_test

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
)

// A row that is made from the row before, one column to the side, needs columns ever farther out.
func TestADriftingProgramHasNoExtents(t *testing.T) {
	p := &rowprog.Program{
		Planes: 1, Streams: []rowprog.Stream{{}, {Depth: 1}},
		Ops: []rowprog.Op{
			{Kind: rowprog.Load},
			{Kind: rowprog.Load, Stream: 1, DY: -1},
			{Kind: rowprog.Table, Imm: 0x3C, N: 2, In: [3]rowprog.Operand{{Value: 0}, {Value: 1, DX: 1}}},
		},
		Stores: []rowprog.Store{{Stream: 1, Value: rowprog.Operand{Value: 2}}},
		Out:    []rowprog.Operand{{Value: 2}},
	}
	defer func() {
		if recover() == nil {
			t.Error("a program that drifts has extents")
		}
	}()
	p.Extents()
}
