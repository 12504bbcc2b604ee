package batch

import (
	"cmp"
	"context"
	"slices"

	"github.com/gosper-life/gosper/component"
)

// Sampler is a Batch that takes several samples of its clusters at once and adds them up. It also counts single cells,
// neighbours and small blocks for statistics. It does so where its cells are stored, and only sums and counts are
// copied to the host.
type Sampler interface {
	// Samples advances all universes by steps[0] generations and stores the sums of their clusters of cells in state
	// 1 in dst[0], then it advances them by steps[1] and stores those in dst[1], and so on. dst is as long as steps.
	// It returns false if it cannot do that for this connectivity; nothing has changed then.
	Samples(ctx context.Context, c component.Connectivity, steps []uint64, dst []Sums) (bool, error)
	// CanTally reports whether Tally counts the patterns of blocks of a side, or no patterns if it is 0.
	CanTally(block int) bool
	// Remember keeps the present cells, with which Tally compares later ones.
	Remember(ctx context.Context) error
	// Tally counts in every universe and stores the counts of universe i in dst[i]. Unless block is 0, it also counts
	// the patterns of all block×block squares, which overlap and continue across edges: pattern p of universe i occurs
	// patterns[i·n+p] times, where n is the number of patterns, 2^(block²). The cells of a square are the bits of its
	// pattern, highest first, downwards and then to the right.
	Tally(ctx context.Context, block int, dst []Tally, patterns []uint32) error
}

// Tally has counts of cells of one universe.
type Tally struct {
	Live   uint32 // cells in state 1
	Births uint32 // of cells since Remember; 0 if Remember was not called since Fill
	Deaths uint32
	Unlike uint32 // cells that differ from the next one in their row, and cells that differ from the next one below
}

// Sums holds sums over the clusters of a batch at one generation. Its memory is used again by later samples.
type Sums struct {
	Universes []UniverseSums
	Sizes     []SizeSums // in any order; counts of the same size must be added
}

// UniverseSums are the sums over the clusters of one universe.
type UniverseSums struct {
	Cells    uint64 // in all clusters
	Clusters uint64
	Moment   uint64 // the sum of the squares of their sizes
	Largest  uint64 // cells of the largest cluster, or 0
}

// SizeSums are sums over universes for clusters of one size.
type SizeSums struct {
	Size     uint64
	Clusters uint64
	Squares  uint64 // of each universe's number of such clusters
	Largest  uint64 // universes whose largest cluster has this size
	Ties     uint64 // clusters of this size in those universes
}

// AddUniverse adds clusters of a universe, in any order, to smaller ones that have been added for it. It sorts them.
func (s *Sums) AddUniverse(i int, counts []Count) {
	u := &s.Universes[i]
	slices.SortFunc(counts, func(a, b Count) int { return cmp.Compare(a.Size, b.Size) })
	counts = merged(counts)
	for k, c := range counts {
		size, n := uint64(c.Size), uint64(c.Count)
		u.Cells, u.Clusters, u.Moment = u.Cells+size*n, u.Clusters+n, u.Moment+size*size*n
		row := SizeSums{Size: size, Clusters: n, Squares: n * n}
		if k == len(counts)-1 {
			u.Largest, row.Largest, row.Ties = size, 1, n
		}
		s.Sizes = append(s.Sizes, row)
	}
}
