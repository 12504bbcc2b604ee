package batch

import (
	"cmp"
	"context"
	"slices"

	"github.com/gosper-life/gosper/component"
)

// Sampler is a Batch that takes several samples of its clusters at once, and adds them up where its cells are
// stored. Only the sums are copied to the host.
type Sampler interface {
	// Samples advances all universes by steps[0] generations and stores the sums of their clusters of cells in state
	// 1 in dst[0], then it advances them by steps[1] and stores those in dst[1], and so on. dst is as long as steps.
	// It returns false if it cannot do that for this connectivity; nothing has changed then.
	Samples(ctx context.Context, c component.Connectivity, steps []uint64, dst []Sums) (bool, error)
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
