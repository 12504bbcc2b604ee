package plan

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/noise"
)

// Programs are the programs of a rule, by the words of a lane and by whether they have a lead.
type Programs map[programKind]*warpprog.Program

type programKind struct {
	words int
	lead  bool
}

// Choose picks the plan of a configuration, except for the rows of a strip and the stages.
func (ps Programs) Choose(cfg sim.Config) (Plan, error) {
	words := wordsFor(cfg.Topology)
	if cfg.Rule.Chance != nil {
		words = min(2, words, noise.MostWords(ps.get(cfg.Rule, 1, false).Chances()))
	}
	f, err := ps.Of(cfg, Plan{Words: words, Depth: maxDepth * ptx.Lanes}) // too deep for any strip
	if err != nil {
		return Plan{}, err
	}
	return choose(f, cfg.Rule, cfg.Topology, words), nil
}

// Of returns the program of a configuration's rule for a plan.
func (ps Programs) Of(cfg sim.Config, p Plan) (*warpprog.Program, error) {
	f := ps.get(cfg.Rule, p.Words, false)
	if p.Recompute {
		again, ok := f.Recomputed()
		if !ok {
			return nil, &sim.Unsupported{
				Engine: devices.Engine, What: fmt.Sprintf("plan %v", p),
				Why: "the rule has no long delays that could be recomputed",
			}
		}
		f = again
	}
	if n := f.Tables(); n > largestProgram {
		return nil, &sim.Unsupported{
			Engine: devices.Engine, What: cfg.Rule.String(), Why: fmt.Sprintf("it takes %d tables for a cell; the limit is %d",
				n, largestProgram),
		}
	}
	if p.leads(f, cfg.Topology) {
		f = ps.get(cfg.Rule, p.Words, true)
	}
	return f, nil
}

// get compiles a rule at its first use.
func (ps Programs) get(r rule.Rule, words int, lead bool) *warpprog.Program {
	kind := programKind{words, lead}
	if ps[kind] == nil {
		ps[kind] = compile.Warp(r, words, lead)
	}
	return ps[kind]
}
