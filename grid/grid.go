package grid

import (
	"fmt"
	"slices"
	"unsafe"
)

// MaxSide is the largest width or height of a Grid, in cells. It is so small that sums of coordinates do not overflow.
const MaxSide = 1 << 40

// MaxPlanes is the largest number of bit planes: 256 states.
const MaxPlanes = 8

const (
	lineWords = 8 // words in a 64-byte line
	wordBytes = 8
)

// Grid is a bounded universe of W×H cells in row-major bit planes: cell (x, y) of plane k is bit x mod 64 of
// word x/64 of its row, and the rows of a plane follow each other, then the planes.
//
//	(k·H + y)·stride
//	│ ┌────────────┬────────────┬─ ··· ─┬────────────┬─────────┐
//	└▶│ x 0 … 63   │ x 64 … 127 │       │ … W-1  0 0 │ padding │ to whole lines of 64 bytes
//	  └────────────┴────────────┴─ ··· ─┴────────────┴─────────┘
//	    bit 0…63
//
// Many goroutines may read it at once. Several may also write it at once if no two
// of them write the same word of a row.
type Grid struct {
	w, h, planes int
	stride       int // words from a row to the next
	cells        []uint64
}

// New makes a dead universe of w×h cells, 1 to MaxSide each way, with 1 to MaxPlanes bit planes. Before it
// allocates, it refuses sizes that do not fit in this machine's memory (see Fits). The pages of a large
// universe are zeroed by the system when they are first used.
func New(w, h, planes int) (*Grid, error) {
	if w < 1 || h < 1 || int64(w) > MaxSide || int64(h) > MaxSide {
		return nil, fmt.Errorf("grid size %d×%d: width and height must be 1 to %d", w, h, int64(MaxSide))
	}
	if planes < 1 || planes > MaxPlanes {
		return nil, fmt.Errorf("grid of %d bit planes: want 1 to %d", planes, MaxPlanes)
	}
	stride := (wordsFor(w) + lineWords - 1) / lineWords * lineWords
	need := Product(uint64(stride), uint64(h), uint64(planes), wordBytes)
	if err := Fits(need); err != nil {
		return nil, fmt.Errorf("grid %d×%d: %w", w, h, err)
	}
	return &Grid{w, h, planes, stride, alignedWords(stride * h * planes)}, nil
}

// alignedWords returns n zero words that start on a 64-byte boundary. They stay there because the Go heap never
// moves an object.
func alignedWords(n int) []uint64 {
	words := make([]uint64, n+lineWords-1)
	past := uintptr(unsafe.Pointer(&words[0])) / wordBytes % lineWords
	first := int((lineWords - past) % lineWords)
	return words[first : first+n : first+n]
}

// wordsFor is the number of words that hold n cells.
func wordsFor(n int) int { return (n + 63) >> 6 }

// W is the width in cells.
func (g *Grid) W() int { return g.w }

// H is the height in cells.
func (g *Grid) H() int { return g.h }

// Planes is the number of bit planes.
func (g *Grid) Planes() int { return g.planes }

// Bounds is the whole rectangle, with its corner at (0, 0).
func (g *Grid) Bounds() Rect { return Rect{0, 0, g.w, g.h} }

// Extent implements Source: Bounds.
func (g *Grid) Extent() (Rect, error) { return g.Bounds(), nil }

// Row returns row y of a plane: ⌈W/64⌉ words, shared with the grid. Callers that write them must leave the
// spare bits of the last word zero.
func (g *Grid) Row(plane, y int) []uint64 {
	first, n := (plane*g.h+y)*g.stride, wordsFor(g.w)
	return g.cells[first : first+n : first+n]
}

// ReadsInParallel tells StateHash that many goroutines may read rows at once.
func (g *Grid) ReadsInParallel() bool { return true }

// Get returns the state of the cell (x, y); it is 0 outside the grid.
func (g *Grid) Get(x, y int) uint8 {
	if !g.Bounds().Contains(x, y) {
		return 0
	}
	var state uint8
	for k := range g.planes {
		bit := g.cells[(k*g.h+y)*g.stride+x>>6] >> (uint(x) & 63) & 1
		state |= uint8(bit) << k
	}
	return state
}

// Set changes the state of the cell (x, y). It ignores cells outside the grid, and bits of state for which
// there is no plane.
func (g *Grid) Set(x, y int, state uint8) {
	if !g.Bounds().Contains(x, y) {
		return
	}
	for k := range g.planes {
		word := &g.cells[(k*g.h+y)*g.stride+x>>6]
		*word = *word&^(1<<(uint(x)&63)) | uint64(state>>k&1)<<(uint(x)&63)
	}
}

// ReadRow implements Source.
func (g *Grid) ReadRow(dst []uint64, plane, x, y, n int) error {
	dst = dst[:wordsFor(max(n, 0))]
	row := Rect{x, y, n, 1}.Intersect(g.Bounds())
	if row.W < n || plane >= g.planes {
		clear(dst)
	} else if n&63 != 0 {
		dst[len(dst)-1] = 0
	}
	if !row.Empty() && plane < g.planes {
		CopyBits(dst, row.X-x, g.Row(plane, y), row.X, row.W)
	}
	return nil
}

// WriteRow implements Sink. Rows of planes the grid does not have are dropped.
func (g *Grid) WriteRow(src []uint64, plane, x, y, n int) error {
	row := Rect{x, y, n, 1}.Intersect(g.Bounds())
	if !row.Empty() && plane < g.planes {
		CopyBits(g.Row(plane, y), row.X, src, row.X-x, row.W)
	}
	return nil
}

// Clear puts every cell in state 0.
func (g *Grid) Clear() { clear(g.cells) }

// Copy returns a new grid with the same cells. It fails only if there is not enough memory.
func (g *Grid) Copy() (*Grid, error) {
	c, err := New(g.w, g.h, g.planes)
	if err != nil {
		return nil, err
	}
	copy(c.cells, g.cells)
	return c, nil
}

// Equal reports whether both grids have the same size, the same number of planes and the same cells.
func (g *Grid) Equal(o *Grid) bool {
	return g.w == o.w && g.h == o.h && g.planes == o.planes && slices.Equal(g.cells, o.cells)
}

// Crop returns a grid of r.W×r.H cells whose cell (0, 0) is the cell (r.X, r.Y) of g. Cells outside g are dead.
func (g *Grid) Crop(r Rect) (*Grid, error) {
	c, err := New(r.W, r.H, g.planes)
	if err != nil {
		return nil, err
	}
	return c, Copy(c, g, r, 0, 0)
}

// Shift moves every cell dx columns to the right and dy rows down. Cells that leave the grid are lost, and dead
// cells enter.
func (g *Grid) Shift(dx, dy int) {
	if dx <= -g.w || dx >= g.w || dy <= -g.h || dy >= g.h {
		g.Clear()
		return
	}
	// Cells from outside the grid read as dead.
	InMemory(Copy(g, g, Rect{-dx, -dy, g.w, g.h}, 0, 0))
}

// BoundingBox returns the smallest rectangle that contains all cells not in state 0; the zero Rect if there are none.
func (g *Grid) BoundingBox() Rect {
	top, bottom := -1, -1
	columns := make([]uint64, wordsFor(g.w))
	for y := range g.h {
		var live uint64
		for k := range g.planes {
			for i, word := range g.Row(k, y) {
				columns[i] |= word
				live |= word
			}
		}
		if live != 0 {
			if top < 0 {
				top = y
			}
			bottom = y
		}
	}
	if top < 0 {
		return Rect{}
	}
	left, right := BitSpan(columns)
	return Rect{left, top, right - left, bottom + 1 - top}
}
