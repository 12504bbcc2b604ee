package roofline

import "golang.org/x/sys/unix"

// hugePages returns zeroed memory, in huge pages where the system has them, as universes are.
func hugePages(n int) []byte {
	b := alignedBytes(n)
	_ = unix.Madvise(b[:n&^4095], unix.MADV_HUGEPAGE) // advice only
	return b
}
