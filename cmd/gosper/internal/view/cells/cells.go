// Package cells has an editor's operations on cells in memory. It turns cells, combines them with others, and reads
// and writes copied cells.
package cells

import (
	"context"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
)

// Turn is a rotation or a reflection of g.
type Turn uint8

// The turns. Right and Left are by a quarter, clockwise and back. Across exchanges left and right, Over
// exchanges top and bottom.
const (
	Right Turn = iota + 1
	Left
	Across
	Over
)

// Of returns the cells after a turn.
func (t Turn) Of(g *grid.Grid) (*grid.Grid, error) {
	w, h := g.W(), g.H()
	if t == Right || t == Left {
		w, h = h, w
	}
	turned, err := grid.New(w, h, g.Planes())
	if err != nil {
		return nil, err
	}
	for y := range h {
		for x := range w {
			fromX, fromY := x, y
			switch t {
			case Right:
				fromX, fromY = y, g.H()-1-x
			case Left:
				fromX, fromY = g.W()-1-y, x
			case Across:
				fromX = w - 1 - x
			case Over:
				fromY = h - 1 - y
			}
			turned.Set(x, y, g.Get(fromX, fromY))
		}
	}
	return turned, nil
}

// Mode says what becomes of a cell when another one is pasted over it.
type Mode uint8

// The modes. Or leaves the cells below where nothing is pasted. Xor does, too, and kills cells below that have the
// pasted state. Replace removes all cells below.
const (
	Or Mode = iota + 1
	Xor
	Replace
)

// of returns the state of a cell in state below, over which one in state above is pasted.
func (m Mode) of(below, above uint8) uint8 {
	switch {
	case m == Replace:
		return above
	case above == 0:
		return below
	case m == Xor && above == below:
		return 0
	}
	return above
}

// Put pastes cells into a grid.
func Put(onto, clip *grid.Grid, x, y int, mode Mode) {
	for j := range clip.H() {
		for i := range clip.W() {
			below := onto.Get(x+i, y+j)
			if state := mode.of(below, clip.Get(i, j)); state != below {
				onto.Set(x+i, y+j, state)
			}
		}
	}
}

// Exchange exchanges state 0 and the state of the background. Engines store the cells of universes with a live
// background in this form.
func Exchange(g *grid.Grid, empty uint8) {
	if empty == 0 {
		return
	}
	for y := range g.H() {
		for x := range g.W() {
			g.Set(x, y, background.Exchange(g.Get(x, y), empty))
		}
	}
}

// Differences calls each for the cells that differ, by rows, with their new states.
func Differences(old, next *grid.Grid, each func(x, y int, state uint8)) {
	for y := range old.H() {
		for i := range old.Row(0, y) {
			var changed uint64
			for k := range old.Planes() {
				changed |= old.Row(k, y)[i] ^ next.Row(k, y)[i]
			}
			for ; changed != 0; changed &= changed - 1 {
				x := 64*i + bits.TrailingZeros64(changed)
				each(x, y, next.Get(x, y))
			}
		}
	}
}

// Copy copies all cells of a source.
func Copy(ctx context.Context, to grid.Sink, from grid.Source, progress func(done, total uint64)) error {
	parts, err := grid.Occupied(from)
	if err != nil {
		return err
	}
	for i, part := range parts {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := grid.Copy(to, from, part, part.X, part.Y); err != nil {
			return err
		}
		progress(uint64(i+1), uint64(len(parts)))
	}
	return nil
}

// OfTree returns the squares of 64×64 cells of a tree that have cells not in state 0. It refuses to list more than so
// many of them: a small tree may have any number.
func OfTree(tree grid.Quadtree, most uint64) (parts []grid.Rect, err error) {
	const level = 6
	squares := slices.Collect(tree.Squares())
	if len(squares) == 0 {
		return nil, nil
	}
	has := make([]uint64, 1+len(squares)) // by place: how many squares of the level there are, at most most+1
	for i, s := range squares {
		if s.Level <= level {
			has[i+1] = 1
			continue
		}
		for _, child := range s.Children {
			has[i+1] = min(has[i+1]+has[child], most+1)
		}
	}
	if has[len(squares)] > most {
		return nil, fmt.Errorf("the cells are in more than %d squares of 64×64", most)
	}
	var list func(place uint32, level, x, y int)
	list = func(place uint32, at, x, y int) {
		switch half := 1 << at >> 1; {
		case place == 0:
		case at <= level:
			parts = append(parts, grid.Rect{X: x, Y: y, W: 1 << at, H: 1 << at})
		default:
			for i, child := range squares[place-1].Children {
				list(child, at-1, x+i%2*half, y+i/2*half)
			}
		}
	}
	root := squares[len(squares)-1]
	half := 1 << root.Level >> 1
	list(uint32(len(squares)), root.Level, -half, 1-half)
	return parts, nil
}

// Bytes returns the memory of tiles in bytes.
func Bytes(t *grid.Tiles) uint64 {
	return uint64(t.Len()*t.Planes()) * grid.TileSide * grid.TileSide / 8
}

// Pieces cuts rectangles along their rows so that each piece can be copied in a few milliseconds.
func Pieces(parts []grid.Rect, planes int) (cut []grid.Rect) {
	const most = 1 << 16 // words of 64 cells
	for _, part := range parts {
		rows := max(1, most/((part.W+63)/64*planes))
		for y := 0; y < part.H; y += rows {
			cut = append(cut, grid.Rect{X: part.X, Y: part.Y + y, W: part.W, H: min(rows, part.H-y)})
		}
	}
	return cut
}

// AtMost returns a source in which states above highest become highest. states is the number of states of src.
func AtMost(src grid.Source, highest uint8, states int) grid.Source {
	return reduce{src, highest, states}
}

// reduce is a source in which states above highest become highest.
type reduce struct {
	grid.Source
	highest uint8
	states  int // of the source
}

// ReadRow implements grid.Source.
func (r reduce) ReadRow(dst []uint64, plane, x, y, n int) error {
	if err := r.Source.ReadRow(dst, plane, x, y, n); err != nil || r.states <= int(r.highest)+1 {
		return err
	}
	words := (n + 63) / 64
	planes := make([]uint64, r.Planes()*words)
	for k := range r.Planes() {
		if err := r.Source.ReadRow(planes[k*words:(k+1)*words], k, x, y, n); err != nil {
			return err
		}
	}
	for i := range words {
		// above has the cells whose state is above highest. It is found from the top plane down.
		above, equal := uint64(0), ^uint64(0)
		for k := r.Planes() - 1; k >= 0; k-- {
			bits := planes[k*words+i]
			if r.highest>>k&1 == 0 {
				above |= equal & bits
				equal &^= bits
			} else {
				equal &= bits
			}
		}
		if r.highest>>plane&1 != 0 {
			dst[i] |= above
		} else {
			dst[i] &^= above
		}
	}
	return nil
}
