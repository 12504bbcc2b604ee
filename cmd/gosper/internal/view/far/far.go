// Package far keeps what can be seen of a large universe from far away besides where cells are: where it is active,
// since when each part has been quiet, how old each part is, and how large the clusters are. It divides the universe
// into blocks. Their number is about the number of pixels of a screen.
package far

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/blockcount"
	"github.com/gosper-life/gosper/sim"
)

// Channel names a quantity of blocks of cells that a viewer shows.
type Channel uint8

// The channels. Density is how many cells are alive. Activity is the number of cells that differ from their state six
// generations before. It is 0 for still lifes and oscillators of periods 2, 3 and 6. Quiet is for how long there has
// been no activity. Age is for how long there has been a live cell. Clusters is the size of the largest cluster.
const (
	Density Channel = iota
	Activity
	Quiet
	Age
	Clusters
)

var channels = []string{"density", "activity", "quiet", "age", "clusters"}

// String returns the name of a channel.
func (c Channel) String() string { return channels[c] }

// MarshalText writes the name of a channel.
func (c Channel) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads the name of a channel.
func (c *Channel) UnmarshalText(text []byte) error {
	i := slices.Index(channels, string(text))
	if i < 0 {
		return fmt.Errorf("channel %.20q: want one of %v", text, channels)
	}
	*c = Channel(i)
	return nil
}

const (
	mostBlocks = 1 << 20
	finest     = 1       // the smallest blocks have 2×2 cells
	mostCopied = 1 << 16 // words that are copied to compare if the engine cannot tell what has changed
	mostRead   = 1 << 24 // words that are read to find out which blocks are alive, before only some rows are read
)

// Map holds the measurements of the blocks of a universe. The zero value has no blocks.
type Map struct {
	area       grid.Rect // of the blocks
	scale      int       // they have 2^scale × 2^scale cells
	generation uint64    // of the last look; 0 before the first one
	blocks     []history // row by row

	marked bool     // the engine knows what changes
	old    []uint64 // else these are the cells at Begin, if there are few
	from   grid.Rect
	counts []uint64
}

// history holds the activity and the age of a block.
type history struct {
	changed uint32
	alive   bool
	last    uint64 // the generation of the last change; 0 if none was seen
	born    uint64 // the generation since which it has been alive
}

// Begin prepares to find out what changes in the next generations.
func (m *Map) Begin(e sim.Engine) error {
	box, err := e.Extent()
	if err != nil {
		return err
	}
	m.cover(box)
	m.marked, m.old = false, m.old[:0]
	if c, ok := e.(sim.ChangeCounter); ok {
		c.Mark()
		m.marked = true
		return nil
	}
	if m.from = box; wordsOf(box, e.Planes()) <= mostCopied {
		m.old, err = rowsOf(m.old, e, box)
	}
	return err
}

// wordsOf is the number of words the cells of a rectangle take.
func wordsOf(r grid.Rect, planes int) uint64 {
	return grid.Product(uint64(r.H), uint64(r.W+63)/64, uint64(planes))
}

// rowsOf reads the rows of a rectangle, the planes of each together.
func rowsOf(into []uint64, src grid.Source, r grid.Rect) ([]uint64, error) {
	words := (r.W + 63) / 64
	into = slices.Grow(into[:0], r.H*words*src.Planes())[:r.H*words*src.Planes()]
	for i := range r.H * src.Planes() {
		if err := src.ReadRow(into[i*words:(i+1)*words], i%src.Planes(), r.X, r.Y+i/src.Planes(), r.W); err != nil {
			return into, err
		}
	}
	return into, nil
}

// End records what has changed since Begin.
func (m *Map) End(e sim.Engine) error {
	if len(m.blocks) == 0 {
		return nil
	}
	m.counts = slices.Grow(m.counts[:0], len(m.blocks))[:len(m.blocks)]
	known, err := m.changes(e)
	if !known || err != nil {
		return err
	}
	g := e.Generation()
	for i, n := range m.counts {
		b := &m.blocks[i]
		if b.changed = uint32(min(n, 1<<32-1)); n > 0 {
			b.last = g
		}
	}
	if known, err = m.living(e); err != nil {
		return err
	}
	for i, n := range m.counts {
		if b := &m.blocks[i]; known && b.alive != (n > 0) {
			b.alive, b.born = n > 0, g
			if m.generation == 0 {
				b.born = 0 // it was so when the universe was first looked at
			}
		}
	}
	m.generation = g
	return nil
}

// changes counts the cells that differ, if that is known.
func (m *Map) changes(e sim.Engine) (bool, error) {
	if m.marked {
		return e.(sim.ChangeCounter).Changes(m.counts, m.area, m.scale)
	}
	if len(m.old) == 0 {
		return false, nil
	}
	now, err := rowsOf(nil, e, m.from)
	for i := range now {
		m.old[i] ^= now[i]
	}
	m.add(m.old, e.Planes())
	return true, err
}

// living counts the cells that are alive, if the engine can.
func (m *Map) living(e sim.Engine) (bool, error) {
	if s, ok := e.(interface {
		Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error)
	}); ok {
		for step := 1; step <= 1<<m.scale; step *= 2 {
			if wordsOf(m.area, e.Planes())/uint64(step) > mostRead {
				continue
			}
			if known, err := s.Sample(m.counts, m.area, m.scale, step); known || err != nil {
				return known, err
			}
		}
		return false, nil
	}
	if c, ok := e.(sim.Counter); ok {
		return c.Counts(m.counts, m.area, m.scale)
	}
	if len(m.old) == 0 {
		return false, nil
	}
	now, err := rowsOf(m.old, e, m.from)
	m.add(now, e.Planes())
	return true, err
}

// add counts the bits of rows of the rectangle that was copied.
func (m *Map) add(rows []uint64, planes int) {
	clear(m.counts)
	words, across := (m.from.W+63)/64, m.area.W>>m.scale
	row := make([]uint64, words+1)
	align := (m.from.X - m.area.X) & 63
	for y := range m.from.H {
		clear(row)
		for k := range planes {
			for i, v := range rows[(y*planes+k)*words:][:words] {
				row[i] |= v << align
				row[i+1] |= v >> (64 - align)
			}
		}
		to := m.counts[(m.from.Y+y-m.area.Y)>>m.scale*across:][:across]
		blockcount.Add(to, row, m.from.X-align-m.area.X, m.scale, 1)
	}
}

// cover makes the map large enough for a rectangle. The map of an unbounded universe grows with it, and its blocks too.
func (m *Map) cover(box grid.Rect) {
	if box.Empty() || m.area.Intersect(box) == box {
		return
	}
	box = box.Union(m.area)
	scale := max(m.scale, finest)
	to := aligned(box, scale)
	for grid.Product(uint64(to.W>>scale), uint64(to.H>>scale)) > mostBlocks {
		scale++
		to = aligned(box, scale)
	}
	next := Map{
		area: to, scale: scale, generation: m.generation, blocks: make([]history, to.W>>scale*(to.H>>scale)),
		old: m.old,
	}
	for i, b := range m.blocks {
		into := &next.blocks[next.at(m.corner(i))]
		into.changed += b.changed
		into.last = max(into.last, b.last)
		if b.alive && (!into.alive || b.born < into.born) {
			into.alive, into.born = true, b.born
		}
	}
	*m = next
}

// aligned is the smallest rectangle of whole blocks around another one.
func aligned(r grid.Rect, scale int) grid.Rect {
	side := 1 << scale
	x, y := r.X&^(side-1), r.Y&^(side-1)
	return grid.Rect{X: x, Y: y, W: (r.X + r.W - x + side - 1) &^ (side - 1), H: (r.Y + r.H - y + side - 1) &^ (side - 1)}
}

// corner is the first cell of a block.
func (m *Map) corner(i int) (x, y int) {
	across := m.area.W >> m.scale
	return m.area.X + i%across<<m.scale, m.area.Y + i/across<<m.scale
}

// at is the number of the block of a cell.
func (m *Map) at(x, y int) int {
	return (y-m.area.Y)>>m.scale*(m.area.W>>m.scale) + (x-m.area.X)>>m.scale
}

// Words is the number of words of 64 cells the map covers.
func (m *Map) Words() uint64 { return wordsOf(m.area, 1) }

// Generation returns the generation of the last look, or 0 before the first look.
func (m *Map) Generation() uint64 { return m.generation }
