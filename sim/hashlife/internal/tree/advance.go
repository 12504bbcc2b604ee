package tree

import "sync/atomic"

// worker advances squares. Many may at once.
type worker struct {
	*Tree
	number     int
	nodes      []node // the tree's, in a cache line that nobody writes
	nodeIndex  index
	leafIndex  index
	stepper    Stepper
	out        []uint64 // scratch: a leaf
	freeNodes  taken
	freeLeaves taken
	held       []held // what a step that was given up had got, so that it can go on from there
	_          [64]byte
}

// isWhole reports whether squares of a level are taken as far as they can tell, where the step needs that or another square does.
func (t *Tree) isWhole(level int, whole bool) bool {
	return whole || t.partial[level] == t.Generations(level)
}

// known is what is known of a square's future: its middle, unknown or claimed.
func (w *worker) known(x *node, whole bool) Ref {
	if whole {
		return Ref(atomic.LoadUint32(&x.full))
	}
	if p := atomic.LoadUint64(&x.part); uint32(p>>32) == w.step {
		return Ref(p)
	}
	return unknown
}

// claim tells other workers that this one is at a square.
func (w *worker) claim(x *node, whole bool) {
	if whole {
		atomic.CompareAndSwapUint32(&x.full, uint32(unknown), uint32(claimed))
	} else if p := atomic.LoadUint64(&x.part); uint32(p>>32) != w.step {
		atomic.CompareAndSwapUint64(&x.part, p, uint64(w.step)<<32|uint64(claimed))
	}
}

// advance is the middle of a square above the leaves, half as wide, later: as many generations as the square can tell where the whole of its
// future is asked for, else those that the step needs of squares of its level. It is unknown where the step was given up.
func (w *worker) advance(n Ref, level int, whole bool) Ref {
	one := [1]Ref{n}
	if !w.advanceAll(one[:], level, whole) {
		return unknown
	}
	return one[0]
}

// advanceAll advances squares, first those that no other worker is at. It reports whether the step goes on.
func (w *worker) advanceAll(list []Ref, level int, whole bool) bool {
	whole = w.isWhole(level, whole)
	var todo [9]int
	left := 0
	for i, n := range list {
		if n == 0 {
			continue
		}
		if r := w.known(&w.nodes[n], whole); r < claimed {
			list[i] = r
		} else {
			todo[left] = i
			left++
		}
	}
	if left == 0 {
		return true
	}
	claims := 0
	for _, i := range todo[:left] {
		x := &w.nodes[list[i]]
		switch r := w.known(x, whole); {
		case r == claimed && len(w.all) > 1:
			todo[claims] = i
			claims++
		case r < claimed:
			list[i] = r
		default:
			if list[i] = w.compute(x, level, whole); list[i] == unknown {
				return false
			}
		}
	}
	for k := range claims {
		i := todo[(k+w.number)%claims]
		x := &w.nodes[list[i]]
		r := w.known(x, whole)
		if r >= claimed {
			r = w.compute(x, level, whole)
		}
		if list[i] = r; r == unknown {
			return false
		}
	}
	return true
}

// compute is advance for a square whose future is not known.
func (w *worker) compute(x *node, level int, whole bool) Ref {
	if w.stop.Load() != goOn {
		return unknown
	}
	if len(w.all) > 1 {
		w.claim(x, whole)
	}
	var r Ref
	if level > w.Base() {
		r = w.nine(x, level, whole)
	} else {
		q := &x.child
		generations := w.partial[level]
		if whole {
			generations = w.Generations(level)
		}
		w.stepper.Advance(w.out, w.at(q[0]), w.at(q[1]), w.at(q[2]), w.at(q[3]), int(generations), w.odd && !whole)
		r = w.leaf(w.out)
	}
	switch {
	case r == unknown:
	case whole:
		atomic.StoreUint32(&x.full, uint32(r))
	default:
		atomic.StoreUint64(&x.part, uint64(w.step)<<32|uint64(r))
	}
	return r
}

// nine is advance by nine squares half as wide, and four made of those. A square that is to be taken further than one half as wide can tell goes
// in two halves:
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
// Others leave out the first half and take the middles of the nine as they are.
func (w *worker) nine(x *node, level int, whole bool) Ref {
	q := x.child
	nw, ne, sw, se := &w.nodes[q[0]].child, &w.nodes[q[1]].child, &w.nodes[q[2]].child, &w.nodes[q[3]].child
	below := level - 1
	var before, nine, four [9]Ref
	if whole || w.partial[level] > w.Generations(below) {
		var between [5]Ref
		w.joinAll(between[:], below, [][4]Ref{
			{nw[1], ne[0], nw[3], ne[2]},
			{nw[2], nw[3], sw[0], sw[1]},
			{nw[3], ne[2], sw[1], se[0]},
			{ne[2], ne[3], se[0], se[1]},
			{sw[1], se[0], sw[3], se[2]},
		})
		nine = [9]Ref{q[0], between[0], q[1], between[1], between[2], between[3], q[2], between[4], q[3]}
		before = nine
		if !w.advanceAll(nine[:], below, true) {
			w.hold(below, before[:])
			return unknown
		}
	} else {
		w.middles(nine[:], below, [16]Ref{
			nw[0], nw[1], ne[0], ne[1],
			nw[2], nw[3], ne[2], ne[3],
			sw[0], sw[1], se[0], se[1],
			sw[2], sw[3], se[2], se[3],
		})
	}
	w.joinAll(four[:4], below, [][4]Ref{
		{nine[0], nine[1], nine[3], nine[4]},
		{nine[1], nine[2], nine[4], nine[5]},
		{nine[3], nine[4], nine[6], nine[7]},
		{nine[4], nine[5], nine[7], nine[8]},
	})
	last := four
	if !w.advanceAll(last[:4], below, whole) {
		w.hold(below, before[:])
		w.hold(below, four[:4])
		return unknown
	}
	return w.node(below, last[0], last[1], last[2], last[3])
}

func (w *worker) hold(level int, list []Ref) {
	for _, n := range list {
		w.held = append(w.held, held{n, level})
	}
}

// middles stores the middles, half as wide, as they are, of the nine squares of a level that sixteen quarters of such squares make.
func (w *worker) middles(out []Ref, level int, quarters [16]Ref) {
	var list [9][4]Ref
	for i := range out {
		at := i/3*4 + i%3
		nw, ne, sw, se := quarters[at], quarters[at+1], quarters[at+4], quarters[at+5]
		if level == w.Base() {
			w.Shape.middle(w.out, w.at(nw), w.at(ne), w.at(sw), w.at(se))
			out[i] = w.leaf(w.out)
			continue
		}
		s := w.nodes
		list[i] = [4]Ref{s[nw].child[3], s[ne].child[2], s[sw].child[1], s[se].child[0]}
	}
	if level > w.Base() {
		w.joinAll(out, level-1, list[:])
	}
}
