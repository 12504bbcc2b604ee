package cpu

import (
	"context"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/bytewise"
)

const (
	// mostSearched is the largest number of cells of a universe in which a creature is searched for. The search would
	// take long in larger ones.
	mostSearched = 1 << 20
	// leastAlone is the number of generations that are worth a look.
	leastAlone = 64
)

// forCreatures returns a stepper for a creature that is alone on a bounded universe, or nil if the rule or the
// universe has none.
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

// isAlone reports whether it is worth looking for a lone creature before a step of n generations.
func (a *adaptive) isAlone(n uint64) bool {
	return a.alone != nil && n >= leastAlone && a.alone.Due(a.Generation())
}

// stepAlone advances a creature that is alone by n generations, or until it is too large. It does nothing if the
// universe holds anything else.
func (a *adaptive) stepAlone(ctx context.Context, n uint64) (done uint64, err error) {
	from, period := a.Generation(), a.alone.Steps()
	area, ok, err := a.alone.Find(a.Engine)
	if err == nil && ok {
		done, err = a.alone.Run(ctx, a.Engine, area, n, func(done uint64) int { return int((from + done) % period) })
		a.SetGeneration(from + done)
		a.ranAlone = a.ranAlone || done > 0
	}
	if done == 0 {
		a.alone.Vain(from)
	}
	return done, err
}
