package tree

import (
	"math/bits"
	"sync/atomic"
)

// Ref is a square of a known level: the place of its node, or of its cells where that is the level of the leaves. 0 is the dead square of any
// level.
type Ref uint32

// unknown is no square.
const unknown = ^Ref(0)

// node is a square of four. Equal squares are one node, so that a node never changes but for what is known of its future.
//
//	┌────┬────┐
//	│ nw │ ne │   child 0 1
//	├────┼────┤
//	│ sw │ se │   child 2 3
//	└────┴────┘
type node struct {
	child  [4]Ref
	part   uint64 // the middle of the square, half as wide, where the step under way needs it: that step's number, then a Ref
	full   uint32 // the middle as many generations on as the square can tell; unknown: not known
	level  uint8  // 0: none
	marked bool   // while squares are collected
}

const nodeBytes = 32

// index finds squares by their hash. It is a table with open addressing, of a power of two entries; 0 is a free one. An entry is the lower half
// of a hash and a Ref, so that looking for what is not there rarely looks elsewhere. It may be used by many goroutines at once: entries are
// added and never changed.
type index []uint64

const entryBytes = 8

// first is where the search for a hash begins.
func (x index) first(hash uint64) int { return int(hash >> (64 - bits.Len(uint(len(x)-1)))) }

// after is the entry after the i-th.
func (x index) after(i int) int { return (i + 1) & (len(x) - 1) }

// add adds a square that is not there.
func (x index) add(hash uint64, n Ref) {
	i := x.first(hash)
	for x[i] != 0 {
		i = x.after(i)
	}
	x[i] = hash<<32 | uint64(n)
}

// entriesFor is how many entries an index has for so many squares: searches grow long in a table that is fuller than two thirds.
func entriesFor(squares int) int { return 1 << bits.Len(uint(squares*3/2)) }

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
	top   int   // Refs from here on were never used
	most  int   // Refs there are
	free  []Ref // below top, to be used again
}

// used is how many squares there are, but for those that workers have taken and not made yet.
func (s *store) used() int { return s.top - len(s.free) }

// spare is how many Refs are kept for what is made while a step is given up.
func (s *store) spare() int { return s.most / 8 }

// isFull reports whether the step under way is to be given up, to make room.
func (s *store) isFull() bool { return s.used() >= s.most-s.spare() }

// take fills a list with Refs to use.
func (s *store) take(list []Ref) []Ref {
	for range cap(list) {
		if n := len(s.free); n > 0 {
			list = append(list, s.free[n-1])
			s.free = s.free[:n-1]
		} else if s.top < s.most {
			list = append(list, Ref(s.top))
			s.top++
		}
	}
	return list
}

// at is the cells of a leaf; those of 0 are dead.
func (t *Tree) at(n Ref) []uint64 {
	from := int(n) * t.leafWords
	return t.cells[from : from+t.leafWords : from+t.leafWords]
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
	nodes, x := w.nodes, w.nodeStore.index
	for i := x.first(hash); ; {
		entry := atomic.LoadUint64(&x[i])
		switch {
		case entry == 0:
			n := w.newNode()
			nodes[n] = node{child: *child, full: uint32(unknown), level: uint8(level)}
			if atomic.CompareAndSwapUint64(&x[i], 0, hash<<32|uint64(n)) {
				return n
			}
			nodes[n].level = 0
			w.freeNodes = append(w.freeNodes, n)
			continue // another worker was faster
		case uint32(entry>>32) == uint32(hash):
			if y := &nodes[uint32(entry)]; y.child == *child && y.level == uint8(level) {
				return Ref(entry)
			}
		}
		i = x.after(i)
	}
}

// joinAll stores the squares of four children each in out. It looks at memory for all of them before it needs any: the looks then take as long as
// one.
func (w *worker) joinAll(out []Ref, level int, children [][4]Ref) {
	var hashes [5]uint64
	var ahead [5]Ref
	nodes, x := w.nodes, w.nodeStore.index
	for i := range children {
		hashes[i] = hash(level, &children[i])
	}
	for i := range children {
		if entry := atomic.LoadUint64(&x[x.first(hashes[i])]); uint32(entry>>32) == uint32(hashes[i]) {
			ahead[i] = Ref(entry)
		}
	}
	for i := range children {
		switch y := &nodes[ahead[i]]; {
		case children[i] == [4]Ref{}:
			out[i] = 0
		case y.child == children[i] && y.level == uint8(level):
			out[i] = ahead[i]
		default:
			out[i] = w.find(level, &children[i], hashes[i])
		}
	}
}

// leaf is the leaf of cells.
func (w *worker) leaf(cells []uint64) Ref {
	hash, live := hashOf(cells)
	if live == 0 {
		return 0
	}
	x := w.leafStore.index
	for i := x.first(hash); ; {
		entry := atomic.LoadUint64(&x[i])
		switch {
		case entry == 0:
			n := w.newLeaf()
			copy(w.at(n), cells)
			if atomic.CompareAndSwapUint64(&x[i], 0, hash<<32|uint64(n)) {
				return n
			}
			clear(w.at(n))
			w.freeLeaves = append(w.freeLeaves, n)
			continue
		case uint32(entry>>32) == uint32(hash):
			if n := Ref(entry); equal(w.at(n), cells) {
				return n
			}
		}
		i = x.after(i)
	}
}

// takeAtOnce is how many Refs a worker takes at once.
const takeAtOnce = 64

func (w *worker) newNode() Ref {
	if len(w.freeNodes) == 0 {
		w.freeNodes = w.take(&w.nodeStore, w.freeNodes)
	}
	n := w.freeNodes[len(w.freeNodes)-1]
	w.freeNodes = w.freeNodes[:len(w.freeNodes)-1]
	return n
}

func (w *worker) newLeaf() Ref {
	if len(w.freeLeaves) == 0 {
		w.freeLeaves = w.take(&w.leafStore, w.freeLeaves)
	}
	n := w.freeLeaves[len(w.freeLeaves)-1]
	w.freeLeaves = w.freeLeaves[:len(w.freeLeaves)-1]
	return n
}

// take fills a worker's list, and gives the step up where there is no more than to end it.
func (w *worker) take(s *store, list []Ref) []Ref {
	w.lending.Lock()
	defer w.lending.Unlock()
	list = s.take(list)
	if s.isFull() {
		w.stop.CompareAndSwap(goOn, full)
	}
	return list
}
