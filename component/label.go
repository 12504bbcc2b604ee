package component

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Labeller labels one universe after another in the same memory. The zero value is ready for use. It is for one
// goroutine.
type Labeller struct {
	forest
	perimeter    // only for a bounded universe
	above, below rowPair
	rows         [4][]uint64 // buffers for cells that are not words of a grid: two pairs of rows
	turn         int         // 0 or 2: the buffers of the lower pair
	others       []uint64    // a buffer for planes beyond the first
	out          Clusters
	volume       volume
}

// largestBox is the most cells that are read on the unbounded plane. More would take minutes, and most of them
// are dead.
const largestBox = 1 << 38

// none means no cluster.
const none int32 = -1

// Label finds the clusters of cells in state 1. If t is bounded, the extent of src must have its size.
// Otherwise all cells outside the extent are dead, and if src has an Occupied method, only the tiles that it
// lists are read.
func (l *Labeller) Label(src grid.Source, t topology.Topology, c Connectivity) (Clusters, error) {
	if err := cmp.Or(t.Validate(), c.Fits(t)); err != nil {
		return Clusters{}, err
	}
	box, err := src.Extent()
	if err != nil {
		return Clusters{}, err
	}
	switch {
	case t.Kind != topology.Unbounded && !t.Bounded():
		return Clusters{}, fmt.Errorf("clusters on a %v of %d×%d: want a bounded universe or the unbounded plane", t.Kind,
			t.W, t.H)
	case t.Bounded() && box != grid.Rect{W: t.W, H: t.H}:
		return Clusters{}, fmt.Errorf("clusters of %d×%d cells do not fit a %v of %d×%d", box.W, box.H, t.Kind, t.W, t.H)
	}
	if t.Volume() {
		return l.labelVolume(src, t, c)
	}
	l.out = Clusters{}
	l.reset()
	l.resize(0, 0)
	tiles, listed := occupied(src)
	switch {
	case listed && !t.Bounded():
		err = l.scattered(src, tiles, c)
	case !t.Bounded() && grid.Product(uint64(box.W), uint64(box.H)) > largestBox:
		return Clusters{}, fmt.Errorf(
			"clusters of cells scattered over %d×%d: too large for an engine that does not list occupied tiles", box.W, box.H)
	case !box.Empty():
		err = l.whole(src, box, t, c)
	}
	if err != nil {
		return Clusters{}, err
	}
	l.count(&l.out.Sizes)
	return l.out, nil
}

// perColumn and perRow are the bytes that whole holds for each column and each row of a rectangle: clusters at its
// edges and, of two pairs of rows, the clusters of cells and their pieces.
const (
	perColumn = 4 * (2 + 2 + 1)
	perRow    = 4 * 2
)

// whole labels the cells of a rectangle pair by pair, and then joins clusters across the topology's edges.
func (l *Labeller) whole(src grid.Source, box grid.Rect, t topology.Topology, c Connectivity) error {
	bands, err := grid.OccupiedBands(src, box)
	if err != nil {
		return err
	}
	words := (box.W + 63) / 64
	if err := grid.Fits(perColumn*uint64(box.W) + perRow*uint64(box.H)); err != nil {
		return fmt.Errorf("clusters of %d×%d cells: %w", box.W, box.H, err)
	}
	l.above.resize(words)
	l.below.resize(words)
	bounded := t.Bounded()
	if bounded {
		l.resize(box.W, box.H)
	}
	for y := 0; y < box.H; y += c.rows() {
		if len(l.above.pieces) == 0 { // of the dead rows up to the next cells, only the last ones need to be read
			for len(bands) > 0 && bands[0].Y+bands[0].H <= box.Y+y {
				bands = bands[1:]
			}
			next := box.H - 1
			if len(bands) > 0 {
				next = min(next, bands[0].Y-box.Y)
			}
			y = max(y, next-next%c.rows())
		}
		n := min(c.rows(), box.H-y)
		for k := range n {
			if l.below.cells[k], err = l.row(src, k, box, y+k); err != nil {
				return err
			}
		}
		l.below.height = n
		l.label(c)
		if bounded {
			for k := range n {
				l.left[y+k], l.right[y+k] = l.below.at(0, k), l.below.at(box.W-1, k)
			}
			if y == 0 {
				l.below.spread(l.top, 0)
			}
		}
		l.next()
	}
	if bounded {
		l.above.spread(l.bottom, l.above.height-1)
		l.out.Span = l.close(&l.perimeter, t, c)
	}
	return nil
}

// scattered labels the cells of tiles, which may lie far apart. It leaves out columns of tiles that are empty
// in a row of tiles and in the row above.
func (l *Labeller) scattered(src grid.Source, tiles []grid.Rect, c Connectivity) error {
	var before layout
	l.above.resize(0)
	for next := 0; len(tiles) > 0; {
		n := 1
		for n < len(tiles) && tiles[n].Y == tiles[0].Y {
			n++
		}
		row := tiles[:n]
		if row[0].Y != next {
			before = layout{}
			l.above.resize(0)
		}
		next = row[0].Y + row[0].H
		now := newLayout(row, before)
		l.above.move(before, now)
		before = now.only(row)
		l.below.resize(now.words)
		for y := 0; y < row[0].H; y += c.rows() {
			for k := range c.rows() {
				cells := l.buffer(k, now.words)
				clear(cells)
				for _, r := range row {
					if err := l.read(cells[now.at[r.X]:], src, r, y+k); err != nil {
						return err
					}
				}
				l.below.cells[k] = cells
			}
			l.below.height = c.rows()
			l.label(c)
			l.next()
		}
		tiles = tiles[n:]
	}
	return nil
}

// label gives the cells of the lower pair their clusters.
func (l *Labeller) label(c Connectivity) {
	l.below.find(&l.forest)
	if len(l.above.pieces) > 0 {
		l.join(c)
	}
}

// next makes the lower pair the upper one. If there are many clusters, it counts and drops those that no later
// pair can reach.
func (l *Labeller) next() {
	l.above, l.below = l.below, l.above
	l.below.resize(len(l.above.any))
	l.turn ^= 2
	if len(l.nodes) < max(leastSweep, 4*len(l.above.pieces)+2*(len(l.top)+len(l.left))) {
		return
	}
	l.compact(&l.out.Sizes, func(keep func(*int32)) {
		for _, x := range l.above.pieces {
			keep(&l.above.labels[x])
		}
		l.each(keep)
	})
}

// leastSweep is the number of nodes from which dropping clusters is worth it. They still fit in a second-level cache.
const leastSweep = 1 << 13

// row returns the cells in state 1 of row y of a rectangle, which becomes row k of the lower pair.
func (l *Labeller) row(src grid.Source, k int, r grid.Rect, y int) ([]uint64, error) {
	if g, ok := src.(*grid.Grid); ok && g.Planes() == 1 {
		return g.Row(0, r.Y+y), nil
	}
	cells := l.buffer(k, (r.W+63)/64)
	return cells, l.read(cells, src, r, y)
}

// read stores the cells in state 1 of row y of a rectangle.
func (l *Labeller) read(dst []uint64, src grid.Source, r grid.Rect, y int) error {
	n := (r.W + 63) / 64
	if err := src.ReadRow(dst, 0, r.X, r.Y+y, r.W); err != nil {
		return err
	}
	l.others = slices.Grow(l.others[:0], n)[:n]
	for k := 1; k < src.Planes(); k++ {
		if err := src.ReadRow(l.others, k, r.X, r.Y+y, r.W); err != nil {
			return err
		}
		for i, w := range l.others {
			dst[i] &^= w
		}
	}
	return nil
}

// buffer returns room for row k of the lower pair. The pairs take turns with rows 0, 1 and 2, 3 of l.rows, because the
// upper pair still reads its cells there while the lower one is read from the source.
func (l *Labeller) buffer(k, words int) []uint64 {
	k += l.turn
	l.rows[k] = slices.Grow(l.rows[k][:0], words)[:words]
	return l.rows[k]
}

// resize prepares the perimeter for w×h cells, all dead.
func (p *perimeter) resize(w, h int) {
	p.top, p.bottom = resized(p.top, w), resized(p.bottom, w)
	p.left, p.right = resized(p.left, h), resized(p.right, h)
}

// resized returns a list of n times none, in the memory of s if that is enough.
func resized(s []int32, n int) []int32 {
	s = slices.Grow(s[:0], n)[:n]
	for i := range s {
		s[i] = none
	}
	return s
}
