package sums

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/sim/batch"
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

// grow makes room for a size that has not occurred yet. Small sizes are most of all clusters, and are
// in a list; the others are in a map.
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

// Add adds the sums of a job. It fails if sums of squares or products exceed 64 bits.
func (t *Sizes) Add(row *ensemble.SizeSum) error {
	sums := t.At(row.Size)
	for _, add := range [...]struct {
		to *uint64
		n  uint64
	}{
		{&sums.Squares, row.Squares},
		{&sums.Products, row.Products},
		{&sums.Tails, row.Tails},
		{&sums.TailProducts, row.TailProducts},
	} {
		var overflow uint64
		if *add.to, overflow = bits.Add64(*add.to, add.n, 0); overflow != 0 {
			return fmt.Errorf(
				"the squares of the numbers of clusters of %d cells add up to more than 64 bits: use fewer universes", row.Size)
		}
	}
	sums.Clusters, sums.Largest, sums.Ties = sums.Clusters+row.Clusters, sums.Largest+row.Largest, sums.Ties+row.Ties
	return nil
}

// Follow adds one universe to the sums of measure kinetics: its clusters by rising size, now and in the sample before.
func (t *Sizes) Follow(now, before []batch.Count) {
	var larger, largerBefore uint64 // clusters of larger sizes
	for i, k := len(now)-1, len(before)-1; i >= 0 || k >= 0; {
		var size uint32
		if i >= 0 {
			size = now[i].Size
		}
		if k >= 0 {
			size = max(size, before[k].Size)
		}
		var n, was uint64
		if i >= 0 && now[i].Size == size {
			n = uint64(now[i].Count)
			i--
		}
		if k >= 0 && before[k].Size == size {
			was = uint64(before[k].Count)
			k--
		}
		sums := t.At(uint64(size))
		sums.Products += n * was
		sums.Tails += n * (2*larger + n)
		sums.TailProducts += n*largerBefore + larger*was + n*was
		larger, largerBefore = larger+n, largerBefore+was
	}
}

// Rows returns the sums by rising size, of sizes that have any.
func (t *Sizes) Rows(generation uint64) []ensemble.SizeSum {
	var rows []ensemble.SizeSum
	add := func(size uint64, sums *ensemble.SizeSums) {
		if *sums != (ensemble.SizeSums{}) {
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
