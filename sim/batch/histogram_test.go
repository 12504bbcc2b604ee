package batch_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/sim/batch"
)

func TestHistograms(t *testing.T) {
	var h batch.Histograms
	for range 2 { // the second time in the memory of the first
		counts := h.Reset(3, 6)
		copy(counts, []batch.Count{{7, 1}, {2, 5}, {7, 2}, {100, 1}, {1, 3}, {4, 4}})
		h.Place(2, 0, 4)
		h.Place(0, 4, 2)
	}
	var all batch.Histograms
	copy(all.Reset(3, 6), []batch.Count{{7, 1}, {2, 5}, {7, 2}, {100, 1}, {1, 3}, {4, 4}})
	all.PlaceAll([]uint32{4, 2, 0, 0, 0, 4})
	for i := range 3 {
		if !slices.Equal(all.Of(i), h.Of(i)) {
			t.Errorf("universe %d: %v placed with all, %v alone", i, all.Of(i), h.Of(i))
		}
	}
	if h.Universes() != 3 {
		t.Errorf("%d universes", h.Universes())
	}
	for i, want := range [][]batch.Count{{{1, 3}, {4, 4}}, nil, {{2, 5}, {7, 3}, {100, 1}}} {
		if got := h.Of(i); !slices.Equal(got, want) {
			t.Errorf("universe %d: %v, want %v", i, got, want)
		}
	}
	if n, largest := h.Clusters(2), h.Largest(2); n != 9 || largest != 100 {
		t.Errorf("%d clusters, the largest %d", n, largest)
	}
	if n, largest := h.Clusters(1), h.Largest(1); n != 0 || largest != 0 {
		t.Errorf("an empty universe has %d clusters, the largest %d", n, largest)
	}
}

func TestCountsOf(t *testing.T) {
	var h component.Histogram
	h.Add(1, 7)
	h.Add(1<<32-1, 2)
	counts, err := batch.CountsOf(&h)
	if err != nil || len(counts) != 2 || counts[1] != (batch.Count{Size: 1<<32 - 1, Count: 2}) {
		t.Errorf("%v, %v", counts, err)
	}
	h.Add(1<<32, 1)
	if _, err := batch.CountsOf(&h); err == nil || !strings.Contains(err.Error(), "1 clusters of 4294967296 cells") {
		t.Error(err)
	}
}
