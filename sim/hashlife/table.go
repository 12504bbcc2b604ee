package hashlife

import (
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
	"github.com/gosper-life/gosper/sim/internal/automaton"
)

// manyNodes is the size of a decision diagram from which on squares are looked up in it, and runs begin with hashed life. A large circuit takes up to
// half a second to compile, where a pattern that repeats needs a few thousand squares.
const manyNodes = 384

// isTable reports whether a function has a decision diagram so large that its squares are looked up, and keeps dead cells dead.
func isTable(f *local.Function) bool {
	return f != nil && f.Diagram() != nil && len(f.Outcomes) == 0 && f.Diagram().Size() >= manyNodes && f.Uniform(0) == 0
}

// tableOf returns the function of the only step if it is better looked up.
func tableOf(steps []background.Step, masked bool) (f *local.Function, ok bool) {
	if s := &steps[0]; len(steps) > 1 || masked || s.Before != 0 || s.After != 0 || s.Rule.Period() > 1 || !isTable(s.Rule.Local) {
		return nil, false
	}
	return steps[0].Rule.Local, true
}

// tableLeaf is the level of leaves whose cells are looked up: 8×8 cells. Smaller squares repeat more often, and one costs what its cells cost, while
// a circuit computes sixteen squares of 16×16 cells as quickly as one.
const tableLeaf = 3

const (
	tableSide = 2 << tableLeaf // of a square of four leaves
	leafSide  = 1 << tableLeaf
)

// tableStepper advances squares of four leaves of 8×8 cells by lookups. A state is a byte.
type tableStepper struct {
	automaton *automaton.Automaton
	planes    int
	plates    [2][tableSide * tableSide]uint8
}

func newTableStepper(f *local.Function, shape tree.Shape) (*tableStepper, error) {
	a, err := automaton.New(f.Diagram(), tableSide)
	return &tableStepper{automaton: a, planes: shape.Planes}, err
}

// Advance implements tree.Stepper.
func (s *tableStepper) Advance(squares []tree.Base, n, _ int) {
	for i := range squares {
		q := &squares[i]
		now, next := &s.plates[0], &s.plates[1]
		clear(now[:])
		s.spread(now[:], q.NW)
		s.spread(now[leafSide:], q.NE)
		s.spread(now[leafSide*tableSide:], q.SW)
		s.spread(now[leafSide*tableSide+leafSide:], q.SE)
		for g := range n {
			s.advance(next, now, g+1)
			now, next = next, now
		}
		s.gather(q.Middle, now[leafSide/2*tableSide+leafSide/2:])
	}
}

// advance computes the cells that are at least margin cells away from the sides. Dead cells among dead cells stay dead without a lookup.
func (s *tableStepper) advance(next, now *[tableSide * tableSide]uint8, margin int) {
	for y := margin; y < tableSide-margin; y++ {
		row := y * tableSide
		above, here, below := now[row-tableSide:][:tableSide], now[row:][:tableSide], now[row+tableSide:][:tableSide]
		west, middle := above[margin-1]|here[margin-1]|below[margin-1], above[margin]|here[margin]|below[margin]
		for x := margin; x < tableSide-margin; x++ {
			east := above[x+1] | here[x+1] | below[x+1]
			state := uint8(0)
			if west|middle|east != 0 {
				state = s.automaton.Next(now[:], row+x)
			}
			next[row+x] = state
			west, middle = middle, east
		}
	}
}

// spread stores the states of a leaf in the rows of a plate. They are dead before.
func (s *tableStepper) spread(plate []uint8, leaf []uint64) {
	for k, plane := range leaf[:s.planes] {
		for y := 0; plane != 0; y, plane = y+1, plane>>leafSide {
			for x, row := 0, uint8(plane); row != 0; x, row = x+1, row>>1 {
				plate[y*tableSide+x] |= row & 1 << k
			}
		}
	}
}

// gather stores the states in the rows of a plate in a leaf.
func (s *tableStepper) gather(leaf []uint64, plate []uint8) {
	clear(leaf)
	for y := range leafSide {
		for x, state := range plate[y*tableSide:][:leafSide] {
			for k := 0; state != 0; k, state = k+1, state>>1 {
				leaf[k] |= uint64(state&1) << (y*leafSide + x)
			}
		}
	}
}
