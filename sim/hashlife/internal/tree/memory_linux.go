//go:build !race

package tree

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resized returns a list with room for n values. It keeps the old values, and new ones are zero. The system provides memory when it is first written.
// The old list must not be used afterwards, and release must free the new one. The system grows memory in place, or moves it page by page without
// copying.
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

// huge asks for huge pages if the system has them, so that random reads of a large table need few address translations. It is only advice. It covers
// the whole list, because the system cannot grow a list as one if its parts have different settings.
func huge[T any](list []T) {
	var one T
	if bytes := len(list) * int(unsafe.Sizeof(one)); bytes >= hugePage {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes), unix.MADV_HUGEPAGE)
	}
}
