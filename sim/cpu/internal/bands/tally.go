package bands

import "encoding/binary"

// tally counts, for each of 64 bits, in how many words it was set: bit b of plane p is bit p of the count of bit b.
type tally struct {
	planes [48]uint64
	used   int // planes in use; negative if nothing has been counted
	counts [8]uint64
}

// carry adds a word of weight 2^p.
//
// It is a binary counter for each of the 64 bits. The bits that overflow in plane p are added to plane p+1.
func (t *tally) carry(p int, v uint64) {
	for ; v != 0; p++ {
		t.planes[p], v = t.planes[p]^v, t.planes[p]&v
		t.used = max(t.used, p+1)
	}
}

// spread stores the counts of bits 8·group … 8·group+7.
func (t *tally) spread(group int) {
	t.counts = [8]uint64{}
	for low := 0; low < t.used; low += 8 {
		var block uint64
		for p := range min(8, t.used-low) {
			block |= t.planes[low+p] >> (8 * group) & 0xFF << (8 * p)
		}
		var bytes [8]byte
		binary.LittleEndian.PutUint64(bytes[:], transpose8(block))
		for b, v := range bytes {
			t.counts[b] |= uint64(v) << low
		}
	}
}

// transpose8 exchanges bit i of byte j with bit j of byte i (Hacker's Delight, section 7-3).
//
// It exchanges bits in blocks of 1×1, then in blocks of 2×2, then of 4×4: of each pair, the block at the upper right
// and that at the lower left.
//
//	a b        a c
//	c d   ─▶   b d
func transpose8(v uint64) uint64 {
	t := (v ^ v>>7) & 0x00AA00AA00AA00AA
	v ^= t ^ t<<7
	t = (v ^ v>>14) & 0x0000CCCC0000CCCC
	v ^= t ^ t<<14
	t = (v ^ v>>28) & 0x00000000F0F0F0F0
	return v ^ t ^ t<<28
}
