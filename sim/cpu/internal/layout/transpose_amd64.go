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

// swap4 is swap by AVX2: step is how many words lie between those that change places, at least four, by how
// many places between their bits.
//
//go:noescape
func swap4(a *uint64, words, step, by int, mask uint64)

// swapVectors is swap where at least a vector lies between words.
func swapVectors(a []uint64, k, q int) {
	if !lanes4 || k < 2 {
		swap(a, k, q)
		return
	}
	swap4(&a[0], len(a), 1<<k, 1<<q, kept[q])
}

// swapThree8 is swapThree by AVX-512: by is how many places lie between the bits of the first two that change
// places, masks is what words keep of them.
//
//go:noescape
func swapThree8(a *uint64, words, step, by int, masks *[3]uint64)

// swapThree exchanges three bits of the numbers of words, from k on, with three of the numbers of bits in them,
// from q on, as swapVectors does.
func swapThree(a []uint64, k, q int) {
	if lanes8 && k >= 3 {
		swapThree8(&a[0], len(a), 1<<k, 1<<q, (*[3]uint64)(kept[q:]))
		return
	}
	for i := range 3 {
		swapVectors(a, k+i, q+i)
	}
}
