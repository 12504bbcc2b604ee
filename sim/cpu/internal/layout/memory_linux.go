package layout

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

const hugePage = 2 << 20

// LargeWords returns n zeroed words for a universe, in huge pages if the system has them. Rows of many
// megabytes then need few address translations.
func LargeWords(n int) []uint64 {
	if n*8 < hugePage {
		return AlignedWords(n)
	}
	words := make([]uint64, n+hugePage/8)
	skip := int(-uintptr(unsafe.Pointer(&words[0]))%hugePage) / 8
	words = words[skip : skip+n : skip+n]
	if bytes := n * 8 &^ (hugePage - 1); bytes > 0 {
		// This is only advice. Without huge pages everything works, but more slowly.
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), bytes), unix.MADV_HUGEPAGE)
	}
	return words
}
