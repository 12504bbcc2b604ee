// Package tree holds universes as quadtrees in which equal squares are one, and advances them by Bill Gosper's algorithm (1984): each square
// remembers its own future, so that what is regular in space or time is computed once.
package tree

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/sim"
)

// Stepper computes what becomes of cells. It is for one goroutine.
type Stepper interface {
	// Advance stores the cells in the middle of four leaves, 1 ≤ n ≤ Shape.Turn generations later, in dst. The phase is that of the first of these
	// generations: how many have gone by since the rule began anew.
	Advance(dst []uint64, nw, ne, sw, se []uint64, n, phase int)
}

// Shape says what the squares of a universe hold.
type Shape struct {
	Leaf   int // the level of the leaves, 5 at least: squares of 2^Leaf × 2^Leaf cells, plane after plane, row after row, bit by bit
	Planes int
	Slow   int // the logarithm of how far cells see in a generation, rounded up
	// Turn is how many generations a Stepper advances at once. It is a multiple of the generations after which the rule does the same again, so that
	// what squares remember begins at phase 0. 0 means Most.
	Turn int
}

// words of a leaf.
func (s Shape) words() int { return s.Planes << (2*s.Leaf - 6) }

// Base is the level of the squares of four leaves, the lowest that know a future.
func (s Shape) Base() int { return s.Leaf + 1 }

// Generations is how many generations on a square of a level knows its middle.
func (s Shape) Generations(level int) uint64 { return uint64(s.Turn) << (level - s.Base()) }

// Most is the most generations that four leaves can know of their middle.
func (s Shape) Most() int { return 1 << (s.Base() - 2 - s.Slow) }

// MaxLevel is the largest square whose corners are numbers.
const MaxLevel = bits.UintSize - 2

// Tree is a universe, and all squares that are known of it, of all generations. But for the goroutines of its own it is for one at a
// time.
type Tree struct {
	Shape
	Root  Ref
	Level int // of the root

	nodes     []node
	nodeStore store
	cells     []uint64 // of the leaves
	leafStore store
	leafWords int
	memory    uint64   // bytes that it may take; 0: what there is
	counts    []uint64 // populations of nodes, as far as they were asked for; 0: not yet

	share   share
	step    uint32               // the number of the step under way
	steps   map[stepKey]uint32   // their numbers
	phase   int                  // at which the step begins
	partial [MaxLevel + 1]uint64 // by level: the generations that the step needs of some squares, others are taken as far as they can tell
	stop    *atomic.Uint32       // why to give up the step
	all     []*worker
}

type stepKey struct {
	generations uint64
	phase       int
}

// Why a step is given up.
const (
	goOn uint32 = iota
	cancelled
	full
)

// New makes a dead universe that may take so many bytes, 0 for what there is. It is advanced by so many goroutines, with a stepper each.
func New(s Shape, memory uint64, threads int, stepper func() (Stepper, error)) (*Tree, error) {
	if s.Turn == 0 {
		s.Turn = s.Most()
	}
	t := &Tree{
		Shape: s, Level: s.Base(), leafWords: s.words(), memory: memory, steps: map[stepKey]uint32{}, stop: new(atomic.Uint32),
	}
	t.nodeStore.top.Store(1)
	t.leafStore.top.Store(1)
	for i := range max(threads, 1) {
		w := &worker{Tree: t, number: i, alone: threads <= 1, out: make([]uint64, t.leafWords)}
		var err error
		if w.stepper, err = stepper(); err != nil {
			return nil, err
		}
		t.all = append(t.all, w)
	}
	few := 32 * takeAtOnce * len(t.all) // of which the spare ones are enough to give a step up
	return t, t.resize(few, few)
}

// Close gives all memory back. The tree is of no use then.
func (t *Tree) Close() error {
	t.Root = 0
	return errors.Join(release(&t.nodes), release(&t.cells), release(&t.counts), release(&t.nodeStore.index.entries), release(&t.leafStore.index.entries))
}

// Node is the square of four of the level below.
func (t *Tree) Node(level int, nw, ne, sw, se Ref) Ref { return t.all[0].node(level, nw, ne, sw, se) }

// LeafOf is the leaf of cells.
func (t *Tree) LeafOf(cells []uint64) Ref { return t.all[0].leaf(cells) }

// Cells are those of a leaf, which are not to be changed.
func (t *Tree) Cells(leaf Ref) []uint64 { return t.at(leaf) }

// Children are the quarters of a square.
func (t *Tree) Children(n Ref) [4]Ref { return t.nodes[n].child }

// Fill makes all cells live, of one plane.
func (t *Tree) Fill() {
	cells := make([]uint64, t.leafWords)
	for i := range cells {
		cells[i] = ^uint64(0)
	}
	n := t.LeafOf(cells)
	for level := t.Base(); level <= t.Level; level++ {
		n = t.Node(level, n, n, n, n)
	}
	t.Root = n
}

// Grow makes the root one level larger, with the same cells in its middle.
func (t *Tree) Grow() {
	q := t.Children(t.Root)
	if t.Root == 0 {
		q = [4]Ref{}
	}
	l := t.Level
	t.Root = t.Node(l+1, t.Node(l, 0, 0, 0, q[0]), t.Node(l, 0, 0, q[1], 0), t.Node(l, 0, q[2], 0, 0), t.Node(l, q[3], 0, 0, 0))
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

// middle is the middle of a square above the base, half as wide.
func (t *Tree) middle(n Ref, level int) Ref {
	q := t.Children(n)
	return t.Node(level-1, t.Children(q[0])[3], t.Children(q[1])[2], t.Children(q[2])[1], t.Children(q[3])[0])
}

// Advance advances the universe, which no edges bound, by n generations, or by none with an error: ctx's, or *sim.OutOfMemory where
// shorter steps may do. From a phase other than 0, n must be less than Turn.
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

// AdvanceTorus is Advance for a universe whose opposite sides are joined: the root holds all of it. n may be up to Generations(t.Level+1).
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

// future is the middle of the root n generations on.
func (t *Tree) future(ctx context.Context, n uint64, phase int) (Ref, error) {
	key := stepKey{n, phase}
	if t.steps[key] == 0 {
		t.steps[key] = uint32(len(t.steps) + 1)
	}
	t.step, t.phase = t.steps[key], phase
	left := n
	for level := t.Level; level >= t.Base(); level-- {
		t.partial[level] = left
		if half := t.Generations(level) / 2; left > half {
			left -= half
		}
	}
	t.share.begin(t)
	stop := new(atomic.Uint32) // this step's alone, for it may be told of its context later
	t.stop = stop
	defer context.AfterFunc(ctx, func() { stop.Store(cancelled) })()
	defer func() { t.stop = new(atomic.Uint32) }() // what comes after is not cancelled
	for {
		if next := t.together(); next != unknown {
			t.settle()
			return next, nil
		}
		if err := ctx.Err(); err != nil {
			t.settle()
			return 0, err
		}
		if err := t.makeRoom(); err != nil {
			return 0, cmp.Or(ctx.Err(), err)
		}
		t.stop.CompareAndSwap(full, goOn)
		t.share.seen = 0
	}
}

// together is the future of the root by all workers. Each of them sets out to compute all of it: those that find a square claimed by
// another do the ones beside it first, and what is inside of it then, as far as the other has not got.
func (t *Tree) together() Ref {
	var others sync.WaitGroup
	for _, w := range t.all[1:] {
		others.Go(func() { w.advance(t.Root, t.Level, false) })
	}
	next := t.all[0].advance(t.Root, t.Level, false)
	others.Wait()
	return next
}

// settle forgets what workers held.
func (t *Tree) settle() {
	for _, w := range t.all {
		w.held = w.held[:0]
	}
}
