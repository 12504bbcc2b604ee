// Package boris has kernels of BorisTheBrave's articles on the Game of Life in CUDA (https://www.boristhebrave.com).
// They have 64 cells in a word. The best kernel of the first article runs one generation a launch and is limited by
// memory. The kernels of the second article run several generations a launch in shared memory. All are exact on tori.
package boris

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen life.cu

//go:embed zlife.ptx.gz
var lifePTX string

// Name is the paper's name in measurements.
const Name = "boris"

// Variant is one of the kernels.
type Variant string

const (
	OneGeneration Variant = "one generation" // a thread slides down a row group in global memory
	Shared        Variant = "shared"         // two shared arrays, a barrier for each generation, each row separately
	// like Shared; the sums of 1×3 cells serve three rows of an unrolled row group
	Unrolled  Variant = "unrolled"
	Registers Variant = "registers" // like Unrolled, with Inner generations at a time in an inner register array
)

// variants lists all variants, in the order of the articles.
var variants = []Variant{OneGeneration, Shared, Unrolled, Registers}

// Method is a kernel with its sizes.
type Method struct {
	Variant     Variant
	Rows        int // of a row group, which a thread has
	Warps       int // of a block; each has 32 words of Rows rows
	Inner       int // generations between two barriers; Registers only, else 0
	Generations int // a launch, 1 to MostGenerations; 1 for OneGeneration
}

// MostGenerations is the greatest number of generations of a launch. A block has a spare word at both sides,
// and each generation makes one more cell of it wrong.
const MostGenerations = 63

// Methods returns the kernels with all their row groups, blocks and depths, without generations.
func Methods() []Method {
	var list []Method
	for _, rows := range []int{1, 4, 8} {
		list = append(list, Method{Variant: OneGeneration, Rows: rows, Warps: 4, Generations: 1})
	}
	for _, warps := range []int{8, 16, 32} {
		for _, rows := range []int{1, 4, 8} {
			list = append(list, Method{Variant: Shared, Rows: rows, Warps: warps})
			if rows == 1 {
				continue // one row has no sums to share
			}
			list = append(list, Method{Variant: Unrolled, Rows: rows, Warps: warps})
			if warps == 32 {
				continue // a thread of so large a block has too few registers
			}
			for _, inner := range []int{1, 2, 4} {
				list = append(list, Method{Variant: Registers, Rows: rows, Warps: warps, Inner: inner})
			}
		}
	}
	return list
}

// Parameters of the method.
func (m Method) Parameters() experiment.Parameters {
	p := experiment.Parameters{"rows": m.Rows, "warps": m.Warps, "generations": m.Generations}
	if m.Variant == Registers {
		p["inner"] = m.Inner
	}
	return p
}

func (m Method) String() string { return fmt.Sprintf("%s %s", m.Variant, m.Parameters()) }

// blockRows is the number of rows of a block's rectangle.
func (m Method) blockRows() int { return m.Rows * m.Warps }

// Valid returns an error if a block would have nothing to write.
func (m Method) Valid() error {
	most := 1
	if m.Variant != OneGeneration {
		most = min(MostGenerations, (m.blockRows()-1)/2)
	}
	if m.Generations < 1 || m.Generations > most {
		return fmt.Errorf("%v: 1 to %d generations a launch are possible", m, most)
	}
	return nil
}

const (
	warp       = 32
	blockWords = 32 // of a row of a rectangle
	wordBytes  = 8
	longest    = 1 << 20
)

// pad returns the number of rows above and below a rectangle in shared memory.
func (m Method) pad() int {
	if m.Variant == Registers {
		return m.Inner
	}
	return 1
}

// sharedBytes are the two arrays of a block.
func (m Method) sharedBytes() int {
	if m.Variant == OneGeneration {
		return 0
	}
	return 2 * wordBytes * (blockWords*(m.blockRows()+2*m.pad()) + 2)
}

// kernelName is the method's name in life.cu.
func (m Method) kernelName() string {
	if m.Variant == OneGeneration {
		return fmt.Sprintf("one_generation_%d", m.Rows)
	}
	if m.Variant == Registers {
		return fmt.Sprintf("%s_%d_%d", m.Variant, m.Rows, m.Inner)
	}
	return fmt.Sprintf("%s_%d", m.Variant, m.Rows)
}

// smallest is the least width, that of a word, and the least height of a universe.
func (m Method) smallest() (w, h int) {
	if m.Variant == OneGeneration {
		return 1, 1
	}
	return 64, 1
}

// stepper runs a method.
type stepper struct {
	experiment.GPUSteps
	m         Method
	d         *gpu.Device
	w, h      int
	words     int // of a row
	kernel    *gpu.Kernel
	now, next uint64
}

// Open makes the method for a torus of w×h cells on a GPU.
func (m Method) Open(d *gpu.Device, w, h int) (experiment.Stepper, error) {
	if err := m.Valid(); err != nil {
		return nil, err
	}
	leastW, leastH := m.smallest()
	if w < leastW || h < leastH || max(w, h) > longest {
		return nil, &experiment.SizeError{
			Method: m.String(), Width: w, Height: h,
			Allowed: fmt.Sprintf("widths of %d to %d and heights of %d to %[2]d cells are allowed", leastW, longest, leastH),
		}
	}
	s := &stepper{m: m, d: d, w: w, h: h, words: (w + 63) / 64}
	s.GPUSteps = experiment.GPUSteps{Device: d, Launch: s.launch}
	err := d.Do(func() error {
		var err error
		if s.kernel, err = d.Kernel(lifePTX, m.kernelName(), warp*m.Warps, m.sharedBytes()); err != nil {
			return err
		}
		if s.now, err = d.Alloc(s.bytes()); err != nil {
			return err
		}
		s.next, err = d.Alloc(s.bytes())
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// bytes is the size of a universe.
func (s *stepper) bytes() uint64 { return wordBytes * uint64(s.words) * uint64(s.h) }

// row returns the address of row y.
func (s *stepper) row(y int) uint64 { return s.now + wordBytes*uint64(s.words)*uint64(y) }

// Load implements experiment.Stepper.
func (s *stepper) Load(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, s.w, s.h); err != nil {
		return err
	}
	return s.d.Do(func() error {
		return s.eachChunk(func(y int, words []uint64) error {
			for k := 0; k*s.words < len(words); k++ {
				copy(words[k*s.words:], g.Row(0, y+k))
			}
			return s.d.Write(s.row(y), gpu.Bytes(words))
		})
	})
}

// Store implements experiment.Stepper.
func (s *stepper) Store(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, s.w, s.h); err != nil {
		return err
	}
	return s.d.Do(func() error {
		return s.eachChunk(func(y int, words []uint64) error {
			err := s.d.Read(gpu.Bytes(words), s.row(y))
			for k := 0; k*s.words < len(words); k++ {
				copy(g.Row(0, y+k), words[k*s.words:])
			}
			return err
		})
	})
}

// chunk is the approximate number of words that are copied at once.
const chunk = 1 << 20

// eachChunk calls move for some rows at a time, from row y on, with room for their words.
func (s *stepper) eachChunk(move func(y int, words []uint64) error) error {
	rows := max(1, chunk/s.words)
	words := make([]uint64, min(rows, s.h)*s.words)
	for y := 0; y < s.h; y += rows {
		if err := move(y, words[:min(rows, s.h-y)*s.words]); err != nil {
			return err
		}
	}
	return nil
}

// launch puts n generations into the device's queue.
func (s *stepper) launch(n int) error {
	for n > 0 {
		g := min(n, s.m.Generations)
		down, across, args := s.m.launch(s.w, s.h, g)
		args = append([]uint64{s.now, s.next}, args...)
		if err := s.kernel.Launch(down, across, args...); err != nil {
			return err
		}
		s.now, s.next = s.next, s.now
		n -= g
	}
	return nil
}

// launch returns the blocks of a launch of some generations, and its arguments without the two universes.
func (m Method) launch(w, h, generations int) (down, across int, args []uint64) {
	words := ceil(w, 64)
	args = []uint64{uint64(w), uint64(h), uint64(words)}
	if m.Variant == OneGeneration {
		return ceil(h, m.Rows), ceil(words, warp*m.Warps), args
	}
	return ceil(h, m.blockRows()-2*m.Generations), ceil(words, blockWords-2),
		append(args, uint64(m.Generations), uint64(generations))
}

func ceil(n, by int) int { return (n + by - 1) / by }

// Close implements experiment.Stepper.
func (s *stepper) Close() error {
	return s.d.Do(func() error {
		s.d.Free(s.now, s.next)
		return nil
	})
}
