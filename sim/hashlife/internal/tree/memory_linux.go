//go:build !race

package tree

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resized is a list with room for n values: those it had stay, others are zero, and memory is taken as it is written to. The old list is gone, and
// nobody else frees the new one. Memory of the system grows where it is, or is moved page by page.
func resized[T any](list []T, n int) ([]T, error) {
	var one T
	size := int(unsafe.Sizeof(one))
	var old, memory []byte
	if len(list) > 0 {
		old = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*size)
	}
	var err error
	switch {
	case n == 0 && old == nil:
		return nil, nil
	case n == 0:
		return nil, unix.Munmap(old)
	case old == nil:
		memory, err = unix.Mmap(-1, 0, n*size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	default:
		memory, err = unix.Mremap(old, n*size, unix.MREMAP_MAYMOVE)
	}
	if err != nil {
		return list, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), nil
}

// huge asks for memory in huge pages where the system has them: looks all over a large table then cost few address translations. It is
// advice only, for all of a list: parts that differ would not grow as one.
func huge[T any](list []T) {
	const page = 2 << 20
	var one T
	if bytes := len(list) * int(unsafe.Sizeof(one)); bytes >= page {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes), unix.MADV_HUGEPAGE)
	}
}
