// Package slab labels the cells of some whole rows of a universe on an NVIDIA GPU: what package component does at 2 billion cells a
// second on a core. It knows no topology: the clusters along the edges of the rows are handed out as a component.Part, which a
// component.Joiner puts together with other parts and closes as the universe is closed. All other clusters leave the device as counts only.
//
// The kernels are in labels.cu, which says how they work.
package slab

import (
	_ "embed"
	"errors"
	"fmt"
	"unsafe"

	"github.com/gosper-life/gosper/component"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen labels.cu

//go:embed zlabels.ptx
var kernels string

// Device is what labelling needs of a GPU. Addresses are the device's own. Launches and clears are done in order; Read returns
// when it is done.
type Device interface {
	Multiprocessors() int
	Alloc(bytes uint64) (address uint64, err error)
	Free(address uint64)
	Clear(address, bytes uint64) error
	Read(dst []byte, address uint64) error
	// Kernel makes a kernel of PTX text ready for blocks of so many warps, with so many bytes of shared memory.
	Kernel(text, name string, warps, shared int) (Kernel, error)
	Launch(k Kernel, blocks int, params []uint64) error
}

// Kernel is a kernel of a Device.
type Kernel interface {
	// Resident is the number of blocks that a multiprocessor holds at once.
	Resident() int
}

// Rows are cells in the memory of a device, a bit each: bit i of 32-bit word w of a row is column 32·w + i. Bits beyond the last
// column are 0.
type Rows struct {
	Address uint64
	Stride  int // bytes from a row to the next
	Planes  int
	Plane   uint64 // bytes from a plane to the next
	W, H    int
}

// What labels.cu has under the same names.
const (
	side   = 256  // columns of a tile
	pieces = 1024 // words of the strips of a tile
	nodes  = 512  // of a tile
	small  = 512  // sizes below are counted, others listed
)

const (
	warps = 8 // of a block
	lanes = 32
)

// rowsOf is the rows of a strip.
func rowsOf(c component.Connectivity) int {
	if c == component.Eight {
		return 2
	}
	return 1
}

// shape is how tiles cover a slab.
type shape struct {
	w, h         int
	tall         int // rows of a tile
	across, down int // tiles
}

func newShape(w, h int, c component.Connectivity) shape {
	tall := pieces / (side / 32) * rowsOf(c)
	return shape{w, h, tall, (w + side - 1) / side, (h + tall - 1) / tall}
}

func (s shape) tiles() int { return s.across * s.down }

// The numbers of the first cells of sides, as labels.cu has them.
func (s shape) wide() int            { return s.across * side }
func (s shape) high() int            { return s.down * s.tall }
func (s shape) top(row int) int      { return row * s.wide() }
func (s shape) bottom(row int) int   { return (s.down + row) * s.wide() }
func (s shape) left(column int) int  { return 2*s.down*s.wide() + column*s.high() }
func (s shape) right(column int) int { return 2*s.down*s.wide() + (s.across+column)*s.high() }

// cells is the number of cells along the sides of all tiles.
func (s shape) cells() int { return s.tiles() * 2 * (side + s.tall) }

// The most clusters along the edges, and the most that are listed by their size.
func (s shape) edges() int  { return s.w + s.h + 2 }
func (s shape) larges() int { return s.w*s.h/small + 1 }

// foundBytes are the bytes of the struct Found: two lengths, counts by size, large sizes.
func (s shape) foundBytes() uint64 { return 8 * uint64(2+small+s.larges()) }

// buffers are the bytes of each buffer, in the order of memory.
func (s shape) buffers() [buffers]uint64 {
	n := uint64(s.tiles())
	return [buffers]uint64{
		labels: 4 * uint64(s.cells()), bits: uint64(s.cells()) / 8, parents: 4 * nodes * n, counts: 8 * nodes * n, lengths: 4 * n,
		edges: 8 * uint64(s.edges()), found: s.foundBytes(),
	}
}

const (
	labels = iota // of the cells along the sides of tiles: nodes
	bits          // which of them live
	parents
	counts  // cells of nodes
	lengths // nodes of tiles
	edges   // sizes of the clusters along the edges
	found
	buffers
)

// bytes is the memory of the device that labelling takes, beside the cells.
func (s shape) bytes() (sum uint64) {
	for _, n := range s.buffers() {
		sum += n
	}
	return sum
}

// Bytes is the memory of the device that a labeller of w×h cells takes.
func Bytes(w, h int, c component.Connectivity) uint64 { return newShape(w, h, c).bytes() }

// mostTiles keeps the numbers of cells along sides within 32 bits, and those of nodes, too, with one to spare.
const mostTiles = 1<<22 - 1

// Fit is how many of h rows of w cells, of so many bytes each, can be labelled at once in so much memory, the cells included: whole
// tiles, and one row of them where the memory is too small even for that.
func Fit(w, h, rowBytes int, c component.Connectivity, memory uint64) int {
	tall := newShape(w, 1, c).tall
	need := func(down int) uint64 { return Bytes(w, down*tall, c) + uint64(down*tall*rowBytes) }
	first := need(1)
	more := need(2) - first + 8 // of the next row of tiles: lists are rounded
	down := 1
	if memory > first {
		down += int((memory - first) / more)
	}
	down = min(down, mostTiles/newShape(w, 1, c).across)
	return min(h, max(1, down)*tall)
}

// Labeller labels slabs of up to w×h cells in the same memory.
type Labeller struct {
	dev  Device
	c    component.Connectivity
	most shape
	at   [buffers]uint64

	tiles, join, gather, claim, number, count Kernel
}

// New makes a labeller on a device.
func New(dev Device, w, h int, c component.Connectivity) (*Labeller, error) {
	l := &Labeller{dev: dev, c: c, most: newShape(w, h, c)}
	if n := l.most.tiles(); n > mostTiles {
		return nil, fmt.Errorf("%d×%d cells to label at once: %d tiles, at most %d are allowed", w, h, n, mostTiles)
	}
	for i, n := range l.most.buffers() {
		var err error
		if l.at[i], err = dev.Alloc(n); err != nil {
			l.Close()
			return nil, err
		}
	}
	shared := 4 * (16*pieces + rowsOf(c)*pieces + small + 1)
	for _, k := range []struct {
		kernel *Kernel
		name   string
		shared int
	}{
		{&l.tiles, "tiles" + c.String(), shared},
		{&l.join, "join", 0},
		{&l.gather, "gather", 0},
		{&l.claim, "claim", 0},
		{&l.number, "number", 0},
		{&l.count, "count", 4 * small},
	} {
		var err error
		if *k.kernel, err = dev.Kernel(kernels, k.name, warps, k.shared); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Close gives the memory back.
func (l *Labeller) Close() {
	for i, at := range l.at {
		if at != 0 {
			l.dev.Free(at)
			l.at[i] = 0
		}
	}
}

// Label finds the clusters of cells in state 1.
func (l *Labeller) Label(r Rows) (*component.Part, error) {
	if r.W != l.most.w || r.H < 1 || r.H > l.most.h {
		return nil, fmt.Errorf("%d×%d cells for a labeller of %d×%d", r.W, r.H, l.most.w, l.most.h)
	}
	if r.Stride%4 != 0 || r.Plane%4 != 0 || r.Stride/4*32 < r.W {
		return nil, fmt.Errorf("rows of %d cells in %d bytes", r.W, r.Stride)
	}
	s := newShape(r.W, r.H, l.c)
	if err := l.launch(r, s); err != nil {
		return nil, err
	}
	return l.collect(s)
}

// launch does the work on the device.
func (l *Labeller) launch(r Rows, s shape) error {
	at, n := &l.at, s.tiles()
	groups := (n + warps - 1) / warps // of tiles that a block takes side by side
	q := queue{dev: l.dev, err: l.dev.Clear(at[found], 8*(2+small))}
	q.persistent(l.tiles, n, r.Address, r.Plane/4, word(r.Planes), word(r.Stride/4), word(r.W), word(r.H),
		at[labels], at[bits], at[parents], at[counts], at[lengths], at[found])
	joinSides := func(upper, lower, length, pairs int) {
		eight := 0
		if l.c == component.Eight {
			eight = 1
		}
		q.threads(l.join, pairs*length/32, at[labels], at[bits], at[parents],
			word(upper), word(lower), word(length/32), word(pairs*length/32), word(eight))
	}
	joinSides(s.bottom(0), s.top(1), s.wide(), s.down-1)
	joinSides(s.right(0), s.left(1), s.high(), s.across-1)
	q.persistent(l.gather, groups, at[parents], at[counts], at[lengths], word(n))
	for _, e := range s.outer() {
		q.threads(l.claim, e.n, at[labels], at[bits], at[parents], at[counts], at[edges], at[found], word(e.at), word(e.n))
	}
	for _, e := range s.outer() {
		q.threads(l.number, e.n, at[labels], at[bits], at[parents], word(e.at), word(e.n))
	}
	q.persistent(l.count, groups, at[parents], at[counts], at[lengths], word(n), at[found])
	return q.err
}

// queue launches kernels until one fails.
type queue struct {
	dev Device
	err error
}

// persistent launches as many blocks as are resident at once, which share the work, but no more than there is work for.
func (q *queue) persistent(k Kernel, most int, params ...uint64) {
	if q.err == nil {
		q.err = q.dev.Launch(k, max(1, min(most, k.Resident()*q.dev.Multiprocessors())), params)
	}
}

// threads launches n threads, and some more to fill the last block.
func (q *queue) threads(k Kernel, n int, params ...uint64) {
	if q.err == nil && n > 0 {
		q.err = q.dev.Launch(k, (n+warps*lanes-1)/(warps*lanes), params)
	}
}

// word is a parameter of 32 bits.
func word(v int) uint64 { return uint64(uint32(v)) }

// edge is the numbers of the cells along an edge of the slab.
type edge struct{ at, n int }

// outer are the upper, the lower, the left and the right edge.
func (s shape) outer() [4]edge {
	return [4]edge{{s.top(0), s.w}, {s.bottom(s.down - 1), s.w}, {s.left(0), s.h}, {s.right(s.across - 1), s.h}}
}

// collect fetches what has been found.
func (l *Labeller) collect(s shape) (*component.Part, error) {
	var head [2 + small]uint64
	if err := l.dev.Read(bytesOf(head[:]), l.at[found]); err != nil {
		return nil, err
	}
	edgeCount, largeCount := head[0], head[1]
	if edgeCount > uint64(s.edges()) || largeCount > uint64(s.larges()) {
		return nil, errors.New("the GPU found more clusters than there can be")
	}
	p := &component.Part{Edge: make([]uint64, edgeCount)}
	for size, n := range head[2:] {
		p.Sizes.Add(uint64(size), n)
	}
	large := make([]uint64, largeCount)
	reads := []error{l.dev.Read(bytesOf(large), l.at[found]+8*(2+small)), l.dev.Read(bytesOf(p.Edge), l.at[edges])}
	for i, to := range []*[]int32{&p.Top, &p.Bottom, &p.Left, &p.Right} {
		e := s.outer()[i]
		*to = make([]int32, e.n)
		reads = append(reads, l.dev.Read(bytesOf(*to), l.at[labels]+4*uint64(e.at)))
	}
	for _, size := range large {
		p.Sizes.Add(size, 1)
	}
	return p, errors.Join(reads...)
}

// bytesOf are the bytes of numbers, of which the machine and the device have the same order.
func bytesOf[T int32 | uint64](values []T) []byte {
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&values[0])), len(values)*int(unsafe.Sizeof(values[0])))
}
