package pattern_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// listed is a source that lists where its cells are, and counts the rows that are read of it.
type listed struct {
	grid.Source
	parts []grid.Rect
	rows  *int
}

func (l listed) Occupied() []grid.Rect { return l.parts }

func (l listed) ReadRow(dst []uint64, plane, x, y, n int) error {
	*l.rows++
	return l.Source.ReadRow(dst, plane, x, y, n)
}

// TestWritingTakesTimeForCells writes a few cells that are far apart, in windows that are larger still. Formats
// without a byte for each cell read a few rows of each tile. A file that they write has the same cells when it is
// read again.
func TestWritingTakesTimeForCells(t *testing.T) {
	const far = 1 << 39
	for _, c := range []struct {
		name   string
		at     [][2]int
		bounds grid.Rect
	}{
		{"a gap to the right", [][2]int{{24, 0}, {1 << 32, 0}, {1<<32 + 1, 1}}, grid.Rect{W: 1<<32 + 3, H: 3}},
		{"a gap below", [][2]int{{0, 0}, {0, far}}, grid.Rect{W: 3, H: far + 1}},
		{"one cell in a large frame", [][2]int{{0, 0}}, grid.Rect{W: 1 << 31, H: 1 << 31}},
		{"corners of a frame", [][2]int{{-70, -9}, {far, far}}, grid.Rect{X: -70, Y: -9, W: far + 71, H: far + 10}},
	} {
		tiles, err := grid.NewTiles(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, at := range c.at {
			tiles.Set(at[0], at[1], 1)
		}
		window := grid.Part{Source: tiles, Bounds: c.bounds}
		for _, format := range []pattern.Format{pattern.RLE, pattern.Macrocell, pattern.Life105, pattern.Life106} {
			rows := 0
			var file bytes.Buffer
			meta := pattern.Meta{Rule: "B3/S23", States: 2, HasPosition: true}
			if err := pattern.Write(&file, format, listed{window, window.Occupied(), &rows}, meta); err != nil {
				t.Errorf("%s, %v: %v", c.name, format, err)
				continue
			}
			const strips = 4 // of 80 columns in a tile, for Life 1.05
			if most := len(c.at) * grid.TileSide * strips; rows > most {
				t.Errorf("%s, %v: %d rows were read, want at most %d", c.name, format, rows, most)
			}
			p, err := pattern.Read(&file, "")
			if err != nil {
				t.Errorf("%s, %v: %v", c.name, format, err)
				continue
			}
			moved := grid.Part{Source: p.Cells, Bounds: p.Cells.Bounds(), DX: p.X, DY: p.Y}
			if x, y, differ, err := grid.FirstDifference(tiles, moved); differ || err != nil {
				t.Errorf("%s, %v: the cell %d,%d differs, %v", c.name, format, x, y, err)
			}
		}
	}
}

// TestWritingReadsNoDeadRows: formats that write every cell read only those that may be alive.
func TestWritingReadsNoDeadRows(t *testing.T) {
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	tiles.Set(2, 0, 1)
	tiles.Set(0, 50_000, 1)
	window := grid.Part{Source: tiles, Bounds: grid.Rect{W: 3, H: 50_001}}
	for _, format := range []pattern.Format{pattern.Plaintext, pattern.PNG, pattern.NPY, pattern.PBM, pattern.PGM} {
		rows := 0
		if err := pattern.Write(io.Discard, format, listed{window, window.Occupied(), &rows}, pattern.Meta{}); err != nil {
			t.Errorf("%v: %v", format, err)
		}
		if rows > 2*grid.TileSide {
			t.Errorf("%v: %d rows were read, want at most %d", format, rows, 2*grid.TileSide)
		}
	}
}

// TestHugePicturesAreRefused: the largest sides of PNG make a picture that would take years.
func TestHugePicturesAreRefused(t *testing.T) {
	tiles, err := grid.NewTiles(1)
	if err != nil {
		t.Fatal(err)
	}
	window := grid.Part{Source: tiles, Bounds: grid.Rect{W: 1<<31 - 1, H: 1<<31 - 1}}
	const want = "the format holds at most 2^40 cells"
	err = pattern.Write(io.Discard, pattern.PNG, window, pattern.Meta{})
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

// TestPartsInAnyOrder: a source may list its cells in rectangles of any size and order. The file is the same as that of
// a dense copy.
func TestPartsInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 40 {
		const w, h = 700, 500
		g, err := grid.New(w, h, 1+round%3)
		if err != nil {
			t.Fatal(err)
		}
		var parts []grid.Rect
		for range random.IntN(6) {
			part := grid.Rect{X: random.IntN(w), Y: random.IntN(h), W: 1 + random.IntN(200), H: 1 + random.IntN(200)}
			apart := true
			for _, other := range parts {
				apart = apart && part.Intersect(other).Empty()
			}
			if !apart {
				continue
			}
			parts = append(parts, part)
			for range 30 {
				g.Set(part.X+random.IntN(part.W), part.Y+random.IntN(part.H), uint8(1+random.IntN(1<<g.Planes()-1)))
			}
		}
		formats := twoState
		if g.Planes() > 1 {
			formats = multiState
		}
		for _, format := range formats {
			var want, got bytes.Buffer
			rows := 0
			for file, src := range map[*bytes.Buffer]grid.Source{&want: g, &got: listed{g, parts, &rows}} {
				if err := pattern.Write(file, format, src, pattern.Meta{}); err != nil {
					t.Fatal(err)
				}
			}
			if format == pattern.Life105 { // divides the cells into blocks by where they are
				err = sameCells(&got, &want)
			} else if !bytes.Equal(got.Bytes(), want.Bytes()) {
				err = fmt.Errorf("%d bytes differ from %d", got.Len(), want.Len())
			}
			if err != nil {
				t.Fatalf("round %d, %v, parts %v: %v", round, format, parts, err)
			}
		}
	}
}

// sameCells compares the cells of two files.
func sameCells(a, b *bytes.Buffer) error {
	var cells [2]*grid.Tiles
	for i, file := range []*bytes.Buffer{a, b} {
		p, err := pattern.Read(file, "")
		if err != nil {
			return err
		}
		cells[i] = p.Cells
	}
	if x, y, differ, err := grid.FirstDifference(cells[0], cells[1]); differ || err != nil {
		return fmt.Errorf("the cell %d,%d differs, %v", x, y, err)
	}
	return nil
}
