package sums

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
)

// Sizes holds the sums of one generation by size. Small sizes, which nearly all clusters have, are in a list.
type Sizes struct {
	small []ensemble.SizeSums
	large map[uint64]*ensemble.SizeSums
}

func (t *Sizes) At(size uint64) *ensemble.SizeSums {
	if size < uint64(len(t.small)) {
		return &t.small[size]
	}
	return t.grow(size)
}

func (t *Sizes) grow(size uint64) *ensemble.SizeSums {
	const longest = 256
	if size < longest {
		t.small = append(t.small, make([]ensemble.SizeSums, size+1-uint64(len(t.small)))...)
		return &t.small[size]
	}
	sums := t.large[size]
	if sums == nil {
		if t.large == nil {
			t.large = map[uint64]*ensemble.SizeSums{}
		}
		sums = new(ensemble.SizeSums)
		t.large[size] = sums
	}
	return sums
}

// Add adds the sums of a job. It fails if the sums of squares exceed 64 bits.
func (t *Sizes) Add(row *ensemble.SizeSum) error {
	sums := t.At(row.Size)
	var overflow uint64
	if sums.Squares, overflow = bits.Add64(sums.Squares, row.Squares, 0); overflow != 0 {
		return fmt.Errorf(
			"the squares of the numbers of clusters of %d cells add up to more than 64 bits: use fewer universes", row.Size)
	}
	sums.Clusters, sums.Largest, sums.Ties = sums.Clusters+row.Clusters, sums.Largest+row.Largest, sums.Ties+row.Ties
	return nil
}

// Rows returns the sums by rising size.
func (t *Sizes) Rows(generation uint64) []ensemble.SizeSum {
	var rows []ensemble.SizeSum
	add := func(size uint64, sums *ensemble.SizeSums) {
		if sums.Clusters > 0 {
			rows = append(rows, ensemble.SizeSum{Generation: generation, Size: size, SizeSums: *sums})
		}
	}
	for size := range t.small {
		add(uint64(size), &t.small[size])
	}
	for size, sums := range t.large {
		add(size, sums)
	}
	slices.SortFunc(rows, func(a, b ensemble.SizeSum) int { return cmp.Compare(a.Size, b.Size) })
	return rows
}
