package tree

import (
	"math/bits"
	"sync/atomic"
)

// Ref refers to a square whose level is known from the context. It is the index of a node, or of a leaf if the
// level is that of the leaves. 0 is the dead square of every level.
type Ref uint32

const (
	unknown = ^Ref(0)     // no square
	claimed = unknown - 1 // no square yet: a worker computes it
)

// pair is two squares side by side, in one word, so that both are compared, hashed and passed on at once: the
// western one in the low half.
type pair uint64

func beside(west, east Ref) pair { return pair(west) | pair(east)<<32 }

func (p pair) west() Ref { return Ref(p) }

func (p pair) east() Ref { return Ref(p >> 32) }

// quarters are the four squares that a larger one is made of:
//
//	┌────┬────┐
//	│ nw │ ne │   north
//	├────┼────┤
//	│ sw │ se │   south
//	└────┴────┘
type quarters struct{ north, south pair }

// refs returns the quarters row by row: nw, ne, sw, se.
func (q *quarters) refs() [4]Ref {
	return [4]Ref{q.north.west(), q.north.east(), q.south.west(), q.south.east()}
}

// node is a square made of four quarters. Equal squares share one node, so only the known future of a node ever
// changes. Node 0 is the dead square of every level, and its future is known to be dead. A node takes 32 bytes,
// half a line of the cache:
//
//	byte   0        8        16       24     28      29
//	       north    south    part     full   level   unused
//	       nw  ne   sw  se
//
// part and full cache the middle of the square at two times. full is Generations(level) generations ahead. part belongs
// to steps that are shorter than that: it is valid only for the step with the number in its high half, so a new step
// need not clear it.
type node struct {
	quarters
	part  uint64 // the future middle that one step needs: high half the number of that step, low half a Ref
	full  uint32 // the future middle, Generations(level) ahead; unknown: not known
	level uint8  // 0: unused node
}

const nodeBytes = 32

// index finds squares by their hash. It is a table with open addressing, and its length is a power of two. An
// entry is 0 if it is free. Otherwise its low bits are a Ref and its high bits come from the hash, so most
// different squares are told apart without reading the square. Many goroutines may use the index at once,
// because entries are only added and never changed.
//
// With 2^20 entries, an entry is
//
//	bit    31 … 20          19 … 0
//	       of the hash      Ref
//
// The first entry of a search comes from the highest bits of the hash, and the bits in the entry from
// the lowest 32, so that entries that lie together still differ.
type index struct {
	entries []uint32
	shift   uint8 // how far to shift a hash right to get its first entry
}

const entryBytes = 4

func (x *index) mask() uint32 { return uint32(len(x.entries) - 1) }

// first returns the entry at which the search for a hash begins.
func (x *index) first(hash uint64) uint32 { return uint32(hash >> x.shift) }

// add adds a square that the index does not have.
func (x *index) add(hash uint64, n Ref) {
	mask := x.mask()
	for i := x.first(hash); ; i = (i + 1) & mask {
		if at := &x.entries[i]; atomic.LoadUint32(at) == 0 &&
			atomic.CompareAndSwapUint32(at, 0, uint32(hash)&^mask|uint32(n)) {
			return
		}
	}
}

// addAll adds up to 64 squares with their hashes. It first asks for the entries of all of them, so that the
// memory reads overlap.
func (x *index) addAll(hashes []uint64, refs []Ref) {
	if len(refs) > 0 {
		entriesAhead(&x.entries[0], &hashes[0], &inOrder[0], len(refs), uint64(x.shift))
	}
	for i, n := range refs {
		x.add(hashes[i], n)
	}
}

// inOrder are all places of a list of 64.
var inOrder = func() (places [64]uint8) {
	for i := range places {
		places[i] = uint8(i)
	}
	return places
}()

// entriesFor returns the number of entries of an index for that many squares. Searches are slow if more than
// three quarters of a table are in use.
func entriesFor(squares int) int { return 1 << bits.Len(uint(squares+squares/3-1)) }

// hash returns the hash of a node.
func hash(level int, q *quarters) uint64 {
	hi, lo := bits.Mul64(uint64(q.north)^0x9E3779B97F4A7C15, bits.RotateLeft64(uint64(q.south), 17)^0xD1B54A32D192ED03)
	return (hi ^ lo + uint64(level)) * 0xBF58476D1CE4E5B9
}

// hashOf returns the hash of a leaf's cells. live is not 0 if any cell is live.
func hashOf(cells []uint64) (hash, live uint64) {
	hash = 0x9E3779B97F4A7C15
	for ; len(cells) >= 4; cells = cells[4:] {
		h1, l1 := bits.Mul64(cells[0]^0xA0761D6478BD642F, cells[1]^0xE7037ED1A0B428DB)
		h2, l2 := bits.Mul64(cells[2]^0x8EBC6AF09C88C6E3, cells[3]^0x589965CC75374CC3)
		hash = (hash^h1^l1)*0xBF58476D1CE4E5B9 + (h2 ^ l2)
		live |= cells[0] | cells[1] | cells[2] | cells[3]
	}
	for _, v := range cells { // of leaves of 8×8 cells
		hash, live = bits.RotateLeft64((hash^v)*0xA0761D6478BD642F, 29), live|v
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

// store hands out the Refs of all nodes, or of all leaves, from 1 on. Its index finds them by hash.
type store struct {
	index index
	most  int // number of Refs there is room for

	_   [64]byte     // padding: many goroutines write top, so it has its own cache line
	top atomic.Int64 // the lowest Ref that no worker has taken
	_   [64]byte
}

// used returns the number of Refs in use. It includes 0, and those that workers have taken but not used yet.
func (s *store) used() int { return int(s.top.Load()) }

// spare returns the number of Refs kept for squares that workers make while a step stops.
func (s *store) spare() int { return s.most / 8 }

// isFull reports whether the current step must stop to make room.
func (s *store) isFull() bool { return s.used() >= s.most-s.spare() }

// taken is a range of Refs that belongs to one worker.
type taken struct{ next, end Ref }

// takeAtOnce is the number of Refs that a worker takes at once.
const takeAtOnce = 64

// take takes Refs from a store. It stops the step if only the spare Refs are left.
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

// at returns the cells of a leaf. The cells of 0 are dead.
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

// node returns the square of a level with the four given quarters.
func (w *worker) node(level int, nw, ne, sw, se Ref) Ref {
	if nw|ne|sw|se == 0 {
		return 0
	}
	q := quarters{beside(nw, ne), beside(sw, se)}
	return w.find(level, &q, hash(level, &q))
}

// find is node for quarters whose hash is known and that are not all dead.
func (w *worker) find(level int, q *quarters, hash uint64) Ref {
	nodes, x := w.nodes, &w.nodeIndex
	mask := x.mask()
	for i := x.first(hash); ; {
		at := &x.entries[i]
		entry := atomic.LoadUint32(at)
		switch {
		case entry == 0:
			n := w.newNode()
			nodes[n] = node{quarters: *q, full: uint32(unknown), level: uint8(level)}
			if w.enter(at, uint32(hash)&^mask|uint32(n)) {
				return n
			}
			nodes[n].level = 0
			w.freeNodes.next--
			continue // another worker was faster
		case (entry^uint32(hash))&^mask == 0:
			if y := &nodes[entry&mask]; y.quarters == *q && y.level == uint8(level) {
				return Ref(entry & mask)
			}
		}
		i = (i + 1) & mask
	}
}

// like returns the Ref of an entry of an index with that mask if its part of the hash matches, else 0. It has
// no branch, because a branch on the entry would wait for memory.
func like(entry uint32, hash uint64, mask uint32) Ref {
	other := int32((entry ^ uint32(hash)) &^ mask) // 0: it may be this square
	return Ref(entry & mask &^ uint32((other|-other)>>31))
}

// differs returns 0 if a node is the square of a level with the given quarters, which are not all dead. It has
// no branch, for the same reason as like.
func (x *node) differs(level int, q *quarters) uint64 {
	return uint64(x.north^q.north) | uint64(x.south^q.south) | uint64(x.level^uint8(level))
}

// one returns 1 if x is not 0, else 0. It has no branch.
func one(x uint64) int { return int((x | -x) >> 63) }

// joinAll looks up the squares with the given quarters and stores them in w.joined. It asks for memory for all
// of them before it uses any of it, so that the reads overlap. No branch depends on what it reads until all
// reads are under way: the processor would guess such branches wrong, and wait. Each loop is a function of its
// own, because the compiler keeps few values in registers.
func (w *worker) joinAll(level int, squares []quarters) {
	lives := w.hashAll(level, squares)
	live := w.live[:lives]
	if lives == 0 {
		return
	}
	entriesAhead(&w.nodeIndex.entries[0], &w.hashes[0], &live[0], lives, uint64(w.nodeIndex.shift))
	w.findFirst(live)
	nodesAhead(&w.nodes[0], &w.joined[0], &live[0], lives)
	for _, i := range live[:w.findOthers(level, squares, live)] {
		w.joined[i] = w.find(level, &squares[i], w.hashes[i])
	}
}

// hashAll stores the hashes of squares in w.hashes, and 0 in w.joined. It lists the places of those that are
// not dead in w.live, and returns their number.
func (w *worker) hashAll(level int, squares []quarters) int {
	hashes, joined, live := &w.hashes, w.joined[:len(squares)], &w.live
	lives := 0
	for i := range squares {
		q := &squares[i]
		joined[i] = 0
		live[lives] = uint8(i)
		hashes[i] = hash(level, q)
		lives += one(uint64(q.north | q.south))
	}
	return lives
}

// findFirst stores the first entries of the index for the squares at some places in w.joined.
func (w *worker) findFirst(places []uint8) {
	hashes, joined, mask := &w.hashes, &w.joined, w.nodeIndex.mask()
	entries, shift := w.nodeIndex.entries, w.nodeIndex.shift&63
	for _, i := range places {
		h := hashes[i]
		joined[i] = like(atomic.LoadUint32(&entries[h>>shift]), h, mask)
	}
}

// findOthers moves those places to the front whose squares are not those in w.joined, and returns their number.
func (w *worker) findOthers(level int, squares []quarters, places []uint8) int {
	nodes, joined := w.nodes, w.joined[:len(squares)]
	k := 0
	for _, i := range places {
		places[k] = i
		k += one(nodes[joined[i]].differs(level, &squares[i]))
	}
	return k
}

// leaves looks up the leaves in w.out. It asks for the entries of all of them before it reads any.
func (w *worker) leaves(found []Ref) {
	lives := 0
	for i := range found {
		var live uint64
		w.hashes[i], live = hashOf(w.outs(i))
		found[i], w.live[lives] = 0, uint8(i)
		lives += one(live)
	}
	if lives == 0 {
		return
	}
	entriesAhead(&w.leafIndex.entries[0], &w.hashes[0], &w.live[0], lives, uint64(w.leafIndex.shift))
	for _, i := range w.live[:lives] {
		found[i] = w.findLeaf(w.outs(int(i)), w.hashes[i])
	}
}

// leaf returns the leaf with the given cells.
func (w *worker) leaf(cells []uint64) Ref {
	if hash, live := hashOf(cells); live != 0 {
		return w.findLeaf(cells, hash)
	}
	return 0
}

// findLeaf is leaf for cells whose hash is known and that are not all dead.
func (w *worker) findLeaf(cells []uint64, hash uint64) Ref {
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
