package bands

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// dice makes the random bits of a band. It makes bits in the order of columns and then lays them out like cells. If a
// probability is small, only few cells have the bit, and dice sets these one by one.
type dice struct {
	u       *universe
	columns int      // of one universe
	seeds   []uint64 // of the universes side by side
	beside  bool     // the program looks at random bits beside a cell, too
	turned  bool     // rows beyond an edge are moved along it or mirrored
	sheets  [random.Uses][]*sheet
	numbers []uint32 // of the words that rows are turned from, as they lie in vectors; nil where that cannot be
	eights  [random.Uses]*[turns]random.Eights
	one     [][]uint64 // rows of each universe in words of its own, packed
	all     [][]uint64 // rows of all
	beyond  [][]uint64 // rows beyond an edge, packed
}

// sheet holds the points of some rows, which are made together. A use has several sheets in rotation, so that each
// generation of a pass has its own sheet.
type sheet struct {
	random.Drawing
	limits     []uint64 // of marks, by probability
	generation uint64
	first, end int // rows
}

// turns is the number of sheets, or of eights, that a use has in rotation.
const turns = 32

func newDice(u *universe, p *rowprog.Program, columns int, seeds []uint64) *dice {
	d := &dice{u: u, columns: columns, seeds: seeds, beside: beside(p)}
	t := u.topology
	d.turned = t.KeepsRows() && !t.WrapsRows() && t.Kind != topology.Plane
	if random.HasEights() && u.Lanes >= 4 && len(seeds) == 1 && columns == u.W {
		d.numbers = u.Numbers()
	}
	return d
}

// beside reports whether a program reads random bits of the neighbours of the cell that it computes.
func beside(p *rowprog.Program) bool {
	if p.Drifts {
		return true
	}
	extents := p.Extents()
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load && p.Random() <= op.Stream && op.Stream < p.Kept() && extents[i] != (rowprog.Extent{}) {
			return true
		}
	}
	return false
}

// Fill implements wavefront.Random.
func (d *dice) Fill(rows [][]uint64, clean bool, use uint8, below []uint64, most, generation uint64,
	i int,
) (some bool) {
	some = most > random.Rare && d.draw(rows, use, below, generation, i)
	if !some {
		if !clean {
			for _, row := range rows {
				clear(row)
			}
		}
		some = d.slabBySlab(rows, use, below, most, generation, i)
	}
	if some && d.beside && d.u.topology.KeepsRows() {
		for _, row := range rows {
			d.u.FillHalo(row, d.u.halo)
		}
	}
	return some
}

// draw makes the words of all slabs side by side and turns them into strips together. It returns false if the
// processor has no vectors for that.
func (d *dice) draw(rows [][]uint64, use uint8, below []uint64, generation uint64, i int) bool {
	if d.numbers == nil {
		return false
	}
	var at [8]int // rows of a vector of eight words, or of two of four
	for lane := range at {
		y, is, _ := d.place(lane%d.u.Lanes/d.u.Wide(), i)
		if !is {
			return false
		}
		at[lane] = y
	}
	if d.eights[use] == nil {
		d.eights[use] = new([turns]random.Eights)
	}
	var room [random.Uses][]uint64
	cells := room[:0]
	for _, row := range rows {
		cells = append(cells, row[d.u.Halo*d.u.Lanes:])
	}
	e := &d.eights[use][generation%turns]
	e.Begin(d.seeds[0], generation, use, d.numbers)
	if !e.Draw(cells, at, below) {
		return false
	}
	for k, row := range rows {
		d.u.Turn(row)
		if d.u.W < d.u.Vectors*d.u.Strips {
			for j, own := range d.u.own {
				cells[k][j] &= own
			}
		}
	}
	return true
}

// slabBySlab makes the bits of one slab after the other.
func (d *dice) slabBySlab(rows [][]uint64, use uint8, below []uint64, most, generation uint64, i int) (some bool) {
	rare := most <= random.Rare
	if rare {
		some = d.scatter(rows, d.sheet(use, below, most, generation, i), i)
		if !d.turned {
			return some
		}
	}
	for s := range d.u.Slabs {
		y, is, turned := d.place(s, i)
		switch {
		case turned:
			d.fold(rows, s, use, below, most, generation, y)
			some = true
		case !is || rare: // cells there are dead, or not wanted, or made already
		default:
			for k, row := range d.packed(use, below, most, generation, y) {
				d.u.Pack(rows[k], s, row)
			}
			some = true
		}
	}
	return some
}

// place returns the row of the universe that row i of slab s shows. is reports whether it shows that row unchanged.
// Otherwise it lies beyond an edge, and turned reports whether such rows are moved along the edge or mirrored.
func (d *dice) place(s, i int) (y int, is, turned bool) {
	y = s*d.u.Rows + i
	switch {
	case 0 <= y && y < d.u.H:
		return random.Place(y, d.u.place), true, false
	case d.u.topology.WrapsRows():
		_, y, _ = d.u.topology.Fold(0, y)
		return random.Place(y, d.u.place), true, false
	default:
		return y, false, d.turned
	}
}

// segments is the number of segments of a row of one universe.
func (d *dice) segments() int { return (d.columns + random.Segment - 1) / random.Segment }

// sheet returns the points of row i, which it makes with those of some rows that follow.
func (d *dice) sheet(use uint8, below []uint64, most, generation uint64, i int) *sheet {
	if d.sheets[use] == nil {
		d.sheets[use] = make([]*sheet, turns)
	}
	sh := d.sheets[use][generation%turns]
	if sh == nil {
		sh = &sheet{Drawing: random.Drawing{Points: random.NewPoints(most)}}
		for _, t := range below {
			sh.limits = append(sh.limits, sh.Limit(t))
		}
		d.sheets[use][generation%turns] = sh
	}
	if sh.generation == generation && sh.first <= i && i < sh.end {
		return sh
	}
	const together = 32 // segments
	segments := d.segments()
	sh.generation, sh.first, sh.end = generation, i, i+1+together/(d.u.Slabs*len(d.seeds)*segments)
	sh.Begin(generation, use, random.Strips{Columns: d.u.Vectors, Step: 64 * d.u.Lanes})
	wide := d.u.Wide()
	for i := sh.first; i < sh.end; i++ {
		for s := range d.u.Slabs {
			y, is, _ := d.place(s, i)
			if !is {
				continue
			}
			bit := 64 * (d.u.Halo*d.u.Lanes + s*wide)
			for universe, seed := range d.seeds {
				for n := range segments {
					x := n * random.Segment
					sh.Add(i-sh.first, seed, y, n, random.Span{First: universe*d.columns + x, Width: d.columns - x, Bit: bit})
				}
			}
		}
	}
	sh.Finish(sh.end - sh.first)
	return sh
}

// scatter puts points into row i, which is zeros. It reports whether there are any.
func (d *dice) scatter(rows [][]uint64, sh *sheet, i int) (some bool) {
	first := 0
	if i > sh.first {
		first = sh.Ends[i-sh.first-1]
	}
	drops := sh.List[first:sh.Ends[i-sh.first]]
	if row := rows[0]; len(rows) == 1 && sh.limits[0] == random.One {
		for _, p := range drops {
			row[p.Bit()>>6] |= 1 << (p.Bit() & 63)
		}
		return len(drops) > 0
	}
	for _, p := range drops {
		// The limits rise, so a mark that is not below one of them is not below the smaller ones, either.
		for k := len(rows) - 1; k >= 0 && p.Mark() < sh.limits[k]; k-- {
			rows[k][p.Bit()>>6] |= 1 << (p.Bit() & 63)
		}
	}
	return len(drops) > 0
}

// packed are rows of the universes side by side.
func (d *dice) packed(use uint8, below []uint64, most, generation uint64, y int) [][]uint64 {
	words := (d.columns + 63) / 64
	for len(d.one) < len(below) {
		d.one = append(d.one, make([]uint64, len(d.seeds)*words))
		d.all = append(d.all, make([]uint64, (d.u.W+63)/64))
	}
	one, all := d.one[:len(below)], d.all[:len(below)]
	if d.columns == d.u.W {
		one = all
	}
	if most > random.Rare {
		random.Rows(one, d.seeds, generation, y, use, below, d.columns)
	} else {
		d.points(one, use, below, most, generation, y)
	}
	if d.columns == d.u.W {
		return all
	}
	for k, row := range one {
		clear(all[k])
		for universe := range d.seeds {
			for x := 0; x < d.columns; x += 64 {
				layout.Store(all[k], universe*d.columns+x, row[universe*words+x>>6], min(64, d.columns-x))
			}
		}
	}
	return all
}

// points puts the cells of small probabilities into packed rows, each universe in words of its own.
func (d *dice) points(rows [][]uint64, use uint8, below []uint64, most, generation uint64, y int) {
	for _, row := range rows {
		clear(row)
	}
	drawing := random.Drawing{Points: random.NewPoints(most)}
	drawing.Begin(generation, use, random.Strips{Columns: 1, Step: 1})
	words := (d.columns + 63) / 64
	for universe, seed := range d.seeds {
		for n := range d.segments() {
			x := n * random.Segment
			drawing.Add(0, seed, y, n, random.Span{First: x, Width: d.columns - x, Bit: 64 * universe * words})
		}
	}
	drawing.Finish(1)
	for _, p := range drawing.List {
		for k, t := range below {
			if p.Mark() < drawing.Limit(t) {
				rows[k][p.Bit()>>6] |= 1 << (p.Bit() & 63)
			}
		}
	}
}

// fold makes slab s of rows beyond an edge, whose cells are those of a row moved along it or mirrored.
func (d *dice) fold(rows [][]uint64, s int, use uint8, below []uint64, most, generation uint64, y int) {
	for len(d.beyond) < len(rows) {
		d.beyond = append(d.beyond, make([]uint64, (d.u.W+63)/64))
	}
	for k := range rows {
		clear(d.beyond[k])
	}
	for r := range d.u.runs(0, y, 1, 0, d.u.W) {
		for k, source := range d.packed(use, below, most, generation, r.y) {
			for j := 0; j < r.n; j += 64 {
				n := min(64, r.n-j)
				if r.dx < 0 {
					// The run goes to the left: the cells are loaded from its other end and reversed.
					v := bits.Reverse64(layout.Load(source, r.x-j-n+1, n)) >> (64 - n)
					layout.Store(d.beyond[k], r.first+j, v, n)
					continue
				}
				layout.Store(d.beyond[k], r.first+j, layout.Load(source, r.x+j, n), n)
			}
		}
	}
	for k, row := range rows {
		d.u.Pack(row, s, d.beyond[k])
	}
}
