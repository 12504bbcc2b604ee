package noise

import (
	"math/bits"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// Lane makes the random bits of a lane's 32 columns in the registers of another kernel, row after row. A block has 64 columns, so it makes one of the two
// generators of a block. Most of Philox's first rounds is the same in all rows, and is done once.
type Lane struct {
	k      *ptx.Kernel
	keys   [random.Rounds][2]ptx.B32
	m0, m1 ptx.B32
	upper  ptx.Pred // the columns are the upper half of a block
	last   ptx.B32  // the multiplier of the last round
	key    ptx.B32  // its key
	// The product of the block's number and the first multiplier.
	low, high ptx.B32
}

// LaneKeys are the first parameters that a kernel gives NewLane: the keys of all rounds.
func LaneKeys(seed uint64) (list []uint64) {
	for i := range uint32(random.Rounds) {
		list = append(list, uint64(uint32(seed)+i*random.Increase0), uint64(uint32(seed>>32)+i*random.Increase1))
	}
	return list
}

// LaneUses are the parameters of a generation: one for each use.
func LaneUses(chances []circuit.Chance, generation uint64) (list []uint64) {
	for _, d := range drawsOf(chances) {
		list = append(list, random.Counter(chance.Draw(d.use, chances[0].Pairs, generation), d.use))
	}
	return list
}

// InLanes reports whether lanes can make random bits: if all are frequent.
func InLanes(chances []circuit.Chance) bool {
	for i := range chances {
		if chances[i].Most <= random.Rare {
			return false
		}
	}
	return len(chances) > 0
}

// ReadKeys declares the parameters of LaneKeys.
func ReadKeys(k *ptx.Kernel) (keys [random.Rounds][2]ptx.B32) {
	for i := range keys {
		keys[i] = [2]ptx.B32{k.Param32(), k.Param32()}
	}
	return keys
}

// NewLane prepares a lane for the columns from 32·group on.
func NewLane(k *ptx.Kernel, keys [random.Rounds][2]ptx.B32, group ptx.B32) *Lane {
	l := &Lane{k: k, keys: keys, m0: k.Const(random.Multiply0), m1: k.Const(random.Multiply1)}
	l.upper = k.CompareN("ne", k.AndN(group, 1), 0)
	end := keys[random.Rounds-1]
	l.last, l.key = k.Select(l.upper, l.m0, l.m1), k.Select(l.upper, end[1], end[0])
	l.low, l.high = k.Halves(k.MulWideU(k.ShrN(group, 1), l.m0))
	return l
}

// LaneUse makes the bits of one use in one generation.
type LaneUse struct {
	*Lane
	below []uint64
	// What does not depend on the row: see words.
	first, second, third, plain, fourth ptx.B32
}

// Uses prepares a generation, whose counters are parameters as LaneUses has them.
func (l *Lane) Uses(chances []circuit.Chance, counters []ptx.B64) (uses []*LaneUse, planes [][]int) {
	for i, d := range drawsOf(chances) {
		uses, planes = append(uses, l.use(d.below, counters[i])), append(planes, d.plane)
	}
	return uses, planes
}

// CountUses is the number of uses of random bits.
func CountUses(chances []circuit.Chance) int { return len(drawsOf(chances)) }

func (l *Lane) use(below []uint64, counter ptx.B64) *LaneUse {
	k, xor := l.k, func(a, b, c ptx.B32) ptx.B32 { return l.k.Lop3(lut.Xor3, a, b, c) }
	u := &LaneUse{Lane: l, below: below}
	low, high := k.Halves(counter)
	low0, high0 := k.Halves(k.MulWideU(low, l.m1))
	u.first = k.Lop3(lut.Xor, high0, l.keys[0][0], l.keys[0][0])
	u.second = k.Lop3(lut.Xor, l.low, l.keys[1][1], l.keys[1][1])
	low1, high1 := k.Halves(k.MulWideU(xor(l.high, high, l.keys[0][1]), l.m1))
	u.third = k.Lop3(lut.Xor, low1, l.keys[2][0], l.keys[2][0])
	low2, high2 := k.Halves(k.MulWideU(xor(high1, low0, l.keys[1][0]), l.m0))
	u.plain = k.Lop3(lut.Xor, high2, l.keys[2][1], l.keys[2][1])
	u.fourth = k.Lop3(lut.Xor, low2, l.keys[3][1], l.keys[3][1])
	return u
}

// state is where the words of a row begin.
func (u *LaneUse) state(row ptx.B32) ptx.B64 {
	k := u.k
	xor := func(a, b ptx.B32) ptx.B32 { return k.Lop3(lut.Xor, a, b, b) }
	a := xor(u.first, row)
	d, c := k.Halves(k.MulWideU(a, u.m0)) // of the second round
	c = xor(c, u.second)
	b, a := k.Halves(k.MulWideU(c, u.m1)) // of the third
	a, c = xor(a, u.third), xor(d, u.plain)
	low0, high0 := k.Halves(k.MulWideU(a, u.m0))
	low1, high1 := k.Halves(k.MulWideU(c, u.m1))
	a, b, c, d = k.Lop3(lut.Xor3, high1, b, u.keys[3][0]), low1, xor(high0, u.fourth), low0
	for i := 4; i < random.Rounds-1; i++ {
		low0, high0 = k.Halves(k.MulWideU(a, u.m0))
		low1, high1 = k.Halves(k.MulWideU(c, u.m1))
		a, b, c, d = k.Lop3(lut.Xor3, high1, b, u.keys[i][0]), low1, k.Lop3(lut.Xor3, high0, d, u.keys[i][1]), low0
	}
	low0, high0 = k.Halves(k.MulWideU(k.Select(u.upper, a, c), u.last))
	return k.Pair(k.Lop3(lut.Xor3, high0, k.Select(u.upper, d, b), u.key), low0)
}

// lanesSurely is the number of levels before the first after which all 1,024 cells of a warp may be decided.
const lanesSurely = 10

// Row makes the bits of a row, for each probability.
func (u *LaneUse) Row(row ptx.B32) []ptx.B32 {
	k := u.k
	z := k.NewB64()
	k.Move64(z, u.state(row))
	step := k.Const(random.Step)
	cells := ladder(k, u.below, 1, lanesSurely, func() []ptx.B32 {
		low, high := k.Halves(z)
		w := k.Lop3(lut.Xor, low, high, high)
		k.Move64(z, k.MulAddWideU(low, step, k.Wide(high)))
		return []ptx.B32{w}
	}, func(open ptx.B32, decided ptx.Label) {
		k.BranchUnless(k.Any(k.CompareN("ne", open, 0)), decided)
	})
	bits := make([]ptx.B32, len(cells))
	for i := range cells {
		bits[i] = cells[i][0]
	}
	return bits
}

// ladder makes the bits of some words. Cells of below are certainly below the probability, cells of most perhaps; a level leaves half of those between.
// leave leaves the ladder where no cell is open. That is looked for in every other level after the first `surely`.
func ladder(k *ptx.Kernel, probabilities []uint64, words, surely int, word func() []ptx.B32, leave func(open ptx.B32, decided ptx.Label)) [][]ptx.B32 {
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
