package scene

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/blockcount"
)

// Frame is the content of a region at one moment. The next Read reuses its buffers.
type Frame struct {
	Region
	Planes int
	// Bits are the cells if Scale is 0: plane after plane, row after row, ⌈W/64⌉ words a row. The cell of column c
	// is bit c&63 of word c>>6; spare bits are zero. Bits is empty at other scales.
	Bits []uint64
	// Density has one byte for each pixel if Scale is above 0, row after row. It is 0 if all cells of the block
	// are in state 0, else 1 + ⌊254·share⌋, where share is the share of cells in other states. Density is empty if
	// Scale is 0.
	Density []uint8
	// Sampled says that only some rows of the blocks were read. Densities are then estimates, and single cells may
	// be missing.
	Sampled bool

	counts []uint32 // by pixel, or by pixel of one row
	blocks []uint64 // by pixel
	row    []uint64
	plane  []uint64
	shader shader
}

// State returns the state of the cell at a pixel. Scale must be 0.
func (f *Frame) State(x, y int) uint8 {
	words := (f.W + 63) / 64
	at := y*words + x>>6
	var state uint8
	for k := range f.Planes {
		state |= uint8(f.Bits[at+k*f.H*words]>>(x&63)&1) << k
	}
	return state
}

// Shade returns the density at a pixel at any scale. Single cells have 0 or 255.
func (f *Frame) Shade(x, y int) uint8 {
	switch {
	case f.Scale > 0:
		return f.Density[y*f.W+x]
	case f.State(x, y) != 0:
		return 255
	}
	return 0
}

// Unlimited is a budget for Read that makes it look at every row.
const Unlimited = 1 << 62

// Read reads a valid region of src. At scales above 0 it reads about budget words of cells at most. If the
// region holds more, it reads only every second, fourth, … row, but at least one row of each row of blocks.
// After an error the frame's content is not valid.
func (f *Frame) Read(src grid.Source, r Region, budget int) error {
	f.Region, f.Planes, f.Sampled = r, src.Planes(), false
	if r.Scale == 0 {
		return f.readCells(src)
	}
	f.Bits = f.Bits[:0]
	f.Density = sized(f.Density, r.W*r.H)
	if s, ok := src.(sampler); ok {
		words := float64(f.H<<r.Scale) * float64(f.W<<r.Scale) / 64 * float64(f.Planes)
		if o, ok := src.(occupier); ok {
			words = f.wordsIn(o.Occupied())
		}
		step := f.stride(cheaper*budget, words)
		counted, err := f.readCounts(func() (bool, error) { return s.Sample(f.blocks, f.Cells(), f.Scale, step) })
		if counted || err != nil {
			return err
		}
	} else if c, ok := src.(counter); ok {
		counted, err := f.readCounts(func() (bool, error) { return c.Counts(f.blocks, f.Cells(), f.Scale) })
		if counted || err != nil {
			return err
		}
	}
	if o, ok := src.(occupier); ok {
		return f.readOccupied(src, o.Occupied(), budget)
	}
	return f.readBlocks(src, budget)
}

// counter is the interface sim.Counter.
type counter interface {
	Counts(dst []uint64, area grid.Rect, scale int) (bool, error)
}

// sampler is a counter that can skip rows: it reads every step-th row and counts it step times.
type sampler interface {
	Sample(dst []uint64, area grid.Rect, scale, step int) (bool, error)
}

// occupier knows the parts of an unbounded universe that hold cells.
type occupier interface{ Occupied() []grid.Rect }

// cheaper is the number of words an engine can count in the time that reading one takes.
const cheaper = 16

// readCounts asks the engine for the counts of all blocks. It returns false if the engine has none.
func (f *Frame) readCounts(count func() (bool, error)) (bool, error) {
	f.blocks = sized(f.blocks, f.W*f.H)
	counted, err := count()
	if counted && err == nil {
		f.shader.set(f.Scale, 1)
		shade(f.Density, f.blocks, &f.shader)
	}
	return counted, err
}

func (f *Frame) readCells(src grid.Source) error {
	words := (f.W + 63) / 64
	f.Density = f.Density[:0]
	f.Bits = sized(f.Bits, f.Planes*f.H*words)
	for i := range f.Planes * f.H {
		if err := src.ReadRow(f.Bits[i*words:(i+1)*words], i/f.H, f.X, f.Y+i%f.H, f.W); err != nil {
			return err
		}
	}
	return nil
}

// readBlocks reads the rows of pixels within the bounds of src.
func (f *Frame) readBlocks(src grid.Source, budget int) error {
	clear(f.Density)
	box, err := src.Extent()
	seen := f.Cells().Intersect(box)
	if err != nil || seen.Empty() {
		return err
	}
	k := f.Scale
	f.counts = sized(f.counts, f.W)
	step := f.stride(budget, float64(seen.H)*float64(seen.W)/64*float64(f.Planes))
	f.shader.set(k, step)
	for py := (seen.Y - f.Y) >> k; py<<k < seen.Y+seen.H-f.Y; py++ {
		clear(f.counts)
		top := f.Y + py<<k
		end := min(top+1<<k, seen.Y+seen.H)
		for y := max(seen.Y, min(top+step/2, end-1)); y < end; y += step {
			if _, err := f.addRow(f.counts, src, seen.X, y, seen.W); err != nil {
				return err
			}
		}
		shade(f.Density[py*f.W:(py+1)*f.W], f.counts, &f.shader)
	}
	return nil
}

// readOccupied reads the parts of an unbounded universe that hold cells.
func (f *Frame) readOccupied(src grid.Source, parts []grid.Rect, budget int) error {
	region, k := f.Cells(), f.Scale
	f.counts = sized(f.counts, f.W*f.H)
	clear(f.counts)
	step := f.stride(budget, f.wordsIn(parts))
	for _, part := range parts {
		in := part.Intersect(region)
		found := false
		for y := in.Y + step/2; y < in.Y+in.H; y += step {
			live, err := f.addRow(f.counts[(y-f.Y)>>k*f.W:], src, in.X, y, in.W)
			if err != nil {
				return err
			}
			found = found || live
		}
		for y := in.Y; !found && step > 1 && y < in.Y+in.H; y++ { // look for a glider between the rows that were read
			var err error
			if found, err = f.addRow(f.counts[(y-f.Y)>>k*f.W:], src, in.X, y, in.W); err != nil {
				return err
			}
		}
	}
	f.shader.set(k, step)
	shade(f.Density, f.counts, &f.shader)
	return nil
}

// wordsIn is the number of words that the parts have in the region.
func (f *Frame) wordsIn(parts []grid.Rect) (words float64) {
	for _, part := range parts {
		in := part.Intersect(f.Cells())
		words += float64(in.H) * float64(in.W+63) / 64 * float64(f.Planes)
	}
	return words
}

// stride is the distance between the rows to read, if all rows together have the given number of words. It is a
// power of two and at most 2^Scale.
func (f *Frame) stride(budget int, words float64) int {
	step := 1
	for step < 1<<f.Scale && words > float64(budget)*float64(step) {
		step *= 2
	}
	f.Sampled = step > 1
	return step
}

// addRow adds the cells of a part of a row to the counts of a row of pixels, and reports whether it found any.
// In the first and last block, it leaves out the cells outside the part.
func (f *Frame) addRow(counts []uint32, src grid.Source, x, y, n int) (found bool, err error) {
	k := f.Scale
	align := x & (min(1<<k, 64) - 1)
	x, n = x-align, n+align
	words := (n + 63) / 64
	f.row = sized(f.row, words)
	if err := src.ReadRow(f.row, 0, x, y, n); err != nil {
		return false, err
	}
	for plane := 1; plane < f.Planes; plane++ {
		f.plane = sized(f.plane, words)
		if err := src.ReadRow(f.plane, plane, x, y, n); err != nil {
			return false, err
		}
		for i, v := range f.plane {
			f.row[i] |= v
		}
	}
	f.row[0] &^= 1<<align - 1
	return blockcount.Add(counts, f.row, x-f.X, k, 1), nil
}

// shader turns the counts of every step-th row of blocks of 2^scale × 2^scale cells into densities. The zero
// value is for nothing yet.
type shader struct {
	scale, step int
	few         [1 << 8]uint8 // densities of small counts: there are many pixels of small blocks
}

// set makes densities those of a scale and step.
func (s *shader) set(scale, step int) {
	if s.scale == scale && s.step == step {
		return
	}
	s.scale, s.step = scale, step
	for n := range s.few {
		s.few[n] = s.of(uint64(n))
	}
}

// of is the shade of a block with n live cells: 0 for none, and otherwise 1 to 255 by density. One
// live cell in a large block is still visible.
func (s *shader) of(n uint64) uint8 {
	const most = 1 << 48 // far from overflow, and more cells than any universe has
	if n == 0 {
		return 0
	}
	return 1 + uint8(min(254, 254*min(n*uint64(s.step), most)>>(2*s.scale)))
}

// shade converts counts to shades. Small counts, which are the most common, are looked up.
func shade[T uint32 | uint64](dst []uint8, counts []T, s *shader) {
	dst = dst[:len(counts)]
	for i, n := range counts {
		if n := uint64(n); n < uint64(len(s.few)) {
			dst[i] = s.few[n]
		} else {
			dst[i] = s.of(n)
		}
	}
}

// sized returns s with n elements of any value.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
