//go:build !amd64

package layout

// Transpose exchanges bit i of word j with bit j of word i.
func Transpose(a *[64]uint64) { exchange(a) }
