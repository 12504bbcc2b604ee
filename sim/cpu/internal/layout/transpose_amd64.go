package layout

import "github.com/gosper-life/gosper/internal/jit"

// transpose8 is exchange with eight words in a vector, transpose4 with four.
//
//go:noescape
func transpose8(a *[64]uint64)

//go:noescape
func transpose4(a *[64]uint64)

var lanes8, lanes4 = jit.HasAVX512(), jit.HasAVX2()

// Transpose exchanges bit i of word j with bit j of word i.
func Transpose(a *[64]uint64) {
	switch {
	case lanes8:
		transpose8(a)
	case lanes4:
		transpose4(a)
	default:
		exchange(a)
	}
}
