package tiles

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func TestTilesOfGrid(t *testing.T) {
	for _, notation := range []string{"B3/S23", "345/2/7", "R130,C0,M1,S20000..30000,B20000..25000,NM"} {
		e := unbounded(t, notation)
		for _, p := range [][2]int{{-300, -1}, {-1, 255}, {0, 256}, {255, 3}, {256, 1000}, {1023, 1 << 40}} {
			grid.InMemory(e.WriteRow([]uint64{1}, e.Planes()-1, p[0], p[1], 1))
		}
		grid.InMemory(e.WriteRow([]uint64{1}, 0, 5000, 5000, 1))
		grid.InMemory(e.WriteRow([]uint64{0}, 0, 5000, 5000, 1))
		want, err := grid.NewTiles(e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		for _, area := range e.Occupied() {
			grid.InMemory(grid.Copy(want, e, area, area.X, area.Y))
		}
		want.Trim()
		fewer, err := grid.NewTiles(e.Planes())
		if err != nil {
			t.Fatal(err)
		}
		for _, area := range e.OccupiedRows() {
			if area.H != 1 && !strings.HasPrefix(notation, "R130") || area.W%256 != 0 {
				t.Errorf("%s: %v for a cell alone in its tile", notation, area)
			}
			grid.InMemory(grid.Copy(fewer, e, area, area.X, area.Y))
		}
		if x, y, differ, err := grid.FirstDifference(fewer, want); err != nil || differ {
			t.Errorf("%s: the occupied rows do not have cell (%d, %d): %v", notation, x, y, err)
		}
		var got, all []string
		for at, tile := range e.All() {
			got = append(got, fmt.Sprint(at, *tile))
		}
		for at, tile := range want.All() {
			all = append(all, fmt.Sprint(at, *tile))
		}
		if fmt.Sprint(got) != fmt.Sprint(all) || len(all) != 6 {
			t.Errorf("%s: All gives %d tiles, want %d, or others", notation, len(got), len(all))
		}
	}
}

// unbounded is an empty plane for a rule.
func unbounded(t *testing.T, notation string) *Engine {
	t.Helper()
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	chosen := plan.ForTiles(codegen.Fastest(), compile.Columns(circuit.Of(r)).Radius(), 2)
	e, err := New(r, []*compile.Compiled{compile.New(r)}, topology.Topology{}, chosen)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// A universe keeps no more tiles than its cells need: gliders that leave must not leave tiles behind.
func TestTilesFollowAGlider(t *testing.T) {
	e := unbounded(t, "B3/S23")
	for y, row := range []uint64{0b010, 0b100, 0b111} {
		grid.InMemory(e.WriteRow([]uint64{row}, 0, 100, 100+y, 3))
	}
	if _, err := e.Step(t.Context(), 40_000); err != nil {
		t.Fatal(err)
	}
	if want := (grid.Rect{X: 10_100, Y: 10_100, W: 3, H: 3}); gridtest.Extent(t, e) != want ||
		gridtest.Population(t, e) != 5 {
		t.Errorf("glider at %v, population %d, want %v and 5", gridtest.Extent(t, e), gridtest.Population(t, e), want)
	}
	if e.held > 4 || len(e.unused) > 16 {
		t.Errorf("%d tiles stored and %d unused for a glider", e.held, len(e.unused))
	}
}

// Settled areas of periods 1, 2, 3 and 6 are not computed any more.
func TestSettledBlocksSleep(t *testing.T) {
	e := unbounded(t, "B3/S23")
	for y, row := range []uint64{0b11, 0b11, 0, 0, 0, 0, 0, 0b111} { // a block and a blinker
		grid.InMemory(e.WriteRow([]uint64{row}, 0, 30, 30+y, 3))
	}
	if _, err := e.Step(t.Context(), 12); err != nil {
		t.Fatal(err)
	}
	if len(e.jobs) != 0 {
		t.Errorf("%d blocks are computed though nothing changes", len(e.jobs))
	}
	// Other remainders must wake it all the same.
	for range 7 {
		if _, err := e.Step(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	if gridtest.Population(t, e) != 7 || gridtest.Extent(t, e) != (grid.Rect{X: 30, Y: 30, W: 2, H: 9}) {
		t.Errorf("population %d in %v", gridtest.Population(t, e), gridtest.Extent(t, e))
	}
}

// Cells far apart take a tile each, and an edit no more for being the thousandth: who looks at cells between
// writing others must not have everything sorted again.
func TestScatteredEditsAreLinear(t *testing.T) {
	work := func(cells int) (bytes uint64) {
		e := unbounded(t, "B3/S23")
		row := make([]uint64, 2)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for i := range cells {
			x, y := i*7919%10_007*1024, i*104_729%10_009*1024
			grid.InMemory(e.ReadRow(row, 0, x, y, 100))
			grid.InMemory(e.WriteRow([]uint64{1, 1}, 0, x, y, 100))
		}
		runtime.ReadMemStats(&after)
		if got := gridtest.Population(t, e); got != uint64(2*cells) {
			t.Fatalf("population %d after %d edits", got, cells)
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	few, many := work(500), work(4000)
	if perCell := many / 4000; many > 9*few || perCell > 10_000 {
		t.Errorf("500 edits allocate %d bytes, 4,000 of them %d, %d each", few, many, perCell)
	}
}

// A universe that outgrows its memory is left whole, and goes on as if nothing had happened once it may have more.
func TestOutOfMemory(t *testing.T) {
	for _, notation := range []string{"B1/S", "B1/S012", "012/1/4"} {
		short, free := unbounded(t, notation), unbounded(t, notation)
		short.SetMemory(1 << 20)
		for _, e := range []*Engine{short, free} {
			if err := e.WriteRow([]uint64{0b1101001011}, 0, 250, 250, 10); err != nil {
				t.Fatal(err)
			}
		}
		done, err := short.Step(t.Context(), 10_000)
		var full *sim.OutOfMemory
		if !errors.As(err, &full) || done == 0 || done != short.Generation() {
			t.Fatalf("%s: %d generations done, at %d, error %v", notation, done, short.Generation(), err)
		}
		if held := short.Info().Bytes; held > 2<<20 {
			t.Errorf("%s: %d bytes of tiles, 1 MiB is allowed", notation, held)
		}
		short.SetMemory(0)
		for _, n := range []uint64{0, 13} {
			if _, err := short.Step(t.Context(), n); err != nil {
				t.Fatal(err)
			}
			if _, err := free.Step(t.Context(), short.Generation()-free.Generation()); err != nil {
				t.Fatal(err)
			}
			if x, y, differ, err := grid.FirstDifference(short, free); differ || err != nil {
				t.Errorf("%s: cell %d,%d differs at generation %d, %v", notation, x, y, free.Generation(), err)
			}
		}
	}
}

// An edit is refused where its cells would take more than there may be.
func TestEditsOutOfMemory(t *testing.T) {
	e := unbounded(t, "B3/S23")
	e.SetMemory(1 << 20)
	var err error
	n := 0
	for ; n < 1000 && err == nil; n++ {
		err = e.WriteRow([]uint64{1}, 0, 1000*n, 0, 1)
	}
	var full *sim.OutOfMemory
	if !errors.As(err, &full) || n < 100 || n > 130 {
		t.Errorf("%d cells of 8 KiB each in 1 MiB: error %v", n, err)
	}
}

// TestStepWithin: a step ends once it has done its work, also one of a lone creature. The work is the same each time.
func TestStepWithin(t *testing.T) {
	for _, notation := range []string{"B3/S23", "R5,C0,M1,S34..58,B34..45,NM"} {
		r, err := rule.Parse(notation)
		if err != nil {
			t.Fatal(err)
		}
		var parts [2][]uint64
		for i := range parts {
			e := unbounded(t, notation)
			if i == 1 && r.Radius() > 1 {
				var alone bool
				if e, alone = NewForCreatures(r, []*compile.Compiled{compile.New(r)}, e.plan); !alone {
					t.Fatal("no code for creatures")
				}
			}
			if err := soup.Fill(t.Context(), e, 12, 12, 0, 0.6, 1, nil); err != nil {
				t.Fatal(err)
			}
			for e.Generation() < 3000 {
				from := e.Work()
				done, err := e.StepWithin(t.Context(), 3000-e.Generation(), 20*time.Microsecond)
				if err != nil && !errors.Is(err, sim.ErrWork) || done == 0 {
					t.Fatal(done, err)
				}
				if did := e.Work() - from; did < 20*time.Microsecond && e.Generation() < 3000 {
					t.Errorf("%s: %v of work", notation, did)
				}
				parts[i] = append(parts[i], done)
			}
		}
		if r.Radius() == 1 && !slices.Equal(parts[0], parts[1]) {
			t.Errorf("%s: steps of %d, and then of %d generations", notation, parts[0], parts[1])
		}
	}
}
