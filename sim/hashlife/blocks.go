package hashlife

import "github.com/gosper-life/gosper/rule"

// blocks is a rule as a table of 4×4 cells: what the 2×2 in their middle are one generation later. The index has column after column,
// the entry the two columns of results four bits apart, so that both fit a row of columns of four bits:
//
//	0  4   8 12
//	1 [0] [4] 13     [n]: the cell that bit n of the entry is the next state of
//	2 [1] [5] 14
//	3  7  11 15
type blocks [1 << 16]uint8

func newBlocks(table *rule.Table) *blocks {
	b := new(blocks)
	for cells := range b {
		for i := range 4 {
			x, y := i>>1, i&1
			block := 0
			for j := range 9 {
				block = block<<1 | cells>>((x+j%3)*4+y+j/3)&1
			}
			b[cells] |= uint8(table.At(block)) << (4*x + y)
		}
	}
	return b
}

// columns are the bits of rows of 16 cells that stand for a cell each, so that four rows side by side are columns of four bits.
const columns = 0x1111111111111111

// spread is a row of 8 cells with a cell in every fourth bit.
var spread = func() (s [256]uint64) {
	for row := range s {
		for x := range 8 {
			s[row] |= uint64(row>>x&1) << (4 * x)
		}
	}
	return s
}()

// packed undoes spread, for 8 cells.
func packed(row uint64) uint64 {
	row &= columns >> 32
	row = (row | row>>3) & 0x03030303
	row = (row | row>>6) & 0x000f000f
	return (row | row>>12) & 0xff
}

// advance is the 8×8 cells in the middle of four leaves, up to four generations later. Each generation the outermost cells are lost.
func (b *blocks) advance(nw, ne, sw, se uint64, generations int) (cells uint64) {
	var rows [16]uint64
	for y := range 8 {
		rows[y] = spread[nw>>(8*y)&0xff] | spread[ne>>(8*y)&0xff]<<32
		rows[y+8] = spread[sw>>(8*y)&0xff] | spread[se>>(8*y)&0xff]<<32
	}
	for lost := range generations {
		four := rows[lost] | rows[lost+1]<<1
		for y := lost; y < 14-lost; y += 2 {
			next := rows[y+2] | rows[y+3]<<1
			four |= next << 2
			var two uint64
			if four != 0 { // most of a universe is empty, and stays so
				for x := 4 * lost; x < 4*(14-lost); x += 8 {
					two |= uint64(b[four>>x&0xffff]) << (x + 4)
				}
			}
			rows[y+1], rows[y+2] = two&columns, two>>1&columns
			four = next
		}
	}
	for y := range 8 {
		cells |= packed(rows[y+4]>>16) << (8 * y)
	}
	return cells
}
