// Package sparse advances a batch of unbounded universes together, each with few cells: the soups of a census. Such a universe needs a dozen
// small tiles for some hundred generations, so an engine of its own would take longer to open than to run. The tiles of all universes that
// must be computed go through the lanes of the vectors side by side, by the code that package cpu's engines run.
//
// It is for rules of the 3×3 block without B0: those of two states, and Generations of them.
package sparse

import (
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
)

// Batch advances universes of one rule. It is for one goroutine.
type Batch struct {
	rule    rule.Rule
	blocks  *blocks.Words
	copiers *copiers // of as many tiles as there are lanes; nil where they are copied one by one
	spare   tile     // is in the lanes that are not taken
	found   found    // buffer of copiers
	lanes   int      // of a vector
	// The lanes that are taken so far, and for each of them:
	taken     int
	tiles     [mostLanes]*tile     // the tile in it
	universes [mostLanes]*Universe // that the tile belongs to
	now       [mostLanes]uintptr   // where the present rows begin in the tile
}

// mostLanes is how many tiles are advanced at once, at most. It is a power of two.
const mostLanes = 16

// copiers copies a tile for every lane at once, by vectors.
type copiers struct {
	// gather is tile.gather; now says where the rows of a tile begin, and those of the tiles around. It stores 44 rows of words.
	gather func(dst *uint64, tiles *[mostLanes]*tile, now *[mostLanes]uintptr)
	// scatter is tile.scatter; after and before are the 32 rows of words of the tiles.
	scatter func(tiles *[mostLanes]*tile, now *[mostLanes]uintptr, after, before *uint64, f *found)
}

// found says, for each direction, in which of up to eight computed tiles a cell has changed within reach of the neighbour in that direction.
// Each direction has a byte with a bit for each tile. The first eight directions share a word; the ninth has its own.
type found struct{ changed, changedLast uint64 }

// NewBatch prepares to advance universes of a rule. The error says what kind of rule it must be.
func NewBatch(r rule.Rule) (*Batch, error) {
	words, err := blocks.NewWords(r, tileHeight, PassGenerations)
	if err != nil {
		return nil, err
	}
	b := &Batch{rule: r, blocks: words, lanes: words.Lanes(), spare: tile{near: lonely}}
	if _, stride := words.Input(0); stride == b.lanes && words.Planes() == 1 && words.Margin() == reach {
		b.copiers = copiersOf(b.lanes)
	}
	return b, nil
}

// Pass advances universes by n generations, at most PassGenerations. If the last pass had another length, or cells were written since, WakeAll must
// be called first.
func (b *Batch) Pass(universes []*Universe, n int) {
	for _, u := range universes {
		u.computed, u.awake = u.awake, u.computed[:0]
		u.passes++
		u.generation += n
		now := firstSide + uintptr(u.side)*(secondSide-firstSide)
		for _, t := range u.computed {
			i := b.taken & (mostLanes - 1)
			b.tiles[i], b.universes[i], b.now[i] = t, u, now
			if b.taken++; b.taken == b.lanes {
				b.compute(n)
			}
		}
	}
	if b.taken > 0 {
		b.compute(n)
	}
	for _, u := range universes {
		u.side ^= 1
	}
}

// compute advances the tiles in the lanes, and wakes what may change next.
func (b *Batch) compute(n int) {
	if b.copiers != nil {
		b.allLanes(n)
	} else {
		b.eachLane(n)
	}
	b.taken = 0
}

// eachLane computes tile by tile.
func (b *Batch) eachLane(n int) {
	planes := b.blocks.Planes()
	for plane := range planes {
		in, stride := b.blocks.Input(plane)
		for lane, t := range b.tiles[:b.taken] {
			t.gather(in[lane:], stride, plane, b.universes[lane].side)
		}
	}
	b.blocks.Advance(n)
	for lane, t := range b.tiles[:b.taken] {
		u := b.universes[lane]
		var changed bands
		for plane := range planes {
			out, stride := b.blocks.Output(plane)
			t.scatter(out[lane:], stride, plane, u.side, &changed)
		}
		u.stir(t, changed.directions())
	}
}

// allLanes computes the tiles in all lanes at once.
func (b *Batch) allLanes(n int) {
	for lane := b.taken; lane < b.lanes; lane++ {
		b.tiles[lane], b.now[lane] = &b.spare, firstSide
	}
	in, stride := b.blocks.Input(0)
	b.copiers.gather(&in[0], &b.tiles, &b.now)
	b.blocks.Advance(n)
	out, _ := b.blocks.Output(0)
	f := &b.found
	b.copiers.scatter(&b.tiles, &b.now, &out[0], &in[reach*stride], f)
	changed := transposed8(f.changed)
	for lane, t := range b.tiles[:b.taken] {
		if changed := uint(changed>>(8*lane)&0xFF | f.changedLast>>lane&1<<8); changed != 0 {
			b.universes[lane].stir(t, changed)
		}
	}
}

// transposed8 turns eight bytes with a bit for each of eight lanes into eight bytes, one for each lane (Hacker's Delight, section 7-3).
func transposed8(v uint64) uint64 {
	t := (v ^ v>>7) & 0x00AA00AA00AA00AA
	v ^= t ^ t<<7
	t = (v ^ v>>14) & 0x0000CCCC0000CCCC
	v ^= t ^ t<<14
	t = (v ^ v>>28) & 0x00000000F0F0F0F0
	return v ^ t ^ t<<28
}

// Envelope runs a universe for some generations, one by one, and records which cells are not in state 0 in any of them: see ZoneMap.
func (b *Batch) Envelope(u *Universe, generations int) {
	for _, t := range u.tiles {
		for y := range t.envelope {
			t.envelope[y] = t.occupied(u.side, y)
		}
	}
	u.WakeAll()
	for range generations {
		b.Pass([]*Universe{u}, 1)
		for _, t := range u.computed {
			for y := range t.envelope {
				t.envelope[y] |= t.occupied(u.side, y)
			}
		}
	}
}

// EnvelopeOfTwo is Envelope for two generations. It reports whether the universe comes back after them; if not, there is no envelope. The second
// generation computes only what the first has changed. Where cells may be dying, it reports false.
func (b *Batch) EnvelopeOfTwo(u *Universe) bool {
	for _, t := range u.tiles {
		t.envelope = t.sides[u.side]
	}
	u.WakeAll()
	for range 2 {
		b.Pass([]*Universe{u}, 1)
	}
	for _, t := range u.tiles {
		if len(t.more) > 0 || t.envelope != t.sides[u.side] {
			return false
		}
		for y, row := range t.sides[1-u.side] {
			t.envelope[y] |= row
		}
	}
	return true
}
