package cpu

import (
	"encoding/binary"
	"math/bits"
	"sync"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/logic"
)

// mostCounted is the most words of cells that Counts looks at: a few milliseconds' worth. Larger areas are better sampled.
const mostCounted = 1 << 23

// Counts implements sim.Counter, exactly; see Sample.
func (e *engine) Counts(dst []uint64, area grid.Rect, scale int) bool {
	return e.Sample(dst, area, scale, 1)
}

// Sample is Counts from every step-th row, a power of two up to 2^scale, each counted step times. It can where strips, cut into blocks,
// have few edges between blocks: the sides of large universes are mostly multiples of the powers of two that blocks are. The cells of a
// block lie in the same bits of neighbouring vectors and rows, so they are added where they are, all blocks of a vector at a time.
func (e *engine) Sample(dst []uint64, area grid.Rect, scale, step int) bool {
	u := e.u
	cuts := u.cuts(scale)
	if rows := min(area.H, u.h); cuts == nil || rows/step*(u.w+63)/64*u.planes > mostCounted {
		return false
	}
	if step > 1 && u.nh%(1<<scale) != 0 && u.slabs > 1 {
		return false // rows of blocks lie across slabs
	}
	clear(dst[:area.W>>scale*(area.H>>scale)])
	workers := len(e.bands)
	side := min(1<<min(scale, 62), u.nh)
	if u.nh%side != 0 || 1<<scale > u.nh {
		workers = 1 // a row of blocks may lie in two slabs
	}
	rows := (u.nh/side + workers - 1) / workers * side
	if workers == 1 {
		rows = u.nh
	}
	for len(e.counters) < workers {
		c, err := newBlockCounter(u, e.plan.Code)
		if err != nil {
			return false
		}
		e.counters = append(e.counters, c)
	}
	var wg sync.WaitGroup
	for k := range (u.nh + rows - 1) / rows {
		wg.Go(func() {
			c := e.counters[k]
			c.cuts, c.dst, c.area, c.scale, c.step = cuts, dst, area, scale, step
			c.rows(k*rows, min((k+1)*rows, u.nh))
		})
	}
	wg.Wait()
	return true
}

// countAll counts all cells of a large universe, in blocks large enough to be few and small enough for every band to have some; false:
// it cannot.
func (e *engine) countAll() (n uint64, ok bool) {
	const scale, fewest, most = 10, 2, 1 << 12
	w, h := (e.u.w-1)>>scale+1, (e.u.h-1)>>scale+1
	if w*h < fewest || w*h > most {
		return 0, false
	}
	counts := make([]uint64, w*h)
	if !e.Sample(counts, grid.Rect{W: w << scale, H: h << scale}, scale, 1) {
		return 0, false
	}
	for _, k := range counts {
		n += k
	}
	return n, true
}

// cuts are the vectors 0 … nv at which, for some strip, a block of 2^scale columns begins; nil: too many for Counts.
func (u *universe) cuts(scale int) []int {
	if scale > 40 {
		return nil
	}
	side := 1 << scale
	at := make([]bool, u.nv+1)
	at[0], at[u.nv] = true, true
	for x := 0; x < u.w; x += side {
		at[x%u.nv] = true
	}
	var cuts []int
	for j, cut := range at {
		if cut {
			cuts = append(cuts, j)
		}
	}
	if 4*(len(cuts)-1) > u.nv+3 && len(cuts) > 2 && side > 2 {
		return nil
	}
	return cuts
}

// blockCounter counts the cells of blocks in some rows of a universe. A program, compiled as those of rules are, adds up the cells above
// each other; the same program then adds the digits of that sum in vectors beside each other; what comes out is few enough to be
// added word by word.
type blockCounter struct {
	*universe
	cuts  []int
	dst   []uint64
	area  grid.Rect
	scale int
	step  int

	down, across kernel     // add up together rows: of cells, of digits
	lines        [][]uint64 // the rows that a kernel adds and the digits it makes of them
	columns      [][]uint64 // by digit: how many cells each column has in the rows added last
	digits       [][]uint64 // a vector each: how many of some vectors have a bit
	dead         []uint64   // stands for rows that are not there
	sums         []tally    // by lane
}

// together is how many rows a blockCounter's programs add at once, and digits what the sum has.
const (
	together = 32
	digits   = 6
)

func newBlockCounter(u *universe, code Code) (*blockCounter, error) {
	row := layout{lanes: u.lanes, nv: u.nv, stride: u.nv * u.lanes}
	vector := layout{lanes: u.lanes, nv: 1, stride: u.lanes}
	c := &blockCounter{universe: u, sums: make([]tally, u.lanes), dead: alignedWords(row.stride)}
	for range digits {
		c.columns = append(c.columns, alignedWords(row.stride))
		c.digits = append(c.digits, alignedWords(vector.stride))
	}
	var err error
	if c.down, err = newKernel(code, logic.CountRows(together, u.planes), &row, nil); err != nil {
		return nil, err
	}
	c.across, err = newKernel(code, logic.CountRows(together, 1), &vector, nil)
	return c, err
}

// rows counts rows from ≤ i < to of each slab, as many at a time as lie in one row of blocks in every slab.
func (c *blockCounter) rows(from, to int) {
	side := 1 << c.scale
	for i := from; i < to; {
		next := to
		for s := range c.slabs {
			next = min(next, i+side-(s*c.nh+i)&(side-1))
		}
		for k := range len(c.cuts) - 1 {
			c.blocks(i, next, c.cuts[k], c.cuts[k+1])
		}
		i = next
	}
}

// blocks counts vectors j0 ≤ j < j1 of rows i0 ≤ i < i1, all strips and slabs at once.
func (c *blockCounter) blocks(i0, i1, j0, j1 int) {
	seen := false
	for lane := range c.lanes {
		c.sums[lane].used = -1
		if y := lane/c.wide()*c.nh + i0; y < c.area.Y || y >= min(c.area.Y+c.area.H, c.h) {
			continue
		}
		if first := lane % c.wide() * 64; first*c.nv+j0 >= min(c.w, c.area.X+c.area.W) || (first+63)*c.nv+j0 < c.area.X {
			continue
		}
		c.sums[lane], seen = tally{}, true
	}
	if !seen {
		return
	}
	for i := c.first(i0, i1); i < i1; {
		next := i + together*c.step
		if short := c.h % c.nh; i < short && short < next { // from here on the last slab, or the last but one, is padding
			next = i + (short-i+c.step-1)/c.step*c.step
		}
		c.add(i, min(next, i1), j0, j1)
		i = next
	}
	for lane := range c.lanes {
		if c.sums[lane].used > 0 {
			c.store(lane, i0, i1, j0, j1)
		}
	}
}

// add adds vectors j0 ≤ j < j1 of every step-th row i0 ≤ i < i1, at most together of them and in the same slabs, to the sums.
func (c *blockCounter) add(i0, i1, j0, j1 int) {
	lanes := min(c.slabs, (c.h-i0+c.nh-1)/c.nh) * c.wide()
	c.lines = c.lines[:0]
	for i := i0; i < i1; i += c.step {
		for k := range c.planes {
			c.lines = append(c.lines, c.row(k, i)[c.ghost*c.lanes:])
		}
	}
	n := len(c.lines) / c.planes
	c.sum(c.down, c.planes, c.columns, j0, j1)
	for p := range bits.Len(uint(n)) {
		for from := j0; from < j1; from += together {
			c.lines = c.lines[:0]
			for j := from; j < min(j1, from+together); j++ {
				c.lines = append(c.lines, c.columns[p][j*c.lanes:])
			}
			n := len(c.lines)
			c.sum(c.across, 1, c.digits, 0, 1)
			for lane := range lanes {
				if c.sums[lane].used < 0 {
					continue
				}
				for q := range bits.Len(uint(n)) {
					c.sums[lane].carry(p+q, c.digits[q][lane])
				}
			}
		}
	}
}

// sum has a kernel add up vectors j0 ≤ j < j1 of the lines, of so many planes each.
func (c *blockCounter) sum(k kernel, planes int, digits [][]uint64, j0, j1 int) {
	for len(c.lines) < together*planes {
		c.lines = append(c.lines, c.dead)
	}
	c.lines = append(c.lines, digits...)
	k.run(c.lines, nil, j0, j1, true)
}

// first is the first row looked at of rows i0 ≤ i < i1: in the middle of the first step, where there is one.
func (c *blockCounter) first(i0, i1 int) int { return min(i0+c.step/2, i1-1) }

// alive is the cells of a word that are not in state 0.
func (c *blockCounter) alive(i, j, lane int) (word uint64) {
	for k := range c.planes {
		word |= c.row(k, i)[(c.ghost+j)*c.lanes+lane]
	}
	return word
}

// store adds the counts of a lane to those of its row of blocks.
func (c *blockCounter) store(lane, i0, i1, j0, j1 int) {
	y := lane/c.wide()*c.nh + i0
	row := c.dst[(y-c.area.Y)>>c.scale*(c.area.W>>c.scale):][:c.area.W>>c.scale]
	sum, first := &c.sums[lane], lane%c.wide()*64
	for b := range 64 {
		if b&7 == 0 {
			sum.spread(b >> 3)
		}
		x := (first+b)*c.nv + j0
		if x < c.area.X || x >= min(c.w, c.area.X+c.area.W) {
			continue
		}
		n := sum.counts[b&7]
		if over := x + j1 - j0 - c.w; over > 0 {
			n = c.clipped(i0, min(i1, c.h-y+i0), lane, b, j0, j1-over)
		}
		row[(x-c.area.X)>>c.scale] += n * uint64(c.step)
	}
}

// clipped counts one strip where the universe ends within a block; what is beyond in a vector is padding.
func (c *blockCounter) clipped(i0, i1, lane, bit, j0, j1 int) (n uint64) {
	for i := c.first(i0, i1); i < i1; i += c.step {
		for j := j0; j < j1; j++ {
			n += c.alive(i, j, lane) >> bit & 1
		}
	}
	return n
}

// tally counts, for each of 64 bits, in how many words it was set: bit b of plane p is bit p of the count of bit b.
type tally struct {
	planes [48]uint64
	used   int // planes; below 0: nothing is counted
	counts [8]uint64
}

// carry adds a word worth 2^p.
func (t *tally) carry(p int, v uint64) {
	for ; v != 0; p++ {
		t.planes[p], v = t.planes[p]^v, t.planes[p]&v
		t.used = max(t.used, p+1)
	}
}

// spread stores the counts of bits 8·group … 8·group+7.
func (t *tally) spread(group int) {
	t.counts = [8]uint64{}
	for low := 0; low < t.used; low += 8 {
		var block uint64
		for p := range min(8, t.used-low) {
			block |= t.planes[low+p] >> (8 * group) & 0xFF << (8 * p)
		}
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], transpose8(block))
		for b, v := range bytes {
			t.counts[b] |= uint64(v) << low
		}
	}
}

// transpose8 exchanges bit i of byte j with bit j of byte i (Hacker's Delight, section 7-3).
func transpose8(v uint64) uint64 {
	t := (v ^ v>>7) & 0x00AA00AA00AA00AA
	v ^= t ^ t<<7
	t = (v ^ v>>14) & 0x0000CCCC0000CCCC
	v ^= t ^ t<<14
	t = (v ^ v>>28) & 0x00000000F0F0F0F0
	return v ^ t ^ t<<28
}
