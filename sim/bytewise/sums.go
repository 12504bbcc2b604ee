package bytewise

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// sumsName is the name of the engine.
const sumsName = "sums"

func init() { sim.Register(sumsScope, openSums) }

// sumsScope has the rules that count, on the unbounded plane, if dead cells among dead cells stay dead.
var sumsScope = sim.Scope{
	Engine: sumsName, Plan: "running sums",
	Kinds: []rule.Kind{rule.KindCounting}, Topologies: []topology.Kind{topology.Unbounded},
	Rule: func(r rule.Rule) error {
		if r.BirthOnEmpty() || r.StateWeight(0) != 0 {
			return errors.New("dead cells do not stay dead, or count")
		}
		return nil
	},
}

// sums is the engine of running sums; its methods are those of sim.Engine.
type sums struct {
	base
	counter *counter
	idle    sync.Pool // of *running, whose memory the next tasks use
}

// openSums makes an engine of running sums. The scope has been checked.
func openSums(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	c, err := newCounter(cfg.Rule)
	if err != nil {
		return nil, sumsScope.Refuse(fmt.Sprintf("rule %v", cfg.Rule), err.Error())
	}
	b, err := newBase(cfg)
	if err != nil {
		return nil, err
	}
	return &sums{base: b, counter: c}, nil
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
func (e *sums) Info() sim.Info { return e.info(sumsName, sumsScope.Plan, uint64(len(e.counter.alive))) }
