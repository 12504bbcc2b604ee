package multispin

import (
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
)

// writeSoup adds the kernel that fills every universe with a soup of its own (see package soup):
//
//	cells, starts
//
// starts has the seed and the threshold of each universe.
func writeSoup(m *ptx.Module, s shape) {
	k := m.Kernel("soup", ptx.Lanes, 0)
	base, starts := k.Param64(), k.Param64()
	block, lane := k.Special("ctaid.x"), k.Special("tid.x")
	home := s.universe(k, base, block)
	start := k.MulWideN(block, 16, starts)
	seed, threshold := k.Load64(start, 0), k.Load64(start, 8)
	golden, alive := cells.SoupCells(k, threshold)
	each(k, lane, ptx.Lanes, s.perUniverse(), func(i ptx.B32) {
		y, j := s.place(k, i)
		column := k.ShlN(j, 5)
		index := k.Add(k.MulN(y, s.w), column)
		z := k.NewB64()
		k.Move64(z, k.Add64(seed, k.Mul64(k.Wide(k.AddN(index, 1)), golden)))
		row, bit, left := k.NewB32(), k.NewB32(), k.NewB32()
		k.Assign(row, 0)
		k.Assign(bit, 1)
		k.Move(left, k.MinN(k.Sub(k.Const(s.w), column), 32)) // columns to come
		next := k.NewLabel()
		k.Place(next)
		k.Move(row, k.Select(alive(z), k.Or(row, bit), row))
		k.Increase64(z, golden)
		k.Move(bit, k.ShlN(bit, 1))
		k.Increase(left, -1)
		k.DivergeIf(k.CompareN("gt", left, 0), next)
		k.Store(k.MulWideN(i, 4, home), 0, row)
	})
}

// writePopulation adds the kernel that counts the live cells of every universe:
//
//	cells, populations
func writePopulation(m *ptx.Module, s shape) {
	k := m.Kernel("population", ptx.Lanes, 0)
	base, populations := k.Param64(), k.Param64()
	block, lane := k.Special("ctaid.x"), k.Special("tid.x")
	home := s.universe(k, base, block)
	total := k.NewB32()
	k.Assign(total, 0)
	each(k, lane, ptx.Lanes, s.perUniverse(), func(i ptx.B32) {
		k.Move(total, k.Add(total, k.Popc(k.Load(k.MulWideN(i, 4, home), 0, 1)[0])))
	})
	k.StoreIf(k.CompareN("eq", lane, 0), k.MulWideN(block, 4, populations), 0, k.SumLanes(total))
}
