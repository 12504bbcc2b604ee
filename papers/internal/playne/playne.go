// Package playne holds the methods of D.P. Playne and K.A. Hawick, "Job Parallelism using Graphical Processing Unit
// Individual Multi-Processors and Localised Memory" (Massey University, April 2013). They run many small universes of
// Conway's Life, one for each multiprocessor of a GPU or core of a CPU. Each universe is advanced, divided into
// clusters and counted by cluster size within the memory of its own processor.
//
// A cell is one number of 16 bits: the state ("spin") in the highest, a label below. A generation is
//
//   - the update in place (the paper's Algorithm 2): row after row, with copies of two old rows: the row above,
//     and the first row, which the last one needs;
//   - the labelling (Algorithm 3). Every live cell starts with its own index as label. It takes the lowest label
//     among its live neighbours, then follows labels to labels until they no longer change. This is repeated until
//     nothing changes. All cells of a cluster then have the index of the cluster's first cell;
//   - the counting: cells by label, then clusters by number of cells.
//
// Three misprints are corrected. The third term of Algorithm 2's sum must be b0[xp1], not b1[xp1]. Its last row must
// add the three cells of b1, not of b0. The threads must also wait for each other between writing row y and reading
// for row y+1. Algorithm 3 also labels dead cells; here only live ones take part. The paper does not say whether
// diagonal neighbours connect, nor where clusters are counted: here both connectivities run, and the counters are in
// shared memory if they fit, and otherwise in the device's memory.
package playne

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/experiment"
)

// Simulations are L×L tori that advance together. As an experiment.Stepper they all start from the same grid,
// and Store stores the first.
type Simulations interface {
	experiment.Stepper
	// Universes returns the number of universes.
	Universes() int
	// LoadOne and StoreOne are Load and Store of one of them.
	LoadOne(i int, g *grid.Grid) error
	StoreOne(i int, g *grid.Grid) error
	// Labels stores the labels of universe i after the last generation, row by row: the index of the first cell of
	// the cluster that a live cell belongs to, and Dead for a dead cell.
	Labels(i int, dst []uint32) error
	// Histogram adds the number of clusters of n cells to dst[n]. It counts all universes and all generations
	// since the last call. dst has L²+1 counters.
	Histogram(dst []uint64) error
}

// Dead is the label of a dead cell.
const Dead = math.MaxUint32

// Config says what to simulate.
type Config struct {
	L            int // side of each universe
	Universes    int
	Connectivity int // 4 or 8
	Rows         int // rows of cells that a block's threads work on at once; 1 is the paper's Algorithm 2. GPU only
}

func (c Config) check(method string, least, most int) error {
	switch {
	case c.L < least || c.L > most:
		return &experiment.SizeError{
			Method: method, Width: c.L, Height: c.L,
			Allowed: fmt.Sprintf("the sides must be alike and from %d to %d", least, most),
		}
	case c.Universes < 1:
		return fmt.Errorf("%s: %d universes, at least 1 is needed", method, c.Universes)
	case c.Connectivity != 4 && c.Connectivity != 8:
		return fmt.Errorf("%s: connectivity %d, 4 and 8 are allowed", method, c.Connectivity)
	}
	return nil
}

// Most16 is the greatest side whose labels fit in 15 bits. The paper's limit is about 150, because of its 48
// KiB of shared memory.
const Most16 = 181

// Most32 is the greatest side with cells of 32 bits. Memory is the practical limit.
const Most32 = 1 << 15

// Capacity returns the greatest side of a universe that fits in the given number of bytes of a multiprocessor's
// memory, with the two copied rows. Cells of 1 bit have only a state, cells of 16 and 32 bits have state and
// label.
func Capacity(bytes, bits int) int {
	l := int(math.Sqrt(float64(bytes) * 8 / float64(bits)))
	for ; l > 0; l-- {
		if (l*l+2*l)*bits <= 8*bytes && (bits != 16 || l <= Most16) {
			break
		}
	}
	return l
}
