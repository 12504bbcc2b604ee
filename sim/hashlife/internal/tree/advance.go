package tree

import (
	"runtime"
	"sync/atomic"
	"unsafe"
)

// worker advances squares. Several workers may run at once.
type worker struct {
	*Tree
	number     int
	alone      bool   // there is no other worker, so slow atomic writes are not needed
	nodes      []node // the tree's; a copy here is in a cache line that no other worker writes
	nodeIndex  index
	leafIndex  index
	stepper    Stepper
	out        []uint64 // scratch: atOnce leaves
	bases      [MaxSquares]Base
	freeNodes  taken
	freeLeaves taken
	joins      [5 * atOnce]quarters // the squares that joinAll looks up
	joined     [5 * atOnce]Ref
	hashes     [5 * atOnce]uint64
	live       [5 * atOnce]uint8   // the indices of the squares that are not dead
	random     uint32              // the state of a generator
	helping    int                 // how many squares of others it is inside of
	frames     [MaxLevel + 1]frame // by level
	held       []held              // squares that a stopped step had reached, so that it can continue from them
	work       uint64              // done until now: see Tree.Work
	most       uint64              // the work at which a step ends
	cost       float64             // of the stepper
	_          [64]byte
}

// isWhole reports whether squares of a level are advanced by Generations(level), because the caller or the step
// needs that.
func (t *Tree) isWhole(level int, whole bool) bool {
	return whole || t.partial[level] == t.Generations(level)
}

// known returns the future of a square if it is known, else unknown or claimed.
func (w *worker) known(x *node, whole bool) Ref {
	if whole {
		return Ref(atomic.LoadUint32(&x.full))
	}
	if p := atomic.LoadUint64(&x.part); uint32(p>>32) == w.step {
		return Ref(p)
	}
	return unknown
}

// claim marks a square as being computed. All workers see the mark, also the one that set it. It
// reports false if another worker was faster. A future goes through these states:
//
//	unknown ──claim──▶ claimed ──compute──▶ a Ref
//	   ▲                  │
//	   └──── release ─────┘ the step stops
func (w *worker) claim(x *node, whole bool) bool {
	switch {
	case w.alone && whole:
		x.full = uint32(claimed)
	case w.alone:
		x.part = uint64(w.step)<<32 | uint64(claimed)
	case whole:
		return atomic.CompareAndSwapUint32(&x.full, uint32(unknown), uint32(claimed))
	default:
		p := atomic.LoadUint64(&x.part)
		return uint32(p>>32) != w.step && atomic.CompareAndSwapUint64(&x.part, p, uint64(w.step)<<32|uint64(claimed))
	}
	return true
}

// advance returns the future middle of a square above the leaves. It is half as wide as the square. If whole is
// set it is Generations(level) ahead, otherwise as many generations as the step needs at that level. It is
// unknown if the step was stopped.
func (w *worker) advance(n Ref, level int, whole bool) Ref {
	one := [1]Ref{n}
	if w.advanceAll(one[:], level, whole, true) != finished {
		return unknown
	}
	return one[0]
}

// atOnce is the number of squares of a level that are computed side by side, so that their memory reads
// overlap. Places in lists of nine times as many are bytes.
const atOnce = 28

// outcome says how the work on some squares has ended.
type outcome int

const (
	finished outcome = iota
	left             // other workers compute the missing squares
	stopped          // with the step
)

// advanceAll replaces the squares of a list by their futures. It begins with squares that no other worker
// computes. Then it helps with the others. If the list does not belong to a square that this worker has claimed
// (own), it leaves when all that is missing is being computed by others.
func (w *worker) advanceAll(list []Ref, level int, whole, own bool) outcome {
	whole = w.isWhole(level, whole)
	var now [atOnce]int
	var later [9 * atOnce]uint8
	fresh, claims, computed := 0, 0, 0
	for _, i := range later[:w.lookUp(list, &later, whole)] {
		x := &w.nodes[list[i]]
		r := w.known(x, whole)
		switch {
		case r < claimed: // since then: it is in the list twice, or another worker was faster
			list[i] = r
		case r == claimed || !w.claim(x, whole):
			later[claims] = i
			claims++
		default:
			now[fresh] = int(i)
			computed++
			if fresh++; fresh == atOnce {
				if w.compute(list, now[:], level, whole, true) != finished {
					return stopped
				}
				fresh = 0
			}
		}
	}
	if fresh > 0 && w.compute(list, now[:fresh], level, whole, true) != finished {
		return stopped
	}
	for round := 0; ; round++ {
		if claims = w.missing(list, later[:claims], whole); claims == 0 {
			break
		}
		switch {
		case w.stop.Load() != goOn:
			return stopped
		case w.alone || level == w.Base() && round >= patience:
			now[0] = int(later[0])
			computed++
			if w.compute(list, now[:1], level, whole, true) != finished {
				return stopped
			}
			copy(later[:], later[1:claims])
			claims--
		case level > w.Base() && !own && round > 0:
			return left
		case level > w.Base() && round&(round-1) == 0: // less and less often: looking costs much if there is nothing to do
			if !w.help(list, later[:claims], level, whole) {
				return stopped
			}
		case round%looks == looks-1:
			runtime.Gosched() // the other worker may need this processor
		}
	}
	if w.number == 0 && w.helping == 0 && level >= w.share.level {
		w.add(level, len(list)-computed, computed, whole)
	}
	return finished
}

// lookUp replaces those squares of a list whose futures are known, lists the places of the others, and returns their
// number. It has no branch that depends on the data, for the same reason as joinAll.
func (w *worker) lookUp(list []Ref, places *[9 * atOnce]uint8, whole bool) int {
	nodes, step, k := w.nodes, w.step, 0
	for i, n := range list {
		var r uint64
		if x := &nodes[n]; whole {
			r = uint64(atomic.LoadUint32(&x.full))
		} else {
			p := atomic.LoadUint64(&x.part)
			r = uint64(uint32(p) | uint32(-one(uint64(uint32(p>>32)^step))))
		}
		// unknown and claimed are the two largest numbers of 32 bits. With 2 more, only they reach bit 32.
		missing := (r + 2) >> 32 // 1: unknown or claimed
		list[i] = Ref(r&(missing-1) | uint64(n)&-missing)
		places[k] = uint8(i)
		k += int(missing)
	}
	return k
}

const (
	// patience is the number of times that a worker looks whether a square of four leaves has been computed by the
	// worker that claimed it, until it computes the square, too. It takes longer only if the system has taken the
	// processor from that worker.
	patience = 1 << 10

	looks = 16 // until other goroutines may run
)

// missing replaces those squares of a list whose futures are known, and returns how many others there are. It
// moves their places to the front.
func (w *worker) missing(list []Ref, places []uint8, whole bool) int {
	k := 0
	for _, i := range places {
		if r := w.known(&w.nodes[list[i]], whole); r < claimed {
			list[i] = r
		} else {
			places[k] = i
			k++
		}
	}
	return k
}

// help computes parts of squares that other workers compute: those that nobody has claimed. It does not wait
// for the others. Each worker begins at a random place, or many would follow each other through the same
// squares. help reports whether the step goes on.
func (w *worker) help(list []Ref, places []uint8, level int, whole bool) bool {
	w.helping++
	defer func() { w.helping-- }()
	w.random ^= w.random << 13
	w.random ^= w.random >> 17
	w.random ^= w.random << 5
	first := int(w.random >> 2)
	for k := range places {
		one := [1]Ref{list[places[(first+k)%len(places)]]}
		if w.known(&w.nodes[one[0]], whole) < claimed {
			continue
		}
		if w.compute(one[:], []int{0}, level, whole, false) == stopped {
			return false
		}
	}
	return true
}

// manyWords is the size of leaves, in words, from which a square of four takes so long that each is computed alone: a
// step that is cancelled ends after it.
var manyWords = 1 << 10 // tests change it

// nodeWork is about the nanoseconds that it takes to compute a square from its parts, and leafWork those that it takes
// to fetch four leaves and to look up their middle.
const (
	nodeWork = 350
	leafWork = 100
)

// compute advances the squares at the given places of a list. Their futures are not known. If they are not this
// worker's own it may leave.
func (w *worker) compute(list []Ref, places []int, level int, whole, own bool) outcome {
	if w.work >= w.most {
		w.stop.CompareAndSwap(goOn, spent)
	}
	if w.stop.Load() != goOn {
		if own {
			w.release(list, places, whole)
		}
		return stopped
	}
	f := &w.frames[level]
	if level > w.Base() {
		w.work += nodeWork * uint64(len(places))
		quartersAhead(unsafe.Pointer(&w.nodes[0]), nodeBytes, &w.nodes[0], &list[0], &places[0], len(places))
		if o := w.nine(f, list, places, level, whole, own); o != finished {
			if own {
				w.release(list, places, whole)
			}
			return o
		}
	} else {
		generations := w.partial[level]
		if whole {
			generations = w.Generations(level)
		}
		phase := w.phase
		if whole {
			phase = 0
		}
		quartersAhead(unsafe.Pointer(&w.cells[0]), uintptr(w.leafWords*8), &w.nodes[0], &list[0], &places[0], len(places))
		w.work += (leafWork + uint64(w.cost*float64(generations))) * uint64(len(places))
		abreast := MaxSquares
		if w.leafWords > manyWords {
			abreast = 1
		}
		for from := 0; from < len(places); from += abreast {
			if from > 0 && w.isCancelled() {
				if own {
					w.release(list, places, whole)
				}
				return stopped
			}
			some := places[from:min(from+abreast, len(places))]
			for i, at := range some {
				q := w.Children(list[at])
				w.bases[i] = Base{w.at(q[0]), w.at(q[1]), w.at(q[2]), w.at(q[3]), w.outs(from + i)}
			}
			w.stepper.Advance(w.bases[:len(some)], int(generations), phase)
		}
		w.leaves(f.out[:len(places)])
	}
	// Other workers may read the node. Only its future changes, and they may use that as soon as they see it, because its
	// own nodes are complete.
	for i, at := range places {
		x, r := &w.nodes[list[at]], f.out[i]
		switch {
		case w.alone && whole:
			x.full = uint32(r)
		case w.alone:
			x.part = uint64(w.step)<<32 | uint64(r)
		case whole:
			atomic.StoreUint32(&x.full, uint32(r))
		default:
			atomic.StoreUint64(&x.part, uint64(w.step)<<32|uint64(r))
		}
		list[at] = r
	}
	return finished
}

// outs returns the i-th leaf of w.out.
func (w *worker) outs(i int) []uint64 { return w.out[i*w.leafWords:][:w.leafWords] }

// release takes back the claims on squares at the given places of a list, because the step stops. They would
// mislead the workers that continue it.
func (w *worker) release(list []Ref, places []int, whole bool) {
	for _, at := range places {
		if x := &w.nodes[list[at]]; whole {
			atomic.CompareAndSwapUint32(&x.full, uint32(claimed), uint32(unknown))
		} else {
			atomic.CompareAndSwapUint64(&x.part, uint64(w.step)<<32|uint64(claimed), 0)
		}
	}
}

// frame holds the intermediate squares of the squares of a level that are computed side by side.
type frame struct {
	before, nine [9 * atOnce]Ref
	four, last   [4 * atOnce]Ref
	out          [atOnce]Ref
}

// nine computes squares from nine overlapping squares half as wide, and from the four squares that those make.
// If a square has to advance further than a square half as wide can, it advances in two halves:
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
// Otherwise there is no first half: the middles of the nine are used without advancing them.
func (w *worker) nine(f *frame, list []Ref, places []int, level int, whole, own bool) outcome {
	below, k, nodes := level-1, len(places), w.nodes
	before, nine, four, last := f.before[:9*k], f.nine[:9*k], f.four[:4*k], f.last[:4*k]
	if whole || w.partial[level] > w.Generations(below) {
		between := w.joins[:5*k]
		for i, at := range places {
			x := &nodes[list[at]]
			nw, ne, sw, se := &nodes[x.north.west()], &nodes[x.north.east()], &nodes[x.south.west()], &nodes[x.south.east()]
			// Four of the nine squares are the quarters themselves. The other five lie between them, here with the numbers of
			// b, and each takes its own quarters from its neighbours:
			//
			//	NW  0  NE
			//	1   2   3
			//	SW  4  SE
			b := (*[5]quarters)(between[5*i:])
			b[0] = quarters{beside(nw.north.east(), ne.north.west()), beside(nw.south.east(), ne.south.west())}
			b[1] = quarters{nw.south, sw.north}
			b[3] = quarters{ne.south, se.north}
			b[4] = quarters{beside(sw.north.east(), se.north.west()), beside(sw.south.east(), se.south.west())}
			b[2] = quarters{b[0].south, b[4].north}
		}
		w.joinAll(below, between)
		for i, at := range places {
			x, b := &nodes[list[at]], (*[5]Ref)(w.joined[5*i:])
			*(*[9]Ref)(nine[9*i:]) = [9]Ref{
				x.north.west(), b[0], x.north.east(), b[1], b[2], b[3], x.south.west(), b[4],
				x.south.east(),
			}
		}
		copy(before, nine)
		if o := w.advanceAll(nine, below, true, own); o != finished {
			w.hold(o, below, before)
			return o
		}
	} else {
		before = before[:0]
		for i, at := range places {
			w.middles(nine[9*i:][:9], below, list[at])
		}
	}
	for i := range places {
		n, j := (*[9]Ref)(nine[9*i:]), (*[4]quarters)(w.joins[4*i:])
		j[0] = quarters{beside(n[0], n[1]), beside(n[3], n[4])}
		j[1] = quarters{beside(n[1], n[2]), beside(n[4], n[5])}
		j[2] = quarters{j[0].south, beside(n[6], n[7])}
		j[3] = quarters{j[1].south, beside(n[7], n[8])}
	}
	w.joinAll(below, w.joins[:4*k])
	copy(four, w.joined[:])
	copy(last, four)
	if o := w.advanceAll(last, below, whole, own); o != finished {
		w.hold(o, below, before)
		w.hold(o, below, four)
		return o
	}
	for i := range places {
		f := (*[4]Ref)(last[4*i:])
		w.joins[i] = quarters{beside(f[0], f[1]), beside(f[2], f[3])}
	}
	w.joinAll(below, w.joins[:k])
	copy(f.out[:], w.joined[:k])
	return finished
}

// hold notes the squares of a level that a stopped step goes on with.
func (w *worker) hold(o outcome, level int, list []Ref) {
	if o != stopped {
		return
	}
	for _, n := range list {
		w.held = append(w.held, held{n, level})
	}
}

// middles stores the middles of the nine overlapping squares of a level in a square. It does not advance them.
func (w *worker) middles(out []Ref, level int, in Ref) {
	q := w.Children(in)
	nw, ne, sw, se := w.Children(q[0]), w.Children(q[1]), w.Children(q[2]), w.Children(q[3])
	// The quarters of the quarters, row by row. Square i of the nine has its upper left one at row i/3, column i%3.
	sixteen := [16]Ref{
		nw[0], nw[1], ne[0], ne[1],
		nw[2], nw[3], ne[2], ne[3],
		sw[0], sw[1], se[0], se[1],
		sw[2], sw[3], se[2], se[3],
	}
	for i := range out {
		at := i/3*4 + i%3
		nw, ne, sw, se := sixteen[at], sixteen[at+1], sixteen[at+4], sixteen[at+5]
		if level == w.Base() {
			w.Shape.middle(w.outs(0), w.at(nw), w.at(ne), w.at(sw), w.at(se))
			out[i] = w.leaf(w.outs(0))
		} else {
			w.joins[i] = quarters{
				beside(w.nodes[nw].south.east(), w.nodes[ne].south.west()),
				beside(w.nodes[sw].north.east(), w.nodes[se].north.west()),
			}
		}
	}
	if level > w.Base() {
		w.joinAll(level-1, w.joins[:len(out)])
		copy(out, w.joined[:])
	}
}
