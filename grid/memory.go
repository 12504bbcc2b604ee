package grid

import (
	"fmt"
	"math"
	"math/bits"
	"runtime/debug"
	"runtime/metrics"
)

// Fits reports, before anything is allocated, whether so many more bytes fit this machine's memory, and if not returns
// an error that names the bytes needed and available. On Linux that is MemAvailable, bounded by the limits of the
// control groups the process is in and by its limit on the address space, less what this process has allocated and not yet touched; on macOS the physical
// memory; on Windows what is free of it; elsewhere only sizes beyond the address space are refused. math.MaxUint64,
// which Product returns when it overflows, never fits. Less than a mebibyte always does: asking the system would take
// longer than using it.
func Fits(need uint64) error {
	if need < 1<<20 {
		return nil
	}
	free, known := availableMemory()
	if known && need > free && need-free <= heapBytes() {
		// Garbage of our own may be in the way.
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

// Room is how many more bytes fit this machine's memory, see Fits; false where that is not known.
func Room() (bytes uint64, known bool) { return availableMemory() }

// Product multiplies sizes. It returns math.MaxUint64 when the product does not fit 64 bits.
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

// heapBytes is the memory the Go heap holds, garbage and free spans included.
func heapBytes() uint64 {
	samples := []metrics.Sample{
		{Name: "/memory/classes/heap/objects:bytes"},
		{Name: "/memory/classes/heap/unused:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
	}
	metrics.Read(samples)
	var total uint64
	for _, s := range samples {
		total += s.Value.Uint64()
	}
	return total
}

// formatBytes writes a size exactly and, from a KiB up, in the largest binary unit as well.
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
