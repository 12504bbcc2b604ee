// Package labels labels the cells of some whole rows of a universe on an NVIDIA GPU, as package component does on a
// core. It does not know topologies. It returns the clusters along the edges of the rows as a component.Part; a
// component.Joiner joins parts and closes the universe. For all other clusters, only the counts leave the device. Many
// labels many universes at once. It tells only the clusters along their edges.
//
// The kernels are in labels.cu and its headers, which explain how they work.
package labels

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen labels.cu

//go:embed zlabels.ptx.gz
var kernels string

// Rows are cells in the memory of a device, one bit each, the lowest bit of a 32-bit word first. Columns are
// interleaved in groups of words: word j of a group of n words has the columns j, j + n, j + 2n, … of its 32·n.
// Bits beyond the last column may have any value.
type Rows struct {
	Address     uint64 // a multiple of the size of a group, like Stride and Plane
	Stride      int    // bytes from a row to the next
	Planes      int
	Plane       uint64 // bytes from a plane to the next
	Interleaved int    // words of a group: 1, 2 or 4
	W, H        int
}

// check refuses rows that the kernels cannot read.
func (r Rows) check() error {
	n := r.Interleaved
	if n != 1 && n != 2 && n != 4 {
		return fmt.Errorf("columns interleaved by %d: want 1, 2 or 4", n)
	}
	group := uint64(4 * n)
	if r.Address%group != 0 || uint64(r.Stride)%group != 0 || r.Plane%group != 0 || r.W > 8*r.Stride || r.Planes < 1 {
		return fmt.Errorf("%d planes of rows of %d cells in %d bytes, in groups of %d words", r.Planes, r.W, r.Stride, n)
	}
	return nil
}

// The same constants as in tile.h.
const (
	side       = 256             // columns of a tile
	stripWords = 1024            // of all strips of a tile
	mostPieces = 16 * stripWords // of a tile
	nodes      = 512             // of a tile
	small      = 512             // sizes below are counted, others listed
)

const (
	tileWarps = 16 // of a block for a tile
	warps     = 8  // of other blocks
	lanes     = 32
)

// sharedBytes is the shared memory of a tile: slots, cells, counts by size, sums by warp, a length, the list of
// pieces, and the first pieces of words.
func sharedBytes(c component.Connectivity) int {
	return 4*(mostPieces+rowsOf(c)*stripWords+small+32+2) + 2*(mostPieces+stripWords)
}

// rowsOf is the number of rows of a strip.
func rowsOf(c component.Connectivity) int {
	if c == component.Eight {
		return 2
	}
	return 1
}

// shape describes how tiles cover one area, or several areas that lie one above the other and do not touch. Each area
// begins with a row of tiles.
type shape struct {
	areas        int
	w, h         int // of an area
	tall         int // rows of a tile
	across, down int // tiles, of all areas
}

func newShape(w, h int, c component.Connectivity) shape { return newShapes(1, w, h, c) }

func newShapes(areas, w, h int, c component.Connectivity) shape {
	tall := stripWords / (side / 32) * rowsOf(c)
	return shape{areas, w, h, tall, (w + side - 1) / side, areas * ((h + tall - 1) / tall)}
}

func (s shape) tiles() int { return s.across * s.down }

// The numbers of the first cells of sides, as in labels.cu.
func (s shape) wide() int            { return s.across * side }
func (s shape) high() int            { return s.down * s.tall }
func (s shape) top(row int) int      { return row * s.wide() }
func (s shape) bottom(row int) int   { return (s.down + row) * s.wide() }
func (s shape) left(column int) int  { return 2*s.down*s.wide() + column*s.high() }
func (s shape) right(column int) int { return 2*s.down*s.wide() + (s.across+column)*s.high() }

// cells is the number of cells along the sides of all tiles.
func (s shape) cells() int { return s.tiles() * 2 * (side + s.tall) }

// The largest number of clusters along the edges of an area, and of clusters that are listed by size.
func (s shape) edges() int  { return s.w + s.h + 2 }
func (s shape) larges() int { return s.areas*s.w*s.h/small + 1 }

// perimeter is the number of cells along the edges of an area; those in the corners count twice.
func (s shape) perimeter() int { return 2 * (s.w + s.h) }

// foundBytes is the size of the struct Found: a length, counts by size, large sizes.
func (s shape) foundBytes() uint64 { return 8 * uint64(1+small+s.larges()) }

// buffers returns the size of each buffer, in the order of memory.
func (s shape) buffers() [buffers]uint64 {
	n := uint64(s.tiles())
	return [buffers]uint64{
		labels: 4 * uint64(s.cells()), bits: uint64(s.cells()) / 8, parents: 4 * nodes * n, counts: 8 * nodes * n,
		lengths: 4 * n,
		edges:   8 * uint64(s.areas*s.edges()), numbers: 4 * uint64(s.areas*(1+s.perimeter())),
		found: s.foundBytes(),
	}
}

const (
	labels = iota // of the cells along the sides of tiles, as nodes
	bits          // which of these cells live
	parents
	counts  // cells of nodes
	lengths // nodes of tiles
	edges   // sizes of the clusters along the edges
	numbers // how many these are, by area, and then their numbers, by area and by cell along the edges
	found
	buffers
)

// bytes is the device memory that labelling takes, without the cells.
func (s shape) bytes() (sum uint64) {
	for _, n := range s.buffers() {
		sum += n
	}
	return sum
}

// Bytes is the device memory of a labeller of w×h cells.
func Bytes(w, h int, c component.Connectivity) uint64 { return newShape(w, h, c).bytes() }

// mostTiles is so small that the numbers of cells along sides, and of nodes, fit in 32 bits with one to spare.
const mostTiles = 1<<22 - 1

// Fit returns how many of h rows of w cells can be labelled at once in the given memory. It is a number of
// whole rows of tiles, at least one, even if the memory is too small for that.
func Fit(w, h int, c component.Connectivity, memory uint64) int {
	tall := newShape(w, 1, c).tall
	first := Bytes(w, tall, c)
	more := Bytes(w, 2*tall, c) - first + 8 // for the next row of tiles: lists are rounded
	down := 1
	if memory > first {
		down += int((memory - first) / more)
	}
	down = min(down, mostTiles/newShape(w, 1, c).across)
	return min(h, max(1, down)*tall)
}

var errTooMany = errors.New("the GPU reported more clusters than are possible")

// Labeller labels areas of up to w×h cells in the same memory. Its methods must be called inside the device's Do.
type Labeller struct {
	dev  *gpu.Device
	c    component.Connectivity
	most shape
	at   [buffers]uint64

	tiles, join, gather, claim, number, count *gpu.Kernel
}

// New makes a labeller on a device.
func New(dev *gpu.Device, w, h int, c component.Connectivity) (*Labeller, error) {
	return newLabeller(dev, newShape(w, h, c), c)
}

// newLabeller takes memory for the largest shape and compiles all kernels.
func newLabeller(dev *gpu.Device, most shape, c component.Connectivity) (*Labeller, error) {
	l := &Labeller{dev: dev, c: c, most: most}
	if n := most.tiles(); n > mostTiles {
		return nil, fmt.Errorf("%d×%d×%d cells to label at once: %d tiles, the limit is %d", most.areas, most.w, most.h, n,
			mostTiles)
	}
	for i, n := range l.most.buffers() {
		var err error
		if l.at[i], err = dev.Alloc(n); err != nil {
			l.Close()
			return nil, err
		}
	}
	for _, k := range []struct {
		kernel        **gpu.Kernel
		name          string
		warps, shared int
	}{
		{&l.tiles, "tiles" + c.String(), tileWarps, sharedBytes(c)},
		{&l.join, "join", warps, 0},
		{&l.gather, "gather", warps, 0},
		{&l.claim, "claim", warps, 0},
		{&l.number, "number", warps, 0},
		{&l.count, "count", warps, 4 * small},
	} {
		var err error
		if *k.kernel, err = dev.Kernel(kernels, k.name, k.warps*lanes, k.shared); err != nil {
			l.Close()
			return nil, err
		}
	}
	return l, nil
}

// Close frees the memory.
func (l *Labeller) Close() {
	l.dev.Free(l.at[:]...)
	l.at = [buffers]uint64{}
}

// Label finds the clusters of cells in state 1.
func (l *Labeller) Label(r Rows) (*component.Part, error) {
	if r.W != l.most.w || r.H < 1 || r.H > l.most.h {
		return nil, fmt.Errorf("%d×%d cells are too many for a labeller of %d×%d", r.W, r.H, l.most.w, l.most.h)
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	s := newShape(r.W, r.H, l.c)
	if err := l.launch(r, s); err != nil {
		return nil, err
	}
	return l.collect(s)
}

// launch does the work on the device, for one area.
func (l *Labeller) launch(r Rows, s shape) error {
	at, n := &l.at, s.tiles()
	groups := (n + warps - 1) / warps // tiles that a block handles side by side
	q := l.connect(r, s, 0)
	q.persistent(l.gather, groups, at[parents], at[counts], at[lengths], word(n))
	l.numberEdges(q, s)
	q.persistent(l.count, groups, at[parents], at[counts], at[lengths], word(n), at[found])
	return q.err
}

// connect makes a forest of the clusters of all areas. The areas are the given number of bytes apart.
func (l *Labeller) connect(r Rows, s shape, apart uint64) *queue {
	at := &l.at
	q := &queue{multiprocessors: l.dev.Multiprocessors, err: l.dev.Clear(at[found], 8*(1+small))}
	q.persistent(l.tiles, s.tiles(), r.Address, r.Plane/4, word(r.Planes), word(r.Stride/4), word(r.Interleaved),
		word(s.w), word(s.h),
		word(s.areas), apart/4, at[labels], at[bits], at[parents], at[counts], at[lengths], at[found])
	// Joins sides of length cells along their common edge, one side after the other. After each run of sides one is left
	// out.
	joinSides := func(upper, lower, length, sides, run int) {
		eight := 0
		if l.c == component.Eight {
			eight = 1
		}
		q.threads(l.join, sides*length/32, at[labels], at[bits], at[parents],
			word(upper), word(lower), word(length/32), word(sides*length/32), word(run*length/32), word(eight))
	}
	each := s.down / s.areas // rows of tiles of an area
	joinSides(s.bottom(0), s.top(1), s.wide(), s.areas*(each-1), each-1)
	sides := s.areas * (s.across - 1)
	joinSides(s.right(0), s.left(1), s.high()/s.areas, sides, sides)
	return q
}

// numberEdges finds the clusters along the edges of each area.
func (l *Labeller) numberEdges(q *queue, s shape) {
	at, each := &l.at, s.down/s.areas
	along := []uint64{
		word(s.areas), word(s.w), word(s.h), word(each * s.wide()), word(each * s.tall),
		word(s.top(0)), word(s.bottom(each - 1)), word(s.left(0)), word(s.right(s.across - 1)),
	}
	if q.err == nil {
		q.err = l.dev.Clear(at[numbers], 4*uint64(s.areas))
	}
	n := s.areas * s.perimeter()
	q.threads(l.claim, n, append([]uint64{at[labels], at[bits], at[parents], at[counts], at[edges], at[numbers]},
		along...)...)
	q.threads(l.number, n, append([]uint64{at[labels], at[bits], at[parents], at[numbers] + 4*uint64(s.areas)},
		along...)...)
}

// queue launches kernels until one fails.
type queue struct {
	multiprocessors int
	err             error
}

// persistent launches as many blocks as can be resident at once, but at most one for each piece of work. They share
// the work.
func (q *queue) persistent(k *gpu.Kernel, most int, params ...uint64) {
	if q.err == nil {
		q.err = k.Launch(max(1, min(most, k.Resident*q.multiprocessors)), 1, params...)
	}
}

// threads launches n threads, and some more to fill the last block.
func (q *queue) threads(k *gpu.Kernel, n int, params ...uint64) {
	if q.err == nil && n > 0 {
		q.err = k.Launch((n+warps*lanes-1)/(warps*lanes), 1, params...)
	}
}

// word is a parameter of 32 bits.
func word(v int) uint64 { return uint64(uint32(v)) }

// collect fetches the results.
func (l *Labeller) collect(s shape) (*component.Part, error) {
	var head [1 + small]uint64
	if err := l.dev.Read(gpu.Bytes(head[:]), l.at[found]); err != nil {
		return nil, err
	}
	largeCount := head[0]
	if largeCount > uint64(s.larges()) {
		return nil, errTooMany
	}
	large := make([]uint64, largeCount)
	if err := l.dev.Read(gpu.Bytes(large), l.at[found]+8*(1+small)); err != nil {
		return nil, err
	}
	edge, err := l.readEdges(s, nil)
	if err != nil {
		return nil, err
	}
	p := edge.part(s, 0)
	for size, n := range head[1:] {
		p.Sizes.Add(uint64(size), n)
	}
	for _, size := range large {
		p.Sizes.Add(size, 1)
	}
	return p, l.dev.Read(gpu.Bytes(p.Edge), l.at[edges])
}

// numbered is the result of numberEdges. It begins with the number of clusters along the edges of each area. Then
// follow, area by area, the numbers of the clusters of all cells along its edges, -1 for dead cells.
type numbered []int32

// readEdges fetches it, into the memory of what was fetched before.
func (l *Labeller) readEdges(s shape, old numbered) (numbered, error) {
	n := s.areas * (1 + s.perimeter())
	all := slices.Grow(old[:0], n)[:n]
	if err := l.dev.Read(gpu.Bytes(all), l.at[numbers]); err != nil {
		return nil, err
	}
	for _, clusters := range all[:s.areas] {
		if clusters < 0 || int(clusters) > s.edges() {
			return nil, errTooMany
		}
	}
	return all, nil
}

// part returns the clusters along the edges of area i. Their sizes are filled in later.
func (all numbered) part(s shape, i int) *component.Part {
	cells := all[s.areas+i*s.perimeter():][:s.perimeter()]
	return &component.Part{
		Edge: make([]uint64, all[i]),
		Top:  cells[:s.w], Bottom: cells[s.w : 2*s.w], Left: cells[2*s.w : 2*s.w+s.h], Right: cells[2*s.w+s.h:],
	}
}
