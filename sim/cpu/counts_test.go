package cpu

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// TestCountsAndChanges: engines count by blocks what is alive and what has changed since Mark as cells that are
// read do, in bands and in tiles, with and without a seam, on the plane too.
func TestCountsAndChanges(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("tiles are only used with machine code")
	}
	for _, c := range []struct {
		rule string
		w, h int // of a torus; 0: the plane
		soup int // its side
	}{
		{"B3/S23", 1024, 1024, 1024},
		{"B3/S23", 1024, 1024, 150},
		{"B3/S23", 1111, 990, 150},
		{"Langtons-Loops", 300, 190, 60},
		{"B3/S23", 0, 0, 100},
		{"345/2/7", 0, 0, 50},
	} {
		t.Run(fmt.Sprintf("%s:%d,%d,%d", c.rule, c.w, c.h, c.soup), func(t *testing.T) {
			r, err := rule.Parse(c.rule)
			if err != nil {
				t.Fatal(err)
			}
			cfg := sim.Config{Rule: r, Threads: 1}
			if c.w > 0 {
				if cfg.Topology, err = topology.New(topology.Torus, c.w, c.h); err != nil {
					t.Fatal(err)
				}
			}
			e, err := open(cfg)
			if err != nil {
				t.Fatal(err)
			}
			if counted, err := e.(sim.ChangeCounter).Changes(make([]uint64, 1), grid.Rect{W: 64, H: 64}, 6); counted ||
				err != nil {
				t.Errorf("changes before Mark: %v, %v", counted, err)
			}
			fill(t, e, r.States, c.soup, min(c.soup, max(c.h, 100)), 7)
			for _, span := range []uint64{6, 1500, 6, 30} {
				e.(sim.ChangeCounter).Mark()
				before := planesOf(t, e)
				if _, err := e.Step(t.Context(), span); err != nil {
					t.Fatal(err)
				}
				a, adapts := e.(*adaptive)
				moved := adapts && (a.marked != a.tiles || span == 1500) // in so long it may have changed over, and back
				now := planesOf(t, e)
				for _, scale := range []int{1, 3, 6, 9} {
					area := grid.Rect{X: -1 << 9, Y: 1 << 9, W: 3 << 9, H: 1 << 9}
					compareCounts(t, e, area, scale, before, now, moved)
					area.Y = -1 << 9
					compareCounts(t, e, area, scale, before, now, moved)
				}
				if t.Failed() {
					return
				}
			}
			e.(sim.ChangeCounter).Mark()
			if err := e.WriteRow([]uint64{1}, 0, 5, 5, 1); err != nil {
				t.Fatal(err)
			}
			if counted, err := e.(sim.ChangeCounter).Changes(make([]uint64, 1), grid.Rect{W: 64, H: 64}, 6); counted ||
				err != nil {
				t.Errorf("changes after cells were written: %v, %v", counted, err)
			}
		})
	}
}

// compareCounts holds the counts of an engine to those of copies of its cells. moved says that it may have lost
// its mark.
func compareCounts(t *testing.T, e sim.Engine, area grid.Rect, scale int, before, now grid.Source, moved bool) {
	t.Helper()
	n := area.W >> scale * (area.H >> scale)
	alive, changed := make([]uint64, n), make([]uint64, n)
	words := area.W / 64
	old, present := make([]uint64, words), make([]uint64, words)
	for y := range area.H {
		var live, differ [64]uint64
		for k := range e.Planes() {
			if err := before.ReadRow(old, k, area.X, area.Y+y, area.W); err != nil {
				t.Fatal(err)
			}
			if err := now.ReadRow(present, k, area.X, area.Y+y, area.W); err != nil {
				t.Fatal(err)
			}
			for i := range words {
				live[i] |= present[i]
				differ[i] |= present[i] ^ old[i]
			}
		}
		for x := range area.W {
			at := y>>scale*(area.W>>scale) + x>>scale
			alive[at] += live[x/64] >> (x % 64) & 1
			changed[at] += differ[x/64] >> (x % 64) & 1
		}
	}
	got := slices.Repeat([]uint64{99}, n)
	counted, err := e.(sim.Counter).Counts(got, area, scale)
	if err != nil || counted && !slices.Equal(got, alive) {
		t.Errorf("generation %d, scale %d, %+v: the counts of cells are wrong, or %v", e.Generation(), scale, area, err)
	}
	counted, err = e.(sim.ChangeCounter).Changes(got, area, scale)
	if err != nil || !counted && !moved || counted && !slices.Equal(got, changed) {
		t.Errorf("generation %d, scale %d, %+v: the counts of changes are wrong, or known %v, or %v", e.Generation(), scale,
			area, counted, err)
	}
}

// planesOf copies the cells of an engine.
func planesOf(t *testing.T, e sim.Engine) grid.Source {
	t.Helper()
	all, err := grid.TilesOf(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, differ := gridtest.Difference(t, e, all); differ {
		t.Fatal("the copy differs")
	}
	return all
}

// TestSampleOfTiles: a sample of the rows misses no tile that has cells, however few.
func TestSampleOfTiles(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(sim.Config{Rule: r, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	for y, row := range []uint64{0b010, 0b100, 0b111} {
		if err := e.WriteRow([]uint64{row}, 0, 1000, 1001+y, 3); err != nil {
			t.Fatal(err)
		}
	}
	got := make([]uint64, 16)
	counted, err := e.(interface {
		Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error)
	}).Sample(got, grid.Rect{W: 4 << 9, H: 4 << 9}, 9, 512)
	if err != nil || !counted || got[5] != 5 {
		t.Errorf("a glider in a sample of every 512th row: %v, %v, %v", got, counted, err)
	}
}
