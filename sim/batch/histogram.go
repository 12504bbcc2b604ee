package batch

import (
	"cmp"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/component"
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

// AddTo adds the histogram of universe i to sum.
func (h *Histograms) AddTo(sum *component.Histogram, i int) {
	for _, c := range h.Of(i) {
		sum.Add(uint64(c.Size), uint64(c.Count))
	}
}

// Reset makes room for the histograms of n universes, all empty, whose counts lie in the slice it returns: room for `capacity` counts,
// in any order of universes. Place then says where each one's are. It is for those who implement Batch.
func (h *Histograms) Reset(n, capacity int) []Count {
	h.spans = slices.Grow(h.spans[:0], n)[:n]
	clear(h.spans)
	h.counts = slices.Grow(h.counts[:0], capacity)[:capacity]
	return h.counts
}

// Place says that the histogram of universe i is counts first to first+n-1, in any order; counts of one size are made one.
func (h *Histograms) Place(i, first, n int) {
	counts := h.counts[first : first+n]
	rising := true
	for k := 1; k < len(counts); k++ {
		rising = rising && counts[k-1].Size < counts[k].Size
	}
	if !rising {
		counts = merged(counts)
	}
	h.spans[i] = span{uint32(first), uint32(len(counts))}
}

// merged sorts counts and makes those of one size one.
func merged(counts []Count) []Count {
	slices.SortFunc(counts, func(a, b Count) int { return cmp.Compare(a.Size, b.Size) })
	kept := counts[:0]
	for _, c := range counts {
		if last := len(kept) - 1; last >= 0 && kept[last].Size == c.Size {
			kept[last].Count += c.Count
		} else {
			kept = append(kept, c)
		}
	}
	return kept
}

// PlaceAll is Place for all universes, on all cores: that of universe i is places[2·i+1] counts from places[2·i] on.
func (h *Histograms) PlaceAll(places []uint32) {
	const piece = 1 << 12 // universes that are worth a goroutine
	var wg sync.WaitGroup
	for first := 0; first < len(h.spans); first += piece {
		wg.Go(func() {
			for i := first; i < min(first+piece, len(h.spans)); i++ {
				h.Place(i, int(places[2*i]), int(places[2*i+1]))
			}
		})
	}
	wg.Wait()
}
