package worker

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/sim/batch"
)

// TestMomentFits: sums of squares that 64 bits do not hold are refused, and the largest that they hold are not.
func TestMomentFits(t *testing.T) {
	const most = math.MaxUint32
	for _, c := range []struct {
		counts []batch.Count
		fits   bool
	}{
		{[]batch.Count{{Size: most, Count: 1}}, true},
		{[]batch.Count{{Size: 1, Count: most}, {Size: most, Count: 1}}, true},
		{[]batch.Count{{Size: most, Count: 2}}, false},
		{[]batch.Count{{Size: most - 1, Count: 1}, {Size: most, Count: 1}}, false},
	} {
		if got := momentFits(c.counts); got != c.fits {
			t.Errorf("the second moment of %v fits: %v", c.counts, got)
		}
	}
}
