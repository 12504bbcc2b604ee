package run

import (
	"math/bits"
	"time"
)

// Tuner finds how many generations take about a quantum, from the times of earlier steps. The zero value is ready for
// use. A Tuner that is passed to several runs of one engine (Options.Tuner) continues where the last run ended.
type Tuner struct {
	length uint64        // generations of the next step; 0 if not known
	grain  time.Duration // the last time of a grain of generations; 0 if not known
	slow   bool          // whether that was too long, for the first time
}

const (
	// usualQuantum is about how long a step lasts if Options.Quantum is 0.
	usualQuantum = 100 * time.Millisecond
	// longestStep is the most generations of a step while there are hooks to serve.
	longestStep = 1 << 60
	// overrun is the number of quanta a step may last before it is cut short, if Options.Quantum is set.
	overrun = 10
	// grainQuanta is the number of quanta a grain may last before shorter steps are tried. Most shorter steps cost
	// as much.
	grainQuanta = 3
	// leapQuanta is the number of quanta a leap may last before shorter ones are tried.
	leapQuanta = 4
	// longestTrial is the time that a grain may be expected to take for one to be tried.
	longestTrial = 1200 * time.Millisecond
	// patience is the time that a grain may last, or be expected to, where nobody watches. Engines look whether they are
	// interrupted within a grain, and shorter steps cost up to a grain each: in a large torus that is several times as
	// much, and it never finds out that the torus has settled.
	patience = 5 * time.Second
)

// next returns how many generations the next step may have.
func (t *Tuner) next() uint64 { return max(t.length, 1) }

// begin says that a first step may have n generations, where steps that take too long are cut short.
func (t *Tuner) begin(n uint64) { t.length = max(t.length, n) }

// took learns from a step of n generations of an engine that does not leap. It is patient if nobody watches.
func (t *Tuner) took(n, grain uint64, took, quantum time.Duration, patient bool) {
	if n < t.next()/8 && took < quantum {
		return // too few to learn from, because something else was due
	}
	grain = max(grain, 1)
	// The growth is at most eightfold, because the first steps of an engine (warming up, compiling) say little about
	// later ones.
	next := min(8*t.next(), longestStep)
	if took > 0 {
		if fit := float64(n) * float64(quantum) / float64(took); fit < float64(next) {
			next = max(uint64(fit), 1)
		}
	}
	if n >= grain {
		t.grain = took / time.Duration(n/grain)
	}
	if next < grain {
		next = t.short(n, next, grain, took, quantum, patient)
	} else {
		t.slow = false
	}
	if next >= grain {
		next -= next % grain
	}
	t.length = next
}

// short chooses between a grain and the smaller number of generations that would take a quantum. After a single
// generation an engine of tiles has to detect again what repeats, so that generation takes longer than a grain, and
// so does the grain after it. Therefore one slow grain does not lead to shorter steps, shorter steps that do not help
// are given up, and a grain is tried once.
func (t *Tuner) short(n, next, grain uint64, took, quantum time.Duration, patient bool) uint64 {
	trial, longest := longestTrial, grainQuanta*quantum
	if patient {
		trial, longest = patience, patience
	}
	once := n >= grain && !t.slow
	useless := n < grain && (t.grain > 0 && 2*took > t.grain ||
		t.grain == 0 && took*time.Duration(grain)/time.Duration(n) < trial)
	bearable := t.grain > 0 && t.grain <= longest
	t.slow = once
	if once || useless || bearable {
		return grain
	}
	return next
}

// leapt learns from a step of an engine that leaps, whose long steps take little more time than short ones. If there is
// a limit, a step that takes longer is followed by a shorter one.
func (t *Tuner) leapt(took, limit time.Duration) {
	switch {
	case limit == 0 || took < limit/4:
		t.length = min(2*t.next(), longestStep)
	case took > limit:
		t.length = max(t.next()/2, 1)
	}
}

// aligned is the largest power of two, at most n, that divides generation g. Engines that leap remember such steps
// best.
func aligned(n, g uint64) uint64 {
	n = 1 << (bits.Len64(n) - 1)
	if g > 0 {
		n = min(n, g&-g)
	}
	return n
}
