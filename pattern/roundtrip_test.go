package pattern_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/pattern"
)

var multiState = []pattern.Format{pattern.RLE, pattern.Macrocell, pattern.PNG, pattern.NPY, pattern.PGM}

var twoState = []pattern.Format{
	pattern.RLE, pattern.Macrocell, pattern.Plaintext, pattern.Life105, pattern.Life106, pattern.PNG, pattern.NPY,
	pattern.PBM, pattern.PGM,
}

// sized formats have their cells' upper left corner at (0, 0) and keep the size; the others keep places.
func sized(f pattern.Format) bool {
	return f == pattern.RLE || f == pattern.Plaintext || f == pattern.PNG || f == pattern.NPY || f == pattern.PBM ||
		f == pattern.PGM
}

// moved is a source seen from another origin.
type moved struct {
	grid.Source
	dx, dy int
}

func (m moved) Extent() (grid.Rect, error) {
	b, err := m.Source.Extent()
	if b.Empty() {
		return b, err
	}
	return grid.Rect{X: b.X + m.dx, Y: b.Y + m.dy, W: b.W, H: b.H}, err
}

func (m moved) ReadRow(dst []uint64, plane, x, y, n int) error {
	return m.Source.ReadRow(dst, plane, x-m.dx, y-m.dy, n)
}

// mustEqualCells compares every cell.
func mustEqualCells(t rapid.TB, got, want grid.Source) {
	t.Helper()
	if x, y, found := gridtest.Difference(t, got, want); found {
		t.Fatalf("cells differ at %d,%d: bounds are %v, want %v", x, y, gridtest.Extent(t, got), gridtest.Extent(t, want))
	}
}

func drawGrid(t *rapid.T, planes int) *grid.Grid {
	w := rapid.IntRange(1, 200).Draw(t, "w")
	h := rapid.IntRange(1, 40).Draw(t, "h")
	g, err := grid.New(w, h, planes)
	if err != nil {
		t.Fatal(err)
	}
	for range rapid.IntRange(0, 60).Draw(t, "runs") {
		y := rapid.IntRange(0, h-1).Draw(t, "y")
		x := rapid.IntRange(0, w-1).Draw(t, "x")
		state := rapid.IntRange(0, 1<<planes-1).Draw(t, "state")
		for n := rapid.IntRange(1, 90).Draw(t, "n"); n > 0 && x < w; x, n = x+1, n-1 {
			g.Set(x, y, uint8(state))
		}
	}
	return g
}

func drawMeta(t *rapid.T) pattern.Meta {
	words := rapid.StringMatching(`[!-~ä黃]([ -~]{0,20}[!-~é])?`)
	return pattern.Meta{
		Rule: rapid.SampledFrom([]string{"", "B3/S23", "B36/S23", "R5,C0,M1,S34..58,B34..45,NM", "B3/S23:T30,20"}).
			Draw(t, "rule"),
		HasPosition: rapid.Bool().Draw(t, "placed"),
		X:           rapid.IntRange(-1000, 1000).Draw(t, "X"),
		Y:           rapid.IntRange(-1000, 1000).Draw(t, "Y"),
		Generation:  rapid.Uint64().Draw(t, "generation"),
		Name:        words.Draw(t, "name"),
		Author:      words.Draw(t, "author"),
		Comments:    rapid.SliceOfN(words, 1, 3).Draw(t, "comments"),
	}
}

func roundTrip(t rapid.TB, format pattern.Format, src grid.Source, meta pattern.Meta) *pattern.Pattern {
	t.Helper()
	var file bytes.Buffer
	if err := pattern.Write(&file, format, src, meta); err != nil {
		t.Fatal(err)
	}
	got, err := pattern.Read(bytes.NewReader(file.Bytes()), "")
	if err != nil {
		t.Fatalf("%v in %.300q", err, file.String())
	}
	if got.Format != format {
		t.Fatalf("read as %s: %.300q", got.Format, file.String())
	}
	return got
}

func TestRoundTripGrid(t *testing.T) {
	for planes := 1; planes <= 8; planes++ {
		formats := multiState
		if planes == 1 {
			formats = twoState
		}
		for _, format := range formats {
			t.Run(fmt.Sprintf("%s/%d", format, planes), rapid.MakeCheck(func(t *rapid.T) {
				g, meta := drawGrid(t, planes), drawMeta(t)
				got := roundTrip(t, format, g, meta)
				switch {
				case !sized(format) && meta.HasPosition:
					mustEqualCells(t, got.Cells, moved{g, meta.X, meta.Y})
				case !sized(format):
					mustEqualCells(t, got.Cells, g)
				default:
					mustEqualCells(t, got.Cells, g)
					if got.Bounds != g.Bounds() {
						t.Fatalf("bounds are %v, want %v", got.Bounds, g.Bounds())
					}
				}
			}))
		}
	}
}

func TestRoundTripTiles(t *testing.T) {
	for _, format := range []pattern.Format{pattern.RLE, pattern.Macrocell, pattern.Life105, pattern.Life106} {
		t.Run(format.String(), rapid.MakeCheck(func(t *rapid.T) {
			// The islands are so far apart that only a writer that skips empty areas ends.
			far := int64(1) << rapid.IntRange(4, 38).Draw(t, "spread")
			tiles, err := grid.NewTiles(1)
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(0, 6).Draw(t, "islands") {
				x := int(rapid.Int64Range(-far, far).Draw(t, "x"))
				y := int(rapid.Int64Range(-far, far).Draw(t, "y"))
				for range rapid.IntRange(1, 12).Draw(t, "cells") {
					tiles.Set(x+rapid.IntRange(0, 100).Draw(t, "dx"), y+rapid.IntRange(0, 10).Draw(t, "dy"), 1)
				}
			}
			got := roundTrip(t, format, tiles, pattern.Meta{HasPosition: true})
			gotBox, wantBox := got.Cells.Bounds(), tiles.Bounds()
			if sized(format) && !wantBox.Empty() {
				gotBox.X, gotBox.Y = gotBox.X+got.X, gotBox.Y+got.Y
			}
			if gotBox != wantBox || got.Cells.Population() != tiles.Population() {
				t.Fatalf("%d cells in %v, want %d in %v", got.Cells.Population(), gotBox, tiles.Population(), wantBox)
			}
			for at, tile := range tiles.All() {
				for y := range grid.TileSide {
					row := make([]uint64, grid.TileSide/64)
					grid.InMemory(got.Cells.ReadRow(row, 0, at.X*grid.TileSide-got.X, at.Y*grid.TileSide+y-got.Y, grid.TileSide))
					if !cmp.Equal(row, tile.Row(0, y)) {
						t.Fatalf("row %d of tile %v is %x, want %x", y, at, row, tile.Row(0, y))
					}
				}
			}
		}))
	}
}

// Gaps that take up to 300 counts in RLE, with short runs behind them in the same word of cells.
func TestRoundTripGaps(t *testing.T) {
	for counts := range 300 {
		tiles, err := grid.NewTiles(1)
		if err != nil {
			t.Fatal(err)
		}
		tiles.Set(0, 0, 1)
		for x := 0; x < 60; x += 2 {
			tiles.Set((counts+1)<<30+x, 0, 1)
		}
		got := roundTrip(t, pattern.RLE, tiles, pattern.Meta{HasPosition: true})
		if got.Cells.Bounds() != tiles.Bounds() || got.Cells.Population() != tiles.Population() {
			t.Errorf("a gap of %d counts: %d cells in %v", counts, got.Cells.Population(), got.Cells.Bounds())
		}
	}
}

func TestRoundTripMeta(t *testing.T) {
	words := func(m *pattern.Meta) { *m = pattern.Meta{Name: m.Name, Author: m.Author, Comments: m.Comments} }
	kept := map[pattern.Format]func(*pattern.Meta){
		pattern.RLE:       func(*pattern.Meta) {},
		pattern.Macrocell: func(m *pattern.Meta) { m.HasPosition, m.X, m.Y = true, 0, 0 },
		pattern.PNG:       func(*pattern.Meta) {},
		pattern.Plaintext: words,
		pattern.PBM:       words,
		pattern.PGM:       words,
		pattern.Life105: func(m *pattern.Meta) {
			*m = pattern.Meta{Rule: m.Rule, HasPosition: true, Name: m.Name, Author: m.Author, Comments: m.Comments}
		},
	}
	for format, keep := range kept {
		t.Run(format.String(), rapid.MakeCheck(func(t *rapid.T) {
			want := drawMeta(t)
			g := drawGrid(t, 1)
			g.Set(0, 0, 1)
			got := roundTrip(t, format, g, want).Meta()
			keep(&want)
			want.States = 2
			if !want.HasPosition {
				want.X, want.Y = 0, 0
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		}))
	}
}

func TestTwoStateFormatsRefuseMore(t *testing.T) {
	g := soup(t, 10, 10, 2)
	for _, format := range []pattern.Format{
		pattern.Plaintext, pattern.Life105, pattern.Life106, pattern.MCell, pattern.PBM, 0, 99,
	} {
		var file bytes.Buffer
		if err := pattern.Write(&file, format, g, pattern.Meta{}); err == nil || file.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", format, err, file.Len())
		}
	}
}

func TestMetaIsChecked(t *testing.T) {
	g := soup(t, 10, 10, 2)
	for name, meta := range map[string]pattern.Meta{
		"too few states":  {States: 2},
		"one state":       {States: 1},
		"too many states": {States: 257},
		"rule of 2 lines": {Rule: "B3/S23\n3o!"},
		"far position":    {HasPosition: true, X: 1 << 62},
	} {
		var file bytes.Buffer
		if err := pattern.Write(&file, pattern.RLE, g, meta); err == nil || file.Len() > 0 {
			t.Errorf("%s: error %v after %d bytes", name, err, file.Len())
		}
	}
	// Planes that are not used do not count.
	wide, err := grid.New(10, 10, 8)
	if err != nil {
		t.Fatal(err)
	}
	wide.Set(3, 4, 1)
	got := roundTrip(t, pattern.Plaintext, wide, pattern.Meta{States: 2})
	mustEqualCells(t, got.Cells, wide)
}
