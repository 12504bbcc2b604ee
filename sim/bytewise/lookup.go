package bytewise

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/internal/automaton"
)

// lookupName is the name of the engine.
const lookupName = "lookup"

func init() { sim.Register(lookupName, func(sim.Config) int { return lookupPriority }, openLookup) }

// lookupPriority ranks this engine after those that run circuits, and before the reference.
const lookupPriority = 10

// lookup is the engine of decision diagrams; its methods are those of sim.Engine.
type lookup struct {
	base
	automaton *automaton.Automaton
}

// openLookup makes a lookup engine. It refuses rules that reach beyond the 3×3 block. On infinite universes it also
// refuses rules under which dead cells among dead cells do not remain dead.
func openLookup(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what, why string) error { return &sim.Unsupported{Engine: lookupName, What: what, Why: why} }
	if cfg.Plan != "" {
		return nil, refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	}
	if cfg.Rule.Chance != nil {
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "it makes no random bits")
	}
	f, err := function(cfg.Rule)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "its neighbourhood reaches beyond the 3×3 block")
	case f.Diagram() == nil:
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "it has no decision diagram: its circuit is short")
	case !cfg.Topology.Bounded() && f.Uniform(0) != 0:
		return nil, refuse(fmt.Sprintf("%v on an infinite universe", cfg.Rule), "dead cells do not stay dead")
	}
	a, err := automaton.New(f.Diagram(), reach, cfg.Memory)
	if err != nil {
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), err.Error())
	}
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	return &lookup{b, a}, nil
}

// function returns the local function of a rule of the 3×3 block, and nil for all other rules.
func function(r rule.Rule) (*local.Function, error) {
	if r.Local != nil {
		return r.Local, nil
	}
	table, ok := r.AsTable()
	if !ok {
		return nil, nil
	}
	class := func(_ int, state uint8) int {
		if state == 1 {
			return 1
		}
		return 0
	}
	cells := []int{local.C, local.N, local.E, local.S, local.W, local.NE, local.SE, local.SW, local.NW}
	return local.Code(r.States, cells, class, func(b *local.Block) uint8 {
		block := 0
		for i, state := range b {
			block |= class(i, state) << (8 - i)
		}
		switch c := b[local.C]; {
		case c < 2 && table.At(block) == 1:
			return 1
		case c == 0 || int(c)+1 >= r.States:
			return 0
		default:
			return c + 1
		}
	})
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
	return e.info(lookupName, fmt.Sprintf("tiles of %d×%d bytes", side, side), e.automaton.Bytes())
}
