package bands

import (
	"math/bits"
	"sync"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// mostCounted is the number of words of cells that Counts reads at most, which takes a few milliseconds. For
// larger areas, Sample is better.
const mostCounted = 1 << 23

var _ sim.Counter = (*Engine)(nil)

// Counts implements sim.Counter, exactly; see Sample.
func (e *Engine) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	return e.Sample(dst, area, scale, 1)
}

// Sample is Counts from every step-th row, each counted step times. step is a power of two up to 2^scale. The cells
// of a block lie in the same bits of neighbouring vectors and rows, so they are added in place, all blocks of a
// vector at a time.
//
// It returns false if that would be slower than to read the cells: for blocks that are smaller than cheapest,
// and if the edges of blocks cut strips into too many pieces. Large universes rarely do that, because their
// sides are mostly multiples of powers of two, as those of blocks are.
func (e *Engine) Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error) {
	u := e.u
	cuts := u.cuts(scale)
	if rows := min(area.H, u.H); cuts == nil || rows/step*(u.W+63)/64*u.planes > mostCounted {
		return false, nil
	}
	if scale < cheapest[e.plan.Code] {
		return false, nil
	}
	if step > 1 && u.Rows%(1<<scale) != 0 && u.Slabs > 1 {
		return false, nil // rows of blocks lie across slabs
	}
	clear(dst[:area.W>>scale*(area.H>>scale)])
	workers := len(e.bands)
	side := min(1<<min(scale, 62), u.Rows)
	if u.Rows%side != 0 || 1<<scale > u.Rows {
		workers = 1 // a row of blocks may lie in two slabs
	}
	rows := (u.Rows/side + workers - 1) / workers * side
	if workers == 1 {
		rows = u.Rows
	}
	for len(e.counters) < workers {
		c, err := newBlockCounter(u, e.plan.Code)
		if err != nil {
			return false, nil // no machine code for it: cells can be read all the same
		}
		e.counters = append(e.counters, c)
	}
	var wg sync.WaitGroup
	for k := range (u.Rows + rows - 1) / rows {
		wg.Go(func() {
			c := e.counters[k]
			c.cuts, c.dst, c.area, c.scale, c.step = cuts, dst, area, scale, step
			c.rows(k*rows, min((k+1)*rows, u.Rows))
		})
	}
	wg.Wait()
	return true, nil
}

// cheapest is the least scale at which adding up the blocks takes less time than reading their cells. Programs add 32
// rows at once, most of which are missing in low blocks. Portable code adds up all 32. A call of WebAssembly takes as
// long as adding up some rows.
var cheapest = map[codegen.Code]int{codegen.Portable: 2, codegen.SIMD128: 3}

// countAll counts all cells of a large universe in blocks. There are few blocks, but enough for every band to
// have some. It returns false if it cannot count.
func (e *Engine) countAll() (n uint64, ok bool) {
	const scale, fewest, most = 10, 2, 1 << 12
	w, h := (e.u.W-1)>>scale+1, (e.u.H-1)>>scale+1
	if w*h < fewest || w*h > most {
		return 0, false
	}
	counts := make([]uint64, w*h)
	if counted, err := e.Sample(counts, grid.Rect{W: w << scale, H: h << scale}, scale, 1); err != nil || !counted {
		return 0, false
	}
	for _, k := range counts {
		n += k
	}
	return n, true
}

// cuts lists the vectors 0 … Vectors at which a block of 2^scale columns begins in some strip. It is nil if
// there are too many for Counts.
func (u *universe) cuts(scale int) []int {
	if scale > 40 {
		return nil
	}
	side := 1 << scale
	at := make([]bool, u.Vectors+1)
	at[0], at[u.Vectors] = true, true
	for x := 0; x < u.W; x += side {
		at[x%u.Vectors] = true
	}
	var cuts []int
	for j, cut := range at {
		if cut {
			cuts = append(cuts, j)
		}
	}
	if 4*(len(cuts)-1) > u.Vectors+3 && len(cuts) > 2 && side > 2 {
		return nil
	}
	return cuts
}

// blockCounter counts the cells of blocks in some rows of a universe. A program, compiled as those of rules are, adds
// up cells above each other. The same program then adds the digits of that sum in vectors beside each other. The
// results are few enough to be added word by word. All this is done for each bit of a vector on its own, because each
// bit belongs to another strip:
//
//	down      up to 32 rows                     columns[p]: bit p of the number of cells above each other
//	across    up to 32 vectors of columns[p]    digits[q]: bit q of how many of them have the bit
//	sums                                        each bit of digits[q] counts 2^(p+q)
type blockCounter struct {
	*universe
	cuts  []int
	dst   []uint64
	area  grid.Rect
	scale int
	step  int

	down, across codegen.Kernel // add up together rows: of cells, of digits
	lines        [][]uint64     // the rows that a kernel adds and the digits it makes of them
	columns      [][]uint64     // by digit: how many cells each column has in the rows added last
	digits       [][]uint64     // a vector each: how many of some vectors have a bit
	dead         []uint64       // stands for rows that are not there
	sums         []tally        // by lane
}

// together is the number of rows that a blockCounter's programs add at once; digits is the number of binary
// digits of the sum.
const (
	together = 32
	digits   = 6
)

// newBlockCounter compiles two kernels that count: down the rows of a block first, then across its
// columns.
func newBlockCounter(u *universe, code codegen.Code) (*blockCounter, error) {
	row := layout.Layout{Lanes: u.Lanes, Vectors: u.Vectors, Stride: u.Vectors * u.Lanes}
	vector := layout.Layout{Lanes: u.Lanes, Vectors: 1, Stride: u.Lanes}
	c := &blockCounter{universe: u, sums: make([]tally, u.Lanes), dead: layout.AlignedWords(row.Stride)}
	for range digits {
		c.columns = append(c.columns, layout.AlignedWords(row.Stride))
		c.digits = append(c.digits, layout.AlignedWords(vector.Stride))
	}
	var err error
	if c.down, err = codegen.NewKernel(code, compile.CountRows(together, u.planes), &row, nil); err != nil {
		return nil, err
	}
	c.across, err = codegen.NewKernel(code, compile.CountRows(together, 1), &vector, nil)
	return c, err
}

// rows counts rows from ≤ i < to of each slab. It takes at once all rows that lie in one row of blocks in every slab.
func (c *blockCounter) rows(from, to int) {
	side := 1 << c.scale
	for i := from; i < to; {
		next := to
		for s := range c.Slabs {
			next = min(next, i+side-(s*c.Rows+i)&(side-1))
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
	for lane := range c.Lanes {
		c.sums[lane].used = -1
		if y := lane/c.Wide()*c.Rows + i0; y < c.area.Y || y >= min(c.area.Y+c.area.H, c.H) {
			continue
		}
		if first := lane % c.Wide() * 64; first*c.Vectors+j0 >= min(c.W, c.area.X+c.area.W) ||
			(first+63)*c.Vectors+j0 < c.area.X {
			continue
		}
		c.sums[lane], seen = tally{}, true
	}
	if !seen {
		return
	}
	for i := c.first(i0, i1); i < i1; {
		next := i + together*c.step
		if short := c.H % c.Rows; i < short && short < next { // from here on the last slab, or the last but one, is padding
			next = i + (short-i+c.step-1)/c.step*c.step
		}
		c.add(i, min(next, i1), j0, j1)
		i = next
	}
	for lane := range c.Lanes {
		if c.sums[lane].used > 0 {
			c.store(lane, i0, i1, j0, j1)
		}
	}
}

// add adds vectors j0 ≤ j < j1 of every step-th row i0 ≤ i < i1 to the sums. There are at most together such
// rows, all in the same slabs.
func (c *blockCounter) add(i0, i1, j0, j1 int) {
	lanes := min(c.Slabs, (c.H-i0+c.Rows-1)/c.Rows) * c.Wide()
	c.lines = c.lines[:0]
	for i := i0; i < i1; i += c.step {
		for k := range c.planes {
			c.lines = append(c.lines, c.row(k, i)[c.Halo*c.Lanes:])
		}
	}
	n := len(c.lines) / c.planes
	c.sum(c.down, c.planes, c.columns, j0, j1)
	for p := range bits.Len(uint(n)) {
		for from := j0; from < j1; from += together {
			c.lines = c.lines[:0]
			for j := from; j < min(j1, from+together); j++ {
				c.lines = append(c.lines, c.columns[p][j*c.Lanes:])
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

// sum makes a kernel add up vectors j0 ≤ j < j1 of the lines of the given number of planes.
func (c *blockCounter) sum(k codegen.Kernel, planes int, digits [][]uint64, j0, j1 int) {
	for len(c.lines) < together*planes {
		c.lines = append(c.lines, c.dead)
	}
	c.lines = append(c.lines, digits...)
	k.Run(c.lines, nil, j0, j1, true)
}

// first is the first row to read of rows i0 ≤ i < i1: in the middle of the first step, if there is such a row.
func (c *blockCounter) first(i0, i1 int) int { return min(i0+c.step/2, i1-1) }

// alive returns the cells of a word that are not in state 0.
func (c *blockCounter) alive(i, j, lane int) (word uint64) {
	for k := range c.planes {
		word |= c.row(k, i)[(c.Halo+j)*c.Lanes+lane]
	}
	return word
}

// store adds the counts of a lane to those of its row of blocks.
func (c *blockCounter) store(lane, i0, i1, j0, j1 int) {
	y := lane/c.Wide()*c.Rows + i0
	row := c.dst[(y-c.area.Y)>>c.scale*(c.area.W>>c.scale):][:c.area.W>>c.scale]
	sum, first := &c.sums[lane], lane%c.Wide()*64
	for b := range 64 { // bit b of the word is strip first+b, which begins at column (first+b)·Vectors
		if b&7 == 0 {
			sum.spread(b >> 3)
		}
		x := (first+b)*c.Vectors + j0
		if x < c.area.X || x >= min(c.W, c.area.X+c.area.W) {
			continue
		}
		n := sum.counts[b&7]
		if over := x + j1 - j0 - c.W; over > 0 {
			n = c.clipped(i0, min(i1, c.H-y+i0), lane, b, j0, j1-over)
		}
		row[(x-c.area.X)>>c.scale] += n * uint64(c.step)
	}
}

// clipped counts one strip if the universe ends within a block. Padding in a vector does not count.
func (c *blockCounter) clipped(i0, i1, lane, bit, j0, j1 int) (n uint64) {
	for i := c.first(i0, i1); i < i1; i += c.step {
		for j := j0; j < j1; j++ {
			n += c.alive(i, j, lane) >> bit & 1
		}
	}
	return n
}
