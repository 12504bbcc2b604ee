package bands

import (
	"testing"
	"time"
)

func TestTunerKeepsTheFastestDepth(t *testing.T) {
	tuner := newTuner(tuned{code: "test"}, []int{4, 6, 8})
	for pass := 0; ; pass++ {
		depth := tuner.depth()
		took := time.Duration(depth) * 10 * time.Microsecond
		if depth == 6 && pass > 5 { // once is enough
			took /= 2
		}
		best, decided := tuner.took(took)
		if !decided {
			continue
		}
		if known, _ := depths.Load(tuner.key); best != 6 || known != 6 || pass+1 != 3*passesTried {
			t.Errorf("depth %d after %d passes, remembered %v", best, pass+1, known)
		}
		return
	}
}
