package tree

import (
	"sync"
	"sync/atomic"
)

// worker advances squares. Many may at once.
type worker struct {
	*Tree
	stepper    Stepper
	out        []uint64 // scratch: a leaf
	freeNodes  []Ref    // to be used
	freeLeaves []Ref
	held       []held // what a step that was given up had got, so that it can go on from there
}

// advance is the middle of a square above the leaves, half as wide, later: as many generations as the square can tell where the whole of its
// future is asked for, else those that the step needs of squares of its level. It is unknown where the step was given up.
func (w *worker) advance(n Ref, level int, whole bool) Ref {
	if n == 0 {
		return 0
	}
	x := &w.nodes[n]
	generations := w.Generations(level)
	if !whole {
		whole = w.partial[level] == generations
	}
	if whole {
		if r := Ref(atomic.LoadUint32(&x.full)); r != unknown {
			return r
		}
	} else {
		generations = w.partial[level]
		if p := atomic.LoadUint64(&x.part); uint32(p>>32) == w.step {
			return Ref(p)
		}
	}
	if w.stop.Load() != goOn {
		return unknown
	}
	var r Ref
	if level == w.Base() {
		q := &x.child
		w.stepper.Advance(w.out, w.at(q[0]), w.at(q[1]), w.at(q[2]), w.at(q[3]), int(generations), w.odd && !whole)
		r = w.leaf(w.out)
	} else if r = w.nine(x, level, whole); r == unknown {
		return unknown
	}
	if whole {
		atomic.StoreUint32(&x.full, uint32(r))
	} else {
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
	var between [5]Ref
	w.joinAll(between[:], below, [][4]Ref{
		{nw[1], ne[0], nw[3], ne[2]},
		{nw[2], nw[3], sw[0], sw[1]},
		{nw[3], ne[2], sw[1], se[0]},
		{ne[2], ne[3], se[0], se[1]},
		{sw[1], se[0], sw[3], se[2]},
	})
	nine := [9]Ref{q[0], between[0], q[1], between[1], between[2], between[3], q[2], between[4], q[3]}
	later := nine
	if whole || w.partial[level] > w.Generations(below) {
		if !w.advanceAll(later[:], below, true) {
			w.hold(below, nine[:])
			return unknown
		}
	} else {
		for i, n := range nine {
			later[i] = w.middleOf(n, below)
		}
	}
	var four [4]Ref
	w.joinAll(four[:], below, [][4]Ref{
		{later[0], later[1], later[3], later[4]},
		{later[1], later[2], later[4], later[5]},
		{later[3], later[4], later[6], later[7]},
		{later[4], later[5], later[7], later[8]},
	})
	last := four
	if !w.advanceAll(last[:], below, whole) {
		w.hold(below, nine[:])
		w.hold(below, four[:])
		return unknown
	}
	return w.node(below, last[0], last[1], last[2], last[3])
}

func (w *worker) hold(level int, list []Ref) {
	for _, n := range list {
		w.held = append(w.held, held{n, level})
	}
}

// middleOf is the middle of a square above the leaves, half as wide, as it is.
func (w *worker) middleOf(n Ref, level int) Ref {
	if n == 0 {
		return 0
	}
	q := &w.nodes[n].child
	if level > w.Base() {
		s := w.nodes
		return w.node(level-1, s[q[0]].child[3], s[q[1]].child[2], s[q[2]].child[1], s[q[3]].child[0])
	}
	w.Shape.middle(w.out, w.at(q[0]), w.at(q[1]), w.at(q[2]), w.at(q[3]))
	return w.leaf(w.out)
}

// grain is how many levels above the base squares are that are worth a goroutine.
const grain = 3

// advanceAll advances squares, in several goroutines where there are some to spare. It reports whether the step goes on.
func (w *worker) advanceAll(list []Ref, level int, whole bool) bool {
	if level < w.Base()+grain || len(w.all) == 1 {
		for i, n := range list {
			if list[i] = w.advance(n, level, whole); list[i] == unknown {
				return false
			}
		}
		return true
	}
	return w.advanceTogether(list, level, whole)
}

func (w *worker) advanceTogether(list []Ref, level int, whole bool) bool {
	var others sync.WaitGroup
	shared := false
	for i, n := range list {
		if other := w.lend(i < len(list)-1 && n != 0); other != nil {
			shared = true
			others.Go(func() {
				list[i] = other.advance(n, level, whole)
				w.giveBack(other)
			})
			continue
		}
		list[i] = w.advance(n, level, whole)
	}
	if shared {
		w.idle.Add(1) // while this one waits
		others.Wait()
		w.idle.Add(-1)
	}
	for _, n := range list {
		if n == unknown {
			return false
		}
	}
	return true
}

// lend is a worker that has nothing to do, or nil.
func (t *Tree) lend(wanted bool) *worker {
	if !wanted || t.idle.Load() <= 0 {
		return nil
	}
	t.lending.Lock()
	defer t.lending.Unlock()
	if t.idle.Load() <= 0 || len(t.spare) == 0 {
		return nil
	}
	t.idle.Add(-1)
	w := t.spare[len(t.spare)-1]
	t.spare = t.spare[:len(t.spare)-1]
	return w
}

func (t *Tree) giveBack(w *worker) {
	t.lending.Lock()
	defer t.lending.Unlock()
	t.idle.Add(1)
	t.spare = append(t.spare, w)
}
