package cells

import "github.com/gosper-life/gosper/internal/ptx"

// stateRuns is the number of runs of 32 columns that a warp of the kernel States takes.
const stateRuns = 8

// StateBlocks is the number of blocks that the kernel States needs for each row of some columns.
func StateBlocks(columns int) int {
	return (columns + stateRuns*ptx.Lanes - 1) / (stateRuns * ptx.Lanes)
}

// writeStates adds the kernel that makes a byte of each cell of some rows, its state. The bytes follow each other, row
// after row:
//
//	base, plane, stride, first, columns, blocks, flip, states
//
// base is the place where the first row begins, first the first of the columns, and blocks the result of StateBlocks.
// The bits of flip are inverted in every state. Each warp stores the bytes of 32 columns together.
func writeStates(m *ptx.Module, planes, words int) {
	k := m.Kernel(string(States), ptx.Lanes, 0)
	base, plane := k.Param64(), k.Param64()
	stride, first, columns, blocks := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	flip, states := k.Param32(), k.Param64()
	block := k.Special("ctaid.x")
	row := k.DivU(block, blocks)
	begin := k.Add(k.MulN(k.Sub(block, k.Mul(row, blocks)), stateRuns*ptx.Lanes), k.Special("tid.x"))
	from := k.Add64(base, k.MulWideU(row, stride))
	to := k.Add64(k.Add64(states, k.MulWideU(row, columns)), k.Wide(begin))
	last := k.AddN(columns, -1)
	for run := range stateRuns {
		column := k.AddN(begin, run*ptx.Lanes)
		inside := k.Compare("le", column, last)
		column = k.Add(k.Min(column, last), first)
		group := k.ShrN(column, log2(32*words))
		bit := k.AndN(k.ShrN(column, log2(words)), 31)
		at := k.MulWideN(k.Add(k.MulN(group, words), k.AndN(column, uint32(words-1))), 4, from)
		state := flip
		for p := range planes {
			if p > 0 {
				at = k.Add64(at, plane)
			}
			v := k.ShlN(k.AndN(k.Shr(k.Load(at, 0, 1)[0], bit), 1), p)
			const xor = 0b00111100
			state = k.Lop3(xor, state, v, v)
		}
		k.StoreByteIf(inside, to, run*ptx.Lanes, state)
	}
}
