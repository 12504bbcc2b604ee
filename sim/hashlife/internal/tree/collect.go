package tree

import (
	"errors"
	"fmt"
	"iter"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// held is a square that is needed though the root does not have it.
type held struct {
	n     Ref
	level int
}

// Memory is how many bytes it may take, 0 for what there is.
func (t *Tree) Memory() uint64 { return t.memory }

// Bytes is what all squares and the tables take.
func (t *Tree) Bytes() uint64 {
	n, l := &t.nodeStore, &t.leafStore
	return t.squareBytes(n.used(), l.used()) + uint64(len(n.index.entries)+len(l.index.entries))*entryBytes
}

func (t *Tree) squareBytes(nodes, leaves int) uint64 {
	return uint64(nodes)*nodeBytes + uint64(leaves)*uint64(8*t.leafWords)
}

// fits tells whether there is room for so many squares.
func (t *Tree) fits(nodes, leaves int) error {
	if nodes > int(claimed) || leaves > int(claimed) {
		return errors.New("2^32 can be told apart")
	}
	bytes := t.squareBytes(nodes, leaves) + uint64(entriesFor(nodes)+entriesFor(leaves))*entryBytes
	if t.memory > 0 && bytes > t.memory {
		return fmt.Errorf("%d MiB are allowed", t.memory>>20)
	}
	const little = 16 << 20 // is not worth asking for
	if more := bytes - min(bytes, t.Bytes()); more > little {
		return grid.Fits(more)
	}
	return nil
}

func (t *Tree) outOfMemory(why error) error {
	return &sim.OutOfMemory{
		What: fmt.Sprintf("the pattern has grown to %d different squares", t.nodeStore.used()+t.leafStore.used()), Why: why,
	}
}

// errStopped says that making room was given up, with all as it was.
var errStopped = errors.New("stopped")

// resize makes room for so many squares, unless the step is cancelled.
func (t *Tree) resize(nodes, leaves int) error {
	var err error
	if n := &t.nodeStore; nodes != n.most {
		if t.nodes, err = resized(t.nodes, nodes); err != nil {
			return err
		}
		for _, w := range t.all {
			w.nodes = t.nodes
		}
		huge(t.nodes)
		if err := n.enlarge(nodes, t.indexNodes); err != nil {
			return err
		}
	}
	if l := &t.leafStore; leaves != l.most {
		if t.cells, err = resized(t.cells, leaves*t.leafWords); err != nil {
			return err
		}
		huge(t.cells)
		if err := l.enlarge(leaves, t.indexLeaves); err != nil {
			return err
		}
	}
	return nil
}

// enlarge gives a store an index for so many squares. The old one is kept until the new one has all of them.
func (s *store) enlarge(squares int, fill func(x *index, anyway bool) bool) error {
	entries, err := resized[uint32](nil, entriesFor(squares))
	if err != nil {
		return err
	}
	huge(entries)
	x := index{entries: entries, shift: uint8(64 - bits.Len32(uint32(len(entries)-1)))}
	if !fill(&x, false) {
		return errors.Join(errStopped, release(&x.entries))
	}
	s.most = squares
	old := s.index.entries
	s.index = x
	return release(&old)
}

// release gives memory back.
func release[T any](list *[]T) error {
	_, err := resized(*list, 0)
	*list = nil
	return err
}

// indexNodes adds all nodes to an empty index, in which they are looked for then. It reports false where it is given up, for the step is
// cancelled and it is not to be done anyway.
func (t *Tree) indexNodes(x *index, anyway bool) bool {
	whole := t.inParts(t.nodeStore.used(), anyway, func(from, end int) {
		var hashes [64]uint64
		var refs [64]Ref
		list := 0
		for i := from; i < end; i++ {
			y := &t.nodes[i]
			if y.level != 0 {
				hashes[list], refs[list] = hash(int(y.level), &y.child), Ref(i)
				list++
			}
			if list == len(refs) || i == end-1 {
				x.addAll(hashes[:list], refs[:list])
				list = 0
			}
		}
	})
	if whole {
		for _, w := range t.all {
			w.nodeIndex = *x
			clear(w.recent[:])
		}
	}
	return whole
}

// indexLeaves is indexNodes for leaves.
func (t *Tree) indexLeaves(x *index, anyway bool) bool {
	whole := t.inParts(t.leafStore.used(), anyway, func(from, end int) {
		for i := from; i < end; i++ {
			if hash, live := hashOf(t.at(Ref(i))); live != 0 {
				x.add(hash, Ref(i))
			}
		}
	})
	if whole {
		for _, w := range t.all {
			w.leafIndex = *x
		}
	}
	return whole
}

// inParts does something to all of n things in parts, by as many goroutines as there are workers where it is worth it. It reports false where
// it is given up, for the step is cancelled and it is not to be done anyway.
func (t *Tree) inParts(n int, anyway bool, do func(from, end int)) bool {
	const part = 1 << 14
	var next atomic.Int64
	work := func() {
		for anyway || !t.isCancelled() {
			from := int(next.Add(part)) - part
			if from >= n {
				return
			}
			do(from, min(from+part, n))
		}
	}
	var others sync.WaitGroup
	for range min(len(t.all), n/part) - 1 {
		others.Go(work)
	}
	work()
	others.Wait()
	return int(next.Load()) >= n
}

// isCancelled reports whether the step under way is.
func (t *Tree) isCancelled() bool { return t.stop.Load() == cancelled }

// Reserve makes room for so many squares and leaves. Where it has to do away with others for that, references become void but for the root.
func (t *Tree) Reserve(nodes, leaves int) error {
	room := func() (n, l int) {
		n, l = t.nodeStore.most, t.leafStore.most
		for t.nodeStore.used()+nodes+n/8 >= n {
			n *= 2
		}
		for t.leafStore.used()+leaves+l/8 >= l {
			l *= 2
		}
		return n, l
	}
	n, l := room()
	err := t.fits(n, l)
	if err != nil {
		t.collect(nil, false)
		if n, l = room(); n != t.nodeStore.most || l != t.leafStore.most {
			return t.outOfMemory(err)
		}
	}
	return t.resized(n, l)
}

// makeRoom makes room for a step that was given up because there was none, unless it is cancelled. It takes more memory while there is some, then does away with what
// nobody needs. The error is *sim.OutOfMemory where that is too little to go on with.
func (t *Tree) makeRoom() error {
	defer t.settle()
	n, l := grown(&t.nodeStore, nodeBytes), grown(&t.leafStore, 8*t.leafWords)
	why := t.fits(n, l)
	if why == nil {
		return t.resized(n, l)
	}
	var roots []held
	for _, w := range t.all {
		roots = append(roots, w.held...)
	}
	switch {
	case !t.collect(roots, true):
		return errStopped
	case t.isTight():
		return t.outOfMemory(why)
	}
	return nil
}

// resized is resize for when memory may be short.
func (t *Tree) resized(nodes, leaves int) error {
	if err := t.resize(nodes, leaves); err != nil {
		return t.outOfMemory(err)
	}
	return nil
}

// grown is how many squares there is to be room for where there is too little: much more while they are few.
func grown(s *store, bytes int) int {
	const few = 4 << 20
	switch {
	case !s.isFull():
		return s.most
	case s.most*bytes < few:
		return 4 * s.most
	}
	return 2 * s.most
}

// isTight reports whether so much is in use that room would have to be made again and again.
func (t *Tree) isTight() bool {
	return t.nodeStore.used() > t.nodeStore.most/2 || t.leafStore.used() > t.leafStore.most/2
}

// Forget does away with all but the universe as it is. The error is *sim.OutOfMemory where that takes most of the memory.
func (t *Tree) Forget() error {
	t.collect(nil, false)
	if t.isTight() {
		return t.outOfMemory(t.fits(2*t.nodeStore.most, 2*t.leafStore.most))
	}
	return nil
}

// collect does away with the squares that neither the root nor the squares held need: with what is known of their future, or without, which
// is then forgotten. Those that stay move together, in the order in which they were made, so that all references but the root become void.
// It reports false where the step is cancelled before any has moved.
func (t *Tree) collect(roots []held, futures bool) bool {
	m := marker{Tree: t, nodes: newMarks(t.nodeStore.used()), leaves: newMarks(t.leafStore.used()), futures: futures}
	m.mark(t.Root, t.Level)
	for _, h := range roots {
		m.mark(h.n, h.level)
	}
	if t.isCancelled() {
		return false
	}
	nodes, leaves := m.nodes.rank(), m.leaves.rank()
	t.Root = m.moved(t.Root, t.Level)
	for from := range m.nodes.all() {
		x := t.nodes[from]
		m.move(&x)
		t.nodes[m.nodes.place(from)] = x
	}
	for from := range m.leaves.all() {
		copy(t.at(m.leaves.place(from)), t.at(from))
	}
	clear(t.nodes[nodes:t.nodeStore.used()])
	clear(t.cells[leaves*t.leafWords : t.leafStore.used()*t.leafWords])
	t.nodeStore.top.Store(int64(nodes))
	t.leafStore.top.Store(int64(leaves))
	for _, w := range t.all {
		w.freeNodes, w.freeLeaves = taken{}, taken{}
	}
	clear(t.nodeStore.index.entries)
	clear(t.leafStore.index.entries)
	t.indexNodes(&t.nodeStore.index, true)
	t.indexLeaves(&t.leafStore.index, true)
	_ = release(&t.counts)
	return true
}

// marks are the squares of a store that are needed.
type marks struct {
	bits   []uint64
	before []uint32 // by word of bits: how many squares are needed before
}

func newMarks(squares int) marks {
	m := marks{bits: make([]uint64, squares/64+1)}
	m.add(0) // the dead square stays where it is
	return m
}

// add marks a square. It reports whether it was not marked.
func (m *marks) add(n Ref) bool {
	word, bit := &m.bits[n/64], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// rank counts the squares once all are marked.
func (m *marks) rank() int {
	m.before = make([]uint32, len(m.bits))
	total := 0
	for i, word := range m.bits {
		m.before[i] = uint32(total)
		total += bits.OnesCount64(word)
	}
	return total
}

// place is where a marked square moves to.
func (m *marks) place(n Ref) Ref {
	return Ref(m.before[n/64]) + Ref(bits.OnesCount64(m.bits[n/64]&(1<<(n%64)-1)))
}

// all yields the marked squares in order, but for the dead one.
func (m *marks) all() iter.Seq[Ref] {
	return func(yield func(Ref) bool) {
		for i, word := range m.bits {
			for ; word != 0; word &= word - 1 {
				if n := Ref(64*i + bits.TrailingZeros64(word)); n != 0 && !yield(n) {
					return
				}
			}
		}
	}
}

// marker marks squares that are needed.
type marker struct {
	*Tree
	nodes, leaves marks
	futures       bool
}

func (m *marker) mark(n Ref, level int) {
	switch {
	case n == 0 || n >= claimed || m.isCancelled():
		return
	case level == m.Leaf:
		m.leaves.add(n)
		return
	case !m.nodes.add(n):
		return
	}
	x := &m.Tree.nodes[n]
	for _, child := range x.child {
		m.mark(child, level-1)
	}
	if !m.futures {
		x.full, x.part = uint32(unknown), 0
	}
	if uint32(x.part>>32) != m.step {
		x.part = 0
	}
	m.mark(Ref(x.full), level-1)
	m.mark(Ref(x.part), level-1)
}

// moved is where a marked square of a level moves to.
func (m *marker) moved(n Ref, level int) Ref {
	switch {
	case n == 0:
		return 0
	case n >= claimed:
		return unknown
	case level == m.Leaf:
		return m.leaves.place(n)
	}
	return m.nodes.place(n)
}

// move has what a marked node refers to where that moves to.
func (m *marker) move(x *node) {
	below := int(x.level) - 1
	for i, child := range x.child {
		x.child[i] = m.moved(child, below)
	}
	x.full = uint32(m.moved(Ref(x.full), below))
	if r := m.moved(Ref(x.part), below); r != unknown {
		x.part = x.part>>32<<32 | uint64(r)
	} else {
		x.part = 0
	}
}
