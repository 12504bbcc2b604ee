package synth

// truth is a boolean function of the 3×3 block: bit i&63 of word i>>6 is its value for block i, where
//
//	i = 256·NW + 128·N + 64·NE + 32·W + 16·C + 8·E + 4·SW + 2·S + 1·SE
//
//	bit of i     8  7  6     5  4  3  2  1  0
//	cell        NW  N NE     W  C  E SW  S SE
//	             word          bit of the word
type truth [8]uint64

// cells holds the nine cells as functions of the block, NW first.
var cells = func() (c [9]truth) {
	for i := range c {
		for block := range 512 {
			if block>>(8-i)&1 == 1 {
				c[i][block>>6] |= 1 << (block & 63)
			}
		}
	}
	return c
}()

func (t truth) at(block int) bool { return t[block>>6]>>(block&63)&1 == 1 }

// not, and, without combine functions point by point: without is the points of t that are not points
// of u.
func (t truth) not() truth {
	for i := range t {
		t[i] = ^t[i]
	}
	return t
}

// lookup applies a three-input lookup table to whole functions, by Shannon expansion in c, then b, then a. Two bits of
// the table, a pair, belong to each combination of a and b:
//
//	imm     7 6   5 4   3 2   1 0
//	a       1 1   1 1   0 0   0 0
//	b       1 1   0 0   1 1   0 0
//	c       1 0   1 0   1 0   1 0
//	pair     3     2     1     0
func lookup(imm uint8, a, b, c truth) truth {
	var low, step [4]uint64 // pair k of imm's bits as a function of c: low ^ c&step
	for k := range low {
		low[k] = -uint64(imm >> (2 * k) & 1)
		step[k] = low[k] ^ -uint64(imm>>(2*k+1)&1)
	}
	var out truth
	for i := range out {
		z := c[i]
		p0, p1 := low[0]^z&step[0], low[1]^z&step[1]
		p2, p3 := low[2]^z&step[2], low[3]^z&step[3]
		p0 ^= b[i] & (p0 ^ p1)
		p2 ^= b[i] & (p2 ^ p3)
		out[i] = p0 ^ a[i]&(p0^p2)
	}
	return out
}

// cofactors returns t with cell i fixed to 1 and to 0, as functions that do not depend on it. Blocks that differ only
// in cell i are 2^(8-i) bits of t apart, such as 4 bits for cell 6:
//
//	t     h g f e d c b a     cell 6 is 1 in h g f e
//	high  h g f e h g f e
//	low   d c b a d c b a
func (t truth) cofactors(i int) (high, low truth) {
	bit := 8 - i
	for w := range t {
		// The top row of the block selects a word, so whole words are copied.
		if bit >= 6 {
			high[w], low[w] = t[w|1<<(bit-6)], t[w&^(1<<(bit-6))]
			continue
		}
		shift, mask := uint(1)<<bit, cells[i][0]
		high[w] = t[w]&mask | t[w]&mask>>shift
		low[w] = t[w]&^mask | t[w]&^mask<<shift
	}
	return high, low
}

// reads reports whether t depends on any of the cells.
func (t truth) reads(cells ...int) bool {
	for _, i := range cells {
		if high, low := t.cofactors(i); high != low {
			return true
		}
	}
	return false
}

// cells is the number of cells that t depends on.
func (t truth) cells() (n int) {
	for i := range 9 {
		if t.reads(i) {
			n++
		}
	}
	return n
}

func (t truth) and(u truth) truth {
	for i := range t {
		t[i] &= u[i]
	}
	return t
}

func (t truth) without(u truth) truth {
	for i := range t {
		t[i] &^= u[i]
	}
	return t
}
