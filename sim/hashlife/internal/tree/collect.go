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

// held is a square that is needed although the root does not contain it.
type held struct {
	n     Ref
	level int
}

// Memory returns the memory limit in bytes, or 0 if there is none.
func (t *Tree) Memory() uint64 { return t.memory }

// Bytes returns the memory of all squares and both indices.
func (t *Tree) Bytes() uint64 {
	n, l := &t.nodeStore, &t.leafStore
	return t.squareBytes(n.used(), l.used()) + uint64(len(n.index.entries)+len(l.index.entries))*entryBytes
}

func (t *Tree) squareBytes(nodes, leaves int) uint64 {
	return uint64(nodes)*nodeBytes + uint64(leaves)*uint64(8*t.leafWords)
}

// fits returns nil if there is memory for that many nodes and leaves, else the reason.
func (t *Tree) fits(nodes, leaves int) error {
	if nodes > int(claimed) || leaves > int(claimed) {
		return errors.New("2^32 can be told apart")
	}
	bytes := t.squareBytes(nodes, leaves) + uint64(entriesFor(nodes)+entriesFor(leaves))*entryBytes
	if t.memory > 0 && bytes > t.memory {
		return fmt.Errorf("%d MiB are allowed", t.memory>>20)
	}
	const little = 16 << 20 // too few bytes to ask the system about
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

// errStopped says that the step was cancelled while room was made. All squares and references are as before.
var errStopped = errors.New("stopped")

// resize makes room for that many nodes and leaves, unless the step is cancelled.
func (t *Tree) resize(nodes, leaves int) error {
	var err error
	if n := &t.nodeStore; nodes != n.most {
		if t.nodes, err = resized(t.nodes, nodes); err != nil {
			return err
		}
		for _, w := range t.all {
			w.nodes = t.nodes
		}
		advise(t.nodes)
		if err := n.enlarge(nodes, t.indexNodes); err != nil {
			return err
		}
	}
	if l := &t.leafStore; leaves != l.most {
		if t.cells, err = resized(t.cells, leaves*t.leafWords); err != nil {
			return err
		}
		advise(t.cells)
		if err := l.enlarge(leaves, t.indexLeaves); err != nil {
			return err
		}
	}
	return nil
}

// enlarge gives a store an index for that many squares. It keeps the old index until the new one is complete.
func (s *store) enlarge(squares int, fill func(x *index, anyway bool) bool) error {
	entries, err := resized[uint32](nil, entriesFor(squares))
	if err != nil {
		return err
	}
	if len(entries)*entryBytes < hugePage {
		populate(entries)
	} else {
		advise(entries)
	}
	x := index{entries: entries, shift: uint8(64 - bits.Len32(uint32(len(entries)-1)))}
	if !fill(&x, false) {
		return errors.Join(errStopped, release(&x.entries))
	}
	s.most = squares
	old := s.index.entries
	s.index = x
	return release(&old)
}

// indexNodes adds all nodes to an empty index, which the workers then use. It reports false if it stopped
// because the step is cancelled. It never stops if anyway is set.
func (t *Tree) indexNodes(x *index, anyway bool) bool {
	whole := t.inParts(t.nodeStore.used(), anyway, func(from, end int) {
		var hashes [64]uint64
		var refs [64]Ref
		list := 0
		for i := from; i < end; i++ {
			y := &t.nodes[i]
			if y.level != 0 {
				hashes[list], refs[list] = hash(int(y.level), &y.quarters), Ref(i)
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

// inParts calls do for ranges that together are 0 to n. It uses up to one goroutine for each worker if n is
// large. It reports false if it stopped because the step is cancelled. It never stops if anyway is set.
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
	// A worker finishes every part that it has taken and asks for cancellation only between parts. If all parts were
	// taken, all are done.
	return int(next.Load()) >= n
}

// isCancelled reports whether the current step is cancelled.
func (t *Tree) isCancelled() bool { return t.stop.Load() == cancelled }

// Reserve makes room for that many more nodes and leaves. It may collect squares for that. Then only Root remains
// valid, and all other Refs do not.
func (t *Tree) Reserve(nodes, leaves int) error {
	room := func() (n, l int) {
		n, l = t.nodeStore.most, t.leafStore.most
		// At least an eighth stays free.
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

// makeRoom makes room for a step that stopped because the tables were full, unless the step is cancelled. It
// takes more memory if it may. Otherwise it collects the squares that are not needed. The error is
// *sim.OutOfMemory if too little room remains after that.
func (t *Tree) makeRoom() error {
	defer t.settle()
	n, l := t.grown(&t.nodeStore, nodeBytes), t.grown(&t.leafStore, 8*t.leafWords)
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

// resized is resize, but its error is *sim.OutOfMemory.
func (t *Tree) resized(nodes, leaves int) error {
	if err := t.resize(nodes, leaves); err != nil {
		return t.outOfMemory(err)
	}
	return nil
}

// grown returns the number of squares to make room for. Unless memory is short, a full store first grows to one
// huge page, which the system provides at once instead of page by page. Then it grows by a factor of 4 while it
// is small, and of 2 later.
func (t *Tree) grown(s *store, bytes int) int {
	const (
		few   = 4 << 20
		short = 8 * hugePage
	)
	switch {
	case !s.isFull():
		return s.most
	case s.most*bytes >= few:
		return 2 * s.most
	case t.memory > 0 && t.memory < short:
		return 4 * s.most
	}
	return max(4*s.most, hugePage/bytes)
}

// isTight reports whether more than half of a store is in use. The step would then have to make room again and again.
func (t *Tree) isTight() bool {
	return t.nodeStore.used() > t.nodeStore.most/2 || t.leafStore.used() > t.leafStore.most/2
}

// Forget removes all squares and futures that the current universe does not need. The error is *sim.OutOfMemory
// if more than half of a store remains in use.
func (t *Tree) Forget() error {
	t.collect(nil, false)
	if t.isTight() {
		return t.outOfMemory(t.fits(2*t.nodeStore.most, 2*t.leafStore.most))
	}
	return nil
}

// collect removes the squares that neither the root nor the given roots need. If futures is set, the known
// futures of needed squares are needed too. Otherwise all futures are forgotten. The remaining squares move
// together and keep their order, so all references except the root become invalid. It reports false if the step
// was cancelled before any square moved.
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
	// A square stays or moves towards the front, and squares move in order. None is overwritten before it has moved.
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

// marks says which squares of a store are needed.
type marks struct {
	bits   []uint64
	before []uint32 // by word of bits: the number of needed squares before it
}

func newMarks(squares int) marks {
	m := marks{bits: make([]uint64, squares/64+1)}
	m.add(0) // the dead square stays where it is
	return m
}

// add marks a square. It reports whether the square was not marked before.
func (m *marks) add(n Ref) bool {
	word, bit := &m.bits[n/64], uint64(1)<<(n%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// rank counts the marked squares, and prepares for place. All squares must be marked before.
func (m *marks) rank() int {
	m.before = make([]uint32, len(m.bits))
	total := 0
	for i, word := range m.bits {
		m.before[i] = uint32(total)
		total += bits.OnesCount64(word)
	}
	return total
}

// place returns the new Ref of a marked square.
//
//	bits of words      0110    1001    0011      needed squares
//	before                0       2       4      of each word
//	new Ref             01    2  3      45       before, and the needed squares below n in its word
func (m *marks) place(n Ref) Ref {
	return Ref(m.before[n/64]) + Ref(bits.OnesCount64(m.bits[n/64]&(1<<(n%64)-1)))
}

// all yields the marked squares in order, except the dead one.
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

// mark marks a square, its parts and, if they are needed, its futures.
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
	for _, child := range x.refs() {
		m.mark(child, level-1)
	}
	if !m.futures {
		x.full, x.part = uint32(unknown), 0
	}
	// A part belongs to the step whose number is in its upper half. Parts of other steps are useless now.
	if uint32(x.part>>32) != m.step {
		x.part = 0
	}
	m.mark(Ref(x.full), level-1)
	m.mark(Ref(x.part), level-1)
}

// moved returns the new Ref of a marked square of a level.
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

// move replaces the references in a marked node by the new Refs.
func (m *marker) move(x *node) {
	below := int(x.level) - 1
	for _, p := range [2]*pair{&x.north, &x.south} {
		*p = beside(m.moved(p.west(), below), m.moved(p.east(), below))
	}
	x.full = uint32(m.moved(Ref(x.full), below))
	if r := m.moved(Ref(x.part), below); r != unknown {
		x.part = x.part>>32<<32 | uint64(r)
	} else {
		x.part = 0
	}
}
