package bytewise

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// sumsName is the name of the engine.
const sumsName = "sums"

func init() { sim.Register(sumsName, sumsPriority, openSums) }

// wide is the least radius at which this engine is tried before the cpu engine, whose tiles have no machine code
// beyond.
const wide = 65

// beforeAll is a priority before that of every other engine.
const beforeAll = 50

func sumsPriority(cfg sim.Config) int {
	if cfg.Plan != "" || cfg.Topology.Kind != topology.Unbounded || cfg.Rule.Radius() < wide {
		return 0
	}
	return beforeAll
}

// sums is the engine of running sums; its methods are those of sim.Engine.
type sums struct {
	base
	counter *counter
}

// openSums makes an engine of running sums. It runs rules that count, on the unbounded plane, if dead cells among dead
// cells stay dead.
func openSums(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what, why string) error { return &sim.Unsupported{Engine: sumsName, What: what, Why: why} }
	r := cfg.Rule
	what := fmt.Sprintf("rule %v", r)
	switch {
	case cfg.Plan != "":
		return nil, refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	case cfg.Topology.Kind != topology.Unbounded:
		return nil, refuse(fmt.Sprintf("topology %v", cfg.Topology), "it is for the unbounded plane")
	case r.Chance != nil || r.Block != nil || r.Phases != nil || r.Local != nil || r.Table != nil ||
		r.Neighbourhood.Triangles:
		return nil, refuse(what, "it is for rules that count the cells of a neighbourhood, the same everywhere and always")
	case r.BirthOnEmpty() || r.StateWeight(0) != 0:
		return nil, refuse(what, "dead cells do not stay dead, or count")
	}
	c, err := newCounter(r)
	if err != nil {
		return nil, refuse(what, err.Error())
	}
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	return &sums{b, c}, nil
}

// Step advances up to n generations, see sim.Engine.
func (e *sums) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.advance(ctx); err != nil {
			return done, err
		}
		e.generation++
	}
	return n, nil
}

// Info describes the engine.
func (e *sums) Info() sim.Info { return e.info(sumsName, "running sums", uint64(len(e.counter.alive))) }
