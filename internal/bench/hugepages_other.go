//go:build !linux

package bench

// hugePages returns zeroed memory.
func hugePages(n int) []byte { return alignedBytes(n) }
