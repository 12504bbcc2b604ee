// Package sparse advances a batch of unbounded universes together, each with few cells: the soups of a census.
// Such a universe needs a dozen small tiles for some hundred generations, so an engine of its own would take
// longer to open than to run. The parts of tiles of all universes that must be computed go through the lanes of
// the vectors side by side, by the code that package cpu's engines run.
//
// It is for rules without B0, of two states and Generations, whose neighbourhood reaches up to six cells, and for such
// rules that take turns. What B0 does to the plane can be written as the latter: see package background.
package sparse

import (
	"fmt"
	"math/bits"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
)

// Batch advances universes of one rule. It is for one goroutine.
type Batch struct {
	rule        rule.Rule
	words       *blocks.Words
	generations int                    // of a pass
	margin      int                    // rows above and below a part that are copied, at most reach
	lanes       int                    // of a vector
	vectors     bool                   // tiles are copied to lanes and back by vectors, a few at a time
	spare       tile                   // is in the lanes that are not taken
	parts       [tileBlocks + 1][]part // that a pass must compute, by how many blocks they have
	group       group
	turns       int    // generations after which the rule does the same again
	from        uint64 // the generation from which the pass goes, if rules take turns
}

// mostRadius is the largest radius of a neighbourhood: a pass then has one generation.
const mostRadius = reach

// NewBatch prepares to advance universes of a rule. The error says what kind of rule it must be.
func NewBatch(r rule.Rule) (*Batch, error) {
	if r.Radius() > mostRadius {
		return nil, fmt.Errorf("its neighbourhood has radius %d; a census takes up to %d", r.Radius(), mostRadius)
	}
	depth := reach / r.Radius()
	words, err := blocks.NewWords(r, tileHeight, depth)
	if err != nil {
		return nil, err
	}
	b := &Batch{
		rule: r, words: words, generations: depth, turns: int(r.Period()), lanes: words.Lanes(), spare: tile{near: lonely},
	}
	b.margin = min(reach, words.Margin())
	if depth > 1 {
		b.generations &^= 1 // so that oscillators of period 2 sleep
	}
	b.generations -= b.generations % b.turns
	if b.generations == 0 {
		return nil, fmt.Errorf(
			"its neighbourhood has radius %d; a census takes rules that alternate, as with B0, up to radius %d", r.Radius(),
			reach/b.turns)
	}
	_, stride := b.input(0)
	b.vectors = hasCopiers() && b.lanes%copiedAtOnce == 0 && stride == b.lanes && words.Planes() == 1 &&
		b.margin == reach
	return b, nil
}

// input returns where the cells of a plane go: the rows of a part, with the margin above and below them. The words may
// have more rows above and below, whose content does not matter.
func (b *Batch) input(plane int) (words []uint64, stride int) {
	words, stride = b.words.Input(plane)
	return words[(b.words.Margin()-b.margin)*stride:], stride
}

// part is some blocks of a tile that a pass must compute.
type part struct {
	tile     *tile
	universe *Universe
	side     uint8 // of the tile that has the present cells
	first    uint8 // block
}

// Generations is the most generations of a pass: PassGenerations for rules of radius 1, a divisor of that for others.
// It is a multiple of the turns of rules that take them.
func (b *Batch) Generations() int { return b.generations }

// Pass advances universes by n generations, at most Generations. If the last pass had another length, or
// cells were written since, WakeAll must be called first. If rules take turns, the same one must be next in all
// universes.
func (b *Batch) Pass(universes []*Universe, n int) {
	if b.turns > 1 {
		b.takeTurns(universes, n)
	}
	for height := range b.parts {
		b.parts[height] = b.parts[height][:0]
	}
	for _, u := range universes {
		u.computed, u.awake = u.awake, u.computed[:0]
		u.generation += n
		for _, t := range u.computed {
			first := bits.TrailingZeros32(t.blocks)
			height := bits.Len32(t.blocks) - first
			t.blocks = 0
			b.parts[height] = append(b.parts[height], part{t, u, uint8(u.side), uint8(first)})
		}
	}
	// Parts that share vectors are about as high. Those that are lower than the first get blocks more, which come
	// out as they are.
	g := &b.group
	g.taken = 0
	for height := tileBlocks; height > 0; height-- {
		for i := range b.parts[height] {
			if g.taken == 0 {
				g.height = height
			}
			g.take(&b.parts[height][i])
			if g.taken == b.lanes {
				b.compute(n)
				g.taken = 0
			}
		}
	}
	if g.taken > 0 {
		b.compute(n)
	}
	for _, u := range universes {
		u.side ^= 1
	}
}

// takeTurns prepares a pass of rules that take turns. If it ends with another one than the pass before, places that did
// not change in that one may change now.
func (b *Batch) takeTurns(universes []*Universe, n int) {
	for i, u := range universes {
		if i == 0 {
			b.from = uint64(u.generation)
		} else if (uint64(u.generation)-b.from)%uint64(b.turns) != 0 {
			panic(fmt.Sprintf("sparse: a pass from generations %d and %d of %d turns", b.from, u.generation, b.turns))
		}
		if n%b.turns != 0 {
			u.WakeAll()
		}
	}
}

// mostLanes is the number of parts of tiles that are advanced at once, at most. It is a power of two.
const mostLanes = 16

// group is parts of tiles of the same height, one in each lane of the vectors, as the code that copies them takes them.
type group struct {
	taken               int // lanes
	height              int // blocks
	universes           [mostLanes]*Universe
	sides, firsts       [mostLanes]uint8
	tiles               [mostLanes]*tile
	from, to            [mostLanes]*place // of the first block, and of the one after the last
	left, middle, right [mostLanes]uint64 // the blocks within reach of changes, for each lane
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
			p := place{
				rows: now + at, next: firstSide + secondSide - now + at, rowAbove: nearBytes, rowBelow: nearBytes,
				above: now + at - blockBytes, below: now + at, bit: 2 << k,
			}
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

// take takes a part into the next lane.
func (g *group) take(p *part) {
	i := g.taken & (mostLanes - 1)
	first := min(p.first, uint8(tileBlocks-g.height))
	blocks := &places[p.side&1]
	g.tiles[i], g.universes[i], g.sides[i], g.firsts[i] = p.tile, p.universe, p.side, first
	g.from[i], g.to[i] = &blocks[first], &blocks[int(first)+g.height]
	g.taken++
}

// compute advances the parts of the group, and wakes the tiles that may change next.
func (b *Batch) compute(n int) {
	if b.vectors {
		b.allLanes(n)
	} else {
		b.eachLane(n)
	}
}

// eachLane copies part by part.
func (b *Batch) eachLane(n int) {
	g, planes := &b.group, b.words.Planes()
	for plane := range planes {
		in, stride := b.input(plane)
		for lane, t := range g.tiles[:g.taken] {
			t.gather(in[lane:], stride, b.margin, plane, int(g.sides[lane]), int(g.firsts[lane]), g.height)
		}
	}
	b.words.Advance(b.from, n, g.height*blockRows)
	for lane, t := range g.tiles[:g.taken] {
		var changed reached
		for plane := range planes {
			out, stride := b.words.Output(plane)
			t.scatter(out[lane:], stride, plane, int(g.sides[lane]), int(g.firsts[lane]), g.height, &changed)
		}
		g.universes[lane].stir(t, changed)
	}
}

// allLanes copies the parts in all lanes by vectors.
func (b *Batch) allLanes(n int) {
	g := &b.group
	for i := g.taken; i < b.lanes; i++ {
		g.tiles[i], g.from[i], g.to[i] = &b.spare, &places[0][0], &places[0][g.height]
	}
	in, stride := b.input(0)
	for lane := 0; lane < b.lanes; lane += copiedAtOnce {
		gather(&in[lane], g, uintptr(lane), uintptr(stride), uintptr(g.height))
	}
	b.words.Advance(b.from, n, g.height*blockRows)
	out, stride := b.words.Output(0)
	for lane := 0; lane < b.lanes; lane += copiedAtOnce {
		scatter(g, uintptr(lane), &out[lane], &in[reach*stride+lane], uintptr(stride), uintptr(g.height))
	}
	for i := range g.taken {
		i &= mostLanes - 1
		g.universes[i].stir(g.tiles[i], reached{uint32(g.left[i]), uint32(g.middle[i]), uint32(g.right[i])})
	}
}

// Envelope runs a universe for some generations, one by one, and records which cells are not in state 0 in any
// of them: see ZoneMap.
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

// EnvelopeOfTwo is Envelope for two generations. It reports whether the universe is the same after them. If not, there
// is no envelope. The second generation computes only the places that the first has changed. Where cells may be dying,
// it reports false.
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
