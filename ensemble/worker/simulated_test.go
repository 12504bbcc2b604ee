package worker

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
)

func TestCountsOf(t *testing.T) {
	var h component.Histogram
	h.Add(1, 7)
	h.Add(1<<32-1, 2)
	counts, err := countsOf(&h)
	if err != nil || len(counts) != 2 || counts[1].Size != 1<<32-1 || counts[1].Count != 2 {
		t.Errorf("%v, %v", counts, err)
	}
	h.Add(1<<32, 1)
	if _, err := countsOf(&h); err == nil || !strings.Contains(err.Error(), "1 clusters of 4294967296 cells") {
		t.Error(err)
	}
}
