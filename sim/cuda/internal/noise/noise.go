// Package noise makes the random bits of rules with chance on a GPU, as planes of bits that lie as cells do: see
// cells.Layout. Frequent bits lie in lanes of one word, since 64 columns are made side by side. Package
// internal/random defines the bits. All engines make the same ones. One thread makes the 64 columns of a block, or
// the rare cells of a segment.
//
// For two probabilities of a use, a block takes 14 multiplications and 14 tables at its beginning, and then for
// each of about 12 levels 2 multiplications and 6 tables: for 32 cells some 45 tables and 19 multiplications,
// which two pipes do at once.
package noise

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule/chance"
)

// Source makes random bits on a device: a plane for each of the chances that it was made for, in their order.
type Source struct {
	dev    *gpu.Device
	parts  []part
	planes int
	pairs  bool
	held   []uint64 // allocated memory
}

// part is a draw with its kernel and, if it is sparse, the address of its table of points.
type part struct {
	draw
	kernel *gpu.Kernel
	table  uint64
}

// MostWords is the most words of a lane that random bits may lie in.
func MostWords(chances []circuit.Chance) int {
	for i := range chances {
		if chances[i].Most > random.Rare {
			return 1
		}
	}
	return 4
}

// New compiles the kernels for at least one kind of random bits, in lanes of the given number of words. The device
// must be current.
func New(dev *gpu.Device, chances []circuit.Chance, words int) (*Source, error) {
	s := &Source{dev: dev, planes: len(chances), pairs: chances[0].Pairs}
	draws := drawsOf(chances)
	name := func(i int) string { return fmt.Sprintf("draw%d", i) }
	texts := make([]string, len(draws))
	for i, d := range draws {
		var m ptx.Module
		write(&m, name(i), d, words)
		texts[i] = m.String()
		dev.Ahead(texts[i])
	}
	for i, d := range draws {
		k, err := dev.Kernel(texts[i], name(i), d.threads(), d.sharedBytes())
		p := part{draw: d, kernel: k}
		if err == nil && d.sparse() {
			table := random.NewPoints(d.most).Table()
			if p.table, err = dev.Alloc(8 * uint64(len(table))); err == nil {
				s.held = append(s.held, p.table)
				err = dev.Write(p.table, gpu.Bytes(table))
			}
		}
		if err != nil {
			s.Free()
			return nil, err
		}
		s.parts = append(s.parts, p)
	}
	return s, nil
}

// Free frees the memory. It may be called of nil, and again.
func (s *Source) Free() {
	if s != nil {
		s.dev.Free(s.held...)
		s.held = nil
	}
}

// Planes is the number of planes of bits.
func (s *Source) Planes() int { return s.planes }

// Pairs reports whether an even generation and the odd one after it share their random bits.
func (s *Source) Pairs() bool { return s.pairs }

// Draw returns the generation whose random numbers a generation uses. Two generations of a checkerboard share theirs.
func (s *Source) Draw(generation uint64) uint64 {
	return chance.Draw(chance.UseAdvance, s.pairs, generation)
}

// mostThreads is the most threads of a launch.
const mostThreads = 1 << 30

// Make makes the bits that lead from a generation to the next.
func (s *Source) Make(at Place, generation uint64) error {
	for i := range s.parts {
		p := &s.parts[i]
		perRow := p.perRow(at.Width)
		rows := min(at.Rows, max(1, mostThreads/perRow))
		universes := min(at.Universes, max(1, mostThreads/(perRow*rows)))
		for u := 0; u < at.Universes; u += universes {
			for y := 0; y < at.Rows; y += rows {
				a := at
				a.Base, a.Seeds, a.Universes = at.Base+uint64(u)*at.Each, at.Seeds+8*uint64(u), min(universes, at.Universes-u)
				a.First, a.Rows = at.First+y, min(rows, at.Rows-y)
				threads, each := a.Universes*a.Rows*perRow, p.threads()
				if err := p.kernel.Launch((threads+each-1)/each, 1,
					a.arguments(perRow, p.table, random.Counter(chance.Draw(p.use, s.pairs, generation), p.use))...); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
