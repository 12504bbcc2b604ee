package cat

import "encoding/binary"

// pairRule is the rule for two sums in the halves of a word: bit 15 of a half of v+ge is set where v ≥ lo, of
// le−v where v ≤ hi.
type pairRule struct{ birthGE, birthLE, surviveGE, surviveLE uint32 }

func (t transition) pairs() pairRule {
	ge := func(lo int) uint32 { return uint32(0x8000-lo) * 0x10001 }
	le := func(hi int) uint32 { return uint32(0x8000+hi) * 0x10001 }
	return pairRule{ge(t.birth.Lo), le(t.birth.Hi), ge(t.survival.Lo), le(t.survival.Hi)}
}

// next returns the next states of four cells, a byte each, from their sums, two in each word. Bit 15 of a half is the
// result of its comparisons. The high bytes of the four halves become the bytes of one word, whose bits 7 are the
// results:
//
//	sums01   [ sum 1 ][ sum 0 ]        born, stay   [ 3 ][ 2 ][ 1 ][ 0 ]
//	sums23   [ sum 3 ][ sum 2 ]
func (p pairRule) next(cells, sums01, sums23 uint32) uint32 {
	bytes := func(a, b uint32) uint32 {
		return a>>8&0xff | a>>24<<8 | b>>8&0xff<<16 | b>>24<<24
	} // the high byte of each half
	born := bytes((sums01+p.birthGE)&(p.birthLE-sums01), (sums23+p.birthGE)&(p.birthLE-sums23))
	stay := bytes((sums01+p.surviveGE)&(p.surviveLE-sums01), (sums23+p.surviveGE)&(p.surviveLE-sums23))
	alive := cells << 7
	return (stay&alive | born&^alive) >> 7 & 0x01010101
}

// window returns eight consecutive 16-bit values of the sixteen in a and b, beginning at index start.
func window(a, b [4]uint32, start int) (w [4]uint32) {
	all := [8]uint32{a[0], a[1], a[2], a[3], b[0], b[1], b[2], b[3]}
	for i := range w {
		w[i] = all[start/2+i]
		if start%2 != 0 {
			w[i] = w[i]>>16 | all[start/2+i+1]<<16
		}
	}
	return w
}

// sumPackets is PACK: the cells of a word and of those around it, row by row, neighbours one by one, and a table.
func (u *hostUniverse) sumPackets() {
	r := u.t.radius
	reach := (r + 7) / 8
	table, cells := u.t.table(), make([]uint8, 8*(2*reach+1))
	for y := range u.h {
		for x := 0; x < u.w; x += 8 {
			var sum [8]int
			for dy := -r; dy <= r; dy++ {
				copy(cells, u.from[u.at(x-8*reach, y+dy):])
				for k := range sum {
					for _, cell := range cells[8*reach+k-r : 8*reach+k+r+1] {
						sum[k] += int(cell)
					}
				}
			}
			for k, n := range sum {
				u.to[u.at(x+k, y)] = table[int(u.from[u.at(x+k, y)])*len(table)/2+n]
			}
		}
	}
}

// sumWords is PACK-PREFIX: eight columns a word, sums of columns that a row enters and a row leaves, and
// differences of their prefix sums.
func (u *hostUniverse) sumWords() {
	r := u.t.radius
	right, left, reach := r/8, (r+8)/8, (r+7)/8
	inner := 32 - left - reach
	rule := u.t.pairs()
	word := func(x, y int) uint64 { return binary.LittleEndian.Uint64(u.from[u.at(x, y):]) }
	for strip := 0; strip*inner*8 < u.w; strip++ {
		var columns [32]uint64
		x := func(lane int) int {
			x := (strip*inner - left + lane) * 8
			if x >= u.w+margin-8 {
				return u.w / 8 * 8 // beyond the margin, where no lane's sums are used
			}
			return x
		}
		for lane := range columns {
			for dy := -r; dy < r; dy++ {
				columns[lane] += word(x(lane), dy)
			}
		}
		prefix := make([][4]uint32, left+32+reach)
		for y := range u.h {
			before := uint32(0)
			for lane := range columns {
				columns[lane] += word(x(lane), y+r)
				low, high := uint32(columns[lane])*0x01010101, uint32(columns[lane]>>32)*0x01010101
				first, middle := before*0x10001, (before+low>>24)*0x10001
				spread := func(bytes uint32) uint32 { return bytes&0xff | bytes&0xff00<<8 }
				prefix[left+lane] = [4]uint32{
					first + spread(low), first + spread(low>>16), middle + spread(high), middle + spread(high>>16),
				}
				before += low>>24 + high>>24
			}
			for lane := left; lane < left+inner && x(lane) < u.w; lane++ {
				toRight := window(prefix[left+lane+right], prefix[left+lane+reach], r%8)
				toLeft := window(prefix[lane], prefix[lane+1], 8*left-r-1)
				var sums [4]uint32
				for i := range sums {
					sums[i] = toRight[i] - toLeft[i]
				}
				now := word(x(lane), y)
				low, high := rule.next(uint32(now), sums[0], sums[1]), rule.next(uint32(now>>32), sums[2], sums[3])
				binary.LittleEndian.PutUint64(u.to[u.at(x(lane), y):], uint64(high)<<32|uint64(low))
			}
			for lane := range columns {
				columns[lane] -= word(x(lane), y-r)
			}
		}
	}
}
