package soup_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/soup"
	"pgregory.net/rapid"
)

// Populations of start universes made by programs that are not Gosper (a brute-force stepper and Golly).
func TestPublishedPopulations(t *testing.T) {
	for _, c := range []struct {
		seed    uint64
		density float64
		w, h    int
		want    uint64
	}{
		{7, 0.21, 256, 192, 10325},
		{99, 0.4, 40, 31, 507},
		{1, 0.5, 256, 256, 32836},
	} {
		g := filled(t, c.w, c.h, c.seed, c.density, 0)
		if got := g.Population(); got != c.want {
			t.Errorf("seed %d, density %v, %d×%d: population %d, want %d", c.seed, c.density, c.w, c.h, got, c.want)
		}
	}
}

func filled(t rapid.TB, w, h int, seed uint64, density float64, threads int) *grid.Grid {
	t.Helper()
	g, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := soup.Fill(context.Background(), g, w, h, seed, density, threads, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// aliveByDefinition is the definition, word for word.
func aliveByDefinition(seed uint64, density float64, i uint64) bool {
	golden := uint64(0x9E3779B97F4A7C15)
	z := seed + (i+1)*golden
	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9
	z = (z ^ (z >> 27)) * 0x94D049BB133111EB
	z ^= z >> 31
	return z>>11 < uint64(math.Floor(density*math.Pow(2, 53)))
}

func density(t *rapid.T) float64 {
	return rapid.OneOf(rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{0, 1, 0x1p-53, 1 - 0x1p-53, 0.5})).
		Draw(t, "density")
}

func TestRowMatchesDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, d := rapid.Uint64().Draw(t, "seed"), density(t)
		index, n := rapid.Uint64().Draw(t, "index"), rapid.IntRange(0, 300).Draw(t, "n")
		s, err := soup.New(seed, d)
		if err != nil {
			t.Fatal(err)
		}
		row := make([]uint64, 6)
		for i := range row {
			row[i] = 0x123456789ABCDEF0
		}
		s.Row(row, index, n)
		for i := range n {
			want := aliveByDefinition(seed, d, index+uint64(i))
			if got := row[i>>6]>>(i&63)&1 == 1; got != want || s.Alive(index+uint64(i)) != want {
				t.Fatalf("cell %d of %d: row says %v, Alive %v, want %v", i, n, got, s.Alive(index+uint64(i)), want)
			}
		}
		if n&63 != 0 && row[n>>6]>>(n&63) != 0 {
			t.Fatalf("spare bits of the last word are set: %x", row[n>>6])
		}
		if row[(n+63)>>6] != 0x123456789ABCDEF0 {
			t.Fatal("a word beyond the row was written")
		}
	})
}

func TestSeedFrom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed, d := rapid.Uint64().Draw(t, "seed"), density(t)
		first, index := rapid.Uint64().Draw(t, "first"), rapid.Uint64().Draw(t, "index")
		whole, err := soup.New(seed, d)
		if err != nil {
			t.Fatal(err)
		}
		part, err := soup.New(soup.SeedFrom(seed, first), d)
		if err != nil {
			t.Fatal(err)
		}
		if whole.Alive(first+index) != part.Alive(index) {
			t.Fatalf("cell %d of the part differs from cell %d of the whole", index, first+index)
		}
	})
}

func TestThreshold(t *testing.T) {
	for d, want := range map[float64]uint64{0: 0, 1: 1 << 53, 0.5: 1 << 52, 0.3: 2702159776422297} {
		if s, err := soup.New(1, d); err != nil || s.Threshold() != want || s.Seed() != 1 {
			t.Errorf("density %v: threshold %d, error %v, want %d", d, s.Threshold(), err, want)
		}
	}
}

// The sizes cover rows shared by a piece of work, pieces of several rows with a short last one, and rows cut into
// segments.
func TestFillMatchesDefinitionForAnyThreads(t *testing.T) {
	for _, size := range [][2]int{{1, 1}, {1, 1000}, {63, 65}, {64, 64}, {1 << 13, 70}, {1<<18 + 1, 2}, {1<<22 + 5, 1}} {
		w, h := size[0], size[1]
		one := filled(t, w, h, 42, 0.37, 1)
		for y := range h {
			for x := range w {
				if alive := one.Get(x, y) == 1; alive != aliveByDefinition(42, 0.37, uint64(y*w+x)) {
					t.Fatalf("%d×%d: cell (%d, %d) is %v", w, h, x, y, alive)
				}
			}
		}
		for _, threads := range []int{0, 2, 3, 8} {
			if !filled(t, w, h, 42, 0.37, threads).Equal(one) {
				t.Errorf("%d×%d: %d threads made other cells than one", w, h, threads)
			}
		}
	}
}

// rowSink hides that it is a Grid, as an engine does.
type rowSink struct{ *grid.Grid }

func TestFillAnySink(t *testing.T) {
	want := filled(t, 700, 900, 5, 0.5, 1)
	got, err := grid.New(700, 900, 3)
	if err != nil {
		t.Fatal(err)
	}
	for y := range 900 {
		got.Set(3, y, 7) // to be overwritten, all planes
	}
	var last uint64
	progress := func(done, total uint64) {
		if total != 700*900 || done <= last || done > total {
			t.Errorf("progress %d of %d after %d", done, total, last)
		}
		last = done
	}
	if err := soup.Fill(context.Background(), rowSink{got}, 700, 900, 5, 0.5, 4, progress); err != nil {
		t.Fatal(err)
	}
	if x, y, differ := gridtest.Difference(t, got, want); differ || last != 700*900 {
		t.Errorf("first difference (%d, %d) %v, progress ended at %d", x, y, differ, last)
	}
}

// rowCounter counts what is written.
type rowCounter struct{ rows, cells int }

func (c *rowCounter) WriteRow(_ []uint64, _, _, _, n int) error {
	c.rows++
	c.cells += n
	return nil
}

// Engines keep rows in an order of their own, in which a part of one may take as long as the whole: rows are
// written whole.
func TestFillWritesWholeRows(t *testing.T) {
	for _, size := range [][2]int{{3_000_001, 3}, {1, 5000}, {1 << 22, 1}, {700, 900}} {
		var c rowCounter
		if err := soup.Fill(t.Context(), &c, size[0], size[1], 1, 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		if c.rows != size[1] || c.cells != size[0]*size[1] {
			t.Errorf("%v: %d cells in %d rows written", size, c.cells, c.rows)
		}
	}
}

func TestFillRefuses(t *testing.T) {
	g, _ := grid.New(10, 10, 1)
	for _, d := range []float64{-0x1p-60, 1.0000001, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := soup.Fill(context.Background(), g, 10, 10, 1, d, 1, nil); err == nil ||
			!strings.Contains(err.Error(), "from 0 to 1") {
			t.Errorf("density %v: error %v", d, err)
		}
	}
	for _, size := range [][2]int{{0, 1}, {1, 0}, {-1, 1}, {1, grid.MaxSide + 1}} {
		if err := soup.Fill(context.Background(), g, size[0], size[1], 1, 0.5, 1, nil); err == nil {
			t.Errorf("size %v was not refused", size)
		}
	}
	if g.Population() != 0 {
		t.Error("a refused fill wrote cells")
	}
}

func TestFillStops(t *testing.T) {
	g, err := grid.New(1<<14, 1<<10, 1)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var done uint64
	err = soup.Fill(ctx, g, g.W(), g.H(), 1, 0.5, 1, func(d, _ uint64) { done = d; cancel() })
	if err != context.Canceled || done == 0 || done >= 1<<24 {
		t.Errorf("error %v after %d cells, want context.Canceled after the first piece", err, done)
	}
}

func BenchmarkRow(b *testing.B) {
	s, err := soup.New(1, 0.37)
	if err != nil {
		b.Fatal(err)
	}
	row := make([]uint64, 1<<10)
	for b.Loop() {
		s.Row(row, 0, 64*len(row))
	}
	b.ReportMetric(float64(b.N)*float64(64*len(row))/b.Elapsed().Seconds(), "cells/s")
}

// filler makes soups itself.
type filler struct {
	*grid.Grid
	made soup.Soup
}

func (f *filler) FillSoup(s soup.Soup) error {
	f.made = s
	return nil
}

// A sink that makes soups itself does so where the soup covers it all.
func TestFillersFillThemselves(t *testing.T) {
	g, err := grid.New(40, 30, 1)
	if err != nil {
		t.Fatal(err)
	}
	f := &filler{Grid: g}
	for _, c := range []struct {
		w    int
		self bool
	}{{39, false}, {40, true}} {
		f.made = soup.Soup{}
		if err := soup.Fill(t.Context(), f, c.w, 30, 9, 0.25, 1, nil); err != nil {
			t.Fatal(err)
		}
		if want, _ := soup.New(9, 0.25); (f.made == want) != c.self {
			t.Errorf("%d columns of 40: the sink made %v", c.w, f.made)
		}
	}
}
