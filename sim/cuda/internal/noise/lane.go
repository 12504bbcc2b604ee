package noise

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// keys are those of all rounds of Philox.
type keys [random.Rounds][2]ptx.B32

// Keys are the parameters about a seed that ReadKeys declares.
func Keys(seed uint64) (list []uint64) {
	for i := range uint32(random.Rounds) {
		list = append(list, uint64(uint32(seed)+i*random.Increase0), uint64(uint32(seed>>32)+i*random.Increase1))
	}
	return list
}

// Counters are the parameters of a generation: one for each use.
func Counters(chances []circuit.Chance, generation uint64) (list []uint64) {
	for _, d := range drawsOf(chances) {
		list = append(list, random.Counter(chance.Draw(d.use, chances[0].Pairs, generation), d.use))
	}
	return list
}

// Uses is the number of uses of random bits.
func Uses(chances []circuit.Chance) int { return len(drawsOf(chances)) }

// Frequent reports whether all random bits are made by ladders.
func Frequent(chances []circuit.Chance) bool {
	return len(chances) > 0 && !slices.ContainsFunc(chances, func(c circuit.Chance) bool { return c.Most <= random.Rare })
}

// A philox begins the words of a block, row after row. The work that is the same in all rows is done once: most of
// the first three rounds.
type philox struct {
	k      *ptx.Kernel
	keys   keys
	m0, m1 ptx.B32
	// The first round is the row and `first`. Others that begin with a row's number are xor these:
	first, second, third, plain, fourth ptx.B32
}

// newPhilox prepares a block of a generation and a use, whose counter has two halves.
func newPhilox(k *ptx.Kernel, keys keys, block, low, high ptx.B32) *philox {
	p := &philox{k: k, keys: keys, m0: k.Const(random.Multiply0), m1: k.Const(random.Multiply1)}
	xor := func(a, b ptx.B32) ptx.B32 { return k.Lop3(lut.Xor, a, b, b) }
	// Only word 1 of the counter, the row, differs from row to row. After each round these words depend on it:
	//
	//	round 1     c0
	//	round 2     c2, c3
	//	round 3     c0, c1, c2
	//	later       all
	//
	// The others are the same for all rows. They are computed here once.
	low0, high0 := k.Halves(k.MulWideU(block, p.m0))
	low1, high1 := k.Halves(k.MulWideU(low, p.m1))
	p.first, p.second = xor(high1, keys[0][0]), xor(low0, keys[1][1])
	low2, high2 := k.Halves(k.MulWideU(k.Lop3(lut.Xor3, high0, high, keys[0][1]), p.m1))
	low3, high3 := k.Halves(k.MulWideU(k.Lop3(lut.Xor3, high2, low1, keys[1][0]), p.m0))
	p.third, p.plain, p.fourth = xor(low2, keys[2][0]), xor(high3, keys[2][1]), xor(low3, keys[3][1])
	return p
}

// row does all rounds but the last.
func (p *philox) row(row ptx.B32) (a, b, c, d ptx.B32) {
	k := p.k
	xor := func(a, b ptx.B32) ptx.B32 { return k.Lop3(lut.Xor, a, b, b) }
	d, c = k.Halves(k.MulWideU(xor(p.first, row), p.m0))
	b, a = k.Halves(k.MulWideU(xor(c, p.second), p.m1))
	a, c = xor(a, p.third), xor(d, p.plain)
	for i := 3; i < random.Rounds-1; i++ {
		low0, high0 := k.Halves(k.MulWideU(a, p.m0))
		low1, high1 := k.Halves(k.MulWideU(c, p.m1))
		a = k.Lop3(lut.Xor3, high1, b, p.keys[i][0])
		if b = low1; i == 3 {
			c = xor(high0, p.fourth)
		} else {
			c = k.Lop3(lut.Xor3, high0, d, p.keys[i][1])
		}
		d = low0
	}
	return a, b, c, d
}

// Lane makes frequent random bits of a lane's 32 columns in the registers of another kernel, row after row. A
// block has 64 columns, so a lane needs one of the two generators of a block.
type Lane struct {
	k      *ptx.Kernel
	keys   keys
	block  ptx.B32
	upper  ptx.Pred // the columns are the upper half of a block
	factor ptx.B32  // of the last round
	key    ptx.B32  // of the last round
}

// ReadKeys declares the parameters of Keys.
func ReadKeys(k *ptx.Kernel) (list keys) {
	for i := range list {
		list[i] = [2]ptx.B32{k.Param32(), k.Param32()}
	}
	return list
}

// NewLane prepares a lane for the columns from 32·group on.
func NewLane(k *ptx.Kernel, keys keys, group ptx.B32) *Lane {
	l := &Lane{k: k, keys: keys, block: k.ShrN(group, 1), upper: k.CompareN("ne", k.AndN(group, 1), 0)}
	end := keys[random.Rounds-1]
	l.factor, l.key = k.Select(l.upper, k.Const(random.Multiply0), k.Const(random.Multiply1)),
		k.Select(l.upper, end[1], end[0])
	return l
}

// Use makes the bits of one use in one generation.
type Use struct {
	*Lane
	start *philox
	below []uint64
	Plane []int // of each probability
}

// Uses prepares a generation, whose counters are parameters as Counters has them.
func (l *Lane) Uses(chances []circuit.Chance, counters []ptx.B64) (uses []*Use) {
	for i, d := range drawsOf(chances) {
		low, high := l.k.Halves(counters[i])
		uses = append(uses, &Use{l, newPhilox(l.k, l.keys, l.block, low, high), d.below, d.plane})
	}
	return uses
}

// state returns the state of the generator from which the words of a row follow.
func (u *Use) state(row ptx.B32) ptx.B64 {
	k := u.k
	a, b, c, d := u.start.row(row)
	low, high := k.Halves(k.MulWideU(k.Select(u.upper, a, c), u.factor))
	return k.Pair(k.Lop3(lut.Xor3, high, k.Select(u.upper, d, b), u.key), low)
}

// lanesSurely is the number of levels before the first after which all 1,024 cells of a warp may be decided.
const lanesSurely = 10

// Row makes the bits of a row, for each probability.
func (u *Use) Row(row ptx.B32) []ptx.B32 {
	k := u.k
	z := k.NewB64()
	k.Move64(z, u.state(row))
	cells := ladder(k, u.below, 1, lanesSurely, func() []ptx.B32 {
		return []ptx.B32{next(k, z)}
	}, func(open ptx.B32, decided ptx.Label) {
		k.BranchUnless(k.Any(k.CompareN("ne", open, 0)), decided)
	})
	bits := make([]ptx.B32, len(cells))
	for i := range cells {
		bits[i] = cells[i][0]
	}
	return bits
}

// next is the next half of a word by one of a block's generators.
func next(k *ptx.Kernel, z ptx.B64) ptx.B32 {
	low, high := k.Halves(z)
	half := k.Lop3(lut.Xor, low, high, high)
	k.Move64(z, k.MulAddWideU(low, k.Const(random.Step), k.Wide(high)))
	return half
}

// ladder makes the bits of some words. Cells of below are certainly below the probability, cells of most
// perhaps; a level leaves half of those between. leave leaves the ladder if no cell is open. That is looked
// for in every other level after the first `surely`.
func ladder(k *ptx.Kernel, probabilities []uint64, words, surely int, word func() []ptx.B32,
	leave func(open ptx.B32, decided ptx.Label),
) [][]ptx.B32 {
	type bounds struct{ below, most ptx.B32 }
	cells := make([][]bounds, len(probabilities))
	levels := 0
	for i, t := range probabilities {
		levels = max(levels, 32-bits.TrailingZeros64(t))
		for range words {
			b := bounds{k.NewB32(), k.NewB32()}
			k.Assign(b.below, 0)
			k.Assign(b.most, -1)
			cells[i] = append(cells[i], b)
		}
	}
	decided := k.NewLabel()
	// A level compares one bit of each cell's number with the same bit of the probability, the highest first:
	//
	//	bit of the probability      1       1       0       0
	//	bit of the number           0       1       0       1
	//	the cell                 is below  open    open   is not below
	//
	// Both bounds are updated by the same table. A cell is open as long as they differ.
	const maybe = 0xF4 // a or (b and not c)
	for level := range levels {
		word := word()
		for i, t := range probabilities {
			for j, b := range cells[i] {
				next := k.Lop3(maybe, b.below, b.most, word[j])
				if t>>(31-level)&1 == 1 {
					k.Move(b.below, next)
				} else {
					k.Move(b.most, next)
				}
			}
		}
		if level+1 < surely || (level-surely)%2 == 0 || level+1 == levels {
			continue
		}
		var open ptx.B32
		for i := range cells {
			for _, b := range cells[i] {
				if open == 0 {
					open = k.Lop3(lut.Xor, b.below, b.most, b.most)
				} else {
					open = k.Lop3(0xF6, open, b.below, b.most) // a or (b xor c)
				}
			}
		}
		leave(open, decided)
	}
	k.Place(decided)
	made := make([][]ptx.B32, len(cells))
	for i := range cells {
		for _, b := range cells[i] {
			made[i] = append(made[i], b.below)
		}
	}
	return made
}
