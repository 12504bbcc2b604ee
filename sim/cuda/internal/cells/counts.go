package cells

import (
	"github.com/gosper-life/gosper/internal/ptx"
)

// Densities are counted in blocks of 2^scale × 2^scale cells, by one of two kernels. If a block is narrower
// than a group of the layout, a thread counts a block. Else a thread counts some rows of a group. Both take
//
//	base, plane, stride, width, height, background, scale, left, top, perRow, counts, first, n, parts, threads
//
// left and top are where the first block begins, perRow is the number of blocks side by side, counts are the 64-bit
// numbers to add to. A row of blocks has n threads. There is one thread for each block, or for each group from
// `first` on, times the number of parts.
type densityKernel struct {
	k                     *ptx.Kernel
	planes, words         int
	base, plane, counts   ptx.B64
	stride, width, height ptx.B32
	background, scale     ptx.B32
	left, top, perRow     ptx.B32
	first, n, parts       ptx.B32
	id                    ptx.B32 // of the thread
}

// newDensityKernel declares the parameters that both kernels have, and ends threads without work.
func newDensityKernel(m *ptx.Module, name string, planes, words int) *densityKernel {
	k := m.Kernel(name, ptx.Lanes, 0)
	d := &densityKernel{k: k, planes: planes, words: words}
	d.base, d.plane = k.Param64(), k.Param64()
	d.stride, d.width, d.height, d.background = k.Param32(), k.Param32(), k.Param32(), k.Param32()
	d.scale, d.left, d.top, d.perRow = k.Param32(), k.Param32(), k.Param32(), k.Param32()
	d.counts = k.Param64()
	d.first, d.n, d.parts = k.Param32(), k.Param32(), k.Param32()
	threads := k.Param32()
	d.id = k.Add(k.ShlN(k.Special("ctaid.x"), log2(ptx.Lanes)), k.Special("tid.x"))
	k.ReturnIf(k.Compare("ge", d.id, threads))
	return d
}

// count adds the cells of a group's words, under masks, in rows y to end-1, to the count of a pixel.
func (d *densityKernel) count(group, y, end ptx.B32, masks []ptx.B32, pixel ptx.B32) {
	k := d.k
	for j := range masks {
		masks[j] = k.And(masks[j], validBits(k, group, k.Const(j), d.width, d.words))
	}
	row, total := k.NewB32(), k.NewB32()
	k.Move(row, k.Max(y, k.Const(0)))
	k.Assign(total, 0)
	last := k.Min(end, d.height)
	next, done := k.NewLabel(), k.NewLabel()
	k.Place(next)
	k.DivergeIf(k.Compare("ge", row, last), done)
	at := k.MulWide(row, d.stride, k.MulWideN(group, 4*d.words, d.base))
	for j, v := range live(k, at, d.plane, d.planes, d.words, from(k, d.background)) {
		k.Move(total, k.Add(total, k.Popc(k.And(v, masks[j]))))
	}
	k.Increase(row, 1)
	k.Branch(next)
	k.Place(done)
	k.ReturnIf(k.CompareN("eq", total, 0))
	k.AddAtomic(k.MulWideN(pixel, 8, d.counts), k.Wide(total))
}

// writeBlockCounts adds the kernel for blocks within groups.
func writeBlockCounts(m *ptx.Module, planes, words int) {
	d := newDensityKernel(m, "blocks", planes, words)
	k, shift := d.k, log2(words)
	py := k.DivU(d.id, d.n)
	px := k.Sub(d.id, k.Mul(py, d.n))
	side := k.Shl(k.Const(1), d.scale)
	column := k.MulAdd(px, side, d.left)
	group := k.SarN(column, 5+shift)
	within := k.AndN(column, uint32(32*words-1))
	// Of word j the bits from ⌈(within-j)/words⌉ to ⌈(within+side-j)/words⌉ - 1 are columns of the block.
	below := func(column ptx.B32, j int) ptx.B32 {
		return k.Not(k.Shl(k.Const(-1), k.SarN(k.AddN(column, words-1-j), shift)))
	}
	masks := make([]ptx.B32, words)
	for j := range masks {
		masks[j] = k.And(below(k.Add(within, side), j), k.Not(below(within, j)))
	}
	y := k.MulAdd(py, side, d.top)
	d.count(group, y, k.Add(y, side), masks, k.MulAdd(py, d.perRow, px))
}

// writeGroupCounts adds the kernel for groups within blocks.
func writeGroupCounts(m *ptx.Module, planes, words int) {
	d := newDensityKernel(m, "groups", planes, words)
	k := d.k
	part := k.DivU(d.id, d.n)
	group := k.Add(d.first, k.Sub(d.id, k.Mul(part, d.n)))
	py := k.DivU(part, d.parts)
	side := k.Shl(k.Const(1), d.scale)
	rows := k.DivU(side, d.parts)
	y := k.Add(k.MulAdd(py, side, d.top), k.Mul(k.Sub(part, k.Mul(py, d.parts)), rows))
	px := k.Shr(k.Sub(k.MulN(group, 32*words), d.left), d.scale)
	masks := make([]ptx.B32, words)
	for j := range masks {
		masks[j] = k.Const(-1)
	}
	d.count(group, y, k.Add(y, rows), masks, k.MulAdd(py, d.perRow, px))
}
