package plan

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/device"
	"github.com/gosper-life/gosper/sim/cuda/flow"
)

// Flows are the flows of a rule by the words of a lane and whether they have a lead.
type Flows map[flowKind]*flow.Flow

type flowKind struct {
	words int
	lead  bool
}

// Choose picks the plan of a configuration but for the rows of a strip and the stages.
func (fs Flows) Choose(cfg sim.Config) (Plan, error) {
	words := wordsFor(cfg.Topology)
	f, err := fs.Of(cfg, Plan{Words: words, Depth: maxDepth * ptx.Lanes}) // a depth that leads nowhere
	if err != nil {
		return Plan{}, err
	}
	return choose(f, cfg.Rule, cfg.Topology, words), nil
}

// Of is the flow of a configuration's rule for a plan.
func (fs Flows) Of(cfg sim.Config, p Plan) (*flow.Flow, error) {
	f := fs.get(cfg.Rule, p.Words, false)
	if p.Recall {
		again, ok := f.Recalled()
		if !ok {
			return nil, &sim.Unsupported{Engine: device.Name, What: fmt.Sprintf("plan %v", p), Why: "the rule remembers nothing that could be recalled"}
		}
		f = again
	}
	if n := f.Tables(); n > largestProgram {
		return nil, &sim.Unsupported{
			Engine: device.Name, What: cfg.Rule.String(), Why: fmt.Sprintf("it takes %d tables a cell, at most %d are compiled", n, largestProgram),
		}
	}
	if p.leads(f, cfg.Topology) {
		f = fs.get(cfg.Rule, p.Words, true)
	}
	return f, nil
}

// get compiles a rule at the first use.
func (fs Flows) get(r rule.Rule, words int, lead bool) *flow.Flow {
	kind := flowKind{words, lead}
	if fs[kind] == nil {
		fs[kind] = flow.New(r, words, lead)
	}
	return fs[kind]
}
