//go:build !linux

package cpu

// universeWords returns n zeroed words for a universe.
func universeWords(n int) []uint64 { return alignedWords(n) }
