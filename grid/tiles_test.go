package grid

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func newTiles(t rapid.TB, planes int) *Tiles {
	t.Helper()
	tiles, err := NewTiles(planes)
	if err != nil {
		t.Fatal(err)
	}
	return tiles
}

// coordinate draws places around the origin, around the edges of tiles and far away.
func coordinate(t *rapid.T, name string) int {
	near := rapid.IntRange(-600, 600).Draw(t, name)
	return near + rapid.SampledFrom([]int{0, 0, 0, 1 << 40, -1 << 61, tilesEnd - 700, 700 - tilesEnd}).
		Draw(t, name+" base")
}

// Random operations on Tiles and on a map of cells must give the same universe.
func TestTilesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		planes := rapid.IntRange(1, 8).Draw(t, "planes")
		tiles, cells := newTiles(t, planes), cellMap{}
		most := 1<<planes - 1
		t.Repeat(map[string]func(*rapid.T){
			"Set": func(t *rapid.T) {
				x, y, state := coordinate(t, "x"), coordinate(t, "y"), uint8(rapid.IntRange(0, most).Draw(t, "state"))
				tiles.Set(x, y, state)
				cells.set(x, y, state)
				if got := tiles.Get(x, y); got != state {
					t.Fatalf("cell (%d, %d) is %d after Set %d", x, y, got, state)
				}
			},
			"WriteRow": func(t *rapid.T) {
				x, y, k := coordinate(t, "x"), coordinate(t, "y"), rapid.IntRange(0, planes).Draw(t, "plane")
				n := rapid.IntRange(0, 700).Draw(t, "n")
				src := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 0, math.MaxUint64, 1, 0x8000000000000001, 0x0123456789ABCDEF}),
					11, 11).Draw(t, "src")
				InMemory(tiles.WriteRow(src, k, x, y, n))
				if k == planes {
					return // no such plane: dropped
				}
				for i := range n {
					at := [2]int{x + i, y}
					if at[0] >= tilesEnd {
						break // dropped
					}
					cells.set(at[0], at[1], cells[at]&^(1<<k)|uint8(src[i/64]>>(i%64)&1)<<k)
				}
			},
			"ReadRow": func(t *rapid.T) {
				x, y, k := coordinate(t, "x"), coordinate(t, "y"), rapid.IntRange(0, planes).Draw(t, "plane")
				n := rapid.IntRange(0, 700).Draw(t, "n")
				const guard = 0xDEADBEEFDEADBEEF
				dst := make([]uint64, 12)
				for i := range dst {
					dst[i] = guard
				}
				InMemory(tiles.ReadRow(dst, k, x, y, n))
				for i := range (n + 63) / 64 * 64 {
					want := uint64(0)
					if i < n && k < planes {
						want = uint64(cells[[2]int{x + i, y}] >> k & 1)
					}
					if got := dst[i/64] >> (i % 64) & 1; got != want {
						t.Fatalf("plane %d from (%d, %d): cell %d of %d is %d, want %d", k, x, y, i, n, got, want)
					}
				}
				if dst[(n+63)/64] != guard {
					t.Fatalf("read of %d cells wrote beyond its words", n)
				}
			},
			"Trim": func(*rapid.T) { tiles.Trim() },
			"Population, Bounds": func(t *rapid.T) {
				if got := tiles.Population(); got != uint64(len(cells)) {
					t.Fatalf("population %d, want %d", got, len(cells))
				}
				if got := tiles.Bounds(); got != cells.bounds() {
					t.Fatalf("bounds %v, want %v", got, cells.bounds())
				}
			},
		})
		checkTiles(t, tiles, cells)
	})
}

// checkTiles compares all cells by going through the tiles, and the counts, and what Trim leaves.
func checkTiles(t rapid.TB, tiles *Tiles, cells cellMap) {
	t.Helper()
	if got := tiles.Population(); got != uint64(len(cells)) {
		t.Fatalf("population %d, want %d", got, len(cells))
	}
	if got := tiles.Bounds(); got != cells.bounds() {
		t.Fatalf("bounds %v, want %v", got, cells.bounds())
	}
	tiles.Trim()
	left := len(cells)
	var before TileAt
	n := 0
	for at, tile := range tiles.All() {
		if tile.Empty() || tiles.Tile(at) != tile {
			t.Fatalf("tile %v is empty after Trim or not the one stored", at)
		}
		if n++; n > 1 && (at.Y < before.Y || at.Y == before.Y && at.X <= before.X) {
			t.Fatalf("tile %v comes after %v", at, before)
		}
		before = at
		for y := range TileSide {
			for x := range TileSide {
				want := cells[[2]int{at.X*256 + x, at.Y*256 + y}]
				var got uint8
				for k := range tiles.Planes() {
					got |= uint8(tile.Row(k, y)[x/64]>>(x%64)&1) << k
				}
				if got != want {
					t.Fatalf("tile %v: cell (%d, %d) is %d, want %d", at, x, y, got, want)
				}
				if got != 0 {
					left--
				}
			}
		}
	}
	if left != 0 || n != tiles.Len() {
		t.Fatalf("%d cells are in no tile; All gave %d of %d tiles", left, n, tiles.Len())
	}
	counts := make([]uint64, 1<<tiles.Planes())
	for _, state := range cells {
		counts[state]++
	}
	found, err := StateCounts(tiles, len(counts))
	InMemory(err)
	for state, got := range found {
		if state > 0 && got != counts[state] {
			t.Fatalf("state %d: %d cells, want %d", state, got, counts[state])
		}
	}
}

func TestTilesTakeNoMemoryForDeadCells(t *testing.T) {
	tiles := newTiles(t, 2)
	tiles.Set(5, 5, 0)
	InMemory(tiles.WriteRow(make([]uint64, 16), 1, -300, 7, 1000))
	if tiles.Len() != 0 {
		t.Errorf("%d tiles for dead cells", tiles.Len())
	}
	InMemory(tiles.WriteRow([]uint64{1 << 63}, 0, 0, 0, 63)) // the one bit set is beyond the row
	if tiles.Len() != 0 {
		t.Errorf("%d tiles for a bit beyond the row", tiles.Len())
	}
}

func TestOccupiedRows(t *testing.T) {
	tiles := newTiles(t, 3)
	for _, cell := range [][2]int{{0, 255}, {-1, -256}, {-200, -1}, {5000, 70}, {5001, 72}} {
		tiles.Set(cell[0], cell[1], 5)
	}
	tiles.Set(300, 300, 1)
	tiles.Set(300, 300, 0)
	got, err := OccupiedRows(tiles)
	want := []Rect{{-256, -256, 256, 256}, {0, 255, 256, 1}, {4864, 70, 256, 3}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	// Other sources have no such method.
	g, err := New(10, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := OccupiedRows(g); err != nil || !slices.Equal(got, []Rect{{0, 0, 10, 20}}) {
		t.Errorf("%v, %v of a grid", got, err)
	}
}

func TestTilesEndOfTheWorld(t *testing.T) {
	tiles := newTiles(t, 1)
	ones := []uint64{math.MaxUint64, math.MaxUint64}
	for _, at := range [][2]int{
		{tilesEnd, 0},
		{-tilesEnd - 127, 0},
		{0, tilesEnd},
		{0, -tilesEnd},
		{math.MaxInt, 0},
		{math.MinInt, 0},
		{0, math.MinInt},
		{math.MaxInt, math.MaxInt},
	} {
		InMemory(tiles.WriteRow(ones, 0, at[0], at[1], 128))
		tiles.Set(at[0], at[1], 1)
		if tiles.Population() != 0 || tiles.Get(at[0], at[1]) != 0 {
			t.Errorf("cells at %v, beyond the largest coordinates, were stored", at)
		}
	}
	InMemory(tiles.WriteRow(ones, 0, tilesEnd-5, tilesEnd-1, 128))
	InMemory(tiles.WriteRow(ones, 0, -tilesEnd-122, 1-tilesEnd, 128))
	want := Rect{1 - tilesEnd, 1 - tilesEnd, 2*tilesEnd - 1, 2*tilesEnd - 1}
	if got := tiles.Bounds(); got != want || tiles.Population() != 10 {
		t.Errorf("bounds %v with %d cells, want %v with 10", got, tiles.Population(), want)
	}
}

// The bounding box is too large to walk through, the tiles are not.
func TestTilesFarApart(t *testing.T) {
	a, b := newTiles(t, 1), newTiles(t, 2)
	for _, tiles := range []*Tiles{a, b} {
		tiles.Set(-1<<60, -1<<60, 1)
		tiles.Set(1<<60, 1<<60, 1)
		tiles.Set(1<<60, -1<<60+1, 1)
	}
	if x, y, found := difference(a, b); found {
		t.Errorf("equal universes differ at (%d, %d)", x, y)
	}
	b.Set(-1<<60+300, -1<<60+1, 2)
	b.Set(-1<<60-1, -1<<60+2, 3)
	if x, y, found := difference(a, b); !found || x != -1<<60+300 || y != -1<<60+1 {
		t.Errorf("first difference (%d, %d) %v", x, y, found)
	}
	counts, err := StateCounts(b, 4)
	InMemory(err)
	if counts[1] != 3 || counts[2] != 1 || counts[3] != 1 {
		t.Errorf("counts %v", counts)
	}
	c, err := TilesOf(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if _, _, found := difference(b, c); found || c.Population() != 5 {
		t.Errorf("a copy differs or has %d cells, want 5", c.Population())
	}
}

func TestTilesAndGridAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, _ := randomGrid(t)
		tiles := newTiles(t, g.planes)
		x, y := coordinate(t, "x")/2, coordinate(t, "y")/2
		InMemory(Copy(tiles, g, g.Bounds(), x, y))
		box := g.BoundingBox()
		if !box.Empty() {
			box.X, box.Y = box.X+x, box.Y+y
		}
		if tiles.Bounds() != box {
			t.Fatalf("bounds %v, want %v", tiles.Bounds(), box)
		}
		back := newGrid(t, g.w, g.h, g.planes)
		InMemory(Copy(back, tiles, Rect{x, y, g.w, g.h}, 0, 0))
		if !back.Equal(g) {
			t.Fatal("a grid copied to the plane and back is changed")
		}
		if got, want := stateHash(t, tiles, 1<<g.planes, true),
			plainStateHash(box, 1<<g.planes, true, tiles.Get); got != want {
			t.Fatalf("state hash %x, want %x", got, want)
		}
	})
}

func TestNewTilesRefuses(t *testing.T) {
	for _, planes := range []int{-1, 0, 9} {
		if _, err := NewTiles(planes); err == nil {
			t.Errorf("%d planes were not refused", planes)
		}
	}
}
