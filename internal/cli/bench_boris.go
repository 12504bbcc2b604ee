package cli

import (
	"context"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/boris"
)

type benchBorisCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*benchBorisCommand) Help() string {
	return `Example:

    gosper bench boris --out results

B3/S23 on a half-full torus of 65536² cells, as in the articles (--quick: 4096²), at 1 to 32 generations a launch. All but Gosper's own engine needs a GPU.`
}

// Run implements the command.
func (cmd *benchBorisCommand) Run(ctx context.Context, c *console) error {
	return cmd.run(ctx, c, paper{name: boris.Name, measure: measureBoris, tables: boris.Tables, figures: boris.Figures})
}

func measureBoris(ctx context.Context, r *paperRun) error {
	side, protocol := boris.PrintedSide, papers.Protocol{Generations: 96, Least: 3, Most: 5, RelativeError: 0.005}
	if r.quick {
		side = 4096
	}
	device, err := r.gpu()
	if err != nil {
		return err
	}
	if device == nil {
		side = min(side, 16384) // in proportion, and soon enough
	}
	cells, err := r.soup(ctx, side, side, 0.5)
	if err != nil {
		return err
	}
	methods := boris.Sweep()
	r.total = len(methods) + 1
	if err := r.gosper(ctx, defaultRule, cells, protocol); err != nil {
		return err
	}
	if device == nil {
		return nil
	}
	for _, m := range methods {
		row := m.Measurement(side, side)
		row.Device = device.Name
		if err := r.measure(ctx, row, cells, protocol, func() (papers.Stepper, error) { return m.Open(device, side, side) }); err != nil {
			return err
		}
	}
	return nil
}
