package layout

import "unsafe"

// Load returns n ≤ 64 bits of a packed row from bit x on.
func Load(cells []uint64, x, n int) uint64 {
	w, s := x>>6, uint(x&63)
	v := cells[w] >> s
	if s != 0 && int(s)+n > 64 {
		v |= cells[w+1] << (64 - s)
	}
	return v & (^uint64(0) >> (64 - n))
}

// Store ORs the low n ≤ 64 bits of v into a packed row from bit x on.
func Store(cells []uint64, x int, v uint64, n int) {
	v &= ^uint64(0) >> (64 - n)
	w, s := x>>6, uint(x&63)
	cells[w] |= v << s
	if int(s)+n > 64 {
		cells[w+1] |= v >> (64 - s)
	}
}

// Replace stores the low n ≤ 64 bits of v in a packed row from bit x on.
func Replace(cells []uint64, x int, v uint64, n int) {
	Store(cells, x, v, n)
	if zeros := ^v & (^uint64(0) >> (64 - n)); zeros != 0 {
		w, s := x>>6, uint(x&63)
		cells[w] &^= zeros << s
		if int(s)+n > 64 {
			cells[w+1] &^= zeros >> (64 - s)
		}
	}
}

// exchange is transpose on any machine (Hacker's Delight, section 7-3: blocks of 32, 16, … 1).
func exchange(a *[64]uint64) {
	mask := uint64(0x00000000FFFFFFFF)
	for j := 32; j != 0; j >>= 1 {
		for k := 0; k < 64; k = (k + j + 1) &^ j {
			t := (a[k]>>j ^ a[k+j]) & mask
			a[k+j] ^= t
			a[k] ^= t << j
		}
		mask ^= mask << (j >> 1)
	}
}

// AlignedWords returns n zeroed words that start on a 64-byte boundary.
func AlignedWords(n int) []uint64 {
	words := make([]uint64, n+7)
	skip := -int(uintptr(unsafe.Pointer(&words[0]))>>3) & 7
	return words[skip : skip+n : skip+n]
}
