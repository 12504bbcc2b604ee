package hashlife

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
		q := t.nodes[n].child
		result = t.leaf(t.rule.advance(t.cells(q[0]), t.cells(q[1]), t.cells(q[2]), t.cells(q[3]), 1<<known))
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
		const half = 0x0f0f0f0f // of the columns of four rows
		return t.leaf(t.cells(q[0])>>36&half | t.cells(q[1])>>32&half<<4 | t.cells(q[2])>>4&half<<32 | t.cells(q[3])&half<<36)
	}
	return t.join(t.nodes[q[0]].child[3], t.nodes[q[1]].child[2], t.nodes[q[2]].child[1], t.nodes[q[3]].child[0])
}
