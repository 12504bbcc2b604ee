package hosts

import (
	"encoding/binary"
	"slices"
)

// appendWords appends words to data, the lowest byte first.
func appendWords(data []byte, words []uint64) []byte {
	n := len(data)
	data = slices.Grow(data, 8*len(words))[:n+8*len(words)]
	for i, w := range words {
		binary.LittleEndian.PutUint64(data[n+8*i:], w)
	}
	return data
}

// takeWords fills words from the beginning of data and returns the rest.
func takeWords(words []uint64, data []byte) []byte {
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return data[8*len(words):]
}
