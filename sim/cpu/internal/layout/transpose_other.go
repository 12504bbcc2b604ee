//go:build !amd64

package layout

// transpose exchanges bit i of word j with bit j of word i.
func transpose(a *[64]uint64) { exchange(a) }
