package cli

import (
	"context"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/fujita"
)

type benchFujitaCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*benchFujitaCommand) Help() string {
	return `Example:

    gosper bench fujita --quick --out results

B3/S23 on a half-full torus of 16384² cells, as in the paper (--quick: 2048²). Times are for 1024 generations, which GPUs run and processors are measured on some of; they are means of three to five realisations.`
}

// Run implements the command.
func (cmd *benchFujitaCommand) Run(ctx context.Context, c *console) error {
	return cmd.run(ctx, c, paper{name: fujita.Name, measure: measureFujita, tables: fujita.Tables, figures: fujita.Figures})
}

func measureFujita(ctx context.Context, r *paperRun) error {
	side, onGPU := 16384, papers.Protocol{Generations: 1024, Least: 3, Most: 5, RelativeError: 0.005}
	onCPU := papers.Protocol{Time: 0.5, MostRun: 1024, Least: 3, Most: 5, RelativeError: 0.02}
	if r.quick {
		side, onGPU.Generations, onCPU.Time = 2048, 256, 0.1
	}
	cells, err := r.soup(ctx, side, side, 0.5)
	if err != nil {
		return err
	}
	methods := fujita.Methods()
	r.total = len(methods) + 1
	if err := r.gosper(ctx, defaultRule, cells, papers.Protocol{Generations: 1024, Least: 3, Most: 5, RelativeError: 0.005}); err != nil {
		return err
	}
	device, err := r.gpu()
	if err != nil {
		return err
	}
	for _, m := range methods {
		row, protocol := m.Measurement(side, side), onCPU
		if m.Place != fujita.CPU {
			if device == nil {
				continue
			}
			row.Device, protocol = device.Name, onGPU
		}
		if err := r.measure(ctx, row, cells, protocol, func() (papers.Stepper, error) { return m.Open(device, side, side) }); err != nil {
			return err
		}
	}
	return nil
}
