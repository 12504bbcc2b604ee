package batch

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/gosper-life/gosper/component"
)

// Count says how many clusters have a size.
type Count struct {
	Size  uint32 // cells, at least 1
	Count uint32 // clusters, at least 1
}

// CountsOf converts a histogram. It refuses clusters that are too large, or too many of one size, for the 32
// bits of each number.
func CountsOf(h *component.Histogram) ([]Count, error) {
	var counts []Count
	for size, n := range h.All() {
		if max(size, n) > math.MaxUint32 {
			return nil, fmt.Errorf("%d clusters of %d cells: batches count up to %d of each", n, size, uint32(math.MaxUint32))
		}
		counts = append(counts, Count{Size: uint32(size), Count: uint32(n)})
	}
	return counts, nil
}

// Histograms holds the cluster-size histogram of each universe of a batch in one piece of memory, which later
// calls reuse. The zero value is ready for use.
type Histograms struct {
	counts []Count
	spans  []span // by universe
}

// span is a part of counts.
type span struct{ first, n uint32 }

// Universes is the number of histograms.
func (h *Histograms) Universes() int { return len(h.spans) }

// Of returns the histogram of universe i by rising size. It is valid until the histograms are computed again,
// and must not be changed.
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

// Largest is the size of the largest cluster of universe i, 0 if it has none.
func (h *Histograms) Largest(i int) uint32 {
	counts := h.Of(i)
	if len(counts) == 0 {
		return 0
	}
	return counts[len(counts)-1].Size
}

// Reset makes room for the histograms of n universes, all empty. It returns a slice for capacity counts, in any
// order of universes. Place then says which counts belong to a universe. It is for implementations of Batch.
func (h *Histograms) Reset(n, capacity int) []Count {
	h.spans = slices.Grow(h.spans[:0], n)[:n]
	clear(h.spans)
	h.counts = slices.Grow(h.counts[:0], capacity)[:capacity]
	return h.counts
}

// Place says that the histogram of universe i is counts first to first+n-1, in any order. Counts of the same
// size are added.
func (h *Histograms) Place(i, first, n int) {
	counts := h.counts[first : first+n]
	rising := true
	for k := 1; k < len(counts); k++ {
		rising = rising && counts[k-1].Size < counts[k].Size
	}
	if !rising {
		slices.SortFunc(counts, func(a, b Count) int { return cmp.Compare(a.Size, b.Size) })
		counts = merged(counts)
	}
	h.spans[i] = span{uint32(first), uint32(len(counts))}
}

// merged adds counts of the same size, in their memory. They must be sorted by size.
func merged(counts []Count) []Count {
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

// PlaceAll is Place for all universes, on all cores. Universe i has places[2·i+1] counts from places[2·i] on.
func (h *Histograms) PlaceAll(places []uint32) {
	const piece = 1 << 12 // universes that are worth starting a goroutine for
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
