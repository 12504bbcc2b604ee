package cpu

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/sim/cpu/internal/volumes"
)

// openVolume returns an engine for a universe of three dimensions.
func openVolume(ctx context.Context, cfg sim.Config, threads int) (sim.Engine, error) {
	r := compile.New(cfg.Rule)
	if !circuit.OwnChance(circuit.Of(cfg.Rule)) {
		return nil, &sim.Unsupported{
			Engine: "cpu", What: cfg.Rule.String(), Why: "in three dimensions, a cell sees no random bits but its own",
		}
	}
	chosen, err := plan.Make(cfg.Plan, cfg.Rule, r.Columns(), cfg.Topology, threads)
	if err != nil {
		return nil, err
	}
	if chosen.Alone {
		return nil, refuseAlone(chosen)
	}
	e, err := volumes.New(cfg.Topology, chosen.Code.Program(r), chosen)
	if errors.Is(err, codegen.ErrNotCompiled) && cfg.Plan == "" {
		cfg.Plan = string(codegen.Portable)
		return openChecked(ctx, cfg)
	}
	if err == nil && cfg.Rule.Random() {
		err = e.Reseed(cfg.Rule.Chance.Seed)
	}
	return opened(e, err)
}
