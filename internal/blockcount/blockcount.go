// Package blockcount adds up the bits of rows by blocks of columns.
package blockcount

import "math/bits"

// Add adds the set bits of a row to the counts of blocks of 2^scale columns. first is the column of the row's
// lowest bit, counted from the left edge of the first block: a multiple of 2^scale or of 64, at least 0. Each
// bit counts weight times. A count stops at the largest number. It reports whether there were any bits.
func Add[T uint32 | uint64](counts []T, row []uint64, first, scale int, weight T) (found bool) {
	for i, v := range row {
		if v == 0 {
			continue
		}
		found = true
		at := (first + 64*i) >> scale
		if scale >= 6 {
			add(&counts[at], weight*T(bits.OnesCount64(v)))
			continue
		}
		width, mask := uint(1)<<scale, uint64(1)<<(1<<scale)-1
		v = lanes(v, scale)
		for k, blocks := 0, counts[at:]; v != 0 && k < len(blocks); k++ {
			add(&blocks[k], weight*T(v&mask))
			v >>= width & 63
		}
	}
	return found
}

// add is an addition that stops at the largest number. A block that is this full looks full anyway.
func add[T uint32 | uint64](count *T, n T) {
	if *count += n; *count < n {
		*count = ^T(0)
	}
}

// lanes divides v into lanes of 2^k bits, k from 0 to 5. Each lane of the result has the number of bits set there.
// Lanes are added two by two:
//
//	v          h  g  f  e  d  c  b  a
//	2 bits     h + g f + e d + c b + a     2h + g - h = h + g: one subtraction for all lanes
//	4 bits     h + g + f + e   d + c + b + a
func lanes(v uint64, k int) uint64 {
	if k > 0 {
		v -= v >> 1 & 0x5555555555555555
	}
	if k > 1 {
		v = v&0x3333333333333333 + v>>2&0x3333333333333333
	}
	if k > 2 {
		v = (v + v>>4) & 0x0F0F0F0F0F0F0F0F
	}
	if k > 3 {
		v = (v + v>>8) & 0x00FF00FF00FF00FF
	}
	if k > 4 {
		v = (v + v>>16) & 0x0000FFFF0000FFFF
	}
	return v
}
