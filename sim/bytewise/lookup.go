package bytewise

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/internal/automaton"
	"github.com/gosper-life/gosper/topology"
)

// lookupName is the name of the engine.
const lookupName = "lookup"

func init() { sim.Register(lookupScope, openLookup) }

// lookupScope has the rules of the 3×3 block that do the same everywhere and always. On infinite universes, dead cells
// among dead cells must stay dead.
var lookupScope = sim.Scope{
	Engine: lookupName, Plan: fmt.Sprintf("tiles of %d×%d bytes", side, side),
	Kinds: []rule.Kind{rule.KindCounting, rule.KindTable, rule.KindFunction},
	Rule: func(r rule.Rule) error {
		if r.Kind() == rule.KindFunction {
			if r.Local.Diagram() == nil {
				return errors.New("it has no decision diagram: its circuit is short")
			}
		} else if _, ok := r.AsTable(); !ok {
			return errors.New("its neighbourhood reaches beyond the 3×3 block")
		}
		return nil
	},
	Universe: func(r rule.Rule, t topology.Topology) error {
		if !t.Bounded() && r.BirthOnEmpty() {
			return errors.New("dead cells do not stay dead")
		}
		return nil
	},
}

// lookup is the engine of decision diagrams; its methods are those of sim.Engine.
type lookup struct {
	base
	automaton *automaton.Automaton
}

// openLookup makes a lookup engine. The scope has been checked.
func openLookup(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	f, err := cfg.Rule.AsFunction()
	if err != nil {
		return nil, err
	}
	a, err := automaton.New(f.Diagram(), reach, cfg.Memory)
	if err != nil {
		return nil, lookupScope.Refuse(fmt.Sprintf("rule %v", cfg.Rule), err.Error())
	}
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	return &lookup{b, a}, nil
}

// Step advances up to n generations, see sim.Engine.
func (e *lookup) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.step(ctx, e.automaton, e.threads); err != nil {
			return done, err
		}
		e.generation++
	}
	return n, nil
}

// Info describes the engine.
func (e *lookup) Info() sim.Info {
	return e.info(lookupName, lookupScope.Plan, e.automaton.Bytes())
}
