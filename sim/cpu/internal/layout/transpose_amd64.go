package layout

import "github.com/gosper-life/gosper/internal/jit"

var vectors = jit.HasAVX512()

// transpose8 is exchange with eight words in a vector.
//
//go:noescape
func transpose8(a *[64]uint64)

// transpose exchanges bit i of word j with bit j of word i.
func transpose(a *[64]uint64) {
	if vectors {
		transpose8(a)
	} else {
		exchange(a)
	}
}
