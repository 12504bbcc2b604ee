package cells

import (
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
)

// bitOf finds a column, 0 or more: the offset of its word from group 0, in words, and its bit.
func bitOf(k *ptx.Kernel, x ptx.B32, words int) (word, bit ptx.B32) {
	shift := log2(words)
	group := k.ShrN(x, 5+shift)
	word = k.Add(k.ShlN(group, shift), k.AndN(x, uint32(words-1)))
	return word, k.AndN(k.ShrN(x, shift), 31)
}

// validBits returns the bits of word j of a group whose columns are below width.
func validBits(k *ptx.Kernel, group, j, width ptx.B32, words int) ptx.B32 {
	left := k.Sub(k.Sub(width, k.MulN(group, 32*words)), j)
	n := k.Max(k.Const(0), k.MinN(k.SarN(k.AddN(left, words-1), log2(words)), 32))
	return k.Not(k.Shl(k.Const(-1), n))
}

// universe is the address of the first row of one of several universes that follow each other, with the given number of
// rows each: the one whose number is the block's in the grid's second direction.
func universe(k *ptx.Kernel, base ptx.B64, stride, height ptx.B32) ptx.B64 {
	return k.MulWide(k.Mul(k.Special("ctaid.y"), height), stride, base)
}

// eachWord writes code that runs body for every word of the rows below height: a block takes every gridX-th
// row, a lane every 32nd word of it. Jumping to next ends body.
func eachWord(k *ptx.Kernel, height, rowWords ptx.B32, body func(row, word ptx.B32, next ptx.Label)) {
	lane := k.Special("tid.x")
	row := k.NewB32()
	k.Move(row, k.Special("ctaid.x"))
	blocks := k.Special("nctaid.x")
	nextRow, endOfRows := k.NewLabel(), k.NewLabel()
	k.Place(nextRow)
	k.BranchUnless(k.Compare("lt", row, height), endOfRows)
	word := k.NewB32()
	k.Move(word, lane)
	nextWord, endOfWord, endOfRow := k.NewLabel(), k.NewLabel(), k.NewLabel()
	k.Place(nextWord)
	k.DivergeIf(k.Compare("ge", word, rowWords), endOfRow)
	body(row, word, endOfWord)
	k.Place(endOfWord)
	k.Increase(word, ptx.Lanes)
	k.Branch(nextWord)
	k.Place(endOfRow)
	k.Move(row, k.Add(row, blocks))
	k.Branch(nextRow)
	k.Place(endOfRows)
}

// live returns which cells of some words at an address are not in state 0. first exchanges plane 0 with a live
// background. The other planes belong to states that no background has.
func live(k *ptx.Kernel, at, plane ptx.B64, planes, words int, first func(v ptx.B32) ptx.B32) []ptx.B32 {
	found := k.Load(at, 0, words)
	for j, v := range found {
		found[j] = first(v)
	}
	for p := 1; p < planes; p++ {
		at = k.Add64(at, plane)
		for j, v := range k.Load(at, 0, words) {
			found[j] = k.Or(found[j], v)
		}
	}
	return found
}

// from returns a function that exchanges the states of plane 0 if the background is ones.
func from(k *ptx.Kernel, background ptx.B32) func(v ptx.B32) ptx.B32 {
	return func(v ptx.B32) ptx.B32 { return k.Lop3(lut.Xor, v, background, v) }
}

// writePopulation adds the kernel that counts the cells not in state 0 of several universes that follow each other (see
// universe):
//
//	base, plane, stride, rowWords, width, height, results
//
// The results have 64 bits each.
func writePopulation(m *ptx.Module, planes, words int) {
	k := m.Kernel("population", ptx.Lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, rowWords, width, height := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	results := k.Param64()
	base = universe(k, base, stride, height)
	total := k.NewB64()
	k.Assign64(total, 0)
	eachWord(k, height, rowWords, func(row, word ptx.B32, _ ptx.Label) {
		at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
		found := live(k, at, plane, planes, 1, func(v ptx.B32) ptx.B32 { return v })
		valid := validBits(k, k.ShrN(word, log2(words)), k.AndN(word, uint32(words-1)), width, words)
		k.Increase64(total, k.Wide(k.Popc(k.And(found[0], valid))))
	})
	k.AddAtomic(k.MulWideN(k.Special("ctaid.y"), 8, results), total)
}

// SoupCells returns what the cells of a soup are made of (see package soup): alive says whether the cell of
// index i lives, given seed + (i+1)·golden.
func SoupCells(k *ptx.Kernel, threshold ptx.B64) (golden ptx.B64, alive func(z ptx.B64) ptx.Pred) {
	golden = k.Const64(0x9E3779B97F4A7C15)
	first, second := k.Const64(0xBF58476D1CE4E5B9), k.Const64(0x94D049BB133111EB)
	return golden, func(z ptx.B64) ptx.Pred {
		v := k.Mul64(k.Xor64(z, k.Shr64N(z, 30)), first)
		v = k.Mul64(k.Xor64(v, k.Shr64N(v, 27)), second)
		v = k.Xor64(v, k.Shr64N(v, 31))
		return k.Below64(k.Shr64N(v, 11), threshold)
	}
}

// writeSoup adds the kernel that fills several universes that follow each other (see universe) with soups (see package
// soup) and clears the planes above the first:
//
//	base, plane, stride, rowWords, width, height, starts, firstIndex, copies
//
// starts has the seed and the threshold of each soup, firstIndex is the index of the cell (0, 0). Each word is
// multiplied by copies, which is 1 unless a word repeats the cells of a row.
func writeSoup(m *ptx.Module, planes, words int) {
	k := m.Kernel("soup", ptx.Lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, rowWords, width, height := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	starts, firstIndex, copies := k.Param64(), k.Param64(), k.Param32()
	base = universe(k, base, stride, height)
	start := k.MulWideN(k.Special("ctaid.y"), 16, starts)
	seed := k.Load64(start, 0)
	golden, alive := SoupCells(k, k.Load64(start, 8))
	eachWord(k, height, rowWords, func(row, word ptx.B32, _ ptx.Label) {
		group, j := k.ShrN(word, log2(words)), k.AndN(word, uint32(words-1))
		column := k.Add(k.MulN(group, 32*words), j)
		index := k.Add64(firstIndex, k.Add64(k.Mul64(k.Wide(row), k.Wide(width)), k.Wide(column)))
		z, step := k.NewB64(), k.NewB64()
		k.Move64(z, k.Add64(seed, k.Mul64(k.Add64N(index, 1), golden)))
		k.Move64(step, k.Mul64(golden, k.Const64(uint64(words))))
		cells, bit := k.NewB32(), k.NewB32()
		k.Assign(cells, 0)
		k.Assign(bit, 1)
		nextBit := k.NewLabel()
		k.Place(nextBit)
		k.Move(cells, k.Select(alive(z), k.Or(cells, bit), cells))
		k.Increase64(z, step)
		k.Move(bit, k.ShlN(bit, 1))
		k.DivergeIf(k.CompareN("ne", bit, 0), nextBit)

		at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
		k.Store(at, 0, k.Mul(k.And(cells, validBits(k, group, j, width, words)), copies))
		for p := 1; p < planes; p++ {
			at = k.Add64(at, plane)
			k.Store(at, 0, k.Const(0))
		}
	})
}
