//go:build !linux

package roofline

// hugePages returns zeroed memory.
func hugePages(n int) []byte { return alignedBytes(n) }
