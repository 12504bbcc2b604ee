package grid

import (
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"runtime/debug"
)

// Fits reports, before anything is allocated, whether the given number of additional bytes fits in this
// machine's memory. If not, it returns an error that names the bytes needed and available. On Linux the
// available memory is MemAvailable, limited by the process's control groups and by its limit on the address
// space, less the memory that the process has allocated but not touched. On macOS it is the physical memory, on
// Windows the free part of it. On other systems only sizes beyond the address space are refused.
// math.MaxUint64, which Product returns when it overflows, never fits. Less than two mebibytes always fit,
// because asking the system would take longer than using them.
func Fits(need uint64) error {
	if need < 2<<20 {
		return nil
	}
	free, known := availableMemory()
	if known && need > free && need-free <= heapBytes() {
		// Free our own garbage first.
		debug.FreeOSMemory()
		free, known = availableMemory()
	}
	switch {
	case known && need > free:
		return fmt.Errorf("needs %s of memory, %s available", formatBytes(need), formatBytes(free))
	case need > math.MaxInt:
		return fmt.Errorf("needs %s of memory, more than can be addressed", formatBytes(need))
	}
	return nil
}

// Room is the number of additional bytes that fit in this machine's memory, see Fits. known is false if the
// system does not tell.
func Room() (bytes uint64, known bool) { return availableMemory() }

// Product multiplies sizes. It returns math.MaxUint64 if the product does not fit in 64 bits.
func Product(factors ...uint64) uint64 {
	product, overflow := uint64(1), false
	for _, f := range factors {
		if f == 0 {
			return 0
		}
		hi, lo := bits.Mul64(product, f)
		product, overflow = lo, overflow || hi != 0
	}
	if overflow {
		return math.MaxUint64
	}
	return product
}

// heapBytes is the memory of the Go heap, including garbage and free spans.
func heapBytes() uint64 {
	var m runtime.MemStats // not runtime/metrics, whose table would be a part of the page's program
	runtime.ReadMemStats(&m)
	return m.HeapInuse + m.HeapIdle - m.HeapReleased
}

// formatBytes writes a size exactly and, from 1 KiB on, also in the largest binary unit.
func formatBytes(n uint64) string {
	if n == math.MaxUint64 {
		return "more than 16 EiB"
	}
	if n < 1<<10 {
		return fmt.Sprintf("%d bytes", n)
	}
	unit := (bits.Len64(n) - 1) / 10
	return fmt.Sprintf("%d bytes (%.1f %ciB)", n, math.Ldexp(float64(n), -10*unit), "KMGTPE"[unit-1])
}
