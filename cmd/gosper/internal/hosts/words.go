package hosts

import "encoding/binary"

// appendWords appends words to data, the lowest byte first.
func appendWords(data []byte, words []uint64) []byte {
	for _, w := range words {
		data = binary.LittleEndian.AppendUint64(data, w)
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
