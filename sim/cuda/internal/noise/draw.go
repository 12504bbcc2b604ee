package noise

import (
	"cmp"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/lut"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
)

// draw is the random bits of one use of chance: a plane for each probability.
type draw struct {
	use   uint8
	below []uint64 // the probabilities, from the smallest on, in units of 2^-32
	plane []int    // the plane of each
	most  uint64   // the greatest probability of the use, also if no plane has it
}

// drawsOf puts random bits together by their uses. Plane i is that of the bits number i.
func drawsOf(chances []circuit.Chance) []draw {
	order := make([]int, len(chances))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int {
		return cmp.Or(cmp.Compare(chances[i].Use, chances[j].Use), cmp.Compare(chances[i].Below, chances[j].Below))
	})
	var draws []draw
	for _, i := range order {
		c := &chances[i]
		if n := len(draws); n == 0 || draws[n-1].use != c.Use {
			draws = append(draws, draw{use: c.Use, most: uint64(c.Most)})
		}
		d := &draws[len(draws)-1]
		d.below, d.plane = append(d.below, uint64(c.Below)), append(d.plane, i)
	}
	return draws
}

// sparse reports whether the few cells are those that points fall on.
func (d *draw) sparse() bool { return d.most <= random.Rare }

// columns is the number of columns a thread makes: those of a sequence or of a segment.
func (d *draw) columns() int {
	if d.sparse() {
		return random.Segment
	}
	return 64
}

// threads is the number of threads a block has. GPUs start few blocks at a time; those of a sparse draw share
// memory as a warp.
func (d *draw) threads() int {
	if d.sparse() {
		return ptx.Lanes
	}
	return 256
}

// perRow returns the number of threads that make a row of the given number of columns.
func (d *draw) perRow(width int) int { return (width + d.columns() - 1) / d.columns() }

// Place describes the memory that holds the random bits of universes, one universe after the other.
type Place struct {
	// address of row 0 of plane 0; bytes from a plane to the next, and from a universe to the next
	Base, Plane, Each uint64
	Stride            int // bytes of a row
	First, Rows       int // rows to make, from First on
	Width             int // columns to make
	Top, Tall         int // row 0 is row Top of a universe whose last row, Tall-1, is followed by the first
	Universes         int
	Seeds             uint64 // address of their seeds
}

// arguments are the parameters of a draw's kernel: with the address of the table of points, and the generation
// with the use (random.Counter).
func (p *Place) arguments(perRow int, table, counter uint64) []uint64 {
	list := []uint64{p.Base, p.Plane, p.Each}
	for _, n := range [...]int{p.Stride, p.First, p.Rows, p.Width, p.Top, p.Tall, p.Universes, perRow} {
		list = append(list, uint64(uint32(int32(n))))
	}
	for _, d := range [...]int{perRow, p.Rows} {
		by, shift := reciprocal(d)
		list = append(list, uint64(by), uint64(shift))
	}
	return append(list, p.Seeds, table, uint64(uint32(counter)), counter>>32)
}

// reciprocal returns numbers by which to divide n by d, for n below 2^31: n/d is the upper half of 2n·by, shifted to
// the right.
//
// by is 2^(31+shift)/d, rounded up. As 2^(shift-1) < d ≤ 2^shift, it lies from 2^31 to 2^32, so it has all 32 bits
// of precision. A multiplication and a shift take far less time than a division.
func reciprocal(d int) (by uint32, shift int) {
	shift = bits.Len(uint(d - 1))
	return uint32((1<<(31+shift) + uint64(d) - 1) / uint64(d)), shift
}

// write adds the kernel of a draw to a module, for columns that take turns among words of a lane (cells.Layout).
func write(m *ptx.Module, name string, d draw, words int) {
	k := m.Kernel(name, d.threads(), 0)
	w := drawer{Kernel: k, d: d, words: words}
	base, plane, each := k.Param64(), k.Param64(), k.Param64()
	stride, first, rows := k.Param32(), k.Param32(), k.Param32()
	w.width = k.Param32()
	top, tall, universes, perRow := k.Param32(), k.Param32(), k.Param32(), k.Param32()
	divide := func(by, shift ptx.B32) func(ptx.B32) ptx.B32 {
		return func(n ptx.B32) ptx.B32 {
			_, upper := k.Halves(k.MulWideU(k.ShlN(n, 1), by))
			return k.Shr(upper, shift)
		}
	}
	byPerRow, byRows := divide(k.Param32(), k.Param32()), divide(k.Param32(), k.Param32())
	seeds := k.Param64()
	w.table = k.Param64()
	low, high := k.Param32(), k.Param32()

	columns := d.columns()
	index := k.MulAdd(k.Special("ctaid.x"), k.Const(d.threads()), k.Special("tid.x"))
	line := byPerRow(index)
	w.sequence = k.Sub(index, k.Mul(line, perRow))
	universe := byRows(line)
	if d.sparse() { // the others of the warp need it
		w.idle = k.Compare("ge", universe, universes)
		universe = k.Select(w.idle, k.Const(0), universe)
	} else {
		k.ReturnIf(k.Compare("ge", universe, universes))
	}
	y := k.Add(first, k.Sub(line, k.Mul(universe, rows)))
	seedLow, seedHigh := k.Halves(k.Load64(k.MulWideN(universe, 8, seeds), 0))
	row, within := k.NewB32(), k.NewLabel()
	k.Move(row, k.Add(y, top))
	k.DivergeIf(k.Below(row, tall), within)
	k.Move(row, k.RemU(k.Add(row, tall), tall))
	k.Place(within)
	for i := range 2 {
		w.state[i] = k.NewB64()
	}
	for i, z := range w.philox([4]ptx.B32{w.sequence, row, low, high}, seedLow, seedHigh) {
		k.Move64(w.state[i], z)
	}
	at := k.MulWide(y, stride, k.MulWideN(w.sequence, columns/8, k.Add64(base, k.Mul64(k.Wide(universe), each))))
	for _, p := range d.plane {
		w.at = append(w.at, k.Add64(at, k.Mul64(plane, k.Const64(uint64(p)))))
	}
	if d.sparse() {
		w.sparse()
	} else {
		w.ladder()
	}
}

// drawer writes the kernel of a draw. A thread makes 64 columns, of one sequence, or a segment of a sparse draw.
type drawer struct {
	*ptx.Kernel
	d        draw
	words    int     // of a lane
	sequence ptx.B32 // its number
	width    ptx.B32
	table    ptx.B64    // sparse draws only: of random.Points
	idle     ptx.Pred   // sparse draws only: there is no such row
	state    [2]ptx.B64 // of the low and the high half of the words
	at       []ptx.B64  // by probability: where the bits belong
}

// philox returns the states of the generators from which the words of the sequence follow.
func (w *drawer) philox(c [4]ptx.B32, key0, key1 ptx.B32) [2]ptx.B64 {
	m0, m1 := w.Const(random.Multiply0), w.Const(random.Multiply1)
	// One round of Philox 4×32, with the key's halves k0 and k1 of the round:
	//
	//	c0, c1, c2, c3     ─▶     high(m1·c2) ^ c1 ^ k0,   low(m1·c2),   high(m0·c0) ^ c3 ^ k1,   low(m0·c0)
	for i := range random.Rounds {
		low0, high0 := w.Halves(w.MulWideU(c[0], m0))
		low1, high1 := w.Halves(w.MulWideU(c[2], m1))
		k0, k1 := w.AddN(key0, int(int32(uint32(i)*random.Increase0))), w.AddN(key1, int(int32(uint32(i)*random.Increase1)))
		c = [4]ptx.B32{w.Lop3(lut.Xor3, high1, c[1], k0), low1, w.Lop3(lut.Xor3, high0, c[3], k1), low0}
	}
	return [2]ptx.B64{w.Pair(c[0], c[1]), w.Pair(c[2], c[3])}
}

// word returns both halves of the next word.
func (w *drawer) word() (halves [2]ptx.B32) {
	for i, z := range w.state {
		halves[i] = next(w.Kernel, z)
	}
	return halves
}

// surely is the number of levels before the first after which cells of a warp may all be decided: 2,048 cells
// take more nearly always.
const surely = 10

// ladder makes the bits of 64 columns.
func (w *drawer) ladder() {
	cells := ladder(w.Kernel, w.d.below, 2, surely, func() []ptx.B32 {
		halves := w.word()
		return halves[:]
	}, func(open ptx.B32, decided ptx.Label) {
		w.DivergeUnless(w.CompareN("ne", open, 0), decided)
	})
	second := w.Compare("gt", w.width, w.AddN(w.ShlN(w.sequence, 6), 32)) // else that word is another row's
	for i, halves := range cells {
		w.Store(w.at[i], 0, halves[0])
		w.StoreIf(second, w.at[i], 4, halves[1])
	}
}

// sharedBytes is the shared memory of a draw's warp: a sparse one makes a plane of its segments there.
func (d *draw) sharedBytes() int {
	if d.sparse() {
		return ptx.Lanes * segmentBytes
	}
	return 0
}

const (
	segmentLog   = 12 // of the columns of a segment
	segmentBytes = random.Segment / 8
)

// sparse makes the segments of a warp, one plane after the other.
func (w *drawer) sparse() {
	points := random.NewPoints(w.d.most)
	v := w.word()
	n := w.NewB32()
	w.Move(n, w.points(w.Pair(v[0], v[1]), points.Table()))
	w.Move(n, w.Select(w.idle, w.Const(0), n))
	left := w.Max(w.Const(0), w.Sub(w.width, w.ShlN(w.sequence, segmentLog)))
	groups := w.ShrN(w.AddN(left, 32*w.words-1), log2(32*w.words))
	words := w.Select(w.idle, w.Const(0), w.MinN(w.MulN(groups, w.words), random.Segment/32))
	lane := w.Special("tid.x")
	shared := w.Shared()
	own, across := w.MulAdd(lane, w.Const(segmentBytes), shared), w.MulAdd(lane, w.Const(4), shared)
	zero := w.Const(0)
	begin := [2]ptx.B64{w.NewB64(), w.NewB64()}
	for i, z := range w.state {
		w.Move64(begin[i], z)
	}
	for plane, at := range w.at {
		wide := w.MulAdd(lane, w.Const(16), shared)
		for segment := range ptx.Lanes {
			w.StoreShared(wide, segment*segmentBytes, zero, zero, zero, zero)
		}
		w.WarpBarrier()
		for i, z := range begin {
			w.Move64(w.state[i], z)
		}
		w.scatter(n, own, points.Limit(w.d.below[plane]))
		w.WarpBarrier()
		w.gather(across, at, words)
		w.WarpBarrier()
	}
}

// points is the number of points a segment has: the entries of the table above v, which fall to zero.
func (w *drawer) points(v ptx.B64, table []uint64) ptx.B32 {
	// A binary search without branches: n grows by falling powers of two as long as the entry before it is above v.
	n, last := w.NewB32(), len(table)-1
	w.Assign(n, 0)
	for step := 1 << bits.Len(uint(last)); step > 0; step /= 2 {
		next := w.MinN(w.AddN(n, step), last)
		w.Move(n, w.Select(w.Below64(v, w.Load64(w.MulWideN(w.AddN(next, -1), 8, w.table), 0)), next, n))
	}
	return n
}

// scatter sets the bits of n points in a segment's shared memory, of those whose marks are below the limit.
func (w *drawer) scatter(n, segment ptx.B32, limit uint64) {
	left, top, done := w.NewB32(), w.NewLabel(), w.NewLabel()
	w.Move(left, n)
	w.Place(top)
	w.DivergeIf(w.CompareN("le", left, 0), done)
	point := w.word()
	// Column c of the upper bits is bit c/words mod 32 of word c%words of group c/(32·words).
	const column = 32 - segmentLog
	turn := log2(w.words)
	bit := w.Shl(w.Const(1), w.AndN(w.ShrN(point[0], column+turn), 31))
	if limit < random.One {
		bit = w.Select(w.Below(point[1], w.Const(int(limit))), bit, w.Const(0))
	}
	at := w.Add(segment, w.ShlN(w.ShrN(point[0], column+turn+5), 2+turn))
	if turn > 0 {
		at = w.Add(at, w.ShlN(w.AndN(w.ShrN(point[0], column), uint32(w.words-1)), 2))
	}
	w.StoreShared(at, 0, w.Or(w.LoadShared(at, 0, 1)[0], bit))
	w.Increase(left, -1)
	w.Branch(top)
	w.Place(done)
}

// gather stores the segments of all lanes, whose addresses and numbers of words these lanes have. Lanes store
// words side by side; across is the address of a lane's word of the first segment.
func (w *drawer) gather(across ptx.B32, at ptx.B64, words ptx.B32) {
	low, high := w.Halves(at)
	lane := w.Special("tid.x")
	segment, from, top := w.NewB32(), w.NewB32(), w.NewLabel()
	w.Assign(segment, 0)
	w.Move(from, across)
	w.Place(top)
	to := w.MulWideN(lane, 4, w.Pair(w.ShuffleFrom(low, segment), w.ShuffleFrom(high, segment)))
	n := w.ShuffleFrom(words, segment)
	for word := 0; word < random.Segment/32; word += ptx.Lanes {
		is := w.Below(w.AddN(lane, word), n)
		w.StoreIf(is, to, 4*word, w.LoadShared(from, 4*word, 1)[0])
	}
	w.Increase(segment, 1)
	w.Increase(from, segmentBytes)
	w.BranchIf(w.CompareN("lt", segment, ptx.Lanes), top)
}

// log2 is the logarithm of a power of two.
func log2(n int) int { return bits.Len(uint(n)) - 1 }
