package roofline

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/rule"
)

func TestTwoInputOperations(t *testing.T) {
	for _, test := range []struct {
		name  string
		table uint8
		want  int
	}{
		{"0", 0x00, 0},
		{"1", 0xFF, 0},
		{"a", 0xF0, 0},
		{"not c", 0x55, 1},
		{"a and b", 0xC0, 1},
		{"b and not a", 0x0C, 1},
		{"a xor b", 0x3C, 1},
		{"not (a xor b)", 0xC3, 2},
		{"not (a and b)", 0x3F, 2},
		{"a and b and c", 0x80, 2},
		{"a xor b xor c", 0x96, 2},
		{"not (a xor b xor c)", 0x69, 3},
		{"a ? b : c", 0xCA, 3},
		{"majority", 0xE8, 4},
		{"minority", 0x17, 5},
		{"exactly one", 0x16, 4},
		{"all equal", 0x81, 4}, // ((a xor b) or (a xor c)) xor ones
	} {
		if got := twoInputOperations(test.table); got != test.want {
			t.Errorf("%s (%#02x) takes %d operations, want %d", test.name, test.table, got, test.want)
		}
	}
	for table := range 256 { // the function table found for every one
		free := slices.Contains([]int{0x00, 0xFF, 0xF0, 0xCC, 0xAA}, table)
		if n := twoInputOperations(uint8(table)); n > 5 || (n == 0) != free {
			t.Errorf("%#02x takes %d operations, want 1 to 5", table, n)
		}
	}
}

func TestParsePlan(t *testing.T) {
	for _, test := range []struct {
		plan string
		want Plan
		ok   bool
	}{
		{"avx512,bands,slabs=1,depth=6,threads=2", Plan{AVX512, 6, 2}, true},
		{"avx2,tiles,depth=1,threads=16", Plan{AVX2, 1, 16}, true},
		{"portable,bands,slabs=1,depth=6,threads=2", Plan{"portable", 6, 2}, false},
		{"avx512,threads=2", Plan{AVX512, 0, 2}, false},
		{"avx512,depth=x,threads=2", Plan{AVX512, 0, 2}, false},
		{"warps=4,depth=8", Plan{"warps=4", 8, 0}, false},
		{"", Plan{}, false},
	} {
		if got, ok := ParsePlan(test.plan); got != test.want || ok != test.ok {
			t.Errorf("plan of %q is %+v %t, want %+v %t", test.plan, got, ok, test.want, test.ok)
		}
	}
}

// program has tables of 2, 4 and 1 operations, one of them computed once.
var program = &rowprog.Program{
	Planes: 2,
	Ops: []rowprog.Op{
		{Kind: rowprog.Load},
		{Kind: rowprog.Table, Imm: 0x96, N: 3},
		{Kind: rowprog.Table, Imm: 0xE8, N: 3},
		{Kind: rowprog.Const, Imm: 0xFF},
		{Kind: rowprog.Table, Imm: 0x96, N: 3, Once: true},
		{Kind: rowprog.Table, Imm: 0xC0, N: 2},
	},
}

func TestWorkOf(t *testing.T) {
	for _, test := range []struct {
		plan Plan
		want Work
	}{
		{Plan{AVX512, 1, 1}, Work{512, 2, 1, 0.5}},
		{Plan{AVX512, 4, 2}, Work{512, 2, 1, 0.125}},
		{Plan{AVX2, 2, 1}, Work{256, 0, 7, 0.25}},
	} {
		if got := WorkOf(program, test.plan); got != test.want {
			t.Errorf("%+v: %+v, want %+v", test.plan, got, test.want)
		}
	}
}

// TestWorkOfConway checks that the work of Conway's rule is what facts about it say: 8 tables (sums of three, shared,
// and six more).
func TestWorkOfConway(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	got := WorkOf(compile.Columns(circuit.Of(r)), Plan{AVX512, 5, 1})
	if want := (Work{512, 8, 0, 0.05}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestBound(t *testing.T) {
	w := Work{Bits: 512, Tables: 6, Operations: 4, BytesPerCell: 0.25}
	zen := Rates{Tables: 4e9, Operations: 8e9} // 2 ns for 512 cells
	for _, test := range []struct {
		bandwidth float64
		want      Bound
	}{
		{1e12, Bound{Logic: 256e9, Memory: 4e12, Cells: 256e9, Binds: "logic"}},
		{20e9, Bound{Logic: 256e9, Memory: 80e9, Cells: 80e9, Binds: "memory"}},
	} {
		if diff := cmp.Diff(test.want, w.Bound(zen, test.bandwidth), cmpopts.EquateApprox(1e-12, 0)); diff != "" {
			t.Errorf("%g bytes a second (-want +got):\n%s", test.bandwidth, diff)
		}
	}
	for _, test := range []struct {
		work  Work
		rates Rates
		want  float64
	}{
		{Work{Bits: 512, Tables: 8}, zen, 256e9},
		{Work{Bits: 256, Operations: 16}, Rates{Operations: 16e9}, 256e9}, // no tables, and no rate of them
		{Work{Bits: 256}, Rates{Operations: 1e9}, 256e9},                  // nothing to do counts as one operation
	} {
		if got := test.work.LogicLimit(test.rates); math.Abs(got-test.want) > 1 {
			t.Errorf("%+v: %g cells a second, want %g", test.work, got, test.want)
		}
	}
}
