package volumes

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// dice makes the random bits of a stack. Bits are made in the order of columns and then laid out as cells are.
type dice struct {
	u       *universe
	seed    uint64
	lots    []lot // by number of the program's random bits
	uses    []use
	numbers []uint32 // of blocks, of eight rows together
	row     []uint64 // packed
	// of points: of a layer, made for the greatest probability of a use
	drawing random.Drawing
	most    uint64
	drawn   bool
}

// lot is one of the random bits of a program.
type lot struct {
	words []uint64 // a layer of one plane
	use   int      // in uses
}

// use has the random bits that follow from the same numbers, for which these are drawn once.
type use struct {
	chances    []circuit.Chance // by probability
	words      [][]uint64       // of their lots
	thresholds []uint64
	generation uint64 // for which words have been made
	z          int
	seed       uint64
	made       bool
	eights     random.Eights
	cells      [][]uint64 // by probability: eight packed rows, or one, word by word
}

// rowsAtOnce is the number of rows whose random bits vectors make together.
const rowsAtOnce = 8

// newDice groups the random bits of a rule by their use. The bits of a use come from one number, by
// rising probability.
func newDice(u *universe, p *rowprog.Program) *dice {
	d := &dice{u: u, lots: make([]lot, len(p.Chances)), row: make([]uint64, (u.W+63)/64)}
	for i := range rowsAtOnce * d.blocks() {
		d.numbers = append(d.numbers, uint32(i/rowsAtOnce))
	}
	order := make([]int, len(p.Chances))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.Chances[a].Below, p.Chances[b].Below) })
	for _, number := range order {
		c := p.Chances[number]
		at := slices.IndexFunc(d.uses, func(of use) bool { return of.chances[0].Use == c.Use })
		if at < 0 {
			at = len(d.uses)
			d.uses = append(d.uses, use{})
		}
		of, words := &d.uses[at], layout.AlignedWords(u.Rows*u.Stride)
		d.lots[number] = lot{words, at}
		of.chances, of.words = append(of.chances, c), append(of.words, words)
		of.thresholds = append(of.thresholds, uint64(c.Below))
		of.cells = append(of.cells, make([]uint64, rowsAtOnce*d.blocks()))
	}
	return d
}

// blocks is the number of words of a row that are made: a multiple of four, as vectors need it.
func (d *dice) blocks() int { return (d.u.W + 255) / 256 * 4 }

// list makes the random bits of layer z of a generation, and lists their rows.
func (d *dice) list(rows []unsafe.Pointer, number int, generation uint64, z int) {
	of := &d.uses[d.lots[number].use]
	generation = of.chances[0].Draw(generation)
	if !of.made || of.generation != generation || of.z != z || of.seed != d.seed {
		of.made, of.generation, of.z, of.seed = true, generation, z, d.seed
		if of.chances[0].Most > random.Rare {
			d.pack(of)
		} else {
			for i, words := range of.words {
				d.scatter(words, of.chances[i], generation, z)
			}
		}
	}
	for i := range rows {
		rows[i] = pointer(d.lots[number].words[i*d.u.Stride:])
	}
}

// pack makes the bits of a layer, eight rows at a time if the processor has vectors, else row by row.
func (d *dice) pack(of *use) {
	u := d.u
	rest := ^uint64(0) >> (-u.W & 63) // the columns of the last word
	of.eights.Begin(d.seed, of.generation, of.chances[0].Use, d.numbers)
	for first := 0; first < u.H; first += rowsAtOnce {
		var at [rowsAtOnce]int
		for lane := range at {
			at[lane] = random.Place(of.z*u.H+min(first+lane, u.H-1), u.place)
		}
		together := of.eights.Draw(of.cells, at, of.thresholds)
		for lane := range min(rowsAtOnce, u.H-first) {
			if !together {
				random.Rows(of.cells, []uint64{d.seed}, of.generation, at[lane], of.chances[0].Use, of.thresholds, u.W)
			}
			for k, cells := range of.cells {
				if !together {
					copy(d.row, cells)
				} else {
					for i := range d.row {
						d.row[i] = cells[i*rowsAtOnce+lane]
					}
					d.row[len(d.row)-1] &= rest
				}
				y := first + lane
				u.Pack(of.words[k][y%u.Rows*u.Stride:][:u.Stride], y/u.Rows, d.row)
			}
		}
	}
}

// scatter puts the points of a layer where they belong, one by one.
func (d *dice) scatter(words []uint64, c circuit.Chance, generation uint64, z int) {
	u := d.u
	clear(words)
	if !d.drawn || d.most != uint64(c.Most) {
		d.drawing, d.most, d.drawn = random.Drawing{Points: random.NewPoints(uint64(c.Most))}, uint64(c.Most), true
	}
	d.drawing.Begin(generation, c.Use, random.Strips{Columns: u.Vectors, Step: 64 * u.Lanes})
	for i := range u.Rows {
		for slab := range u.Slabs {
			y := slab*u.Rows + i
			if y >= u.H {
				break
			}
			bit := 64 * (u.Halo*u.Lanes + slab*u.Wide())
			for x := 0; x < u.W; x += random.Segment {
				span := random.Span{First: x, Width: u.W - x, Bit: bit}
				d.drawing.Add(i, d.seed, random.Place(z*u.H+y, u.place), x/random.Segment, span)
			}
		}
	}
	d.drawing.Finish(u.Rows)
	limit, first := d.drawing.Limit(uint64(c.Below)), 0
	for i := range u.Rows {
		row := words[i*u.Stride:][:u.Stride]
		for _, p := range d.drawing.List[first:d.drawing.Ends[i]] {
			if p.Mark() < limit {
				row[p.Bit()>>6] |= 1 << (p.Bit() & 63)
			}
		}
		first = d.drawing.Ends[i]
	}
}
