package tiles

import (
	"context"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

const (
	// leastSteps are worth taking the cells out of the tiles, if there is code for these.
	leastSteps = 8
	// mostTiles is of how many tiles a creature is looked for.
	mostTiles = 16
)

// NewForCreatures returns an engine for the unbounded plane that makes code for a rule only once there is more
// than a small creature. rules are the result of WithoutB0 for the rule. It returns false if no
// bytewise.Stepper is for the rule.
func NewForCreatures(r rule.Rule, rules []*compile.Compiled, chosen plan.Plan) (*Engine, bool) {
	orbit, ok := background.Of(r)
	if !ok {
		return nil, false
	}
	var steps []rule.Rule
	for _, s := range orbit.Steps() {
		if s.Before != 0 || s.After != 0 {
			return nil, false
		}
		steps = append(steps, s.Rule)
	}
	stepper := bytewise.NewStepper(steps)
	if stepper == nil {
		return nil, false
	}
	e := newEngine(r, rules, topology.Topology{}, chosen)
	e.creature = stepper
	return e, true
}

// stepCreature advances a universe that is one small creature by n generations, or until it is too large. It
// does nothing if it is no creature.
func (e *Engine) stepCreature(ctx context.Context, n uint64) (done uint64, err error) {
	if e.creature == nil || e.mark != nil || e.held > mostTiles || n < leastSteps && e.workers != nil ||
		!e.creature.Due(e.generation) {
		return 0, nil
	}
	box, err := e.Extent()
	if err != nil {
		return 0, err
	}
	if e.creature.Takes(box) {
		from := e.generation
		done, err = e.creature.Run(ctx, e.tiles, box, n, func(done uint64) int { return e.orbit.Step(from + done) })
		e.generation += done
		e.plan.Alone = e.plan.Alone || done > 0
		e.lastDepth = 0
		e.dropEmpty()
	}
	if done == 0 {
		e.creature.Vain(e.generation)
	}
	return done, err
}

// dropEmpty drops the tiles that a creature has left.
func (e *Engine) dropEmpty() {
	var left []*tile
	for t := range e.all {
		if t.empty() {
			left = append(left, t)
		}
	}
	for _, t := range left {
		e.drop(t)
	}
}
