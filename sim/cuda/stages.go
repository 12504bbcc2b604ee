package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// listed returns the universe for which kernels are listed.
func listed(r rule.Rule) topology.Topology {
	if r.Volume() {
		return topology.Topology{Kind: topology.Torus, W: 1 << 12, H: 1 << 24, D: 1 << 12}
	}
	return topology.Topology{Kind: topology.Torus, W: 1 << 16, H: 1 << 16}
}

// Stages lists what a rule becomes on its way to a kernel, down to its PTX. It needs no GPU. A rule that cannot
// be compiled is an error.
func Stages(r rule.Rule) ([]compile.Stage, error) {
	programs, cfg := plan.Programs{}, sim.Config{Rule: r, Topology: listed(r)}
	p, err := programs.Choose(cfg)
	if err != nil {
		return nil, err
	}
	program, err := programs.Of(cfg, p)
	if err != nil {
		return nil, err
	}
	stages := compile.WarpStages(r, p.Words, program.Lead > 0)
	if p.Recompute {
		stages = append(stages, compile.Stage{
			Name: "recompute", Why: "What would be remembered for long is made again, from rows that are read again.",
			Text: program.String(),
		})
	}
	var m ptx.Module
	wavefront.Write(&m, "stream", program, p.OfStrips(cfg.Topology))
	return append(stages, compile.Stage{
		Name: "code", Why: fmt.Sprintf("The PTX of a kernel on %v.", cfg.Topology), Text: m.String(),
	}), nil
}
