package hashlife

import (
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/sim/cpu/square"
	"github.com/gosper-life/gosper/sim/hashlife/internal/tree"
)

// newStepper makes a stepper for the leaves of some rules that take turns, after others that come once each.
func newStepper(shape tree.Shape, once, turns []*compile.Compiled) (tree.Stepper, error) {
	s, err := newTurns(shape, turns)
	if len(once) == 0 || err != nil {
		return s, err
	}
	first := &firstSteps{turns: s, period: len(turns)}
	for _, r := range once {
		s, err := newTurns(shape, []*compile.Compiled{r})
		if err != nil {
			return nil, err
		}
		first.once = append(first.once, s)
	}
	return first, nil
}

// firstSteps are steppers of rules that come once, and of those that take turns afterwards. Phases from the period on are those of the first.
type firstSteps struct {
	once   []tree.Stepper
	turns  tree.Stepper
	period int
}

// Advance implements tree.Stepper.
func (s *firstSteps) Advance(dst []uint64, nw, ne, sw, se []uint64, n, phase int) {
	if phase < s.period {
		s.turns.Advance(dst, nw, ne, sw, se, n, phase)
		return
	}
	s.once[phase-s.period].Advance(dst, nw, ne, sw, se, n, 0)
}

// newTurns makes a stepper for the leaves of a rule, or of several rules that take turns.
func newTurns(shape tree.Shape, rules []*compile.Compiled) (tree.Stepper, error) {
	if 2<<shape.Leaf == square.Side {
		s, err := square.NewWords(rules...)
		if !errors.Is(err, square.ErrNoWords) {
			return &wordsStepper{s, shape.Planes}, err
		}
	}
	depth := shape.Turn
	if len(rules) > 1 {
		depth = 1
	}
	s := &blockStepper{shape: shape, row: make([]uint64, max(1, 2<<shape.Leaf/64))}
	for _, r := range rules {
		b, err := square.NewBlock(r, 2<<shape.Leaf, depth)
		if err != nil {
			return nil, err
		}
		s.blocks = append(s.blocks, b)
	}
	return s, nil
}

// wordsStepper advances leaves of 32×32 cells. A word holds two rows of a leaf.
type wordsStepper struct {
	words  *square.Words
	planes int
}

// Advance implements tree.Stepper.
func (s *wordsStepper) Advance(dst []uint64, nw, ne, sw, se []uint64, n, phase int) {
	const words = 16 // in a plane of a leaf
	const west = 1<<32 - 1
	places := s.words.Places()
	for k := range s.planes {
		in := s.words.Input(k)
		for half, leaves := range [2][2][]uint64{{nw, ne}, {sw, se}} {
			l, r := leaves[0][k*words:][:words], leaves[1][k*words:][:words]
			at := places[32*half:][:32]
			for i, left := range l {
				right := r[i]
				in[at[2*i]] = left&west | right<<32
				in[at[2*i+1]] = left>>32 | right&^west
			}
		}
	}
	out := s.words.Advance(n, phase)
	for k := range s.planes {
		cells, middle := out(k), dst[k*words:][:words]
		at := places[16:48]
		for i := range middle {
			middle[i] = cells[at[2*i]]>>16&west | cells[at[2*i+1]]>>16<<32
		}
	}
}

// blockStepper advances leaves of any size and any rule that has a circuit.
type blockStepper struct {
	shape  tree.Shape
	blocks []*square.Block // one for each of the rules that take turns
	row    []uint64
}

// Advance implements tree.Stepper.
func (s *blockStepper) Advance(dst []uint64, nw, ne, sw, se []uint64, n, phase int) {
	b := s.blocks[phase%len(s.blocks)]
	side := 1 << s.shape.Leaf
	for k := range s.shape.Planes {
		for y := range 2 * side {
			west, east := nw, ne
			if y >= side {
				west, east = sw, se
			}
			from := k<<(2*s.shape.Leaf) + y%side*side
			grid.CopyBits(s.row, 0, west, from, side)
			grid.CopyBits(s.row, side, east, from, side)
			b.SetRow(k, y, s.row)
		}
	}
	if len(s.blocks) > 1 {
		for i := range n - 1 {
			next := s.blocks[(phase+i+1)%len(s.blocks)]
			b.Advance(phase+i, 1, next.SetRow)
			b = next
		}
		phase, n = phase+n-1, 1
	}
	b.Advance(phase, n, func(plane, y int, cells []uint64) {
		if y -= side / 2; y >= 0 && y < side {
			grid.CopyBits(dst, plane<<(2*s.shape.Leaf)+y*side, cells, side/2, side)
		}
	})
}
