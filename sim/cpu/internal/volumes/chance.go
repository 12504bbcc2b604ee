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
	// of points: of a layer, made for the greatest probability of a use
	drawing random.Drawing
	most    uint64
	drawn   bool
}

func newDice(u *universe, p *rowprog.Program) *dice {
	d := &dice{u: u, cells: make([]uint64, (u.W+63)/64)}
	for range p.Chances {
		d.words = append(d.words, layout.AlignedWords(u.Rows*u.Stride))
	}
	return d
}

// list makes the random bits of layer z of a generation, and lists their rows.
func (d *dice) list(rows []unsafe.Pointer, number int, c circuit.Chance, generation uint64, z int) {
	words := d.words[number]
	for i := range rows {
		rows[i] = pointer(words[i*d.u.Stride:])
	}
	if c.Most > random.Rare {
		d.pack(words, c, c.Draw(generation), z)
	} else {
		d.scatter(words, c, c.Draw(generation), z)
	}
}

// pack makes the bits of a layer row by row and slab by slab.
func (d *dice) pack(words []uint64, c circuit.Chance, generation uint64, z int) {
	u := d.u
	for y := range u.H {
		random.Rows([][]uint64{d.cells}, []uint64{d.seed}, generation, z*u.H+y, c.Use, []uint64{uint64(c.Below)}, u.W)
		u.Pack(words[y%u.Rows*u.Stride:][:u.Stride], y/u.Rows, d.cells)
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
				d.drawing.Add(i, d.seed, z*u.H+y, x/random.Segment, span)
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
