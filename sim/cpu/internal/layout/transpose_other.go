//go:build !amd64

package layout

// Transpose exchanges bit i of word j with bit j of word i.
func Transpose(a *[64]uint64) { exchange(a) }

// swapVectors is swap where at least a vector lies between words.
func swapVectors(a []uint64, k, q int) { swap(a, k, q) }
