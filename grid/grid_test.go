package grid

import (
	"math"
	"strings"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// cellMap is the naive universe the packed ones are checked against: the cells not in state 0.
type cellMap map[[2]int]uint8

func (m cellMap) set(x, y int, state uint8) {
	if state == 0 {
		delete(m, [2]int{x, y})
	} else {
		m[[2]int{x, y}] = state
	}
}

// bounds is the bounding box, found one cell at a time.
func (m cellMap) bounds() Rect {
	var box Rect
	for at := range m {
		box = box.Union(Rect{at[0], at[1], 1, 1})
	}
	return box
}

func newGrid(t rapid.TB, w, h, planes int) *Grid {
	t.Helper()
	g, err := New(w, h, planes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// randomGrid draws a grid of an awkward size with random cells, and the same cells in a map.
func randomGrid(t *rapid.T) (*Grid, cellMap) {
	side := func(name string) int {
		return rapid.OneOf(rapid.SampledFrom([]int{1, 2, 63, 64, 65, 127, 128, 129}), rapid.IntRange(1, 200)).Draw(t, name)
	}
	g := newGrid(t, side("w"), min(side("h"), 40), rapid.IntRange(1, 8).Draw(t, "planes"))
	return g, scatter(t, g)
}

// scatter sets random cells of a grid, sparse or dense, and returns all that are set.
func scatter(t *rapid.T, g *Grid) cellMap {
	cells := cellMap{}
	seed, sparse := rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]uint64{1, 3, 50}).Draw(t, "one cell in")
	for y := range g.h {
		for x := range g.w {
			if seed = seed*6364136223846793005 + 1442695040888963407; seed>>33%sparse == 0 {
				state := uint8(seed >> 56 & (1<<g.planes - 1))
				g.Set(x, y, state)
				cells.set(x, y, state)
			}
		}
	}
	return cells
}

// checkGrid compares every cell, and the words that no cell lies in.
func checkGrid(t rapid.TB, g *Grid, want cellMap) {
	t.Helper()
	for y := range g.h {
		for x := range g.w {
			if got := g.Get(x, y); got != want[[2]int{x, y}] {
				t.Fatalf("%d×%d: cell (%d, %d) is %d, want %d", g.w, g.h, x, y, got, want[[2]int{x, y}])
			}
		}
	}
	for i, word := range g.cells {
		cells := min(max(g.w-i%g.stride<<6, 0), 64)
		if cells < 64 && word>>cells != 0 {
			t.Fatalf("%d×%d: spare bits of word %d are %x", g.w, g.h, i, word)
		}
	}
}

func TestNewRefuses(t *testing.T) {
	for _, c := range []struct {
		w, h, planes int
		want         string
	}{
		{0, 5, 1, "grid size 0×5: width and height must be 1 to 1099511627776"},
		{5, 0, 1, "grid size 5×0"},
		{-1, 5, 1, "grid size -1×5"},
		{5, math.MinInt, 1, "grid size 5×-"},
		{math.MaxInt, 1, 1, "must be 1 to"},
		{5, 5, 0, "grid of 0 bit planes: want 1 to 8"},
		{5, 5, 9, "grid of 9 bit planes"},
		{1_000_000_000_000, 1_000_000_000_000, 1, "grid 1000000000000×1000000000000: needs more than 16 EiB of memory"},
		{MaxSide, 1 << 20, 8, "needs 1152921504606846976 bytes (1.0 EiB) of memory"},
	} {
		if g, err := New(c.w, c.h, c.planes); err == nil || g != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("New(%d, %d, %d): %v, want %q", c.w, c.h, c.planes, err, c.want)
		}
	}
}

func TestRowsStartOnLines(t *testing.T) {
	for w := 1; w < 2000; w += 61 {
		g := newGrid(t, w, 3, 2)
		for k := range 2 {
			for y := range 3 {
				row := g.Row(k, y)
				if at := uintptr(unsafe.Pointer(&row[0])); at%64 != 0 {
					t.Fatalf("width %d: plane %d, row %d starts %d bytes past a line", w, k, y, at%64)
				}
				if len(row) != (w+63)/64 || cap(row) != len(row) {
					t.Fatalf("width %d: row of %d words, capacity %d", w, len(row), cap(row))
				}
			}
		}
	}
}

func TestSetGetPopulationCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, want := randomGrid(t)
		for range rapid.IntRange(0, 20).Draw(t, "sets") { // some outside, which must change nothing
			x, y := rapid.IntRange(-3, g.w+3).Draw(t, "x"), rapid.IntRange(-3, g.h+3).Draw(t, "y")
			state := uint8(rapid.IntRange(0, 1<<g.planes-1).Draw(t, "state"))
			g.Set(x, y, state)
			if g.Bounds().Contains(x, y) {
				want.set(x, y, state)
			} else if g.Get(x, y) != 0 {
				t.Fatalf("cell (%d, %d) outside is alive", x, y)
			}
		}
		checkGrid(t, g, want)
		counts := make([]uint64, 1<<g.planes)
		for _, state := range want {
			counts[state]++
		}
		counts[0] = uint64(g.w*g.h - len(want))
		got := g.Counts()
		streamed, err := StateCounts(source{g}, 1<<g.planes)
		InMemory(err)
		for state, n := range counts {
			if got[state] != n || streamed[state] != n {
				t.Fatalf("state %d: counted %d, streamed %d, want %d", state, got[state], streamed[state], n)
			}
		}
		p := g.Population()
		q, err := Population(source{g})
		InMemory(err)
		if p != uint64(len(want)) || q != p {
			t.Fatalf("population %d, streamed %d, want %d", p, q, len(want))
		}
		if box := g.BoundingBox(); box != want.bounds() {
			t.Fatalf("bounding box %v, want %v", box, want.bounds())
		}
		g.Clear()
		checkGrid(t, g, nil)
	})
}

// source hides all but the methods of Source, as an engine without shortcuts.
type source struct{ Source }

// Large enough for several bands, with cells on both sides of each seam.
func TestCountsInBands(t *testing.T) {
	g := newGrid(t, 511, 1<<17, 3)
	var want [8]uint64
	for y := 0; y < g.h; y += 63 {
		state := uint8(y%7 + 1)
		g.Set(y%g.w, y, state)
		want[state]++
	}
	var population uint64
	for state, n := range g.Counts() {
		if state > 0 {
			population += n
			if n != want[state] {
				t.Errorf("state %d: %d cells, want %d", state, n, want[state])
			}
		} else if n != uint64(g.w*g.h)-uint64((g.h+62)/63) {
			t.Errorf("%d dead cells", n)
		}
	}
	if got := g.Population(); got != population {
		t.Errorf("population %d, want %d", got, population)
	}
}

func TestReadRowAtEveryOffset(t *testing.T) {
	g := newGrid(t, 150, 2, 1)
	for x := range g.w {
		g.Set(x, 1, uint8(x*x*x>>2&1))
	}
	const guard = 0xDEADBEEFDEADBEEF
	for x := -70; x < g.w+5; x++ {
		for n := range 230 {
			dst := []uint64{guard, guard, guard, guard, guard}
			InMemory(g.ReadRow(dst, 0, x, 1, n))
			for i := range (n + 63) / 64 * 64 {
				want := uint64(0)
				if i < n {
					want = uint64(g.Get(x+i, 1))
				}
				if got := dst[i/64] >> (i % 64) & 1; got != want {
					t.Fatalf("read of %d cells at %d: cell %d is %d, want %d", n, x, i, got, want)
				}
			}
			if dst[(n+63)/64] != guard {
				t.Fatalf("read of %d cells at %d wrote beyond its words", n, x)
			}
		}
	}
}

func TestWriteRowAtEveryOffset(t *testing.T) {
	src := []uint64{0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB, 0xD6E8FEB86659FD93}
	for _, old := range []uint8{0, 1} {
		for x := -70; x < 155; x++ {
			for _, n := range []int{0, 1, 2, 62, 63, 64, 65, 66, 127, 128, 129, 150, 191, 192, 193, 256} {
				g, want := newGrid(t, 150, 1, 1), cellMap{}
				for c := range g.w {
					g.Set(c, 0, old)
					state := old
					if i := c - x; i >= 0 && i < n {
						state = uint8(src[i/64] >> (i % 64) & 1)
					}
					want.set(c, 0, state)
				}
				InMemory(g.WriteRow(src, 0, x, 0, n))
				checkGrid(t, g, want)
			}
		}
	}
}

func TestRowsOutside(t *testing.T) {
	g := newGrid(t, 70, 3, 2)
	for y := range 3 {
		for x := range 70 {
			g.Set(x, y, 3)
		}
	}
	dead := make([]uint64, 2)
	for _, at := range [][3]int{ // plane, x, y
		{0, 70, 0},
		{0, -66, 0},
		{0, 0, -1},
		{0, 0, 3},
		{2, 0, 0},
		{0, math.MaxInt, 0},
		{0, math.MaxInt - 65, 1},
		{0, math.MinInt, 0},
		{0, 0, math.MaxInt},
		{0, 0, math.MinInt},
	} {
		row := []uint64{1, 1}
		InMemory(g.ReadRow(row, at[0], at[1], at[2], 66))
		if row[0]|row[1] != 0 {
			t.Errorf("cells outside at %v read as %x", at, row)
		}
		InMemory(g.WriteRow(dead, at[0], at[1], at[2], 66))
	}
	if g.Population() != 3*70 {
		t.Errorf("writes outside left %d of %d cells", g.Population(), 3*70)
	}
}

func TestCopyCropShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, cells := randomGrid(t)
		twin, err := g.Copy()
		if err != nil {
			t.Fatal(err)
		}
		checkGrid(t, twin, cells)
		if !twin.Equal(g) {
			t.Fatal("a copy is not equal to its original")
		}
		x, y := rapid.IntRange(0, g.w-1).Draw(t, "x"), rapid.IntRange(0, g.h-1).Draw(t, "y")
		twin.Set(x, y, twin.Get(x, y)^1)
		if twin.Equal(g) || g.Get(x, y) != cells[[2]int{x, y}] {
			t.Fatal("a changed copy is equal, or shares cells")
		}

		r := Rect{
			rapid.IntRange(-70, g.w+10).Draw(t, "crop x"), rapid.IntRange(-10, g.h+5).Draw(t, "crop y"),
			rapid.IntRange(1, 200).Draw(t, "crop w"), rapid.IntRange(1, 50).Draw(t, "crop h"),
		}
		cropped, err := g.Crop(r)
		if err != nil {
			t.Fatal(err)
		}
		want := cellMap{}
		for at, state := range cells {
			if r.Contains(at[0], at[1]) {
				want.set(at[0]-r.X, at[1]-r.Y, state)
			}
		}
		checkGrid(t, cropped, want)

		dx := rapid.OneOf(rapid.IntRange(-70, 70), rapid.SampledFrom([]int{g.w, -g.w, math.MaxInt, math.MinInt})).
			Draw(t, "dx")
		dy := rapid.OneOf(rapid.IntRange(-5, 5), rapid.SampledFrom([]int{g.h, -g.h, math.MaxInt, math.MinInt})).Draw(t, "dy")
		want = cellMap{}
		for at, state := range cells {
			if x, y := at[0]+dx, at[1]+dy; g.Bounds().Contains(x, y) {
				want.set(x, y, state)
			}
		}
		g.Shift(dx, dy)
		checkGrid(t, g, want)
	})
}

func TestEqualSeesSizeAndPlanes(t *testing.T) {
	g := newGrid(t, 64, 2, 1)
	for _, o := range []*Grid{newGrid(t, 63, 2, 1), newGrid(t, 64, 3, 1), newGrid(t, 64, 2, 2), newGrid(t, 128, 1, 1)} {
		if g.Equal(o) {
			t.Errorf("64×2 with 1 plane equals %d×%d with %d", o.w, o.h, o.planes)
		}
	}
}

func TestCropRefuses(t *testing.T) {
	g := newGrid(t, 5, 5, 1)
	for _, r := range []Rect{{}, {0, 0, 0, 3}, {0, 0, 3, -1}, {0, 0, MaxSide + 1, 1}} {
		if _, err := g.Crop(r); err == nil {
			t.Errorf("crop to %v was not refused", r)
		}
	}
}
