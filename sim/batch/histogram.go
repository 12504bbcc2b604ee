package batch

import (
	"cmp"
	"slices"
)

// Count is how many clusters have a size.
type Count struct {
	Size  uint32 // cells, at least 1
	Count uint32 // clusters, at least 1
}

// Histograms holds the cluster-size histogram of each universe of a batch, in one piece of memory that later calls use again. The zero
// value is ready for use.
type Histograms struct {
	counts []Count
	spans  []span // by universe
}

// span is a part of counts.
type span struct{ first, n uint32 }

// Universes is how many histograms there are.
func (h *Histograms) Universes() int { return len(h.spans) }

// Of is the histogram of universe i by rising size. It is good until the histograms are made anew, and must not be changed.
func (h *Histograms) Of(i int) []Count {
	s := h.spans[i]
	return h.counts[s.first : s.first+s.n : s.first+s.n]
}

// Clusters is the number of clusters of universe i.
func (h *Histograms) Clusters(i int) uint64 {
	var n uint64
	for _, c := range h.Of(i) {
		n += uint64(c.Count)
	}
	return n
}

// Largest is the size of the largest cluster of universe i, 0 where it has none.
func (h *Histograms) Largest(i int) uint32 {
	counts := h.Of(i)
	if len(counts) == 0 {
		return 0
	}
	return counts[len(counts)-1].Size
}

// Add adds the histograms of all universes to total[size], which it lengthens where it has to, and returns it.
func (h *Histograms) Add(total []uint64) []uint64 {
	for _, s := range h.spans {
		for _, c := range h.counts[s.first : s.first+s.n] {
			if int(c.Size) >= len(total) {
				total = append(total, make([]uint64, int(c.Size)+1-len(total))...)
			}
			total[c.Size] += uint64(c.Count)
		}
	}
	return total
}

// Reset makes room for the histograms of n universes, all empty, whose counts lie in the slice it returns: room for `capacity` counts,
// in any order of universes. Place then says where each one's are. It is for those who implement Batch.
func (h *Histograms) Reset(n, capacity int) []Count {
	h.spans = slices.Grow(h.spans[:0], n)[:n]
	clear(h.spans)
	h.counts = slices.Grow(h.counts[:0], capacity)[:capacity]
	return h.counts
}

// Place says that the histogram of universe i is counts first to first+n-1, each size once, and sorts them.
func (h *Histograms) Place(i, first, n int) {
	h.spans[i] = span{uint32(first), uint32(n)}
	slices.SortFunc(h.Of(i), func(a, b Count) int { return cmp.Compare(a.Size, b.Size) })
}
