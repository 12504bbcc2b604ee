package volumes

import (
	"unsafe"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
)

// dice makes the random bits of a stack. Bits are made in the order of columns and then laid out as cells are.
type dice struct {
	u     *universe
	seed  uint64
	words [][]uint64 // by number of the program's random bits: a layer of one plane
	cells []uint64   // a packed row
}

func newDice(u *universe, p *rowprog.Program) *dice {
	d := &dice{u: u, cells: make([]uint64, (u.W+63)/64)}
	for range p.Chances {
		d.words = append(d.words, layout.AlignedWords(u.Rows*u.Stride))
	}
	return d
}

// OwnChance reports whether a program looks at no random bits but those of the cell that it computes.
func OwnChance(p *rowprog.Program) bool {
	extents := p.Extents()
	for i, op := range p.Ops {
		if op.Kind == rowprog.Load && p.Random() <= op.Stream && op.Stream < p.Kept() &&
			(op.DY != 0 || extents[i] != (rowprog.Extent{})) {
			return false
		}
	}
	return true
}

// list makes the random bits of layer z of a generation, and lists their rows.
func (d *dice) list(rows []unsafe.Pointer, number int, c circuit.Chance, generation uint64, z int) {
	u := d.u
	for i := range rows {
		words := d.words[number][i*u.Stride:][:u.Stride]
		rows[i] = pointer(words)
		for slab := range u.Slabs {
			if y := slab*u.Rows + i; y < u.H {
				d.row(c, generation, z*u.H+y)
				u.Pack(words, slab, d.cells)
			}
		}
	}
}

// row makes the random bits of a row of the universe.
func (d *dice) row(c circuit.Chance, generation uint64, y int) {
	most, below := uint64(c.Most), uint64(c.Below)
	generation = c.Draw(generation)
	if most > random.Rare {
		random.Rows([][]uint64{d.cells}, []uint64{d.seed}, generation, y, c.Use, []uint64{below}, d.u.W)
		return
	}
	clear(d.cells)
	drawing := random.Drawing{Points: random.NewPoints(most)}
	drawing.Begin(generation, c.Use, random.Strips{Columns: 1, Step: 1})
	for n := 0; n*random.Segment < d.u.W; n++ {
		x := n * random.Segment
		drawing.Add(0, d.seed, y, n, random.Span{First: x, Width: d.u.W - x})
	}
	drawing.Finish(1)
	for _, p := range drawing.List {
		if p.Mark() < drawing.Limit(below) {
			d.cells[p.Bit()>>6] |= 1 << (p.Bit() & 63)
		}
	}
}
