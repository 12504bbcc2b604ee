package roofline

import "golang.org/x/sys/unix"

// hugePages returns zeroed memory. It is in huge pages if the system has them, as for universes.
func hugePages(n int) []byte {
	b := alignedBytes(n)
	_ = unix.Madvise(b[:n&^4095], unix.MADV_HUGEPAGE) // advice only
	return b
}
