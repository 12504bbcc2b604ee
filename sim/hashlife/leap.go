package hashlife

import "github.com/gosper-life/gosper/rule"

// advance is the middle of a square of level 4 or more, half as wide, 2^leap generations later, or the 2^(level-2) at most that what
// is in the square can tell. It is 0 where it was given up, with the reason in t.err.
//
// A square that can be taken 2^(level-2) generations at once goes in two halves: nine squares half as wide, each with its own future
// known or found in the same way, and four made of those.
//
//	┌───┬───┬───┬───┐   ┌ ─ ─ ─ ─ ─ ─ ─ ┐   ┌ ─ ─ ─ ─ ─ ─ ─ ┐   ┌ ─ ─ ─ ─ ─ ─ ─ ┐
//	│   │   │   │   │     ┌───┬───┬───┐       ┌───┬───┬───┐
//	├───┼───┼───┼───┤   │ │ 0 │ 1 │ 2 │ │   │ │ 0 │ 1 │   │ │   │   ┌───┬───┐   │
//	│   │   │   │   │     ├───┼───┼───┤       ├───┼───┼───┤         │ 0 │ 1 │
//	├───┼───┼───┼───┤ → │ │ 3 │ 4 │ 5 │ │ → │ │ 3 │ 4 │   │ │ → │   ├───┼───┤   │
//	│   │   │   │   │     ├───┼───┼───┤       ├───┼───┼───┤         │ 2 │ 3 │
//	├───┼───┼───┼───┤   │ │ 6 │ 7 │ 8 │ │   │ │   │   │   │ │   │   └───┴───┘   │
//	│   │   │   │   │     └───┴───┴───┘       └───┴───┴───┘
//	└───┴───┴───┴───┘   └ ─ ─ ─ ─ ─ ─ ─ ┘   └ ─ ─ ─ ─ ─ ─ ─ ┘   └ ─ ─ ─ ─ ─ ─ ─ ┘
//	     now             half of it later    four of four        all of it later
//
// Shorter leaps leave out the first half and take the middles of the nine as they are (Gosper 1984, "Exploiting regularities in large
// cellular spaces").
func (t *tree) advance(n uint32, leap int) uint32 {
	x := &t.nodes[n]
	level := int(x.level)
	known := min(leap, level-2)
	if x.result != 0 && int(x.leap) == known {
		return x.result
	}
	if t.isEmpty(n) {
		return t.empty[level-1]
	}
	if t.givenUp() {
		return 0
	}
	var result uint32
	if level == leafLevel+1 {
		result = t.leaf(t.rule.advance(t.quarters(n), 1<<known))
	} else {
		base := len(t.held)
		result = t.advanceNine(n, leap, known == level-2)
		t.held = t.held[:base]
	}
	if result != 0 {
		x = &t.nodes[n]
		x.result, x.leap = result, uint8(known)
	}
	return result
}

// givenUp looks now and then whether the step is to end, and makes room where it is short. All squares in use are held.
func (t *tree) givenUp() bool {
	const often = 1 << 10
	if t.calls++; t.calls%often == 0 && t.err == nil {
		t.err = t.ctx.Err()
	}
	if t.used >= t.limit && t.err == nil {
		t.collect()
	}
	return t.err != nil
}

// advanceNine is advance by nine squares and four, in one half or two.
func (t *tree) advanceNine(n uint32, leap int, halves bool) uint32 {
	q := t.nodes[n].child
	nw, ne, sw, se := q[0], q[1], q[2], q[3]
	nine := [9]uint32{
		nw, t.beside(nw, ne), ne,
		t.below(nw, sw), t.middle(n), t.below(ne, se),
		sw, t.beside(sw, se), se,
	}
	t.held = append(t.held, nine[:]...)
	for i, s := range nine {
		if halves {
			nine[i] = t.hold(t.advance(s, leap))
		} else {
			nine[i] = t.hold(t.middle(s))
		}
		if nine[i] == 0 {
			return 0
		}
	}
	var four [4]uint32
	for i := range four {
		at := i&1 + i>>1*3
		four[i] = t.hold(t.advance(t.hold(t.join(nine[at], nine[at+1], nine[at+3], nine[at+4])), leap))
		if four[i] == 0 {
			return 0
		}
	}
	return t.join(four[0], four[1], four[2], four[3])
}

// beside is the square half in one and half in the next to its right.
func (t *tree) beside(left, right uint32) uint32 {
	l, r := t.nodes[left].child, t.nodes[right].child
	return t.join(l[1], r[0], l[3], r[2])
}

// below is the square half in one and half in the next below.
func (t *tree) below(upper, lower uint32) uint32 {
	u, l := t.nodes[upper].child, t.nodes[lower].child
	return t.join(u[2], u[3], l[0], l[1])
}

// middle is the middle of a square of level 4 or more, half as wide.
func (t *tree) middle(n uint32) uint32 {
	q := t.nodes[n].child
	if t.level(n) == leafLevel+1 {
		rows := t.quarters(n)
		return t.leaf(innerLeaf(&rows))
	}
	return t.join(t.nodes[q[0]].child[3], t.nodes[q[1]].child[2], t.nodes[q[2]].child[1], t.nodes[q[3]].child[0])
}

// quarters are the 16 rows of four leaves.
func (t *tree) quarters(n uint32) (rows [16]uint32) {
	q := t.nodes[n].child
	nw, ne, sw, se := t.cells(q[0]), t.cells(q[1]), t.cells(q[2]), t.cells(q[3])
	for y := range 8 {
		rows[y] = uint32(nw>>(8*y)&0xff | ne>>(8*y)&0xff<<8)
		rows[y+8] = uint32(sw>>(8*y)&0xff | se>>(8*y)&0xff<<8)
	}
	return rows
}

// innerLeaf is the 8×8 cells in the middle of 16 rows.
func innerLeaf(rows *[16]uint32) (cells uint64) {
	for y := range 8 {
		cells |= uint64(rows[y+4]>>4&0xff) << (8 * y)
	}
	return cells
}

// blocks is a rule as a table: the 2×2 cells in the middle of 4×4, one generation later. Cells are bits, row after row:
//
//	 0  1  2  3
//	 4 [0][1] 7    [0] to [3]: bits of the entry
//	 8 [2][3] 11
//	12 13 14 15
type blocks [1 << 16]uint8

func newBlocks(table *rule.Table) *blocks {
	b := new(blocks)
	for cells := range b {
		for i := range 4 {
			x, y := i&1, i>>1
			block := 0
			for j := range 9 {
				block = block<<1 | cells>>((y+j/3)*4+x+j%3)&1
			}
			b[cells] |= uint8(table.At(block)) << i
		}
	}
	return b
}

// advance is the 8×8 cells in the middle of 16×16, up to four generations later. Each generation the outermost cells are lost.
func (b *blocks) advance(rows [16]uint32, generations int) uint64 {
	for lost := 1; lost <= generations; lost++ {
		var next [16]uint32
		for y := lost; y < 16-lost; y += 2 {
			r0, r1, r2, r3 := rows[y-1], rows[y], rows[y+1], rows[y+2]
			if r0|r1|r2|r3 == 0 {
				continue // most of a universe is empty, and stays so
			}
			for x := lost; x < 16-lost; x += 2 {
				i := r0>>(x-1)&15 | r1>>(x-1)&15<<4 | r2>>(x-1)&15<<8 | r3>>(x-1)&15<<12
				cells := uint32(b[i])
				next[y] |= cells & 3 << x
				next[y+1] |= cells >> 2 << x
			}
		}
		rows = next
	}
	return innerLeaf(&rows)
}
