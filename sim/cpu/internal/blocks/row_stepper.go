package blocks

import (
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/wavefront"
)

// rowStepper advances blocks row by row, for any program and kernel.
type rowStepper struct {
	layout  *layout.Layout
	front   *wavefront.Wavefront
	halo    []layout.Move
	in, out Plate
	planes  int
	margin  int
	height  int
}

// newRowStepper makes a stepper that advances a block row by row, as if the columns of the block were
// a ring.
func newRowStepper(code codegen.Code, p *rowprog.Program, l *layout.Layout, height, margin, depth int) (*rowStepper,
	error,
) {
	halo := l.Moves(func(x int) (int, bool) { return (x%l.W + l.W) % l.W, true })
	k, err := codegen.NewKernel(code, p, l, halo)
	if err != nil {
		return nil, err
	}
	s := &rowStepper{
		layout: l, front: wavefront.New(p, l, layout.Places{Strip: l.Vectors}, depth, k), halo: halo,
		planes: p.Planes, margin: margin, height: height,
	}
	row := p.Planes * l.Stride
	s.in = Plate{layout.AlignedWords((height + 2*margin) * row), margin*row + l.Halo*l.Lanes, l.Stride, row}
	s.out = Plate{layout.AlignedWords(height * row), l.Halo * l.Lanes, l.Stride, row}
	return s, nil
}

func (s *rowStepper) input() *Plate { return &s.in }

func (s *rowStepper) advance(generation uint64, depth, rows int) *Plate {
	for y := -s.margin; y < rows+s.margin; y++ {
		for k := range s.planes {
			s.layout.FillHalo(s.row(&s.in, k, y), s.halo)
		}
	}
	s.front.Run(s, generation, depth, 0, rows)
	return &s.out
}

// row is a whole row, with its halo.
func (s *rowStepper) row(p *Plate, plane, y int) []uint64 {
	at := p.At(plane, y) - s.layout.Halo*s.layout.Lanes
	return p.Words[at : at+s.layout.Stride : at+s.layout.Stride]
}

// Input implements wavefront.Cells.
func (s *rowStepper) Input(plane, y int) []uint64 { return s.row(&s.in, plane, y) }

// Ahead implements wavefront.Cells.
func (s *rowStepper) Ahead(int) []uint64 { return nil }

// Output implements wavefront.Cells.
func (s *rowStepper) Output(plane, y int) []uint64 { return s.row(&s.out, plane, y) }

// Outside implements wavefront.Cells.
func (s *rowStepper) Outside(int) bool { return false }

// Confine implements wavefront.Cells.
func (s *rowStepper) Confine([]uint64, int) {}

// differences finds which cells have changed, and in which part of the block: in its first rows, in
// its last ones, or in between. Neighbouring blocks only care about changes near them.
func (s *rowStepper) differences(changed, parts []uint64, after *Plate, reach int) {
	before, lanes := &s.in, s.layout.Lanes
	for k := range s.planes {
		for y := range s.height {
			part := parts[lanes:]
			if y < reach {
				part = parts
			} else if y >= s.height-reach {
				part = parts[2*lanes:]
			}
			from, to := before.Words[before.At(k, y):][:lanes], after.Words[after.At(k, y):][:lanes]
			for lane, v := range from {
				v ^= to[lane]
				changed[(k*s.height+y)*lanes+lane] = v
				part[lane] |= v
			}
		}
	}
}
