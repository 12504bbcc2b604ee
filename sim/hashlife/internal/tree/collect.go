package tree

import (
	"fmt"
	"runtime"
	"slices"
	"unsafe"

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

// Bytes is what all squares that there is room for take.
func (t *Tree) Bytes() uint64 { return t.bytesOf(t.nodeStore.most, t.leafStore.most) }

func (t *Tree) bytesOf(nodes, leaves int) uint64 {
	return uint64(nodes)*nodeBytes + uint64(leaves)*uint64(8*t.leafWords) + uint64(entriesFor(nodes)+entriesFor(leaves))*entryBytes
}

// fits tells whether there is room for so many squares, and for those there are while they are copied.
func (t *Tree) fits(nodes, leaves int) error {
	if nodes > int(unknown) || leaves > int(unknown) {
		return fmt.Errorf("2^32 can be told apart")
	}
	bytes := t.bytesOf(nodes, leaves)
	if t.memory > 0 && bytes > t.memory {
		return fmt.Errorf("%d MiB are allowed", t.memory>>20)
	}
	return grid.Fits(bytes)
}

func (t *Tree) outOfMemory(why error) error {
	return &sim.OutOfMemory{
		What: fmt.Sprintf("the pattern has grown to %d different squares", t.nodeStore.used()+t.leafStore.used()), Why: why,
	}
}

// resize makes room for so many squares.
func (t *Tree) resize(nodes, leaves int) {
	if nodes != t.nodeStore.most {
		t.nodes = enlarged(t.nodes, nodes)
		t.nodeStore.most = nodes
		t.indexNodes()
	}
	if leaves != t.leafStore.most {
		t.cells = enlarged(t.cells, leaves*t.leafWords)
		t.leafStore.most = leaves
		t.indexLeaves()
	}
	if t.Bytes() > 4<<20 {
		runtime.GC() // what was replaced is most of the memory
	}
}

// enlarged is a copy of a list with room for n.
func enlarged[T any](list []T, n int) []T {
	to := make([]T, n)
	var one T
	huge(unsafe.Pointer(unsafe.SliceData(to)), uintptr(n)*unsafe.Sizeof(one))
	copy(to, list)
	return to
}

func (t *Tree) indexNodes() {
	s := &t.nodeStore
	s.index = enlarged(index{}, entriesFor(s.most))
	for i := range t.nodes[:s.top] {
		if x := &t.nodes[i]; x.level != 0 {
			s.index.add(hash(int(x.level), &x.child), Ref(i))
		}
	}
}

func (t *Tree) indexLeaves() {
	s := &t.leafStore
	s.index = enlarged(index{}, entriesFor(s.most))
	for n := range Ref(s.top) {
		if hash, live := hashOf(t.at(n)); live != 0 {
			s.index.add(hash, n)
		}
	}
}

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
	t.resize(n, l)
	return nil
}

// makeRoom makes room for a step that was given up because there was none. It takes more memory while there is some, then does away with what
// nobody needs. The error is *sim.OutOfMemory where that is too little to go on with.
func (t *Tree) makeRoom() error {
	defer t.settle()
	n, l := grown(&t.nodeStore, nodeBytes), grown(&t.leafStore, 8*t.leafWords)
	why := t.fits(n, l)
	if why == nil {
		t.resize(n, l)
		return nil
	}
	var roots []held
	for _, w := range t.all {
		roots = append(roots, w.held...)
	}
	t.collect(roots, true)
	if !t.isTight() {
		return nil
	}
	return t.outOfMemory(why)
}

// grown is how many squares there is to be room for where there is too little: much more while they are few.
func grown(s *store, bytes int) int {
	const few = 64 << 20
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
// is then forgotten.
func (t *Tree) collect(roots []held, futures bool) {
	for _, w := range t.all {
		w.freeNodes, w.freeLeaves = w.freeNodes[:0], w.freeLeaves[:0]
	}
	m := marker{Tree: t, leaves: make([]bool, t.leafStore.top), futures: futures}
	m.mark(t.Root, t.Level)
	for _, h := range roots {
		m.mark(h.n, h.level)
	}
	t.nodeStore.free, t.leafStore.free = nil, nil
	for i, x := range slices.Backward(t.nodes[1:t.nodeStore.top]) {
		y := &t.nodes[1+i]
		switch {
		case !x.marked:
			*y = node{}
			t.nodeStore.free = append(t.nodeStore.free, Ref(1+i))
			continue
		case !futures:
			y.full, y.part = uint32(unknown), 0
		}
		y.marked = false
	}
	for n := Ref(t.leafStore.top) - 1; n > 0; n-- {
		if !m.leaves[n] {
			clear(t.at(n))
			t.leafStore.free = append(t.leafStore.free, n)
		}
	}
	t.indexNodes()
	t.indexLeaves()
	clear(t.counts)
}

// marker marks squares that are needed.
type marker struct {
	*Tree
	leaves  []bool
	futures bool
}

func (m *marker) mark(n Ref, level int) {
	if n == 0 || n == unknown {
		return
	}
	if level == m.Leaf {
		m.leaves[n] = true
		return
	}
	x := &m.nodes[n]
	if x.marked {
		return
	}
	x.marked = true
	for _, child := range x.child {
		m.mark(child, level-1)
	}
	if !m.futures {
		return
	}
	m.mark(Ref(x.full), level-1)
	if uint32(x.part>>32) == m.step {
		m.mark(Ref(x.part), level-1)
	} else {
		x.part = 0
	}
}
