package bands

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// vectorCodes are those whose words of chance are drawn side by side.
var vectorCodes = []codegen.Code{codegen.AVX2, codegen.AVX512}

// eachCode runs a test with each of them.
func eachCode(t *testing.T, f func(*testing.T, codegen.Code)) {
	for _, code := range vectorCodes {
		t.Run(string(code), func(t *testing.T) {
			if err := code.Available(); err != nil {
				t.Skip(err)
			}
			f(t, code)
		})
	}
}

// chanceEngine is an engine for a rule with chance.
func chanceEngine(t *testing.T, notation, suffix, name string) *Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	top, err := topology.Parse(suffix)
	if err != nil {
		t.Fatal(err)
	}
	compiled := compile.New(r)
	chosen, err := plan.Make(name, r, compiled.Columns(), top, 1)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(top, chosen.Code.Program(compiled), chosen)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Reseed(11); err != nil {
		t.Fatal(err)
	}
	return e
}

// sizes lists universes with strips of whole words and all kinds of edges.
var sizes = []string{
	"T512,24", "P1024,22", "K1024*,20", "T2048,18", "C4096,16", "T16384,16", "T1000,18", "P500,20",
	"K2000*,20", "T32768,16", "T9001,16",
}

// TestDrawnSideBySide checks that rules with chance go through the same states, whether the words of several slabs
// are made side by side or one by one.
func TestDrawnSideBySide(t *testing.T) { eachCode(t, sideBySide) }

func sideBySide(t *testing.T, code codegen.Code) {
	for _, notation := range []string{
		"B3/S23~flip=0.1", "Ising~T=2.3", "B36/S23~async=0.9,set1=0.3,set0=0.1", "PM/0.25,0.75/1,0.5",
		"B3/S23~flip=0.3,dead=0.1,frozen=0.05", "Potts~q=5,T=0.9",
	} {
		for i, suffix := range sizes {
			top, err := topology.Parse(suffix)
			if err != nil {
				t.Fatal(err)
			}
			slabs, depth := code.Lanes()>>(i%3), 1+i%4
			if top.Kind != topology.Torus && top.Kind != topology.Plane {
				depth = 1
			}
			var engines []*Engine
			for _, s := range []string{
				"portable,bands,slabs=1,depth=1,threads=1",
				fmt.Sprintf("%s,bands,slabs=%d,depth=%d,threads=2", code, slabs, depth),
			} {
				e := chanceEngine(t, notation, suffix, s)
				if err := soup.Fill(context.Background(), e, top.W, top.H, 7, 0.4, 1, nil); err != nil {
					t.Fatal(err)
				}
				if _, err := e.Step(context.Background(), 7); err != nil {
					t.Fatal(err)
				}
				engines = append(engines, e)
			}
			if x, y, differ := gridtest.Difference(t, engines[0], engines[1]); differ {
				t.Errorf("%s on %s in %d slabs: cell (%d, %d) differs", notation, suffix, slabs, x, y)
			}
		}
	}
}

// TestDrawn checks that rows are drawn side by side on every torus whose strips are turned, and are those that are
// made slab by slab.
func TestDrawn(t *testing.T) { eachCode(t, drawn) }

func drawn(t *testing.T, code codegen.Code) {
	below := []uint64{random.One / 10, random.One / 3, random.One - 1}
	sideBySide := 0
	for _, suffix := range sizes {
		for slabs := 1; slabs <= code.Lanes(); slabs *= 2 {
			e := chanceEngine(t, "B3/S23~flip=0.1", suffix, fmt.Sprintf("%s,bands,slabs=%d,depth=1,threads=1", code, slabs))
			d := newDice(e.u, e.bands[0].program, e.columns, []uint64{5})
			for i := range e.u.Rows {
				var rows, want [][]uint64
				for range below {
					rows, want = append(rows, layout.AlignedWords(e.u.Stride)), append(want, layout.AlignedWords(e.u.Stride))
				}
				if !d.draw(rows, 3, below, 8, i) {
					if d.numbers != nil && e.u.topology.Kind == topology.Torus {
						t.Fatalf("%s in %d slabs: row %d is not drawn", suffix, slabs, i)
					}
					continue
				}
				sideBySide++
				d.slabBySlab(want, 3, below, random.One-1, 8, i)
				for k := range rows {
					if !slices.Equal(rows[k], want[k]) {
						t.Fatalf("%s in %d slabs: row %d of probability %d differs", suffix, slabs, i, below[k])
					}
				}
			}
		}
	}
	if sideBySide < 50 {
		t.Errorf("only %d rows were drawn side by side", sideBySide)
	}
}
