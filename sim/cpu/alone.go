package cpu

import (
	"context"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/bytewise"
)

const (
	// mostSearched is the cells of the largest universe in which a creature is looked for: in larger ones the look
	// would take long.
	mostSearched = 1 << 20
	// leastAlone is the number of generations that are worth a look.
	leastAlone = 64
)

// forCreatures returns what advances a creature that is alone on a bounded universe, nil if nothing does.
func forCreatures(cfg sim.Config) *bytewise.Stepper {
	if cfg.Topology.W*cfg.Topology.H > mostSearched {
		return nil
	}
	var steps []rule.Rule
	for g := range cfg.Rule.Period() {
		steps = append(steps, cfg.Rule.At(g))
	}
	if s := bytewise.NewStepper(steps); s != nil && s.Bound(cfg.Topology) {
		return s
	}
	return nil
}

// isAlone reports whether it is time to look for a creature that is to be advanced by n generations.
func (a *adaptive) isAlone(n uint64) bool {
	return a.alone != nil && n >= leastAlone && a.alone.Due(a.Generation())
}

// stepAlone advances a creature that is alone by n generations, or until it is too large. It does nothing if
// there is none.
func (a *adaptive) stepAlone(ctx context.Context, n uint64) (done uint64, err error) {
	from, period := a.Generation(), a.alone.Steps()
	area, ok, err := a.alone.Find(a.Engine)
	if err == nil && ok {
		done, err = a.alone.Run(ctx, a.Engine, area, n, func(done uint64) int { return int((from + done) % period) })
		a.SetGeneration(from + done)
	}
	if done == 0 {
		a.alone.Vain(from)
	}
	return done, err
}
