package bands

import (
	"sync"
	"time"

	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
)

// tuner finds the best depth of a pass while the universe is advanced. It takes turns with the candidates for a
// few passes, and then stays with the one that took the least time for a generation.
type tuner struct {
	candidates []int
	least      []time.Duration // a generation, by candidate
	pass       int
	key        tuned
}

// tuned holds the values that the best depth depends on, besides the machine.
type tuned struct {
	code          codegen.Code
	tables, loads int
	vectors       int
	stride, rows  int
}

// depths remembers the depths that tuners have found in this process.
var depths sync.Map // tuned → int

const passesTried = 4 // of each candidate

func newTuner(key tuned, candidates []int) *tuner {
	return &tuner{candidates: candidates, least: make([]time.Duration, len(candidates)), key: key}
}

// depth is the depth to try next.
func (t *tuner) depth() int { return t.candidates[t.pass%len(t.candidates)] }

// took notes how long a pass of that depth took. It returns the best depth once that is decided.
func (t *tuner) took(d time.Duration) (best int, decided bool) {
	i := t.pass % len(t.candidates)
	if d /= time.Duration(t.candidates[i]); t.least[i] == 0 || d < t.least[i] {
		t.least[i] = d
	}
	if t.pass++; t.pass < passesTried*len(t.candidates) {
		return 0, false
	}
	best = t.candidates[0]
	least := t.least[0]
	for i, d := range t.least {
		if d < least {
			best, least = t.candidates[i], d
		}
	}
	depths.Store(t.key, best)
	return best, true
}
