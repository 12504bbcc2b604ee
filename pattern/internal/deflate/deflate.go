package deflate

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"math/bits"
	"sync"
)

// Piece is the number of bytes that are worth compressing on their own. A decoder's window, 32 KiB, is small beside it.
const Piece = 256 << 10

// sample is the part of a piece that is tried.
const sample = 16 << 10

// Append appends data as blocks that end at the end of a byte. They are not the last ones of a stream: End is.
func Append(dst, data []byte) []byte {
	if len(data) == 0 {
		return dst
	}
	part := data
	if len(data) > 2*sample {
		part = data[(len(data)-sample)/2:][:sample]
	}
	// A thorough search finds a tenth more than a fast one.
	if searched := appendSearched(nil, part, flate.BestSpeed); len(searched) < newCoder(part).bytes()*9/10 {
		return appendSearched(dst, data, flate.DefaultCompression)
	}
	return newCoder(data).append(dst)
}

// End is an empty last block.
var End = []byte{3, 0}

// writers keeps the large tables of flate's writers, by level.
var writers [flate.BestCompression + 2]sync.Pool

// appendSearched appends data as flate compresses it.
func appendSearched(dst, data []byte, level int) []byte {
	out := bytes.NewBuffer(dst)
	pool := &writers[level+1]
	z, ok := pool.Get().(*flate.Writer)
	if ok {
		z.Reset(out)
	} else {
		z, _ = flate.NewWriter(out, level) // it only refuses unknown levels
	}
	z.Write(data) // never fails: memory
	z.Flush()
	z.Reset(io.Discard)
	pool.Put(z)
	return out.Bytes()
}

// The first 256 symbols of a block stand for bytes.
const (
	endOfBlock = 256
	symbols    = 286
	longestRun = 258
	// shortestRun is the least number of equal bytes that are worth a run. A frequent byte takes a bit, and a run
	// some more.
	shortestRun = 8
)

// coder is data as a block of symbols: bytes, and runs of the byte before.
type coder struct {
	data  []byte
	count [symbols]uint32
	extra uint64 // bits of lengths of runs beside their symbols
	code  [symbols]prefix
}

// newCoder counts the symbols of data and gives them codes.
func newCoder(data []byte) *coder {
	c := &coder{data: data}
	c.count[endOfBlock] = 1
	// Two counters in turn, because a counter that has just been stored is slow to load.
	var odd [256]uint32
	c.each(func(plain []byte) {
		for ; len(plain) > 1; plain = plain[2:] {
			c.count[plain[0]]++
			odd[plain[1]]++
		}
		if len(plain) > 0 {
			c.count[plain[0]]++
		}
	}, func(n int) {
		symbol, _, extra := runLength(n)
		c.count[symbol]++
		c.extra += uint64(extra)
	})
	for b, n := range odd {
		c.count[b] += n
	}
	c.code = prefixes(&c.count)
	return c
}

// each divides the data into plain bytes and runs of the byte before them, 3 to longestRun long.
func (c *coder) each(plain func([]byte), run func(n int)) {
	data := c.data
	begin, i := 0, 1 // the plain bytes not yet visited are data[begin:i]
	for i+shortestRun <= len(data) {
		before := binary.LittleEndian.Uint64(data[i-1:])
		differ := before ^ binary.LittleEndian.Uint64(data[i:])
		if differ != 0 {
			// No run begins before the last of the next 8 bytes that differs from its predecessor.
			i += 8 - bits.LeadingZeros64(differ)>>3
			continue
		}
		end := i + 8
		for end+8 <= len(data) && binary.LittleEndian.Uint64(data[end:]) == before {
			end += 8
		}
		for end < len(data) && data[end] == byte(before) {
			end++
		}
		plain(data[begin:i])
		for end-i >= shortestRun {
			n := min(end-i, longestRun)
			run(n)
			i += n
		}
		begin, i = i, end+1 // the byte after a run differs
	}
	plain(data[begin:])
}

// runLength is the symbol of a run, and the bits that follow it (RFC 1951, section 3.2.5).
func runLength(n int) (symbol int, value uint32, size uint) {
	if n == longestRun {
		return 285, 0, 0
	}
	rest := uint32(n - 3)
	if rest < 8 {
		return 257 + int(rest), 0, 0
	}
	size = uint(bits.Len32(rest)) - 3
	return 257 + int(size)<<2 + int(rest>>size), rest & (1<<size - 1), size
}

// headerBits is the size of the header, which describes the codes: 3 bits for the kind of block, 14 for numbers of
// codes, 19 lengths of codes for lengths, and the lengths of all symbols and of the one distance.
const headerBits = 3 + 14 + 19*3 + (symbols+1)*4

// bytes is the number of bytes that append appends.
func (c *coder) bytes() int {
	size := headerBits + c.extra
	for symbol, n := range c.count {
		size += uint64(n) * uint64(c.code[symbol].size)
		if symbol > endOfBlock {
			size += uint64(n) // the distance
		}
	}
	const flush = 3 + 4*8
	return min(int(size+flush+7)/8, c.storedBytes())
}

const mostStored = 1<<16 - 1

// storedBytes is the number of bytes that the data take as they are.
func (c *coder) storedBytes() int {
	return len(c.data) + 5*((len(c.data)+mostStored-1)/mostStored)
}

// append appends the block, and an empty one that ends with a byte.
func (c *coder) append(dst []byte) []byte {
	size := c.bytes()
	if size == c.storedBytes() {
		for data := c.data; len(data) > 0; {
			n := min(len(data), mostStored)
			dst = append(dst, 0, byte(n), byte(n>>8), ^byte(n), ^byte(n>>8))
			dst = append(dst, data[:n]...)
			data = data[n:]
		}
		return dst
	}
	const slack = 8 // words are stored whole
	start := len(dst)
	dst = append(dst, make([]byte, size+slack)...)
	w := bitWriter{to: dst[start:]}
	const dynamic = 2 << 1
	w.bits(dynamic, 3)
	w.bits(symbols-257, 5)
	w.bits(0, 5) // one distance
	// all lengths of codes for lengths, in the order of the RFC: 16, 17 and 18 are not used, the others have 4
	// bits
	w.bits(19-4, 4)
	for i := range 19 {
		length := uint32(4)
		if i < 3 {
			length = 0
		}
		w.bits(length, 3)
	}
	for _, p := range c.code {
		w.bits(uint32(bits.Reverse8(p.size)>>4), 4)
	}
	w.bits(uint32(bits.Reverse8(1)>>4), 4) // the distance 1 has one bit, 0
	c.each(func(plain []byte) { w.plain(plain, &c.code) }, func(n int) {
		symbol, value, size := runLength(n)
		w.bits(c.code[symbol].bits, uint(c.code[symbol].size))
		w.bits(value, size)
		w.bits(0, 1)
	})
	w.bits(c.code[endOfBlock].bits, uint(c.code[endOfBlock].size))
	w.bits(0, 3) // an empty stored block
	w.align()
	w.bits(0xffff0000, 32)
	w.align()
	return dst[:start+w.at]
}

// bitWriter writes bits, the lowest first.
type bitWriter struct {
	to    []byte // 8 bytes longer than its content
	at    int
	word  uint64
	count uint // bits of word, less than 8 between calls
}

// bits writes the low n ≤ 32 bits of value, whose other bits are zero.
func (w *bitWriter) bits(value uint32, n uint) {
	w.word |= uint64(value) << w.count
	w.count += n
	w.store()
}

// store stores the whole bytes of word.
func (w *bitWriter) store() {
	binary.LittleEndian.PutUint64(w.to[w.at:], w.word)
	w.at += int(w.count >> 3)
	w.word >>= w.count &^ 7
	w.count &= 7
}

// align goes on at the next whole byte.
func (w *bitWriter) align() {
	w.count = (w.count + 7) &^ 7
	w.store()
}

// plain writes bytes. Three codes of at most 15 bits fit a word beside 7 bits. The whole word is stored each time
// without a branch. at then moves by the bytes that are complete, and the next word overwrites the rest. With codes of
// 15 bits:
//
//	word   63 … 52   51 … 37   36 … 22   21 … 7   6 … 0
//	       free      code c    code b    code a   bits left over
func (w *bitWriter) plain(data []byte, code *[symbols]prefix) {
	word, count, at := w.word, w.count, w.at
	for ; len(data) >= 3; data = data[3:] {
		a, b, c := code[data[0]], code[data[1]], code[data[2]]
		word |= uint64(a.bits) << (count & 63)
		count += uint(a.size)
		word |= uint64(b.bits) << (count & 63)
		count += uint(b.size)
		word |= uint64(c.bits) << (count & 63)
		count += uint(c.size)
		binary.LittleEndian.PutUint64(w.to[at:], word)
		at += int(count >> 3)
		word >>= count &^ 7 & 63
		count &= 7
	}
	w.word, w.count, w.at = word, count, at
	for _, b := range data {
		w.bits(code[b].bits, uint(code[b].size))
	}
}
