package scene

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

// Frame is what a region shows at one moment. Its buffers are used again by the next Read.
type Frame struct {
	Region
	Planes int
	// Bits are the cells where Scale is 0: plane after plane, row after row, ⌈W/64⌉ words a row, the cell of column c in bit c&63
	// of word c>>6, spare bits zero. Empty at other scales.
	Bits []uint64
	// Density is, where Scale is above 0, a byte a pixel, row after row: 0 where the block has no cell but those in state 0, else
	// 1 + ⌊254·share⌋ of the cells in other states. Empty where Scale is 0.
	Density []uint8
	// Sampled says that not all rows of the blocks were looked at: densities are estimates and a lone cell may be missed.
	Sampled bool

	counts []uint32 // by pixel, or by pixel of one row
	blocks []uint64 // by pixel
	row    []uint64
	plane  []uint64
}

// State is the state of the cell at a pixel where Scale is 0.
func (f *Frame) State(x, y int) uint8 {
	words := (f.W + 63) / 64
	at := y*words + x>>6
	var state uint8
	for k := range f.Planes {
		state |= uint8(f.Bits[at+k*f.H*words]>>(x&63)&1) << k
	}
	return state
}

// Shade is the density at a pixel at any scale: single cells have 0 or 255.
func (f *Frame) Shade(x, y int) uint8 {
	switch {
	case f.Scale > 0:
		return f.Density[y*f.W+x]
	case f.State(x, y) != 0:
		return 255
	}
	return 0
}

// Unlimited is a budget for Read that has every row looked at.
const Unlimited = 1 << 62

// Read looks at a valid region of src. At scales above 0 it reads about budget words of cells at most, but one row of each row of
// blocks at least: it looks at every second, fourth, … row only where the region holds more than that.
func (f *Frame) Read(src grid.Source, r Region, budget int) {
	f.Region, f.Planes, f.Sampled = r, src.Planes(), false
	if r.Scale == 0 {
		f.readCells(src)
		return
	}
	f.Bits = f.Bits[:0]
	f.Density = sized(f.Density, r.W*r.H)
	if s, ok := src.(sampler); ok {
		step := f.stride(cheaper*budget, float64(f.H<<r.Scale)*float64(f.W<<r.Scale)/64*float64(f.Planes))
		if f.readCounts(func() bool { return s.Sample(f.blocks, f.Cells(), f.Scale, step) }) {
			return
		}
	} else if c, ok := src.(counter); ok && f.readCounts(func() bool { return c.Counts(f.blocks, f.Cells(), f.Scale) }) {
		return
	}
	if s, ok := src.(interface{ Occupied() []grid.Rect }); ok {
		f.readOccupied(src, s.Occupied(), budget)
		return
	}
	f.readBlocks(src, budget)
}

// counter is what sim.Counter says.
type counter interface {
	Counts(dst []uint64, area grid.Rect, scale int) bool
}

// sampler is a counter that can leave rows out: it looks at every step-th row, each counted step times.
type sampler interface {
	Sample(dst []uint64, area grid.Rect, scale, step int) bool
}

// cheaper is how many words are counted where they are in the time that one is read.
const cheaper = 16

// readCounts asks for the counts of all blocks; false: there are none to be had.
func (f *Frame) readCounts(count func() bool) bool {
	f.blocks = sized(f.blocks, f.W*f.H)
	if !count() {
		return false
	}
	shade(f.Density, f.blocks, f.Scale, 1)
	return true
}

func (f *Frame) readCells(src grid.Source) {
	words := (f.W + 63) / 64
	f.Density = f.Density[:0]
	f.Bits = sized(f.Bits, f.Planes*f.H*words)
	for i := range f.Planes * f.H {
		src.ReadRow(f.Bits[i*words:(i+1)*words], i/f.H, f.X, f.Y+i%f.H, f.W)
	}
}

// readBlocks goes through the rows of pixels within the bounds of src.
func (f *Frame) readBlocks(src grid.Source, budget int) {
	clear(f.Density)
	seen := f.Cells().Intersect(src.Bounds())
	if seen.Empty() {
		return
	}
	k := f.Scale
	f.counts = sized(f.counts, f.W)
	step := f.stride(budget, float64(seen.H)*float64(seen.W)/64*float64(f.Planes))
	for py := (seen.Y - f.Y) >> k; py<<k < seen.Y+seen.H-f.Y; py++ {
		clear(f.counts)
		top := f.Y + py<<k
		end := min(top+1<<k, seen.Y+seen.H)
		for y := max(seen.Y, min(top+step/2, end-1)); y < end; y += step {
			f.addRow(f.counts, src, seen.X, y, seen.W)
		}
		shade(f.Density[py*f.W:(py+1)*f.W], f.counts, k, step)
	}
}

// readOccupied goes through the parts of an unbounded universe that hold cells.
func (f *Frame) readOccupied(src grid.Source, parts []grid.Rect, budget int) {
	region, k := f.Cells(), f.Scale
	f.counts = sized(f.counts, f.W*f.H)
	clear(f.counts)
	var words float64
	for _, part := range parts {
		in := part.Intersect(region)
		words += float64(in.H) * float64(in.W+63) / 64 * float64(f.Planes)
	}
	step := f.stride(budget, words)
	for _, part := range parts {
		in := part.Intersect(region)
		found := false
		for y := in.Y + step/2; y < in.Y+in.H; y += step {
			if f.addRow(f.counts[(y-f.Y)>>k*f.W:], src, in.X, y, in.W) {
				found = true
			}
		}
		for y := in.Y; !found && step > 1 && y < in.Y+in.H; y++ { // a glider between the rows looked at
			found = f.addRow(f.counts[(y-f.Y)>>k*f.W:], src, in.X, y, in.W)
		}
	}
	shade(f.Density, f.counts, k, step)
}

// stride is the distance of the rows to look at, a power of two and at most 2^Scale, when all of them have so many words.
func (f *Frame) stride(budget int, words float64) int {
	step := 1
	for step < 1<<f.Scale && words > float64(budget)*float64(step) {
		step *= 2
	}
	f.Sampled = step > 1
	return step
}

// addRow adds the cells of a part of a row to the counts of that row of pixels and reports whether it found any. What lies left of
// the part in its first block and right of it in its last is left out.
func (f *Frame) addRow(counts []uint32, src grid.Source, x, y, n int) (found bool) {
	k := f.Scale
	align := x & (min(1<<k, 64) - 1)
	x, n = x-align, n+align
	words := (n + 63) / 64
	f.row = sized(f.row, words)
	src.ReadRow(f.row, 0, x, y, n)
	for plane := 1; plane < f.Planes; plane++ {
		f.plane = sized(f.plane, words)
		src.ReadRow(f.plane, plane, x, y, n)
		for i, v := range f.plane {
			f.row[i] |= v
		}
	}
	f.row[0] &^= 1<<align - 1
	offset := x - f.X
	if k >= 6 {
		for i, v := range f.row {
			if v != 0 {
				found = true
				add(&counts[(offset+64*i)>>k], uint32(bits.OnesCount64(v)))
			}
		}
		return found
	}
	for i, v := range f.row {
		if v == 0 {
			continue
		}
		found = true
		v = laneCounts(v, k)
		at := (offset + 64*i) >> k
		for ; v != 0; v >>= 1 << k {
			counts[at] += uint32(v & (1<<(1<<k) - 1))
			at++
		}
	}
	return found
}

// add adds without going round at the end: blocks of 2^32 live cells are full for the eye.
func add(count *uint32, n uint32) {
	if *count += n; *count < n {
		*count = ^uint32(0)
	}
}

// laneCounts has in each lane of 2^k bits, k from 1 to 5, the number of bits set there in v.
func laneCounts(v uint64, k int) uint64 {
	v -= v >> 1 & 0x5555555555555555
	if k > 1 {
		v = v&0x3333333333333333 + v>>2&0x3333333333333333
	}
	if k > 2 {
		v = (v + v>>4) & 0x0F0F0F0F0F0F0F0F
	}
	if k > 3 {
		v = (v + v>>8) & 0x00FF00FF00FF00FF
	}
	if k > 4 {
		v = (v + v>>16) & 0x0000FFFF0000FFFF
	}
	return v
}

// shade turns counts of every step-th row of blocks of 2^scale × 2^scale cells into densities.
func shade[T uint32 | uint64](dst []uint8, counts []T, scale, step int) {
	const most = 1 << 48 // far from overflow, and more cells than anybody has
	for i, n := range counts {
		dst[i] = 0
		if n > 0 {
			dst[i] = 1 + uint8(min(254, 254*min(uint64(n)*uint64(step), most)>>(2*scale)))
		}
	}
}

// sized is s with n elements, whatever they are.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
