package square

import (
	"errors"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/sim/cpu/internal/blocks"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
)

// Rows advances one block of side × side cells, row by row. It is for rules that have no Words. Only the rows in the
// middle are valid after a step. It is for one goroutine.
type Rows struct {
	blocks *blocks.Blocks
	side   int
	planes int
	top    int  // the first valid row
	word   bool // a row is a word
}

// NewRows makes a block of dead cells that advances by up to depth generations at once. The side is a multiple of 64.
func NewRows(r *compile.Compiled, side, depth int) (*Rows, error) {
	radius := r.Rule.Radius()
	code := plan.ForTiles(codegen.Fastest(), r.Columns().Radius(), 1).Code
	for {
		b, err := blocks.New(blocks.Config{
			Rule: r, Code: code, Lanes: code.Lanes(), Columns: side, Height: side - 2*depth*radius, Depth: depth,
		})
		switch {
		case err == nil:
			return &Rows{b, side, r.Columns().Planes, depth * radius, b.Quick()}, nil
		case code == codegen.Portable || !errors.Is(err, codegen.ErrNotCompiled):
			return nil, err
		}
		code = codegen.Portable
	}
}

// Cost is about the nanoseconds that a generation of the block takes on a usual core.
// One lane is in use.
func (s *Rows) Cost() float64 { return s.blocks.Cost() * float64(s.blocks.Lanes) }

// SetRow sets the cells of a row of a plane, 0 ≤ y < side.
func (s *Rows) SetRow(plane, y int, cells []uint64) {
	b, in := s.blocks, s.blocks.Input()
	at := in.At(plane, y-s.top) // programs may read further than cells see; those rows do not matter
	if s.word {
		in.Words[at] = cells[0]
		return
	}
	at -= b.Halo * b.Lanes
	b.Pack(in.Words[at:at+b.Stride], 0, cells)
}

// Advance computes n generations from one on, at most the depth, and calls row for each valid row of each plane. The
// rows at both ends and the columns at both sides, within the reach of depth generations, are not valid.
func (s *Rows) Advance(generation, n int, row func(plane, y int, cells []uint64)) {
	b := s.blocks
	out := b.Advance(uint64(generation), n)
	cells := make([]uint64, s.side/64)
	for plane := range s.planes {
		for y := range b.Height {
			at := out.At(plane, y)
			if s.word {
				cells[0] = out.Words[at]
			} else {
				at -= b.Halo * b.Lanes
				b.Unpack(cells, out.Words[at:at+b.Stride], 0)
			}
			row(plane, s.top+y, cells)
		}
	}
}
