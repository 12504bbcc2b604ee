package pattern_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"io/fs"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
)

// Writers encode about two million cells at a time. These universes have more, in rows that are shorter and
// longer than that.
var large = map[string]struct {
	w, h, planes int
	cells        func(g *grid.Grid, random *rand.Rand)
}{
	"soup": {2999, 800, 1, func(g *grid.Grid, random *rand.Rand) { fill(g, g.Bounds(), random, 2) }},
	"ash":  {4096, 1100, 1, func(g *grid.Grid, random *rand.Rand) { fill(g, g.Bounds(), random, 40) }},
	"live": {2048, 1100, 1, func(g *grid.Grid, _ *rand.Rand) { fill(g, g.Bounds(), nil, 1) }},
	"empty rows": {3000, 3000, 1, func(g *grid.Grid, random *rand.Rand) {
		fill(g, grid.Rect{X: 100, Y: 3, W: 2900, H: 5}, random, 3)
		fill(g, grid.Rect{X: 0, Y: 2900, W: 70, H: 20}, random, 3)
	}},
	"long rows": {5_000_001, 2, 1, func(g *grid.Grid, random *rand.Rand) { fill(g, g.Bounds(), random, 5000) }},
	"long run": {5_000_001, 3, 1, func(g *grid.Grid, _ *rand.Rand) {
		fill(g, grid.Rect{X: 7, Y: 1, W: 4_999_990, H: 1}, nil, 1)
	}},
	"one column": {1, 40_000, 1, func(g *grid.Grid, random *rand.Rand) { fill(g, g.Bounds(), random, 3) }},
	"nothing":    {3000, 1000, 1, func(*grid.Grid, *rand.Rand) {}},
	"states":     {2100, 1000, 6, func(g *grid.Grid, random *rand.Rand) { fill(g, g.Bounds(), random, 3) }},
}

// fill puts one of some cells of a rectangle in a random state, or all of them in state 1.
func fill(g *grid.Grid, r grid.Rect, random *rand.Rand, some int) {
	for y := r.Y; y < r.Y+r.H; y++ {
		for x := r.X; x < r.X+r.W; x++ {
			if random == nil {
				g.Set(x, y, 1)
			} else if random.IntN(some) == 0 {
				g.Set(x, y, uint8(1+random.IntN(1<<g.Planes()-1)))
			}
		}
	}
}

func TestLargeFiles(t *testing.T) {
	for name, c := range large {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g, err := grid.New(c.w, c.h, c.planes)
			if err != nil {
				t.Fatal(err)
			}
			c.cells(g, rand.New(rand.NewPCG(1, 2)))
			suffixes := []string{".rle", ".png"}
			switch name {
			case "ash", "long rows":
				suffixes = append(suffixes, ".npy", ".cells", ".life")
			case "empty rows":
				suffixes = append(suffixes, ".npy.gz", ".cells.gz", ".life.gz", ".rle.gz")
			case "states":
				suffixes = append(suffixes, ".npy")
			}
			for _, suffix := range suffixes {
				var file bytes.Buffer
				if err := pattern.WriteAs(t.Context(), &file, "a"+suffix, g, pattern.Meta{}); err != nil {
					t.Fatal(err)
				}
				if suffix == ".rle" {
					mustBeSame(t, file.String(), naiveRLE(g))
				}
				p, err := pattern.Read(bytes.NewReader(file.Bytes()), "a"+suffix)
				if err != nil {
					t.Fatalf("%s: %v", suffix, err)
				}
				if x, y, differ, err := grid.FirstDifference(p.Cells, g); differ || err != nil {
					t.Errorf("%s: cell (%d, %d) comes back changed, %v", suffix, x, y, err)
				}
			}
		})
	}
}

// Golly's writer, cell by cell.
func naiveRLE(g *grid.Grid) string {
	symbol := func(state uint8) string {
		switch {
		case g.Planes() == 1:
			return string("bo"[state])
		case state == 0:
			return "."
		case state <= 24:
			return string(rune('A' + state - 1))
		}
		return string(rune('p'+(state-25)/24)) + string(rune('A'+(state-1)%24))
	}
	var text strings.Builder
	column := 0
	emit := func(n int, symbol string) {
		token := symbol
		if n > 1 {
			token = fmt.Sprint(n, symbol)
		}
		if column+len(token) > 70 {
			text.WriteByte('\n')
			column = 0
		}
		text.WriteString(token)
		column += len(token)
	}
	fmt.Fprintf(&text, "x = %d, y = %d\n", g.W(), g.H())
	row := 0
	for y := range g.H() {
		for x := 0; x < g.W(); {
			state, n := g.Get(x, y), 1
			for x+n < g.W() && g.Get(x+n, y) == state {
				n++
			}
			if state == 0 && x+n == g.W() {
				break
			}
			if row < y {
				emit(y-row, "$")
				row = y
			}
			emit(n, symbol(state))
			x += n
		}
	}
	emit(1, "!")
	return text.String() + "\n"
}

func mustBeSame(t *testing.T, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Fatalf("line %d is\n%s\nwant\n%s", i, a[i], b[i])
		}
	}
	t.Fatalf("%d lines, want %d", len(a), len(b))
}

// Other programs read large pictures, too: Go's, and its gzip.
func TestLargePictureInGo(t *testing.T) {
	g := soup(t, 3001, 1000, 1)
	var file bytes.Buffer
	if err := pattern.WriteAs(t.Context(), &file, "a.png.gz", g, pattern.Meta{}); err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(&file)
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(z)
	if err != nil {
		t.Fatal(err)
	}
	gray := picture.(*image.Gray)
	for y := range g.H() {
		for x := range g.W() {
			if live := gray.GrayAt(x, y).Y != 0; live != (g.Get(x, y) == 1) {
				t.Fatalf("pixel (%d, %d) is %v", x, y, live)
			}
		}
	}
}

// torn is a grid whose rows cannot be read from some row on.
type torn struct {
	*grid.Grid
	from int
}

var errTorn = errors.New("torn")

func (b torn) ReadRow(dst []uint64, plane, x, y, n int) error {
	if y >= b.from {
		return errTorn
	}
	return b.Grid.ReadRow(dst, plane, x, y, n)
}

func TestLargeFilesThatFail(t *testing.T) {
	g, err := grid.New(4096, 1100, 1)
	if err != nil {
		t.Fatal(err)
	}
	fill(g, g.Bounds(), rand.New(rand.NewPCG(1, 2)), 10)
	for _, suffix := range []string{".rle", ".png", ".npy", ".cells", ".life", ".mc", ".rle.gz"} {
		for _, from := range []int{0, 100, 1099} {
			if err := pattern.WriteAs(t.Context(), io.Discard, "a"+suffix, torn{g, from}, pattern.Meta{}); !errors.Is(err,
				errTorn) {
				t.Errorf("%s with rows that cannot be read from %d on: %v", suffix, from, err)
			}
		}
		for _, room := range []int{0, 70_000} {
			err := pattern.WriteAs(t.Context(), &broken{room}, "a"+suffix, g, pattern.Meta{})
			if !errors.Is(err, fs.ErrInvalid) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s with room for %d bytes: %v", suffix, room, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := pattern.WriteAs(ctx, io.Discard, "a.png", g, pattern.Meta{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}
