//go:build !race

package tree

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// resized returns a list with room for n values. It keeps the old values, and new ones are zero. The system
// provides memory when it is first written. The old list must not be used afterwards, and Release must free the
// new one. The system grows memory in place, or moves it page by page without copying. Only the few values of a
// list shorter than a huge page are copied to a longer one: pages that are moved keep the list from huge pages.
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
		memory, err = unix.Mmap(-1, 0, n*size, unix.PROT_READ|unix.PROT_WRITE,
			unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	case len(old) < hugePage && n*size >= hugePage:
		longer, err := resized[T](nil, n)
		if err != nil {
			return list, err
		}
		advise(longer)
		copy(longer, list)
		return longer, unix.Munmap(old)
	default:
		memory, err = unix.Mremap(old, n*size, unix.MREMAP_MAYMOVE)
	}
	if err != nil {
		return list, err
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(memory))), n), nil
}

// advise asks for huge pages if the system has them, so that random reads of a large table need few address
// translations. It is only advice. It covers the whole list, because the system cannot grow a list as one if
// its parts have different settings.
func advise[T any](list []T) {
	var one T
	if bytes := len(list) * int(unsafe.Sizeof(one)); bytes >= hugePage {
		_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), bytes), unix.MADV_HUGEPAGE)
	}
}

// populate asks for the pages of a list at once: it will be filled in random order, and each page would be a
// fault of its own, or two if it is read first. It is only advice.
func populate[T any](list []T) {
	var one T
	_ = unix.Madvise(unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(list))), len(list)*int(unsafe.Sizeof(one))),
		unix.MADV_POPULATE_WRITE)
}
