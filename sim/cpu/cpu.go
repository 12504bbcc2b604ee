// Package cpu runs every rule on the processor, bit-sliced: 64 cells a word, three-input lookup tables instead
// of counting.
//
// It chooses among the packages below it, which do the work:
//
//	codegen   the code that computes one row: machine code made at run time, or Go loops
//	layout    which cell is which bit of a row of vectors
//	wavefront temporal blocking: several generations while going down the rows once
//	plan      how a universe is advanced: by which code, in bands or tiles, how many generations a pass
//	bands     bounded universes: every pass computes all cells
//	volumes   the same in three dimensions
//	tiles     the unbounded plane, and settled tori: a pass computes the blocks that can change
//	blocks    what tiles are computed in: a block of cells in each lane of a vector
//	multispin multi-spin coding: many small universes, one in each bit of a vector
//	sparse    many unbounded universes of few cells each, for a census
//	square    small squares of cells that are stepped without an engine, for hashlife
package cpu

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/cpu/internal/bands"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/multispin"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/sim/cpu/internal/tiles"
	"github.com/gosper-life/gosper/topology"
)

func init() {
	sim.Register(scope, openChecked)
	batch.Register("cpu", openBatch)
}

// scope has every rule with a circuit. Random bits are made for bounded universes only. What B0 does to an infinite
// universe must be the same in all its empty cells, and have no edges.
var scope = sim.Scope{
	Engine: "cpu", Triangles: true, Volumes: true,
	Kinds: []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating, rule.KindStochastic,
		rule.KindSwaps,
	},
	Rule: circuit.Check,
	Universe: func(r rule.Rule, t topology.Topology) error {
		switch {
		case t.Bounded():
			return nil
		case r.Kind() == rule.KindStochastic:
			return errors.New("it makes random bits for bounded universes only")
		case t.Kind != topology.Unbounded && r.BirthOnEmpty():
			return errors.New("B0 needs a universe that is bounded or infinite in both directions")
		case r.BirthOnEmpty():
			if _, ok := background.Of(r); !ok {
				return tiles.ErrNoBackground
			}
		}
		return nil
	},
}

// Open returns an engine for the configuration. The unbounded plane is kept in tiles. A universe that is
// infinite in one direction is a bounded one that grows. All others are kept in bands, but a torus that settles
// changes over to tiles. cfg.Plan has the form that plan.Make reads.
func Open(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	if err := scope.Check(cfg); err != nil {
		return nil, err
	}
	return openChecked(ctx, cfg)
}

// openChecked is Open after the scope has been checked.
func openChecked(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	if cfg.Topology.Kind != topology.Unbounded && !cfg.Topology.Bounded() {
		return openTube(ctx, cfg)
	}
	if cfg.Topology.Volume() {
		return openVolume(ctx, cfg, threads)
	}
	rules, err := tiles.WithoutB0(cfg.Rule, cfg.Topology)
	if err != nil {
		return nil, err
	}
	if cfg.Plan == "" && !cfg.Topology.Bounded() {
		usual := plan.ForTiles(codegen.Fastest(), cfg.Rule.Radius(), threads)
		if e, ok := tiles.NewForCreatures(cfg.Rule, rules, usual); ok {
			e.SetMemory(cfg.Memory)
			return e, nil
		}
	}
	chosen, err := plan.Make(cfg.Plan, cfg.Rule, rules[0].Columns(), cfg.Topology, threads)
	if err != nil {
		return nil, err
	}
	if chosen.Alone && chosen.Tiles {
		e, ok := tiles.NewForCreatures(cfg.Rule, rules, chosen)
		if !ok || cfg.Topology.Kind != topology.Unbounded {
			return nil, refuseAlone(chosen)
		}
		e.SetMemory(cfg.Memory)
		return e, nil
	}
	if chosen.Tiles {
		e, err := tiles.New(cfg.Rule, rules, cfg.Topology, chosen)
		if err == nil {
			e.SetMemory(cfg.Memory)
		}
		return opened(e, err)
	}
	p := chosen.Code.Program(rules[0])
	if cfg.Plan != "" {
		e, err := bands.New(cfg.Topology, p, chosen)
		if err == nil {
			seed(e, cfg.Rule)
		}
		if err == nil && chosen.Alone {
			stepper := forCreatures(cfg)
			if stepper == nil {
				return nil, refuseAlone(chosen)
			}
			return &adaptive{Engine: e, alone: stepper, ranAlone: true}, nil
		}
		return opened(e, err)
	}
	e, err := bands.NewTuned(cfg.Topology, p, chosen)
	if errors.Is(err, codegen.ErrNotCompiled) {
		cfg.Plan = string(codegen.Portable)
		return openChecked(ctx, cfg)
	}
	if err != nil {
		return nil, err
	}
	if seed(e, cfg.Rule) {
		return e, nil // what changes by chance never settles
	}
	return adapt(e, cfg, rules, plan.ForTiles(chosen.Code, p.Radius(), threads)), nil
}

// refuseAlone refuses a plan that advances a creature by itself.
func refuseAlone(p plan.Plan) error {
	return scope.Refuse(fmt.Sprintf("plan %v", p),
		"only rules that count the cells of a square advance a creature alone: on the unbounded plane, or with bands on a "+
			"torus or a plane")
}

// seed gives an engine the seed of its rule. It returns false if the rule is without chance.
func seed(e *bands.Engine, r rule.Rule) bool {
	if r.Random() {
		e.Reseed(r.Chance.Seed)
	}
	return r.Random()
}

// opened returns an engine, or nil if there is an error.
func opened[E sim.Engine](e E, err error) (sim.Engine, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

// openBatch returns many universes on the cores of this machine. They share vectors, one universe for each bit,
// if that is faster. Otherwise each has an engine of its own; if cfg.Shared forbids that, the error is
// *sim.Unsupported.
func openBatch(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
	if cfg.Rules != nil {
		if !multispin.Suits(cfg.Rule, cfg.Topology) || cfg.Topology.Volume() {
			return nil, &sim.Unsupported{
				Engine: "cpu", What: "a batch of rules",
				Why: fmt.Sprintf("universes on %v cannot share vectors", cfg.Topology),
			}
		}
		return multispin.New(cfg, codegen.Fastest())
	}
	if err := scope.Check(sim.Config{Rule: cfg.Rule, Topology: cfg.Topology}); err != nil {
		return nil, err
	}
	code := codegen.Fastest()
	if !multispin.Suits(cfg.Rule, cfg.Topology) ||
		!multispin.Pays(cfg.Topology, cfg.Universes, cfg.Rule.Random(), code) {
		if cfg.Shared {
			return nil, &sim.Unsupported{
				Engine: "cpu", What: "a batch",
				Why: fmt.Sprintf("%d universes on %v are not faster in shared vectors", cfg.Universes, cfg.Topology),
			}
		}
		return batch.OnEngines(ctx, Open, cfg)
	}
	return multispin.New(cfg, code)
}
