//go:build !linux

package layout

// LargeWords returns n zeroed words for a universe.
func LargeWords(n int) []uint64 { return AlignedWords(n) }
