package grid

import "math/bits"

// CopyBits copies n bits of src, from bit s on, to dst, from bit d on. Other bits of dst stay. Bit b of a row
// is bit b&63 of word b>>6. Only the words that contain those bits are accessed. A whole word of dst needs two
// words of src:
//
//	src   … │ 63 ········ s&63 ·· 0 │ 63 ········· 0 │ …
//	          └──── low part ──┘           └─ high part ─┘
//	dst         63 ─ high part ─┬─ low part ──── 0
func CopyBits(dst []uint64, d int, src []uint64, s, n int) {
	if n <= 0 {
		return
	}
	if d&63 != 0 {
		head := min(n, 64-d&63)
		mergeBits(&dst[d>>6], d&63, loadBits(src, s, head), head)
		d, s, n = d+head, s+head, n-head
	}
	whole := n >> 6
	if whole > 0 {
		to, from := dst[d>>6:][:whole], src[s>>6:]
		if shift := uint(s) & 63; shift == 0 {
			copy(to, from)
		} else {
			low, from := from[0], from[1:][:whole]
			for i, high := range from {
				to[i] = low>>shift | high<<(64-shift)
				low = high
			}
		}
	}
	if tail := n & 63; tail > 0 {
		mergeBits(&dst[d>>6+whole], 0, loadBits(src, s+whole<<6, tail), tail)
	}
}

// loadBits returns the n ≤ 64 bits of src from bit s on, in the low bits of a word.
func loadBits(src []uint64, s, n int) uint64 {
	shift := uint(s) & 63
	word := src[s>>6] >> shift
	if int(shift)+n > 64 {
		word |= src[s>>6+1] << (64 - shift)
	}
	return word & lowBits(n)
}

// mergeBits stores the n low bits of value, whose other bits are zero, into word from bit d on; d+n ≤ 64.
func mergeBits(word *uint64, d int, value uint64, n int) {
	*word = *word&^(lowBits(n)<<d) | value<<d
}

// lowBits is a word whose n low bits are one, 1 ≤ n ≤ 64.
func lowBits(n int) uint64 { return ^uint64(0) >> (64 - uint(n)) }

// BitSpan returns the index of the first set bit of a row, and the index after the last set bit. It returns 0, 0 if
// no bit is set.
func BitSpan(words []uint64) (first, end int) {
	last := len(words) - 1
	for last >= 0 && words[last] == 0 {
		last--
	}
	if last < 0 {
		return 0, 0
	}
	w := 0
	for words[w] == 0 {
		w++
	}
	return w<<6 + bits.TrailingZeros64(words[w]), last<<6 + bits.Len64(words[last])
}
