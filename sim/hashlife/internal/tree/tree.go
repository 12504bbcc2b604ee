// Package tree holds universes as quadtrees in which equal squares share one node, and advances them by Bill
// Gosper's algorithm (1984). Each square remembers its own future, so a structure that repeats in space or time
// is computed once.
package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/sim"
)

// Stepper computes the futures of squares of four leaves. Only one goroutine may use it at a time.
type Stepper interface {
	// Advance stores the middles of up to MaxSquares squares, n generations later; 1 ≤ n ≤ Shape.Turn. The phase is the
	// number of generations since the period of the rule last began.
	Advance(squares []Base, n, phase int)
	// Cost is about the nanoseconds that a generation of a square takes on a usual core.
	Cost() float64
}

// MaxSquares is the largest number of squares that a Stepper gets at once.
const MaxSquares = 4

// Base is a square of four leaves, and where a leaf is stored: its middle, some generations later.
type Base struct{ NW, NE, SW, SE, Middle []uint64 }

// Shape describes the squares of a universe and how far they see.
type Shape struct {
	// level of the leaves, at least 3: squares of 2^Leaf × 2^Leaf cells, stored plane by plane, row by row, one
	// bit a cell
	Leaf   int
	Planes int // of a cell's state, and of the mask if there is one
	// the last plane says which cells there are; the others are always in state 0, and they alone make up dead
	// squares
	Masked bool
	Slow   int // binary logarithm of the radius of the rule, rounded up
	// Turn is the most generations that a Stepper advances at once. It is a multiple of the period of the rule, so
	// that futures in node.full begin at phase 0. 0 means Most.
	Turn int
}

// words returns the number of words in a leaf.
func (s Shape) words() int { return s.Planes << (2*s.Leaf - 6) }

// StatePlanes returns the number of planes of a cell's state, which come before the mask.
func (s Shape) StatePlanes() int {
	if s.Masked {
		return s.Planes - 1
	}
	return s.Planes
}

// planeWords returns the number of words of a plane of a leaf.
func (s Shape) planeWords() int { return 1 << (2*s.Leaf - 6) }

// Base returns the level of the squares made of four leaves. They are the smallest squares with a future.
func (s Shape) Base() int { return s.Leaf + 1 }

// Generations returns how many generations ahead a square of a level, Base or above, knows its middle.
func (s Shape) Generations(level int) uint64 { return uint64(s.Turn) << (level - s.Base()) }

// Most returns the most generations for which four leaves determine their middle if the radius is 2^Slow.
func (s Shape) Most() int { return 1 << (s.Base() - 2 - s.Slow) }

// MaxLevel is the level of the largest square whose side fits in an int.
const MaxLevel = bits.UintSize - 2

// Tree is a universe with all its known squares, of all generations. Only one goroutine may use it at a time.
// It starts goroutines of its own.
type Tree struct {
	Shape
	Root  Ref
	Level int // of the root

	nodes     []node
	nodeStore store
	cells     []uint64 // of the leaves
	leafStore store
	leafWords int
	memory    uint64   // limit in bytes; 0: all free memory
	counts    []uint64 // known populations of nodes, each plus 1; 0: not known

	share share
	step  uint32             // the number of the current step
	steps map[stepKey]uint32 // their numbers, from 1
	phase int                // the phase at which the step begins
	// by level: the generations that the step needs; whole squares advance by Generations(level) instead
	partial [MaxLevel + 1]uint64
	stop    *atomic.Uint32 // goOn, or why the step stops early
	all     []*worker
}

type stepKey struct {
	generations uint64
	phase       int
}

// Values of Tree.stop.
const (
	goOn uint32 = iota
	cancelled
	full
	spent // the work that the step was allowed is done
)

// New makes a dead universe. It may take memory bytes, or what the machine has if memory is 0. It has a worker
// for each of the threads, and stepper makes a Stepper for each worker.
func New(s Shape, memory uint64, threads int, stepper func() (Stepper, error)) (*Tree, error) {
	if s.Turn == 0 {
		s.Turn = s.Most()
	}
	t := &Tree{
		Shape: s, Level: s.Base(), leafWords: s.words(), memory: memory, steps: map[stepKey]uint32{},
		stop: new(atomic.Uint32),
	}
	t.nodeStore.top.Store(1)
	t.leafStore.top.Store(1)
	for i := range max(threads, 1) {
		w := &worker{
			Tree: t, number: i, random: uint32(i + 1), alone: threads <= 1, out: make([]uint64, atOnce*t.leafWords),
			most: math.MaxUint64,
		}
		var err error
		if w.stepper, err = stepper(); err != nil {
			return nil, err
		}
		w.cost = w.stepper.Cost()
		t.all = append(t.all, w)
	}
	few := 64 * takeAtOnce * len(t.all) // an eighth is spare, which is enough for what workers make while a step stops
	// with fewer nodes, files of some kilobytes outgrow them in their first hundred generations
	return t, t.resize(2*few, few)
}

// Close releases all memory. The tree must not be used afterwards.
func (t *Tree) Close() error {
	t.Root = 0
	return errors.Join(release(&t.nodes), release(&t.cells), release(&t.counts),
		release(&t.nodeStore.index.entries), release(&t.leafStore.index.entries))
}

// Node returns the square of a level with the four given quarters.
func (t *Tree) Node(level int, nw, ne, sw, se Ref) Ref { return t.all[0].node(level, nw, ne, sw, se) }

// LeafOf returns the leaf with the given cells.
func (t *Tree) LeafOf(cells []uint64) Ref { return t.all[0].leaf(cells) }

// Cells returns the cells of a leaf. The caller must not change them.
func (t *Tree) Cells(leaf Ref) []uint64 { return t.at(leaf) }

// Children returns the quarters of a square.
func (t *Tree) Children(n Ref) [4]Ref { return t.nodes[n].refs() }

// Grow makes the root one level larger. The cells stay in its middle.
func (t *Tree) Grow() {
	q := t.Children(t.Root)
	if t.Root == 0 {
		q = [4]Ref{}
	}
	l := t.Level
	t.Root = t.Node(l+1, t.Node(l, 0, 0, 0, q[0]), t.Node(l, 0, 0, q[1], 0), t.Node(l, 0, q[2], 0, 0),
		t.Node(l, q[3], 0, 0, 0))
	t.Level++
}

// Shrink makes the root as small as its cells allow.
func (t *Tree) Shrink() {
	for t.Level > t.Base() && t.isInMiddle() {
		t.Root = t.middle(t.Root, t.Level)
		t.Level--
	}
}

// isInMiddle reports whether all cells of the root are in the middle, half as wide.
func (t *Tree) isInMiddle() bool {
	for i, quarter := range t.Children(t.Root) {
		for j, n := range t.Children(quarter) {
			if j != 3-i && n != 0 {
				return false
			}
		}
	}
	return true
}

// middle returns the middle of a square above the base. It is half as wide.
func (t *Tree) middle(n Ref, level int) Ref {
	q := t.Children(n)
	return t.Node(level-1, t.Children(q[0])[3], t.Children(q[1])[2], t.Children(q[2])[1], t.Children(q[3])[0])
}

// Advance advances an unbounded universe by n generations. If there is an error it does not advance. The error
// is ctx's, *sim.OutOfSpace if the pattern would become too wide, or *sim.OutOfMemory if memory is short: a
// shorter step may then succeed. If phase is not 0, n must be less than Turn.
func (t *Tree) Advance(ctx context.Context, n uint64, phase int) error {
	t.Shrink()
	if t.Root == 0 {
		return nil
	}
	before := t.Level
	reach := n << t.Slow
	for grown := 0; grown < 2 || 1<<(before-1)+reach > 1<<(t.Level-2) || n > t.Generations(t.Level); grown++ {
		if t.Level == MaxLevel {
			t.Shrink()
			return &sim.OutOfSpace{What: fmt.Sprintf("the pattern would spread over more than 2^%d cells a side", MaxLevel-2)}
		}
		t.Grow()
	}
	next, err := t.future(ctx, n, phase)
	if err == nil {
		t.Root = next
		t.Level--
	}
	t.Shrink()
	return err
}

// AdvanceTorus is Advance for a torus. The root is the whole torus. n is at most Generations(t.Level+1).
//
// Four copies of the torus, with their quarters exchanged crosswise, have the torus itself in their
// middle. All around it are the cells that are its neighbours on the torus:
//
//	0 1          3 2 3 2
//	2 3    ->    1 0 1 0
//	             3 2 3 2
//	             1 0 1 0
func (t *Tree) AdvanceTorus(ctx context.Context, n uint64, phase int) error {
	if t.Root == 0 {
		return nil
	}
	q := t.Children(t.Root)
	turned := t.Node(t.Level, q[3], q[2], q[1], q[0])
	t.Root = t.Node(t.Level+1, turned, turned, turned, turned)
	t.Level++
	next, err := t.future(ctx, n, phase)
	t.Level--
	if err != nil {
		q = t.Children(t.Children(t.Root)[0])
		next = t.Node(t.Level, q[3], q[2], q[1], q[0])
	}
	t.Root = next
	return err
}

// future returns the middle of the root n generations later. A square whose quarters advance g
// generations advances by up to 2g: nine squares by g, and the four that they make by the rest. The
// rest is what squares of the next level have to advance. For n = 11, if squares of four leaves
// advance 4 generations:
//
//	level     Generations   partial
//	base+2    16            11        nine squares by 8, four by 3
//	base+1     8             3        nine middles as they are, four squares by 3
//	base       4             3        computed
//
// Only squares on the way to a part of 3 depend on the step (node.part). Those by 8 are the same in
// every step (node.full).
func (t *Tree) future(ctx context.Context, n uint64, phase int) (Ref, error) {
	key := stepKey{n, phase}
	if t.steps[key] == 0 {
		t.steps[key] = uint32(len(t.steps) + 1)
	}
	t.step, t.phase = t.steps[key], phase
	t.nodes[0].part = uint64(t.step) << 32
	left := n
	for level := t.Level; level >= t.Base(); level-- {
		t.partial[level] = left
		if half := t.Generations(level) / 2; left > half {
			left -= half
		}
	}
	t.share.begin(t)
	stop := new(atomic.Uint32) // for this step only: the context may call the function after the step has ended
	t.stop = stop
	defer context.AfterFunc(ctx, func() { stop.Store(cancelled) })()
	defer func() { t.stop = new(atomic.Uint32) }() // the context does not cancel later work
	for {
		if next := t.together(); next != unknown {
			t.settle()
			return next, nil
		}
		if err := ctx.Err(); err != nil {
			t.settle()
			return 0, err
		}
		if t.stop.Load() == spent {
			t.settle()
			return 0, sim.ErrWork
		}
		if err := t.makeRoom(); err != nil {
			return 0, cmp.Or(ctx.Err(), err)
		}
		t.stop.CompareAndSwap(full, goOn)
		t.share.seen = 0
	}
}

// Work is about the nanoseconds that the squares computed until now take on a usual core, reckoned from their number.
func (t *Tree) Work() (total uint64) {
	for _, w := range t.all {
		total += w.work
	}
	return total
}

// Allow ends later steps with sim.ErrWork once a worker has done that much more work.
func (t *Tree) Allow(most uint64) {
	for _, w := range t.all {
		w.most = w.work + min(most, math.MaxUint64-w.work)
	}
}

// together returns the future of the root, which all workers compute. Each worker begins with the root. A
// square that another worker has claimed it leaves for later, helps with its parts, and comes back until the
// square is known.
func (t *Tree) together() Ref {
	var others sync.WaitGroup
	for _, w := range t.all[1:] {
		others.Go(func() { w.advance(t.Root, t.Level, false) })
	}
	next := t.all[0].advance(t.Root, t.Level, false)
	others.Wait()
	return next
}

// settle clears the lists of squares that workers hold.
func (t *Tree) settle() {
	for _, w := range t.all {
		w.held = w.held[:0]
	}
}
