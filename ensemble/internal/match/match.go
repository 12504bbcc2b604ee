// Package match counts where small patterns occur in the cells of a universe: in any orientation, and in any
// phase if that is asked for. A pattern occurs where its bounding box has its live cells and no others. It is
// isolated there if no live cell touches it, at an edge or a corner. Start with [Read] and [Count].
package match

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"github.com/gosper-life/gosper/topology"
)

// Pattern is a pattern to search for. It has all orientations of the cells, and all phases if they were requested.
type Pattern struct {
	name   string // that a user gave, or empty
	text   string
	shapes []shape
}

// String is the canonical text: RLE without a header, after the name and = if the pattern has one.
func (p *Pattern) String() string {
	if p.name != "" {
		return p.name + "=" + p.text
	}
	return p.text
}

// Names returns what the quantities of patterns are called: their names, or their numbers from 1.
func Names(patterns []*Pattern) []string {
	names := make([]string, len(patterns))
	for i, p := range patterns {
		names[i] = cmp.Or(p.name, strconv.Itoa(i+1))
	}
	return names
}

// shape is one orientation of one phase. Its bounding box begins at (0, 0).
type shape struct {
	w, h int
	box  []test // of the cells of the bounding box, the live ones first
	ring []test // of the cells around that touch live ones
}

// test asks for the state of the cell at (x, y) from the corner of a bounding box. Flip has all bits set if
// that cell must be dead.
type test struct {
	x, y int
	flip uint64
}

// newShape makes the shape of cells, whose bounding box begins at (0, 0).
func newShape(cells []sparse.Cell) shape {
	var s shape
	live := map[[2]int]bool{}
	for _, c := range cells {
		s.w, s.h = max(s.w, c.X+1), max(s.h, c.Y+1)
		live[[2]int{c.X, c.Y}] = true
		s.box = append(s.box, test{x: c.X, y: c.Y})
	}
	for y := -1; y <= s.h; y++ {
		for x := -1; x <= s.w; x++ {
			dead := test{x, y, ^uint64(0)}
			switch inside := x >= 0 && y >= 0 && x < s.w && y < s.h; {
			case live[[2]int{x, y}]:
			case inside:
				s.box = append(s.box, dead)
			case touches(live, x, y):
				s.ring = append(s.ring, dead)
			}
		}
	}
	return s
}

func touches(live map[[2]int]bool, x, y int) bool {
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if live[[2]int{x + dx, y + dy}] {
				return true
			}
		}
	}
	return false
}

// Fits returns an error if the pattern cannot be counted in a universe: only tori that it does not circle, with
// or without a shift, and planes.
func (p *Pattern) Fits(t topology.Topology) error {
	switch t.Kind {
	case topology.Plane:
		return nil
	case topology.Torus:
	default:
		return fmt.Errorf("patterns are counted on tori and planes, not on %v", t)
	}
	for _, s := range p.shapes {
		if t.W > 0 && s.w >= t.W || t.H > 0 && s.h >= t.H {
			return fmt.Errorf("pattern %s: one of %d×%d cells is too large for %v", p, s.w, s.h, t)
		}
	}
	return nil
}

// Counts is the number of times that a pattern occurs.
type Counts struct {
	Anywhere, Isolated uint64
}

// Count counts patterns that fit among the live cells of g, which has one plane, in a bounded universe. Beyond
// the edges of a plane everything is dead.
func Count(g *grid.Grid, t topology.Topology, patterns []*Pattern) []Counts {
	w, h := 0, 0
	for _, p := range patterns {
		for _, s := range p.shapes {
			w, h = max(w, s.w), max(h, s.h)
		}
	}
	f := newField(g, t, w, h)
	counts := make([]Counts, len(patterns))
	for i, p := range patterns {
		for k := range p.shapes {
			f.count(&counts[i], &p.shapes[k])
		}
	}
	return counts
}

// field is the cells of a universe with a margin: a row and a column before them, and as many after them as the
// largest shape has. With the margin, every cell that a test looks at is in the field.
type field struct {
	w, h  int // of the universe
	words int // of a row, with one more than needed so that a word and the next can be read everywhere
	cells []uint64
}

// newField copies the cells of a grid into a larger field. On a torus, a margin has the cells beyond
// the edges, so that a pattern of w×h cells that crosses an edge is found like any other:
//
//	  1 column       the grid         w columns
//	┌──────────┬───────────────────┬───────────┐
//	│          │  beyond the top   │           │  1 row
//	├──────────┼───────────────────┼───────────┤
//	│  beyond  │  the cells of     │  beyond   │
//	│  the     │  the grid         │  the      │
//	│  left    │                   │  right    │
//	├──────────┼───────────────────┼───────────┤
//	│          │ beyond the bottom │           │  h rows
//	└──────────┴───────────────────┴───────────┘
func newField(g *grid.Grid, t topology.Topology, w, h int) *field {
	f := &field{w: g.W(), h: g.H(), words: (1+g.W()+w)/64 + 2}
	f.cells = make([]uint64, f.words*(1+f.h+h))
	for y := range f.h {
		row := f.row(y)
		for i, word := range g.Row(0, y) {
			row[i] |= word << 1
			row[i+1] |= word >> 63
		}
	}
	if t.Kind == topology.Plane {
		return f
	}
	set := func(x, y int) {
		if fx, fy, inside := t.Fold(x, y); inside && g.Row(0, fy)[fx>>6]>>(fx&63)&1 != 0 {
			f.row(y)[(x+1)>>6] |= 1 << ((x + 1) & 63)
		}
	}
	for y := -1; y < f.h+h; y++ {
		if y < 0 || y >= f.h {
			for x := range f.w {
				set(x, y)
			}
		}
		set(-1, y)
		for x := f.w; x < f.w+w; x++ {
			set(x, y)
		}
	}
	return f
}

// row is row y of the universe, from column -1 on.
func (f *field) row(y int) []uint64 { return f.cells[(y+1)*f.words : (y+2)*f.words] }

// count adds the places of a shape, 64 at a time: bit b of a word is the place 64i + b of the corner of its
// bounding box.
func (f *field) count(to *Counts, s *shape) {
	for y := range f.h {
		for i := range (f.w + 63) / 64 {
			found := ^uint64(0)
			if left := f.w - 64*i; left < 64 {
				found = 1<<left - 1
			}
			if found = f.narrow(found, s.box, y, i); found == 0 {
				continue
			}
			to.Anywhere += uint64(bits.OnesCount64(found))
			to.Isolated += uint64(bits.OnesCount64(f.narrow(found, s.ring, y, i)))
		}
	}
}

// narrow returns those of the places found in word i of row y at which cells pass tests. A test looks at one cell of
// each of the 64 boxes. These cells are 64 bits of a row, from the bit of column x+1 on, because bit 0 is column -1.
// They are parts of two words. t.flip is all ones if the cell must be dead.
func (f *field) narrow(found uint64, tests []test, y, i int) uint64 {
	for _, t := range tests {
		at := (y+t.y+1)*f.words + i + (t.x+1)>>6
		shift := uint(t.x+1) & 63
		if found &= f.cells[at]>>shift | f.cells[at+1]<<1<<(63-shift) ^ t.flip; found == 0 {
			break
		}
	}
	return found
}

// turned returns the cells in all orientations and moved to (0, 0), each orientation once, in order.
func turned(cells []sparse.Cell) [][]sparse.Cell {
	var all [][]sparse.Cell
	for turn := range 8 {
		image := make([]sparse.Cell, len(cells))
		for i, c := range cells {
			x, y := c.X, c.Y
			if turn&1 != 0 {
				x = -x
			}
			if turn&2 != 0 {
				y = -y
			}
			if turn&4 != 0 {
				x, y = y, x
			}
			image[i] = sparse.Cell{X: x, Y: y}
		}
		if image = cornered(image); !slices.ContainsFunc(all, func(other []sparse.Cell) bool {
			return slices.Equal(other, image)
		}) {
			all = append(all, image)
		}
	}
	return all
}

// cornered moves the bounding box of cells to (0, 0), and sorts them.
func cornered(cells []sparse.Cell) []sparse.Cell {
	if len(cells) == 0 {
		return nil
	}
	x, y := cells[0].X, cells[0].Y
	for _, c := range cells {
		x, y = min(x, c.X), min(y, c.Y)
	}
	moved := make([]sparse.Cell, len(cells))
	for i, c := range cells {
		moved[i] = sparse.Cell{X: c.X - x, Y: c.Y - y}
	}
	slices.SortFunc(moved, sparse.ByRow)
	return slices.Compact(moved)
}
