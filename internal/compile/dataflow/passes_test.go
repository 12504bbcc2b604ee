package dataflow_test

import (
	"testing"

	"github.com/gosper-life/gosper/internal/compile/dataflow"
	"github.com/gosper-life/gosper/internal/compile/dataflow/dataflowtest"
	"github.com/gosper-life/gosper/internal/compile/lut"
)

const width = 16

// row returns the output of a graph of one plane for one row of cells.
func row(g *dataflow.Graph) (bits uint16) {
	cells := func(_, x, _ int) bool { return 0b0110111011110010>>(x&(width-1))&1 == 1 }
	e := &dataflowtest.Evaluator{Graph: g, Width: width, Cell: cells}
	for x := range width {
		if e.Out(0, x, 0) {
			bits |= 1 << x
		}
	}
	return bits
}

// TestShareOfInputsThatAreOne has two nodes that become one. Their user is left with the same input twice.
func TestShareOfInputsThatAreOne(t *testing.T) {
	cells := dataflow.Ref{Node: 0}
	graph := func(imm uint8) *dataflow.Graph {
		and := dataflow.Node{Kind: dataflow.Table, Imm: lut.And, N: 2, In: [3]dataflow.Ref{cells, cells.At(1)}}
		return &dataflow.Graph{
			Planes: 1,
			Nodes: []dataflow.Node{
				{Kind: dataflow.Input},
				and, and,
				{Kind: dataflow.Table, Imm: imm, N: 3, In: [3]dataflow.Ref{{Node: 1}, {Node: 2}, cells.At(2)}},
			},
			Out: []dataflow.Ref{{Node: 3}},
		}
	}
	for imm := range 256 {
		plain, shared := graph(uint8(imm)), graph(uint8(imm))
		dataflow.Share.Run(shared)
		if got, want := row(shared), row(plain); got != want {
			t.Errorf("table %02x: %016b, want %016b\n%v", imm, got, want, shared)
		}
	}
}

// TestPasses runs each pass on a graph that shows its purpose.
func TestPasses(t *testing.T) {
	cells := dataflow.Ref{Node: 0}
	table := func(imm uint8, in ...dataflow.Ref) dataflow.Node {
		n := dataflow.Node{Kind: dataflow.Table, Imm: imm, N: len(in)}
		copy(n.In[:], in)
		return n
	}
	input := dataflow.Node{Kind: dataflow.Input}
	for _, c := range []struct {
		pass  dataflow.Pass
		nodes []dataflow.Node // the last one is the output
		want  string
	}{
		{
			dataflow.Fold,
			[]dataflow.Node{
				input,
				{Kind: dataflow.Const, Imm: 0xFF},
				table(lut.Maj, cells, cells.At(1), dataflow.Ref{Node: 1, Delay: 3}),
			},
			"n0 = cells0\nn1 = 1\nn2 = fc n0 n0>1\nout0 = n2\n",
		},
		{
			dataflow.Fold,
			[]dataflow.Node{input, table(lut.NotA, cells), table(lut.And, cells.At(1), dataflow.Ref{Node: 1})},
			"n0 = cells0\nn1 = 0f n0\nn2 = 30 n0>1 n0\nout0 = n2\n",
		},
		{ // an inverted node is zero before the first row, not one
			dataflow.Fold,
			[]dataflow.Node{input, table(lut.NotA, cells), table(lut.And, cells.At(1), dataflow.Ref{Node: 1, Delay: 1})},
			"n0 = cells0\nn1 = 0f n0\nn2 = c0 n0>1 n1'1\nout0 = n2\n",
		},
		{
			dataflow.Share,
			[]dataflow.Node{
				input, table(lut.Xor, cells, cells.At(1)), table(lut.Xor, cells.At(3), cells.At(2)),
				table(lut.And, dataflow.Ref{Node: 1}, dataflow.Ref{Node: 2}),
			},
			"n0 = cells0\nn1 = 3c n0 n0>1\nn2 = c0 n1 n1>2\nout0 = n2\n",
		},
		{
			dataflow.Retime,
			[]dataflow.Node{
				input, table(lut.Xor, cells, cells.Later(1)), table(lut.Xor, cells.Later(1), cells.Later(2)),
				table(lut.And, dataflow.Ref{Node: 1}, dataflow.Ref{Node: 2}),
			},
			"n0 = cells0\nn1 = 3c n0'1 n0\nn2 = c0 n1'1 n1\nout0 = n2\n",
		},
		{
			dataflow.Enter,
			[]dataflow.Node{input, table(lut.Xor, cells.Later(-2), cells.Later(1))},
			"n0 = cells0\nn1 = 3c n0 n0'3\nout0 = n1\n",
		},
		{
			dataflow.Merge,
			[]dataflow.Node{input, table(lut.Xor, cells, cells.At(1)), table(lut.Xor, dataflow.Ref{Node: 1, DX: 1}, cells)},
			"n0 = cells0\nn1 = 3c n0 n0>1\nn2 = 96 n0>1 n0>2 n0\nout0 = n2\n",
		},
		{ // a node that is used with a delay must exist as a row
			dataflow.Merge,
			[]dataflow.Node{input, table(lut.Xor, cells, cells.At(1)), table(lut.Xor, dataflow.Ref{Node: 1, Delay: 1}, cells)},
			"n0 = cells0\nn1 = 3c n0 n0>1\nn2 = 3c n1'1 n0\nout0 = n2\n",
		},
		{ // a table is dear that is 1 where all inputs are 0
			dataflow.Complement(func(table uint8) int { return int(table & 1) }),
			[]dataflow.Node{
				input, table(^uint8(lut.Maj), cells, cells.At(1), cells.At(2)),
				table(0x3F, dataflow.Ref{Node: 1}, cells), table(lut.And, dataflow.Ref{Node: 1, DX: 1}, dataflow.Ref{Node: 2}),
			},
			"n0 = cells0\nn1 = e8 n0 n0>1 n0>2\nn2 = f3 n1 n0\nn3 = 0c n1>1 n2\nout0 = n3\n",
		},
		{ // a node that is used with a delay is zero before the first row, not one
			dataflow.Complement(func(table uint8) int { return int(table & 1) }),
			[]dataflow.Node{
				input, table(^uint8(lut.Maj), cells, cells.At(1), cells.At(2)),
				table(lut.And, dataflow.Ref{Node: 1, Delay: 1}, dataflow.Ref{Node: 1}),
			},
			"n0 = cells0\nn1 = 17 n0 n0>1 n0>2\nn2 = c0 n1'1 n1\nout0 = n2\n",
		},
		{
			dataflow.Sweep,
			[]dataflow.Node{
				input, table(lut.Xor, cells, cells.At(1)), table(lut.NotA, cells),
				table(lut.NotA, dataflow.Ref{Node: 2}),
			},
			"n0 = cells0\nn1 = 0f n0\nn2 = 0f n1\nout0 = n2\n",
		},
	} {
		g := &dataflow.Graph{Planes: 1, Nodes: c.nodes, Out: []dataflow.Ref{{Node: len(c.nodes) - 1}}}
		if err := g.Verify(); err != nil {
			t.Fatal(err)
		}
		c.pass.Run(g)
		if got := g.String(); got != c.want {
			t.Errorf("%s: %s\n\nwant\n%s", c.pass.Name, got, c.want)
		}
	}
}

// TestVerify checks that Verify refuses graphs with errors.
func TestVerify(t *testing.T) {
	cells := dataflow.Ref{Node: 0}
	for name, nodes := range map[string][]dataflow.Node{
		"there is no such node":  {{Kind: dataflow.Input}, {Kind: dataflow.Table, N: 1, In: [3]dataflow.Ref{{Node: 7}}}},
		"no inputs":              {{Kind: dataflow.Input}, {Kind: dataflow.Table}},
		"made later":             {{Kind: dataflow.Input}, {Kind: dataflow.Table, N: 1, In: [3]dataflow.Ref{{Node: 1}}}},
		"carry of a node before": {{Kind: dataflow.Input}, {Kind: dataflow.Carry, N: 2, In: [3]dataflow.Ref{cells, cells}}},
		"input in the wrong place": {
			{Kind: dataflow.Input}, {Kind: dataflow.Input},
		},
		"before its time": {
			{Kind: dataflow.Input}, {Kind: dataflow.Const}, {
				Kind: dataflow.Table, N: 1,
				In: [3]dataflow.Ref{{Node: 1, Delay: -1}},
			},
		},
	} {
		g := &dataflow.Graph{Planes: 1, Nodes: nodes, Out: []dataflow.Ref{cells}}
		if err := g.Verify(); err == nil {
			t.Errorf("%s: no error\n%v", name, g)
		}
	}
}
