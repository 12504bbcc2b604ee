//go:build !amd64

package layout

// Transpose exchanges bit i of word j with bit j of word i.
func Transpose(a *[64]uint64) { exchange(a) }

// swapVectors is swap where at least a vector lies between words.
func swapVectors(a []uint64, k, q int) { swap(a, k, q) }

// swapThree exchanges three bits of the numbers of words, from k on, with three of the numbers of bits in them,
// from q on.
func swapThree(a []uint64, k, q int) {
	for i := range 3 {
		swap(a, k+i, q+i)
	}
}
