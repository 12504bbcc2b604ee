package bands

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// cellsOf is a universe as a source.
type cellsOf struct{ *Universe }

func (c cellsOf) Extent() (grid.Rect, error) { return c.Bounds(), nil }

// A universe of several transfers, written and read from top to bottom and at random, is what a grid is that
// the same is done to.
func TestRowsFetchedAhead(t *testing.T) {
	const w, h = 300, 200
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	f := compile.Warp(r, 2, false)
	u, err := New([]*gpu.Device{(&gputest.Driver{}).Device(t)}, f, topology.Topology{Kind: topology.Torus, W: w, H: h},
		plan.Plan{Depth: 1, Words: 2, Unroll: 1, Stages: 1, Rows: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer u.close()
	u.rows[0].close()
	if u.rows[0], err = newRows(u.all[0], 20*40); err != nil { // 20 rows at once
		t.Fatal(err)
	}
	e := cellsOf{u}
	want, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	state := uint64(1)
	next := func() uint64 {
		state = state*6364136223846793005 + 1442695040888963407
		return state >> 8
	}
	write := func(y int) {
		cells, x := []uint64{next(), next()}, int(next()%w)
		grid.InMemory(e.WriteRow(cells, 0, x, y, 100))
		grid.InMemory(want.WriteRow(cells, 0, x, y, 100))
	}
	compare := func(when string) {
		t.Helper()
		if x, y, differ := gridtest.Difference(t, e, want); differ {
			t.Fatalf("%s: cell (%d,%d) differs", when, x, y)
		}
	}
	for y := 0; y < h; y += 3 {
		write(y)
	}
	compare("after writing from top to bottom")
	row := make([]uint64, 1)
	for range 300 { // now and then on into the next rows, or away from them, with edits
		y := int(next() % h)
		grid.InMemory(e.ReadRow(row, 0, 0, y, 64))
		if next()%2 == 0 {
			write(y)
		}
		grid.InMemory(e.ReadRow(row, 0, 0, min(y+20, h-1), 64))
		write(int(next() % h))
	}
	compare("after edits here and there")
	u.rows[0].settle()
	err = u.Flush()
	if err != nil {
		t.Fatal(err)
	}
	if got, err := u.Population(); got != gridtest.Population(t, want) || err != nil {
		t.Errorf("population %d, %v, want %d", got, err, gridtest.Population(t, want))
	}
}
