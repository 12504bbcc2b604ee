package bands

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
)

// TestMargins compares universes whose margins AVX-512 collects and fills with those for which Go code does it.
func TestMargins(t *testing.T) {
	if !lanes8 {
		t.Skip("this machine has no AVX-512")
	}
	defer func() { lanes8 = true }()
	for _, notation := range []string{
		"B3/S23:K100,64*", "B3/S23:K1024,72*+3", "B3/S23:C130,80", "B3/S23:T99,64+5", "B3/S23:T1024,66-9", "B3/S23:S96",
		"345/2/4:K200,64*", "R2,C0,M1,S7..10,B7..11,NM:T300,96+7", "R5,C0,M1,S34..58,B34..45,NM:C300,96",
	} {
		for _, depth := range []int{1, 2, 6} {
			for _, threads := range []int{1, 2} {
				name := fmt.Sprintf("%s, depth=%d, threads=%d", notation, depth, threads)
				lanes8 = true
				got := marginsOf(t, notation, depth, threads)
				lanes8 = false
				if want := marginsOf(t, notation, depth, threads); !slices.Equal(got, want) {
					t.Errorf("%s: cells differ", name)
				}
			}
		}
	}
}

// marginsOf returns the cells of a soup after some passes in eight slabs.
func marginsOf(t *testing.T, notation string, depth, threads int) (cells []uint64) {
	t.Helper()
	r, top, err := rule.ParseApart(notation)
	if err != nil {
		t.Fatal(err)
	}
	chosen := plan.Plan{Code: codegen.AVX512, Slabs: 8, Depth: depth, Threads: threads}
	e, err := New(*top, chosen.Code.Program(compile.New(r)), chosen)
	if err != nil {
		t.Fatal(err)
	}
	random, row := rand.New(rand.NewPCG(1, 2)), make([]uint64, (top.W+63)/64)
	for y := range top.H {
		for i := range row {
			row[i] = random.Uint64()
		}
		row[len(row)-1] &= ^uint64(0) >> (uint(-top.W) & 63)
		grid.InMemory(e.WriteRow(row, 0, 0, y, top.W))
	}
	if _, err := e.Step(t.Context(), uint64(3*depth+1)); err != nil {
		t.Fatal(err)
	}
	for k := range e.Planes() {
		for y := range top.H {
			grid.InMemory(e.ReadRow(row, k, 0, y, top.W))
			cells = append(cells, row...)
		}
	}
	return cells
}
