package tree

import (
	"math/bits"
	"sync/atomic"
)

// Ref is a square of a known level: the place of its node, or of its cells where that is the level of the leaves. 0 is the dead square of any
// level.
type Ref uint32

const (
	unknown = ^Ref(0)     // no square
	claimed = unknown - 1 // no square yet: a worker is at it
)

// node is a square of four. Equal squares are one node, so that a node never changes but for what is known of its future.
//
//	┌────┬────┐
//	│ nw │ ne │   child 0 1
//	├────┼────┤
//	│ sw │ se │   child 2 3
//	└────┴────┘
type node struct {
	child [4]Ref
	part  uint64 // the middle of the square, half as wide, where the step under way needs it: that step's number, then a Ref
	full  uint32 // the middle as many generations on as the square can tell; unknown: not known
	level uint8  // 0: none
}

const nodeBytes = 32

// index finds squares by their hash. It is a table with open addressing, of a power of two entries; 0 is a free one. An entry is a Ref, and in the
// bits above those that Refs need the hash's, so that looking for what is not there rarely looks elsewhere. It may be used by many
// goroutines at once: entries are added and never changed.
type index struct {
	entries []uint32
	shift   uint8 // of a hash, for its first entry
}

const entryBytes = 4

func (x *index) mask() uint32 { return uint32(len(x.entries) - 1) }

// first is where the search for a hash begins.
func (x *index) first(hash uint64) uint32 { return uint32(hash >> x.shift) }

// add adds a square that is not there.
func (x *index) add(hash uint64, n Ref) {
	mask := x.mask()
	for i := x.first(hash); ; i = (i + 1) & mask {
		if at := &x.entries[i]; atomic.LoadUint32(at) == 0 && atomic.CompareAndSwapUint32(at, 0, uint32(hash)&^mask|uint32(n)) {
			return
		}
	}
}

// addAll adds squares with their hashes. It looks at memory for all of them before it needs any: the looks then take as long as one.
func (x *index) addAll(hashes []uint64, refs []Ref) {
	var seen uint32
	for _, hash := range hashes {
		seen |= atomic.LoadUint32(&x.entries[x.first(hash)])
	}
	for i, n := range refs {
		x.add(hashes[i], n)
	}
}

// entriesFor is how many entries an index has for so many squares: searches grow long in a table that is fuller than three quarters.
func entriesFor(squares int) int { return 1 << bits.Len(uint(squares+squares/3-1)) }

// hash of a node.
func hash(level int, child *[4]Ref) uint64 {
	a := uint64(child[0])<<32 | uint64(child[1])
	b := uint64(child[2])<<32 | uint64(child[3])
	hi, lo := bits.Mul64(a^0x9E3779B97F4A7C15, bits.RotateLeft64(b, 17)^0xD1B54A32D192ED03)
	return (hi ^ lo + uint64(level)) * 0xBF58476D1CE4E5B9
}

// hashOf is a hash of cells, and whether there are any: not 0.
func hashOf(cells []uint64) (hash, live uint64) {
	hash = 0x9E3779B97F4A7C15
	for ; len(cells) >= 4; cells = cells[4:] {
		h1, l1 := bits.Mul64(cells[0]^0xA0761D6478BD642F, cells[1]^0xE7037ED1A0B428DB)
		h2, l2 := bits.Mul64(cells[2]^0x8EBC6AF09C88C6E3, cells[3]^0x589965CC75374CC3)
		hash = (hash^h1^l1)*0xBF58476D1CE4E5B9 + (h2 ^ l2)
		live |= cells[0] | cells[1] | cells[2] | cells[3]
	}
	hash ^= hash >> 32
	return hash * 0x94D049BB133111EB, live
}

func equal(a, b []uint64) bool {
	a = a[:len(b)]
	for i, v := range b {
		if a[i] != v {
			return false
		}
	}
	return true
}

// store is where squares of a kind are kept, by their Refs from 1 on.
type store struct {
	index index
	most  int // Refs there are

	_   [64]byte     // what many write is in a cache line of its own
	top atomic.Int64 // Refs from here on were never used
	_   [64]byte
}

// used is how many squares there are, with those that workers have taken and not made yet.
func (s *store) used() int { return int(s.top.Load()) }

// spare is how many Refs are kept for what is made while a step is given up.
func (s *store) spare() int { return s.most / 8 }

// isFull reports whether the step under way is to be given up, to make room.
func (s *store) isFull() bool { return s.used() >= s.most-s.spare() }

// taken are Refs of a store that are one worker's to use.
type taken struct{ next, end Ref }

// takeAtOnce is how many Refs a worker takes at once.
const takeAtOnce = 64

// take is the next Refs of a store. The step is given up where there are no more than to end it.
func (w *worker) take(s *store) taken {
	end := s.top.Add(takeAtOnce)
	if s.isFull() {
		w.stop.CompareAndSwap(goOn, full)
	}
	return taken{Ref(end - takeAtOnce), Ref(end)}
}

func (w *worker) newNode() Ref {
	if w.freeNodes.next == w.freeNodes.end {
		w.freeNodes = w.take(&w.nodeStore)
	}
	w.freeNodes.next++
	return w.freeNodes.next - 1
}

func (w *worker) newLeaf() Ref {
	if w.freeLeaves.next == w.freeLeaves.end {
		w.freeLeaves = w.take(&w.leafStore)
	}
	w.freeLeaves.next++
	return w.freeLeaves.next - 1
}

// at is the cells of a leaf; those of 0 are dead.
func (t *Tree) at(n Ref) []uint64 {
	from := int(n) * t.leafWords
	return t.cells[from : from+t.leafWords : from+t.leafWords]
}

// enter fills a free entry of an index. It reports false where another worker was faster.
func (w *worker) enter(at *uint32, entry uint32) bool {
	if w.alone {
		*at = entry
		return true
	}
	return atomic.CompareAndSwapUint32(at, 0, entry)
}

// node is the square of four.
func (w *worker) node(level int, nw, ne, sw, se Ref) Ref {
	if nw|ne|sw|se == 0 {
		return 0
	}
	child := [4]Ref{nw, ne, sw, se}
	return w.find(level, &child, hash(level, &child))
}

// find is the square of four whose hash is known.
func (w *worker) find(level int, child *[4]Ref, hash uint64) Ref {
	nodes, x := w.nodes, &w.nodeIndex
	mask := x.mask()
	for i := x.first(hash); ; {
		at := &x.entries[i]
		entry := atomic.LoadUint32(at)
		switch {
		case entry == 0:
			n := w.newNode()
			nodes[n] = node{child: *child, full: uint32(unknown), level: uint8(level)}
			if w.enter(at, uint32(hash)&^mask|uint32(n)) {
				return n
			}
			nodes[n].level = 0
			w.freeNodes.next--
			continue // another worker was faster
		case (entry^uint32(hash))&^mask == 0:
			if y := &nodes[entry&mask]; y.child == *child && y.level == uint8(level) {
				return Ref(entry & mask)
			}
		}
		i = (i + 1) & mask
	}
}

// like is the Ref of an entry whose hash is like this one as far as it is known, or else 0. It has no branch, which would wait for memory.
func (x *index) like(entry uint32, hash uint64) Ref {
	mask := x.mask()
	other := int32((entry ^ uint32(hash)) &^ mask) // 0: it may be this square
	return Ref(entry & mask &^ uint32((other|-other)>>31))
}

// recent are entries of the index that a worker has come by, by their hashes. Most squares that are looked for were found a little earlier. Among
// all entries each lies in a cache line with others that nobody needs now; these few stay close to the processor.
type recent [1 << recentBits]uint32

const recentBits = 15

func (r *recent) at(hash uint64) *uint32 { return &r[hash>>(64-recentBits)] }

// joinAll stores the squares of four children each, of joins, in joined. It looks at memory for all of them before it needs any: the looks then
// take as long as one.
func (w *worker) joinAll(level int, children [][4]Ref) {
	nodes, x := w.nodes, &w.nodeIndex
	hashes, joined := w.hashes[:len(children)], w.joined[:len(children)]
	for i := range children {
		hashes[i] = hash(level, &children[i])
		joined[i] = x.like(*w.recent.at(hashes[i]), hashes[i])
	}
	absent, k := &w.absent, 0
	for i := range children {
		switch y := &nodes[joined[i]]; {
		case y.child == children[i] && y.level == uint8(level):
		case children[i] == [4]Ref{}:
			joined[i] = 0
		default:
			joined[i] = x.like(atomic.LoadUint32(&x.entries[x.first(hashes[i])]), hashes[i])
			absent[k] = uint8(i)
			k++
		}
	}
	mask := x.mask()
	for _, i := range absent[:k] {
		if y := &nodes[joined[i]]; y.child != children[i] || y.level != uint8(level) {
			joined[i] = w.find(level, &children[i], hashes[i])
		}
		*w.recent.at(hashes[i]) = uint32(hashes[i])&^mask | uint32(joined[i])
	}
}

// leaf is the leaf of cells.
func (w *worker) leaf(cells []uint64) Ref {
	hash, live := hashOf(cells)
	if live == 0 {
		return 0
	}
	x := &w.leafIndex
	mask := x.mask()
	for i := x.first(hash); ; {
		at := &x.entries[i]
		entry := atomic.LoadUint32(at)
		switch {
		case entry == 0:
			n := w.newLeaf()
			copy(w.at(n), cells)
			if w.enter(at, uint32(hash)&^mask|uint32(n)) {
				return n
			}
			clear(w.at(n))
			w.freeLeaves.next--
			continue
		case (entry^uint32(hash))&^mask == 0:
			if n := Ref(entry & mask); equal(w.at(n), cells) {
				return n
			}
		}
		i = (i + 1) & mask
	}
}
