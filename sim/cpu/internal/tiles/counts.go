package tiles

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/blockcount"
	"github.com/gosper-life/gosper/sim"
)

var (
	_ sim.Counter       = (*Engine)(nil)
	_ sim.ChangeCounter = (*Engine)(nil)
)

// Counts implements sim.Counter.
func (ts *tiles) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	return ts.Sample(dst, area, scale, 1)
}

// Sample is Counts from every step-th row, each counted step times. step is a power of two up to 2^scale. Of
// tiles in which it would find nothing, it counts all rows, so that a lone glider is not overlooked.
func (ts *tiles) Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error) {
	c := newCounter(ts, dst, area, scale)
	step = min(step, ts.side)
	for t := range ts.all {
		if !c.tile(t.at, t.words, nil, step) && step > 1 {
			c.tile(t.at, t.words, nil, 1)
		}
	}
	return true, nil
}

// marked has the words of the tiles that have changed since Mark, as they were then.
type marked struct {
	tiles map[grid.TileAt][]uint64
	words int // of all of them
}

// mostMarked is the number of words a mark keeps: half a gigabyte, or a quarter of the memory that the engine
// may take. Where more changes, everything does.
const mostMarked = 1 << 26

// Mark implements sim.ChangeCounter. It copies nothing yet: tiles are kept when they are about to change.
func (e *Engine) Mark() { e.mark = &marked{tiles: map[grid.TileAt][]uint64{}} }

// Changes implements sim.ChangeCounter, in proportion to what has changed.
func (e *Engine) Changes(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if e.mark == nil {
		return false, nil
	}
	c := newCounter(e.tiles, dst, area, scale)
	for at, before := range e.mark.tiles {
		c.tile(at, e.words(e.stored(at)), before, 1)
	}
	return true, nil
}

// keep keeps a tile that is about to change.
func (e *Engine) keep(t *tile) {
	if e.mark == nil || e.mark.tiles[t.at] != nil {
		return
	}
	most := mostMarked
	if e.limit > 0 {
		most = min(most, int(e.limit/8/4))
	}
	if e.mark.words += len(t.words); e.mark.words > most {
		e.mark = nil
		return
	}
	e.mark.tiles[t.at] = append([]uint64(nil), t.words...)
}

// counter adds up cells by blocks.
type counter struct {
	*tiles
	dst    []uint64
	area   grid.Rect
	scale  int
	column []uint64 // scratch: words above each other
}

func newCounter(ts *tiles, dst []uint64, area grid.Rect, scale int) *counter {
	clear(dst[:area.W>>scale*(area.H>>scale)])
	return &counter{ts, dst, area, scale, make([]uint64, ts.side)}
}

// tile counts the cells of a tile that are not in state 0. If before is not nil, it counts the cells that differ from
// their state in before. It reads every step-th row. It reports whether there are any.
func (c *counter) tile(at grid.TileAt, words, before []uint64, step int) (found bool) {
	across := c.area.W >> c.scale
	left, top := at.X<<c.shift, at.Y<<c.shift
	seen := c.area.Intersect(grid.Rect{X: left, Y: top, W: c.side, H: c.side})
	if seen.Empty() {
		return false
	}
	for w := range c.wide() {
		x := left + 64*w
		from, to := max(x, seen.X), min(x+64, seen.X+seen.W)
		if from >= to {
			continue
		}
		rows, mask := c.side, ^uint64(0)
		if c.seam != nil {
			rows, mask = c.seam.part(&tile{at: at}, w)
		}
		// The columns of the area among the 64 from x on are bits from-x to to-x-1.
		mask &= ^uint64(0) << (from - x) & (^uint64(0) >> (x + 64 - to))
		clear(c.column)
		for k := range c.planes {
			now := c.tiles.column(words, k, w)
			if before == nil {
				for y, v := range now {
					c.column[y] |= v
				}
				continue
			}
			for y, v := range c.tiles.column(before, k, w) {
				c.column[y] |= v ^ now[y]
			}
		}
		for y := seen.Y + step/2; y < min(seen.Y+seen.H, top+rows); y += step {
			if v := c.column[y-top] & mask; v != 0 {
				found = true
				one := [1]uint64{v >> (from - x)}
				blockcount.Add(c.dst[(y-c.area.Y)>>c.scale*across:][:across], one[:], from-c.area.X, c.scale, uint64(step))
			}
		}
	}
	return found
}
