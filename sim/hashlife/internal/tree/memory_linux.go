package tree

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// huge asks for memory in huge pages where the system has them: looks all over a large table then cost few address translations. It is
// advice only.
func huge(memory unsafe.Pointer, bytes uintptr) {
	const page = 2 << 20
	skip := -uintptr(memory) % page
	if bytes < skip+page {
		return
	}
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Add(memory, skip)), (bytes-skip)&^(page-1)), unix.MADV_HUGEPAGE)
}
