package bands

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// countRows computes the expected result of Counts, row by row.
func countRows(e *Engine, area grid.Rect, scale int) []uint64 {
	counts := make([]uint64, area.W>>scale*(area.H>>scale))
	row, plane := make([]uint64, (area.W+63)/64), make([]uint64, (area.W+63)/64)
	for y := max(area.Y, 0); y < min(area.Y+area.H, e.Bounds().H); y++ {
		clear(row)
		for k := range e.Planes() {
			grid.InMemory(e.ReadRow(plane, k, area.X, y, area.W))
			for i := range row {
				row[i] |= plane[i]
			}
		}
		for x := range area.W {
			counts[(y-area.Y)>>scale*(area.W>>scale)+x>>scale] += row[x/64] >> (x % 64) & 1
		}
	}
	return counts
}

// filled is an engine with a soup, two generations on.
func filled(t testing.TB, notation, suffix, settings string) *Engine {
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
	made, err := plan.Make(settings, r, compiled.Columns(), top, 2)
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(top, made.Code.Program(compiled), made)
	if err != nil {
		t.Fatal(err)
	}
	if err := soup.Fill(t.Context(), e, top.W, top.H, 7, 0.5, 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	return e
}

// runnable is the plans whose code this machine can run.
func runnable(plans []string) []string {
	return slices.DeleteFunc(plans, func(plan string) bool {
		code, _, _ := strings.Cut(plan, ",")
		return code != "" && codegen.Code(code).Available() != nil
	})
}

func TestCounts(t *testing.T) {
	plans := runnable([]string{
		"avx512,bands,slabs=1,threads=1", "avx2,bands,slabs=1,threads=1",
		"neon,bands,slabs=1,threads=1", "portable,bands,slabs=1,threads=1", "",
	})
	answered := 0
	rapid.Check(t, func(rt *rapid.T) {
		w := rapid.SampledFrom([]int{1024, 4096, 512, 8192, 100, 257, 640, 1000, 2048, 3072}).Draw(rt, "width")
		h := rapid.SampledFrom([]int{64, 256, 33, 100, 1, 48, 512}).Draw(rt, "height")
		family := rapid.SampledFrom([]struct{ rule, kind string }{{"B3/S23", "T"}, {"B3/S23", "P"}, {"345/2/7", "T"}}).
			Draw(rt, "family")
		suffix := family.kind + topology.Topology{Kind: topology.Torus, W: w, H: h}.String()[1:]
		e := filled(t, family.rule, suffix, rapid.SampledFrom(plans).Draw(rt, "plan"))
		for range 4 {
			scale := rapid.IntRange(0, 11).Draw(rt, "scale")
			side := 1 << scale
			area := grid.Rect{
				X: rapid.IntRange(-2, w/side).Draw(rt, "x") << scale, Y: rapid.IntRange(-2, h/side).Draw(rt, "y") << scale,
				W: rapid.IntRange(1, w/side+2).Draw(rt, "blocks") << scale,
				H: rapid.IntRange(1, h/side+2).Draw(rt, "rows of blocks") << scale,
			}
			got := slices.Repeat([]uint64{99}, area.W>>scale*(area.H>>scale))
			counted, err := e.Counts(got, area, scale)
			if err != nil {
				rt.Fatal(err)
			}
			if !counted {
				continue
			}
			answered++
			if want := countRows(e, area, scale); !slices.Equal(got, want) {
				rt.Fatalf("%v, %s, area %+v, scale %d: counts %v, want %v", e.Info().Plan, suffix, area, scale, got, want)
			}
		}
	})
	if answered < 20 {
		t.Errorf("only %d areas were counted: the test is blind", answered)
	}
}

// TestPopulation: all ways of counting cells agree, and padding does not count.
func TestPopulation(t *testing.T) {
	for _, suffix := range []string{"T2048,1024", "T1500,1100", "P1025,1030", "T100,2500", "T64,64"} {
		for _, notation := range []string{"B3/S23", "345/2/7"} {
			for _, plan := range append(runnable([]string{
				"avx512,bands,slabs=4,threads=1", "avx2,bands,slabs=1,threads=2",
				"neon,bands,slabs=4,threads=2",
			}), "") {
				e := filled(t, notation, suffix, plan)
				want := countRows(e, grid.Rect{W: 8192, H: 8192}, 13)
				if got := gridtest.Population(t, e); got != want[0] {
					t.Errorf("%s, %s, plan %q: population %d, want %d", notation, suffix, plan, got, want[0])
				}
			}
		}
	}
}

// TestSample checks that a sample counts the rows in the middle of each step, and those alone.
func TestSample(t *testing.T) {
	for _, plan := range append(runnable([]string{
		"avx512,bands,slabs=4,threads=1", "avx2,bands,slabs=1,threads=1",
		"neon,bands,slabs=2,threads=1",
	}), "") {
		e := filled(t, "B3/S23", "T2048,1000", plan)
		row := make([]uint64, 32)
		for _, step := range []int{2, 4, 8} {
			const scale = 3
			got := make([]uint64, 256*125)
			counted, err := e.Sample(got, grid.Rect{W: 2048, H: 1000}, scale, step)
			if err != nil {
				t.Fatal(err)
			}
			if !counted {
				if e.u.Slabs == 1 {
					t.Errorf("plan %q: step %d is not counted", plan, step)
				}
				continue
			}
			want := make([]uint64, len(got))
			for y := step / 2; y < 1000; y += step {
				grid.InMemory(e.ReadRow(row, 0, 0, y, 2048))
				for x := range 2048 {
					want[y>>scale*256+x>>scale] += row[x/64] >> (x % 64) & 1 * uint64(step)
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("plan %q: the sample of every %d rows is not that of its rows", plan, step)
			}
		}
	}
}

func BenchmarkCounts(b *testing.B) {
	e := filled(b, "B3/S23", "T16384,16384", "")
	dst := make([]uint64, 512*512)
	b.SetBytes(16384 * 16384 / 8)
	for b.Loop() {
		if counted, err := e.Counts(dst, e.Bounds(), 5); !counted {
			b.Fatal(err)
		}
	}
}

// BenchmarkSample measures the cost to a viewer of counting half of the rows.
func BenchmarkSample(b *testing.B) {
	e := filled(b, "B3/S23", "T16384,16384", "")
	dst := make([]uint64, 512*512)
	for b.Loop() {
		if counted, err := e.Sample(dst, e.Bounds(), 5, 2); !counted {
			b.Fatal(err)
		}
	}
}

// BenchmarkRows measures the cost to a viewer of counting every 16th row without Counts.
func BenchmarkRows(b *testing.B) {
	e := filled(b, "B3/S23", "T16384,16384", "")
	row := make([]uint64, 256)
	for b.Loop() {
		for y := 0; y < 16384; y += 16 {
			grid.InMemory(e.ReadRow(row, 0, 0, y, 16384))
		}
	}
}
