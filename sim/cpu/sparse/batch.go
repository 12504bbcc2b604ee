// Package sparse advances a batch of unbounded universes together, each with few cells: the soups of a census. Such a universe needs a dozen
// small tiles for some hundred generations, so an engine of its own would take longer to open than to run. The parts of tiles of all universes
// that must be computed go through the lanes of the vectors side by side, by the code that package cpu's engines run.
//
// It is for rules of the 3×3 block without B0: those of two states, and Generations of them.
package sparse

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
)

// Batch advances universes of one rule. It is for one goroutine.
type Batch struct {
	rule    rule.Rule
	words   *blocks.Words
	lanes   int      // of a vector
	vectors bool     // tiles are copied to lanes and back by vectors, a few at a time
	spare   tile     // is in the lanes that are not taken
	parts   []part   // that a pass must compute
	order   []uint32 // their numbers, those with the most blocks first
	group   group
}

// NewBatch prepares to advance universes of a rule. The error says what kind of rule it must be.
func NewBatch(r rule.Rule) (*Batch, error) {
	words, err := blocks.NewWords(r, tileHeight, PassGenerations)
	if err != nil {
		return nil, err
	}
	b := &Batch{rule: r, words: words, lanes: words.Lanes(), spare: tile{near: lonely}}
	_, stride := words.Input(0)
	b.vectors = hasCopiers() && b.lanes%copiedAtOnce == 0 && stride == b.lanes && words.Planes() == 1 && words.Margin() == reach
	return b, nil
}

// part is some blocks of a tile that a pass must compute.
type part struct {
	tile          *tile
	universe      *Universe
	side          uint8 // of the tile that has the present cells
	first, height uint8 // the first block, and how many there are
}

// Pass advances universes by n generations, at most PassGenerations. If the last pass had another length, or cells were written since, WakeAll must
// be called first.
func (b *Batch) Pass(universes []*Universe, n int) {
	var next [tileBlocks + 2]int // by height: how many parts are as high, and one less: where the next of them goes in order
	total := 0
	for _, u := range universes {
		total += len(u.awake)
	}
	b.parts = slices.Grow(b.parts[:0], total)[:total]
	rest := b.parts
	for _, u := range universes {
		u.computed, u.awake = u.awake, u.computed[:0]
		u.generation += n
		for i, t := range u.computed {
			first := bits.TrailingZeros32(t.blocks)
			height := bits.Len32(t.blocks) - first
			t.blocks = 0
			next[height]++
			p := &rest[i] // to append a part would write it twice, and wait in between
			p.tile, p.universe, p.side, p.first, p.height = t, u, uint8(u.side), uint8(first), uint8(height)
		}
		rest = rest[len(u.computed):]
	}
	for height := tileBlocks; height > 0; height-- {
		next[height-1] += next[height]
	}
	b.order = slices.Grow(b.order[:0], len(b.parts))[:len(b.parts)]
	for i := range b.parts {
		at := &next[b.parts[i].height+1]
		b.order[*at] = uint32(i)
		*at++
	}
	for rest := b.order; len(rest) > 0; {
		taken := min(b.lanes, len(rest))
		b.compute(rest[:taken], n)
		rest = rest[taken:]
	}
	for _, u := range universes {
		u.side ^= 1
	}
}

// mostLanes is how many parts of tiles are advanced at once, at most. It is a power of two.
const mostLanes = 16

// group is parts of tiles of the same height, one in each lane of the vectors, as the code that copies them takes them.
type group struct {
	tiles               [mostLanes]*tile
	from, to            [mostLanes]*place // of the first block, and of the one after the last
	left, middle, right [mostLanes]uint64 // what is within reach of changes, for each lane
}

// place says where a block is, as offsets, for a part that begins with the block or ends above it.
type place struct {
	rows            uintptr // in the tile, where its present rows are
	next            uintptr // and where the next ones go
	rowAbove, above uintptr // of the block above: the row of tile.near that has its tile, and where its rows are in that
	rowBelow, below uintptr // the same of this block, which is another tile's if the part ends with the tile
	bit             uint64  // of the block in reached
}

// bytes that a block takes on a side of a tile, and a row of tile.near.
const (
	blockBytes = blockRows * 8
	nearBytes  = 3 * 8
)

// places are those of the blocks of a tile and of the one after its last, by the side with the present rows.
var places = func() (all [2][tileBlocks + 1]place) {
	for side, blocks := range &all {
		now := firstSide + uintptr(side)*(secondSide-firstSide)
		for k := range blocks {
			at := uintptr(k) * blockBytes
			p := place{rows: now + at, next: firstSide + secondSide - now + at, rowAbove: nearBytes, rowBelow: nearBytes, above: now + at - blockBytes, below: now + at, bit: 2 << k}
			if k == 0 {
				p.rowAbove, p.above = 0, now+(tileBlocks-1)*blockBytes
			}
			if k == tileBlocks {
				p.rowBelow, p.below = 2*nearBytes, now
			}
			all[side][k] = p
		}
	}
	return all
}()

// compute advances the parts with some numbers, one for each lane at most, and wakes what may change next. Parts that are lower than the first get blocks more,
// which come out as they are.
func (b *Batch) compute(order []uint32, n int) {
	height := b.parts[order[0]].height
	var parts [mostLanes]*part
	for i, k := range order {
		p := &b.parts[k]
		p.first = min(p.first, tileBlocks-height)
		parts[i&(mostLanes-1)] = p
	}
	if b.vectors {
		b.allLanes(parts[:len(order)], int(height), n)
	} else {
		b.eachLane(parts[:len(order)], int(height), n)
	}
}

// eachLane copies part by part.
func (b *Batch) eachLane(parts []*part, height, n int) {
	planes := b.words.Planes()
	for plane := range planes {
		in, stride := b.words.Input(plane)
		for lane, p := range parts {
			p.tile.gather(in[lane:], stride, plane, int(p.side), int(p.first), height)
		}
	}
	b.words.Advance(n, height*blockRows)
	for lane, p := range parts {
		var changed reached
		for plane := range planes {
			out, stride := b.words.Output(plane)
			p.tile.scatter(out[lane:], stride, plane, int(p.side), int(p.first), height, &changed)
		}
		p.universe.stir(p.tile, changed)
	}
}

// allLanes copies the parts in all lanes by vectors.
func (b *Batch) allLanes(parts []*part, height, n int) {
	g := &b.group
	for i, p := range parts {
		i &= mostLanes - 1
		blocks := &places[p.side&1]
		g.tiles[i], g.from[i], g.to[i] = p.tile, &blocks[p.first], &blocks[int(p.first)+height]
	}
	for i := len(parts); i < b.lanes; i++ {
		g.tiles[i], g.from[i], g.to[i] = &b.spare, &places[0][0], &places[0][height]
	}
	in, stride := b.words.Input(0)
	for lane := 0; lane < b.lanes; lane += copiedAtOnce {
		gather(&in[lane], g, uintptr(lane), uintptr(stride), uintptr(height))
	}
	b.words.Advance(n, height*blockRows)
	out, stride := b.words.Output(0)
	for lane := 0; lane < b.lanes; lane += copiedAtOnce {
		scatter(g, uintptr(lane), &out[lane], &in[reach*stride+lane], uintptr(stride), uintptr(height))
	}
	for i, p := range parts {
		i &= mostLanes - 1
		p.universe.stir(p.tile, reached{uint32(g.left[i]), uint32(g.middle[i]), uint32(g.right[i])})
	}
}

// Envelope runs a universe for some generations, one by one, and records which cells are not in state 0 in any of them: see ZoneMap.
func (b *Batch) Envelope(u *Universe, generations int) {
	for _, t := range u.tiles {
		t.envelope = rows{}
		t.envelop(u.side)
	}
	u.WakeAll()
	for range generations {
		b.Pass([]*Universe{u}, 1)
		for _, t := range u.computed {
			t.envelop(u.side)
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
