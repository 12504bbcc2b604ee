package bands

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

// dice makes the random bits of a band. Bits are made in the order of columns and then laid out as cells are; the few cells of a small probability
// are put where they belong one by one.
type dice struct {
	u       *universe
	columns int      // of one universe
	seeds   []uint64 // of the universes side by side
	gaps    map[uint64]*random.Gaps
	found   []random.Found
	one     [][]uint64 // rows of one universe, packed
	all     [][]uint64 // rows of all
	turned  [][]uint64 // rows beyond an edge, packed
}

func newDice(u *universe, columns int, seeds []uint64) *dice {
	return &dice{u: u, columns: columns, seeds: seeds, gaps: map[uint64]*random.Gaps{}}
}

// Fill implements wavefront.Random.
func (d *dice) Fill(rows [][]uint64, use uint8, below []uint64, most, generation uint64, i int) (some bool) {
	for s := range d.u.Slabs {
		y := s*d.u.Rows + i
		if y < 0 || y >= d.u.H {
			switch {
			case d.u.topology.WrapsRows():
				_, y, _ = d.u.topology.Fold(0, y)
			case d.u.topology.KeepsRows() && d.u.topology.Kind != topology.Plane:
				d.fold(rows, s, use, below, most, generation, y)
				some = true
				continue
			default:
				continue // cells there are dead, or not wanted
			}
		}
		if most <= random.Rare {
			some = d.scatter(rows, s, use, below, most, generation, y) || some
			continue
		}
		for k, row := range d.packed(use, below, most, generation, y) {
			d.u.Pack(rows[k], s, row)
		}
		some = true
	}
	if some && d.u.topology.KeepsRows() {
		for _, row := range rows {
			d.u.FillHalo(row, d.u.halo)
		}
	}
	return some
}

// rare finds the few cells of a row of a universe that are below a small probability.
func (d *dice) rare(seed uint64, use uint8, most, generation uint64, y int, wantU bool) []random.Found {
	g := d.gaps[most]
	if g == nil {
		g = random.NewGaps(most)
		d.gaps[most] = g
	}
	d.found = g.Append(d.found[:0], random.At(seed, generation).Row(y, use), d.columns, wantU)
	return d.found
}

// scatter puts the cells of a small probability into slab s of rows of zeros. It reports whether there are any.
func (d *dice) scatter(rows [][]uint64, s int, use uint8, below []uint64, most, generation uint64, y int) (some bool) {
	several := len(below) > 1
	for universe, seed := range d.seeds {
		for _, f := range d.rare(seed, use, most, generation, y, several) {
			some = true
			word, bit := d.u.Place(universe*d.columns+f.X, s)
			for k := len(rows) - 1; k >= 0 && (!several || uint64(f.U) < below[k]); k-- {
				rows[k][word] |= 1 << bit
			}
		}
	}
	return some
}

// packed are rows of the universes side by side.
func (d *dice) packed(use uint8, below []uint64, most, generation uint64, y int) [][]uint64 {
	for len(d.one) < len(below) {
		d.one = append(d.one, make([]uint64, (d.columns+63)/64))
		d.all = append(d.all, make([]uint64, (d.u.W+63)/64))
	}
	for k := range below {
		clear(d.all[k])
	}
	for universe, seed := range d.seeds {
		one := d.one[:len(below)]
		if d.columns == d.u.W {
			one = d.all[:len(below)]
		}
		if most > random.Rare {
			random.At(seed, generation).Row(y, use).Row(one, below, d.columns)
		} else {
			for k := range one {
				clear(one[k])
			}
			for _, f := range d.rare(seed, use, most, generation, y, true) {
				for k, b := range below {
					if uint64(f.U) < b {
						one[k][f.X>>6] |= 1 << (f.X & 63)
					}
				}
			}
		}
		if d.columns == d.u.W {
			continue
		}
		for k, row := range one {
			for x := 0; x < d.columns; x += 64 {
				layout.Store(d.all[k], universe*d.columns+x, row[x>>6], min(64, d.columns-x))
			}
		}
	}
	return d.all[:len(below)]
}

// fold makes slab s of rows beyond an edge, whose cells are those of a row moved along it or mirrored.
func (d *dice) fold(rows [][]uint64, s int, use uint8, below []uint64, most, generation uint64, y int) {
	for len(d.turned) < len(rows) {
		d.turned = append(d.turned, make([]uint64, (d.u.W+63)/64))
	}
	for k := range rows {
		clear(d.turned[k])
	}
	for r := range d.u.runs(0, y, 1, 0, d.u.W) {
		for k, source := range d.packed(use, below, most, generation, r.y) {
			for j := 0; j < r.n; j += 64 {
				n := min(64, r.n-j)
				if r.dx < 0 {
					v := bits.Reverse64(layout.Load(source, r.x-j-n+1, n)) >> (64 - n)
					layout.Store(d.turned[k], r.first+j, v, n)
					continue
				}
				layout.Store(d.turned[k], r.first+j, layout.Load(source, r.x+j, n), n)
			}
		}
	}
	for k, row := range rows {
		d.u.Pack(row, s, d.turned[k])
	}
}
