package cells

import (
	"github.com/gosper-life/gosper/internal/ptx"
)

// The host sees rows as package grid has them, columns in order. Two kernels translate between such plain rows,
// in a buffer on the device, and the words of groups:
//
//	                    columns of one group of 4 words
//	plain words         0 … 31 │ 32 … 63 │ 64 … 95 │ 96 … 127
//	words of the group  0, 4, 8, … │ 1, 5, 9, … │ 2, 6, 10, … │ 3, 7, 11, …
//
// Both take a thread for each group of each row, planes in the grid's second direction, and the parameters
//
//	base, plane, stride, firstRow, firstGroup, rows, groups, width, plain, plainPlane, plainStride

// plainParams are the parameters of both kernels.
type plainParams struct {
	group, plain ptx.B64 // where the thread's words are
	column       ptx.B32 // the first of the group
	width        ptx.B32
}

// newPlainParams declares the parameters, and finds the group of a thread: threads go along a row,
// then down the rows.
func newPlainParams(k *ptx.Kernel, words int) plainParams {
	base, plane := k.Param64(), k.Param64()
	stride, firstRow, firstGroup := k.Param32(), k.Param32(), k.Param32()
	rows, groups, width := k.Param32(), k.Param32(), k.Param32()
	plain, plainPlane, plainStride := k.Param64(), k.Param64(), k.Param32()
	thread := k.Add(k.ShlN(k.Special("ctaid.x"), log2(ptx.Lanes)), k.Special("tid.x"))
	row := k.DivU(thread, groups)
	k.ReturnIf(k.Compare("ge", row, rows))
	group := k.Sub(thread, k.Mul(row, groups))
	number := k.Wide(k.Special("ctaid.y"))
	p := plainParams{column: k.MulN(k.Add(group, firstGroup), 32*words), width: width}
	p.plain = k.MulWideN(group, 4*words, k.MulWide(row, plainStride, k.Add64(plain, k.Mul64(number, plainPlane))))
	at := k.MulWide(k.Add(row, firstRow), stride, k.Add64(base, k.Mul64(number, plane)))
	p.group = k.MulWideN(k.Add(group, firstGroup), 4*words, at)
	return p
}

// writeUnpack adds the kernel that makes plain rows; columns from width on become zero.
func writeUnpack(m *ptx.Module, words int) {
	k := m.Kernel("unpack", ptx.Lanes, 0)
	p := newPlainParams(k, words)
	k.Store(p.plain, 0, plainWords(k, p.group, p.column, p.width, words)...)
}

// plainWords are the words of the group at an address, with columns in order; those from width on become zero.
func plainWords(k *ptx.Kernel, at ptx.B64, column, width ptx.B32, words int) []ptx.B32 {
	out := unpacked(k, k.Load(at, 0, words))
	for i := range out {
		left := k.AddN(k.Sub(width, column), -32*i)
		n := k.Max(k.Const(0), k.MinN(left, 32))
		out[i] = k.And(out[i], k.Not(k.Shl(k.Const(-1), n)))
	}
	return out
}

// writeJoin adds the kernel that writes the bytes of rows one after the other, in the form that grid.StateHash
// hashes. A row can have any number of bytes:
//
//	base, stride, rows, groups, width, rowBytes, skip, end, joined
//
// base is the place where the first row begins. The first bytes of that row are skipped. Only the bytes of the last
// row before end are written. joined is where the first row's first byte would be. There is a thread for each group
// of each row: no byte belongs to two of them.
func writeJoin(m *ptx.Module, words int) {
	k := m.Kernel(string(Join), ptx.Lanes, 0)
	base, stride := k.Param64(), k.Param32()
	rows, groups, width := k.Param32(), k.Param32(), k.Param32()
	rowBytes, skip, end, joined := k.Param32(), k.Param32(), k.Param32(), k.Param64()
	thread := k.Add(k.ShlN(k.Special("ctaid.x"), log2(ptx.Lanes)), k.Special("tid.x"))
	row := k.DivU(thread, groups)
	k.ReturnIf(k.Compare("ge", row, rows))
	group := k.Sub(thread, k.Mul(row, groups))
	out := plainWords(k, k.MulWideN(group, 4*words, k.MulWide(row, stride, base)), k.MulN(group, 32*words), width, words)

	from := k.Select(k.CompareN("eq", row, 0), skip, k.Const(0))
	n := k.Sub(k.Select(k.Compare("eq", k.AddN(row, 1), rows), end, rowBytes), from)
	first := k.Sub(k.MulN(group, 4*words), from) // byte of the row's
	to := k.MulWideN(group, 4*words, k.MulWide(row, rowBytes, joined))
	for i, v := range out {
		for j := range 4 {
			at := 4*i + j
			k.StoreByteIf(k.Below(k.AddN(first, at), n), to, at, k.ShrN(v, 8*j))
		}
	}
}

// unpacked are the words of a group with columns in order.
func unpacked(k *ptx.Kernel, in []ptx.B32) []ptx.B32 {
	words := len(in)
	out := make([]ptx.B32, words)
	for i := range out {
		for j, v := range in {
			part := k.ShlN(spread(k, k.ShrN(v, i*32/words), words), j)
			if j == 0 {
				out[i] = part
			} else {
				out[i] = k.Or(out[i], part)
			}
		}
	}
	return out
}

// writePack adds the kernel that takes plain rows.
func writePack(m *ptx.Module, words int) {
	k := m.Kernel("pack", ptx.Lanes, 0)
	p := newPlainParams(k, words)
	in, out := k.Load(p.plain, 0, words), make([]ptx.B32, words)
	for j := range out {
		for i, v := range in {
			part := k.ShlN(gather(k, k.ShrN(v, j), words), i*32/words)
			if i == 0 {
				out[j] = part
			} else {
				out[j] = k.Or(out[j], part)
			}
		}
	}
	k.Store(p.group, 0, out...)
}

// masks[i] has runs of 2^i ones and as many zeros.
var masks = [...]uint32{0x55555555, 0x33333333, 0x0F0F0F0F, 0x00FF00FF, 0x0000FFFF}

// spread moves bit i of v to bit n·i, n = 1, 2 or 4. Bits that would move out of the word are lost.
func spread(k *ptx.Kernel, v ptx.B32, n int) ptx.B32 {
	for ; n > 1; n /= 2 {
		v = k.AndN(v, masks[4])
		for i := 3; i >= 0; i-- {
			v = k.AndN(k.Or(v, k.ShlN(v, 1<<i)), masks[i])
		}
	}
	return v
}

// gather collects bits 0, n, 2n, … of v, n = 1, 2 or 4.
func gather(k *ptx.Kernel, v ptx.B32, n int) ptx.B32 {
	for ; n > 1; n /= 2 {
		v = k.AndN(v, masks[0])
		for i := range 4 {
			v = k.AndN(k.Or(v, k.ShrN(v, 1<<i)), masks[i+1])
		}
	}
	return v
}
