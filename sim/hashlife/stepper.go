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

// firstSteps has the steppers of the rules that apply once, at the beginning, and the stepper of the rules that
// alternate afterwards. Phases from the period on are those of the first.
type firstSteps struct {
	once   []tree.Stepper
	turns  tree.Stepper
	period int
}

// Advance implements tree.Stepper.
func (s *firstSteps) Advance(squares []tree.Base, n, phase int) {
	if phase < s.period {
		s.turns.Advance(squares, n, phase)
		return
	}
	s.once[phase-s.period].Advance(squares, n, 0)
}

// Cost implements tree.Stepper.
func (s *firstSteps) Cost() float64 { return s.turns.Cost() }

// newTurns makes a stepper for the leaves of a rule, or of several rules that take turns. The error is
// square.ErrNoWords if the rules need larger leaves.
func newTurns(shape tree.Shape, rules []*compile.Compiled) (tree.Stepper, error) {
	if shape.Leaf <= leastLeaf+1 {
		s, err := square.NewWords(rules...)
		switch {
		case shape.Leaf == leastLeaf:
			return &wordsStepper{s, shape.Planes}, err
		case !errors.Is(err, square.ErrNoWords):
			return &longStepper{s, shape.Planes}, err
		}
	}
	depth := shape.Turn
	if len(rules) > 1 {
		depth = 1
	}
	s := &blockStepper{shape: shape, row: make([]uint64, max(1, 2<<shape.Leaf/64))}
	for _, r := range rules {
		b, err := square.NewRows(r, 2<<shape.Leaf, depth)
		if err != nil {
			return nil, err
		}
		s.blocks = append(s.blocks, b)
	}
	return s, nil
}

// wordsStepper advances leaves of 16×16 cells. Four squares of four leaves are in one block of 64×64 cells.
// Cells near their sides become wrong, and their middles are right.
type wordsStepper struct {
	words  *square.Words
	planes int
}

// Advance implements tree.Stepper.
func (s *wordsStepper) Advance(squares []tree.Base, n, phase int) {
	//	columns           0 … 15   16 … 31   32 … 47   48 … 63
	//	rows  0 … 15        NW        NE        NW        NE        of squares 0 and 1
	//	rows 16 … 31        SW        SE        SW        SE
	//	rows 32 … 63        the same of squares 2 and 3
	//
	// The middle of a square is 8 rows and columns inside.
	places := s.words.Places()
	for k := range s.planes {
		in := s.words.Input(k)
		for i := 0; i < len(squares); i += 2 {
			west, east := &squares[i], &squares[min(i+1, len(squares)-1)] // of a lone square two copies
			pack(in, places[16*i:][:16], k, west.NW, west.NE, east.NW, east.NE)
			pack(in, places[16*i+16:][:16], k, west.SW, west.SE, east.SW, east.SE)
		}
	}
	out := s.words.Advance(n, phase)
	for k := range s.planes {
		cells := out(k)
		for i := 0; i < len(squares); i += 2 {
			west, east := &squares[i], &squares[min(i+1, len(squares)-1)]
			unpack(cells, places[16*i+8:][:16], k, west.Middle, east.Middle)
		}
	}
}

// Cost implements tree.Stepper.
func (s *wordsStepper) Cost() float64 { return s.words.Cost() / tree.MaxSquares }

const leafWords = 4 // in a plane of a leaf of 16×16 cells

// pack stores a plane of four leaves side by side. Their rows are the words of in at some places.
func pack(in []uint64, places []int, plane int, a, b, c, d []uint64) {
	from := plane * leafWords
	a, b, c, d = a[from:][:leafWords], b[from:][:leafWords], c[from:][:leafWords], d[from:][:leafWords]
	for i, at := 0, places[:16]; i < leafWords; i, at = i+1, at[4:] {
		in[at[0]], in[at[1]], in[at[2]], in[at[3]] = transposed(a[i], b[i], c[i], d[i])
	}
}

// unpack stores a plane of the middles of two squares side by side. Their rows are the words of out at some places.
func unpack(out []uint64, places []int, plane int, west, east []uint64) {
	from := plane * leafWords
	west, east = west[from:][:leafWords], east[from:][:leafWords]
	for i, at := 0, places[:16]; i < leafWords; i, at = i+1, at[4:] {
		west[i], _, east[i], _ = transposed(out[at[0]]>>8, out[at[1]]>>8, out[at[2]]>>8, out[at[3]]>>8)
	}
}

// transposed returns the columns of a table of 16-bit numbers. Its rows are four words of four numbers.
//
//	a    a3 a2 a1 a0           p    d0 c0 b0 a0
//	b    b3 b2 b1 b0           q    d1 c1 b1 a1
//	c    c3 c2 c1 c0    ─▶     r    d2 c2 b2 a2
//	d    d3 d2 d1 d0           s    d3 c3 b3 a3
func transposed(a, b, c, d uint64) (p, q, r, s uint64) {
	const even, low = 0x0000_FFFF_0000_FFFF, 1<<32 - 1
	ab0, ab1 := a&even|b&even<<16, a>>16&even|b&^even
	cd0, cd1 := c&even|d&even<<16, c>>16&even|d&^even
	return ab0&low | cd0<<32, ab1&low | cd1<<32, ab0>>32 | cd0&^low, ab1>>32 | cd1&^low
}

// longStepper advances leaves of 32×32 cells, for rules that do the same again only after 9 to 16 generations.
// One square of four leaves is a whole block of 64×64 cells. A word holds two rows of a leaf.
type longStepper struct {
	words  *square.Words
	planes int
}

// Advance implements tree.Stepper.
func (s *longStepper) Advance(squares []tree.Base, n, phase int) {
	const words, half = 16, 1<<32 - 1
	places := s.words.Places()
	for i := range squares {
		q := &squares[i]
		for k := range s.planes {
			in := s.words.Input(k)
			for y, at := range places {
				west, east := q.NW, q.NE
				if y >= 32 {
					west, east = q.SW, q.SE
				}
				word, shift := k*words+y%32/2, y%2*32
				in[at] = west[word]>>shift&half | east[word]>>shift<<32
			}
		}
		out := s.words.Advance(n, phase)
		for k := range s.planes {
			cells, at := out(k), places[16:48]
			for j := range words {
				q.Middle[k*words+j] = cells[at[2*j]]>>16&half | cells[at[2*j+1]]>>16<<32
			}
		}
	}
}

// Cost implements tree.Stepper.
func (s *longStepper) Cost() float64 { return s.words.Cost() }

// blockStepper advances leaves of any size and any rule that has a circuit.
type blockStepper struct {
	shape  tree.Shape
	blocks []*square.Rows // one for each of the rules that take turns
	row    []uint64
}

// Advance implements tree.Stepper.
func (s *blockStepper) Advance(squares []tree.Base, n, phase int) {
	for i := range squares {
		s.advance(&squares[i], n, phase)
	}
}

// advance copies four leaves into a block, advances it, and takes the middle. Rules that take turns
// have a block each, and hand the cells on.
func (s *blockStepper) advance(q *tree.Base, n, phase int) {
	b := s.blocks[phase%len(s.blocks)]
	side := 1 << s.shape.Leaf
	for k := range s.shape.Planes {
		for y := range 2 * side {
			west, east := q.NW, q.NE
			if y >= side {
				west, east = q.SW, q.SE
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
			grid.CopyBits(q.Middle, plane<<(2*s.shape.Leaf)+y*side, cells, side/2, side)
		}
	})
}

// Cost implements tree.Stepper.
func (s *blockStepper) Cost() float64 { return s.blocks[0].Cost() }
