package sim

import (
	"math/bits"
	"time"
)

// Tuner finds how many generations make a step of about a quantum, from the times that earlier steps took. The zero value is ready. A Tuner that is given
// to several runs of one engine (Options.Tuner) goes on where the run before ended.
type Tuner struct {
	chunk uint64        // generations of the next step; 0: nothing is known
	block time.Duration // what the engine's grain of generations took last; 0: not known
	slow  bool          // and that it was too long, for the first time
}

const (
	// usualQuantum is about how long a step lasts where Options.Quantum does not say.
	usualQuantum = 100 * time.Millisecond
	// longestStep is the most generations of a step while there are hooks to serve.
	longestStep = 1 << 60
	// overrun is how many quanta a step may last before it is cut short, where Options.Quantum is set.
	overrun = 10
	// blockQuanta is how many quanta a block, one grain of generations, may last without shorter steps being tried: most of these cost as much.
	blockQuanta = 3
	// leapQuanta is how many quanta a leap may last before shorter ones are tried.
	leapQuanta = 4
	// longestTrial is how long a block may be expected to take for one to be tried.
	longestTrial = 1200 * time.Millisecond
)

// next is how many generations the next step may take.
func (t *Tuner) next() uint64 { return max(t.chunk, 1) }

// took learns from a step of n generations of an engine that does not leap.
func (t *Tuner) took(n, grain uint64, took, quantum time.Duration) {
	if n < t.next()/8 && took < quantum {
		return // too few to learn from: something was due
	}
	grain = max(grain, 1)
	// Eightfold at most, because the first steps of an engine (warming up, compiling) say little about later ones.
	next := min(8*t.next(), longestStep)
	if took > 0 {
		if fit := float64(n) * float64(quantum) / float64(took); fit < float64(next) {
			next = max(uint64(fit), 1)
		}
	}
	if n >= grain {
		t.block = took / time.Duration(n/grain)
	}
	if next < grain {
		next = t.short(n, next, grain, took, quantum)
	} else {
		t.slow = false
	}
	if next >= grain {
		next -= next % grain
	}
	t.chunk = next
}

// short chooses between a block and the fewer generations that would last a quantum. After a single generation an engine of tiles has to find anew what
// repeats. So that generation takes longer than a block, and so does the block after it. Therefore one slow block is no reason for shorter steps,
// shorter steps that do not help are given up, and a block is tried once.
func (t *Tuner) short(n, next, grain uint64, took, quantum time.Duration) uint64 {
	once := n >= grain && !t.slow
	useless := n < grain && (t.block > 0 && 2*took > t.block || t.block == 0 && took*time.Duration(grain)/time.Duration(n) < longestTrial)
	bearable := t.block > 0 && t.block <= blockQuanta*quantum
	t.slow = once
	if once || useless || bearable {
		return grain
	}
	return next
}

// leapt learns from a step of an engine that leaps, whose long steps take little more time than short ones. Where there is a limit, a
// step that lasts longer is followed by a shorter one.
func (t *Tuner) leapt(took, limit time.Duration) {
	switch {
	case limit == 0 || took < limit/4:
		t.chunk = min(2*t.next(), longestStep)
	case took > limit:
		t.chunk = max(t.next()/2, 1)
	}
}

// aligned is the largest power of two, at most n, that divides generation g. An engine that leaps remembers such steps best.
func aligned(n, g uint64) uint64 {
	n = 1 << (bits.Len64(n) - 1)
	if g > 0 {
		n = min(n, g&-g)
	}
	return n
}
