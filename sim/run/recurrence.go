package run

import (
	"context"

	"github.com/gosper-life/gosper/grid"

	"github.com/gosper-life/gosper/sim"
)

// LookEvery is the number of generations between two looks at a universe's state. 60 is a multiple of 1 to 6, 10, 12,
// 15, 20 and 30, which are the periods of nearly all oscillators.
const LookEvery = 60

// Recurrence detects that a universe has been in its present state before. It keeps a table of the digests of all
// states that it was shown, so it finds a repetition at the first look that can show it. Brent's method, which
// remembers one state, would need up to three times as long. The zero value is ready for use.
type Recurrence struct {
	seen map[grid.Digest]uint64
}

// Look records the state at a generation. If the state was seen before, again is true and earlier is its generation.
func (r *Recurrence) Look(state grid.Digest, generation uint64) (earlier uint64, again bool) {
	if earlier, again = r.seen[state]; again {
		return earlier, true
	}
	if r.seen == nil {
		r.seen = map[grid.Digest]uint64{}
	}
	r.seen[state] = generation
	return 0, false
}

// Len is the number of states remembered.
func (r *Recurrence) Len() int { return len(r.seen) }

// Period is the least number of generations after which the present state of e comes back, which divides the known
// recurrence. The engine is left some generations on. state digests the engine's cells. The rule does the same again
// every cycle generations, which divide the recurrence: a state between does not count.
func Period(ctx context.Context, e sim.Engine, recurrence, cycle uint64, state func() (grid.Digest, error)) (uint64,
	error,
) {
	home, err := state()
	if err != nil {
		return 0, err
	}
	at := uint64(0)
	for d := cycle; d < recurrence; d += cycle {
		if recurrence%d != 0 {
			continue
		}
		if _, err := e.Step(ctx, d-at); err != nil {
			return 0, err
		}
		at = d
		now, err := state()
		if err != nil {
			return 0, err
		}
		if now == home {
			return d, nil
		}
	}
	return recurrence, nil
}

// Entry returns the smallest number of generations from now after which the state of e recurs with the given period.
// The call leaves the engine one period after that state.
func Entry(ctx context.Context, e sim.Engine, period uint64, state func() (grid.Digest, error)) (uint64, error) {
	var states []grid.Digest
	for {
		now, err := state()
		if err != nil {
			return 0, err
		}
		states = append(states, now)
		if n := uint64(len(states)); n > period && states[n-1] == states[n-1-period] {
			return n - 1 - period, nil
		}
		if _, err := e.Step(ctx, 1); err != nil {
			return 0, err
		}
	}
}
