package component

import (
	"iter"
	"maps"
	"slices"
)

// Histogram counts clusters by size. The zero value is empty.
type Histogram struct {
	small [128]uint64 // by size; nearly all clusters of a settled universe are small
	large map[uint64]uint64
}

// Add counts n clusters of a size of at least 1.
func (h *Histogram) Add(size, n uint64) {
	switch {
	case n == 0:
	case size < uint64(len(h.small)):
		h.small[size] += n
	default:
		if h.large == nil {
			h.large = map[uint64]uint64{}
		}
		h.large[size] += n
	}
}

// Merge adds the counts of o.
func (h *Histogram) Merge(o *Histogram) {
	for size, n := range o.All() {
		h.Add(size, n)
	}
}

// Reset empties h.
func (h *Histogram) Reset() {
	clear(h.small[:])
	clear(h.large)
}

// All yields the sizes that occur, smallest first, with the number of clusters of each.
func (h *Histogram) All() iter.Seq2[uint64, uint64] {
	return func(yield func(size, n uint64) bool) {
		for size, n := range h.small {
			if n > 0 && !yield(uint64(size), n) {
				return
			}
		}
		for _, size := range slices.Sorted(maps.Keys(h.large)) {
			if !yield(size, h.large[size]) {
				return
			}
		}
	}
}

// Count is the number of clusters.
func (h *Histogram) Count() uint64 {
	var count uint64
	for _, n := range h.All() {
		count += n
	}
	return count
}

// Cells is the number of cells in all clusters.
func (h *Histogram) Cells() uint64 {
	var cells uint64
	for size, n := range h.All() {
		cells += size * n
	}
	return cells
}

// Largest is the size of the largest cluster, 0 if there is none.
func (h *Histogram) Largest() uint64 {
	var largest uint64
	for size := range h.All() {
		largest = size
	}
	return largest
}
