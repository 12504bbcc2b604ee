package cells

import (
	"math"

	"github.com/gosper-life/gosper/internal/ptx"
)

// writeExtent adds the kernel that finds where cells differ from a background:
//
//	base, plane, stride, rowWords, width, height, background, result
//
// background is 0 or all ones, the state of the background's cells. result is four numbers: the least column
// and row of all other cells, which the kernel lowers, and the greatest column and row, which it raises.
func writeExtent(m *ptx.Module, planes, words int) {
	k := m.Kernel("extent", ptx.Lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, rowWords, width, height := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	background, result := k.Param32(), k.Param64()
	var box [4]ptx.B32
	for i := range box {
		box[i] = k.NewB32()
		k.Assign(box[i], None[i])
	}
	eachWord(k, height, rowWords, func(row, word ptx.B32, next ptx.Label) {
		at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
		differ := live(k, at, plane, planes, 1, from(k, background))[0]
		group, j := k.ShrN(word, log2(words)), k.AndN(word, uint32(words-1))
		differ = k.And(differ, validBits(k, group, j, width, words))
		k.DivergeIf(k.CompareN("eq", differ, 0), next)
		column := k.Add(k.MulN(group, 32*words), j)
		lowest := k.Popc(k.And(k.Not(differ), k.AddN(differ, -1)))
		highest := k.Sub(k.Const(31), k.Clz(differ))
		k.Move(box[0], k.Min(box[0], k.Add(column, k.MulN(lowest, words))))
		k.Move(box[1], k.Min(box[1], row))
		k.Move(box[2], k.Max(box[2], k.Add(column, k.MulN(highest, words))))
		k.Move(box[3], k.Max(box[3], row))
	})
	k.ReturnIf(k.CompareN("lt", box[3], 0))
	k.MinAtomic(result, 0, box[0])
	k.MinAtomic(result, 4, box[1])
	k.MaxAtomic(result, 8, box[2])
	k.MaxAtomic(result, 12, box[3])
}

// writeInvert adds the kernel that inverts every cell of plane 0:
//
//	base, stride, rowWords, height
func writeInvert(m *ptx.Module) {
	k := m.Kernel("invert", ptx.Lanes, 0)
	base, stride, rowWords, height := k.Param64(), k.Param32(), k.Param32(), k.Param32()
	eachWord(k, height, rowWords, func(row, word ptx.B32, _ ptx.Label) {
		at := k.MulWide(row, stride, k.MulWideN(word, 4, base))
		k.Store(at, 0, k.Not(k.LoadChanging(at, 0, 1)[0]))
	})
}

// None is the extent of an empty universe.
var None = [4]int{math.MaxInt32, math.MaxInt32, -1, -1}
