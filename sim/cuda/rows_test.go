package cuda

import (
	"testing"

	"github.com/gosper-life/gosper/grid"
)

// A universe of several transfers, written and read from top to bottom and at random, is what a grid is that the same is done to.
func TestRowsFetchedAhead(t *testing.T) {
	const w, h = 300, 200
	e, err := openHost(lifeOn("T300,200"))
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	r, err := newRows(e.(*engine).only(), 20*40) // 20 rows at once
	if err != nil {
		t.Fatal(err)
	}
	e.(*engine).rows[0].close()
	e.(*engine).rows[0] = r
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
		e.WriteRow(cells, 0, x, y, 100)
		want.WriteRow(cells, 0, x, y, 100)
	}
	compare := func(when string) {
		t.Helper()
		if x, y, differ := grid.FirstDifference(e, want); differ {
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
		e.ReadRow(row, 0, 0, y, 64)
		if next()%2 == 0 {
			write(y)
		}
		e.ReadRow(row, 0, 0, min(y+20, h-1), 64)
		write(int(next() % h))
	}
	compare("after edits here and there")
	if got := e.Population(); got != want.Population() {
		t.Errorf("population %d, want %d", got, want.Population())
	}
}
