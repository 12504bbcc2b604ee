package hashlife

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// node is a square of 2^level × 2^level cells. Equal squares are one node, so that a square is its number and a node never changes but
// for what is known of its future.
//
//	┌────┬────┐   A square of level 3, a leaf, has its 8×8 cells in the first two children: bit 8·y + x of
//	│ nw │ ne │   child[0] | child[1]<<32 is cell (x, y).
//	├────┼────┤
//	│ sw │ se │   Number 0 is no node.
//	└────┴────┘
type node struct {
	child  [4]uint32
	result uint32 // the middle of the square, half as wide, 2^leap generations later; 0: not known
	next   uint32 // in the same bucket, or of the free ones
	level  uint8  // 0: free
	leap   uint8
	marked bool // in use, while the others are collected
}

const (
	leafLevel = 3
	nodeBytes = 28

	// maxLevel is the largest square whose corners are numbers.
	maxLevel = bits.UintSize - 2

	// heldBytes is what a node takes at most: itself, once more while the nodes are copied to where there is room for more, its place in a
	// bucket, its population.
	heldBytes = 2*nodeBytes + 8 + 8

	// firstLimit is the number of nodes at which unused ones are looked for first: 150 MB. leastLimit is the fewest.
	firstLimit = 1 << 22
	leastLimit = 1 << 14

	// spare is the most nodes that are made between two looks at the limit.
	spare = 1 << 12
)

// tree is all squares that are known, of all generations. It is not safe for concurrent use.
type tree struct {
	rule    *blocks
	nodes   []node
	buckets []uint32 // the first node of each; a power of two of them
	free    uint32   // the first node to be used again
	used    int
	limit   int      // nodes at which unused ones are collected
	most    int      // up to which the limit may be raised
	empty   []uint32 // the dead square of each level
	held    []uint32 // squares that are needed: the universe, and those of calls under way

	// counts is the population of each node, as far as it was asked for; 0: not yet, or none.
	counts []uint64

	ctx   context.Context // of the step under way
	calls uint            // since ctx was last looked at
	err   error           // why the step was given up
}

// newTree makes an empty one, which may take so many bytes; 0: what there is.
func newTree(rule *blocks, memory uint64) *tree {
	t := &tree{rule: rule, nodes: make([]node, 1), buckets: make([]uint32, 1<<12), most: math.MaxInt32 - spare}
	if memory > 0 {
		t.most = int(min(uint64(t.most), max(leastLimit, memory/heldBytes)))
	}
	t.limit = min(firstLimit, t.most)
	t.empty = make([]uint32, leafLevel, maxLevel+1)
	t.empty = append(t.empty, t.leaf(0))
	for level := leafLevel + 1; level <= maxLevel; level++ {
		e := t.empty[level-1]
		t.empty = append(t.empty, t.join(e, e, e, e))
	}
	return t
}

// leaf is the square of 8×8 cells.
func (t *tree) leaf(cells uint64) uint32 {
	return t.find([4]uint32{uint32(cells), uint32(cells >> 32)}, leafLevel)
}

// join is the square of four.
func (t *tree) join(nw, ne, sw, se uint32) uint32 {
	return t.find([4]uint32{nw, ne, sw, se}, t.nodes[nw].level+1)
}

// find is the only node with these children.
func (t *tree) find(child [4]uint32, level uint8) uint32 {
	b := t.bucket(child, level)
	for n := t.buckets[b]; n != 0; n = t.nodes[n].next {
		if x := &t.nodes[n]; x.child == child && x.level == level {
			return n
		}
	}
	if t.used == len(t.buckets) {
		t.buckets = make([]uint32, 2*len(t.buckets))
		t.rehash()
		b = t.bucket(child, level)
	}
	n := t.free
	if n != 0 {
		t.free = t.nodes[n].next
	} else {
		n = t.append()
	}
	t.nodes[n] = node{child: child, level: level, next: t.buckets[b]}
	t.buckets[b] = n
	t.used++
	return n
}

// append makes room for a node where none is free. The nodes grow to twice as many, and not beyond the limit by much.
func (t *tree) append() uint32 {
	n := len(t.nodes)
	if n == cap(t.nodes) {
		larger := 2 * n
		if n <= t.limit {
			larger = min(larger, t.limit+spare)
		}
		nodes := make([]node, n, larger)
		copy(nodes, t.nodes)
		t.nodes = nodes
	}
	t.nodes = t.nodes[:n+1]
	return uint32(n)
}

// bucket is where a node belongs: the folded product of two odd mixtures of its children.
func (t *tree) bucket(child [4]uint32, level uint8) uint64 {
	a := uint64(child[0])<<32 | uint64(child[1])
	b := uint64(child[2])<<32 | uint64(child[3])
	hi, lo := bits.Mul64(a^0x9E3779B97F4A7C15+uint64(level), bits.RotateLeft64(b, 17)^0xD1B54A32D192ED03)
	hi2, lo2 := bits.Mul64(hi^lo, 0xBF58476D1CE4E5B9)
	return (hi2 ^ lo2) & uint64(len(t.buckets)-1)
}

func (t *tree) rehash() {
	clear(t.buckets)
	for n := range t.nodes {
		if x := &t.nodes[n]; x.level != 0 {
			b := t.bucket(x.child, x.level)
			x.next = t.buckets[b]
			t.buckets[b] = uint32(n)
		}
	}
}

func (t *tree) level(n uint32) int { return int(t.nodes[n].level) }

func (t *tree) isEmpty(n uint32) bool { return n == t.empty[t.nodes[n].level] }

// cells are those of a leaf.
func (t *tree) cells(n uint32) uint64 {
	c := &t.nodes[n].child
	return uint64(c[0]) | uint64(c[1])<<32
}

func (t *tree) bytes() uint64 {
	return uint64(cap(t.nodes))*nodeBytes + uint64(len(t.buckets))*4 + uint64(cap(t.counts))*8
}

// hold keeps a square until its place in held is taken back.
func (t *tree) hold(n uint32) uint32 {
	t.held = append(t.held, n)
	return n
}

// collect frees the nodes that neither the squares held nor what is known of their future needs. Where that is few, the
// limit is raised as far as there is memory, and past that all known futures are forgotten.
func (t *tree) collect() {
	t.sweep(true)
	if t.used <= t.limit/2 {
		return
	}
	noRoom := t.raise()
	if noRoom == nil || !t.isTight() {
		return
	}
	if t.sweep(false); t.isTight() {
		t.err = &sim.OutOfMemory{What: fmt.Sprintf("the pattern has grown to %d different squares", t.used), Why: noRoom}
	}
}

// isTight reports whether so much is in use that unused nodes would have to be looked for again and again.
func (t *tree) isTight() bool { return t.used > t.limit/4*3 }

// raise raises the limit as far as there is memory: to twice as much, or half or a quarter more.
func (t *tree) raise() (err error) {
	for _, more := range []int{t.limit, t.limit / 2, t.limit / 4} {
		if more = min(more, t.most-t.limit); more == 0 {
			return fmt.Errorf("%d MiB are allowed", uint64(t.most)*heldBytes>>20)
		}
		// All nodes once more while they are copied.
		if err = grid.Fits(uint64(more)*heldBytes + uint64(t.limit)*nodeBytes); err == nil {
			t.limit += more
			return nil
		}
	}
	return err
}

// sweep frees what is not marked.
func (t *tree) sweep(futures bool) {
	for _, n := range t.held {
		t.mark(n, futures)
	}
	t.mark(t.empty[maxLevel], futures)
	t.free, t.used, t.counts = 0, 0, nil
	for n := len(t.nodes) - 1; n > 0; n-- {
		x := &t.nodes[n]
		if !x.marked {
			*x = node{next: t.free}
			t.free = uint32(n)
			continue
		}
		x.marked = false
		t.used++
		if !futures {
			x.result = 0
		}
	}
	t.rehash()
}

// mark marks a square and all that it needs.
func (t *tree) mark(n uint32, futures bool) {
	for stack := []uint32{n}; len(stack) > 0; {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		x := &t.nodes[n]
		if n == 0 || x.marked {
			continue
		}
		x.marked = true
		if x.level > leafLevel {
			stack = append(stack, x.child[:]...)
		}
		if futures && x.result != 0 {
			stack = append(stack, x.result)
		}
	}
}
