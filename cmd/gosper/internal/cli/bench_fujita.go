package cli

import (
	"context"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/origin"
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

B3/S23 on a half-full torus of 16384² cells, as in the paper (--quick: 2048²). Times are for 1024 generations, of which slow methods run some; all are means of three to five realisations. The energy of a generation is measured where the GPU or processor tells it.`
}

// Run implements the command.
func (cmd *benchFujitaCommand) Run(ctx context.Context, c *console.Console) error {
	sweep := fujitaFull
	if cmd.Quick {
		sweep = fujitaQuick
	}
	return cmd.run(ctx, c, paper{name: fujita.Name, measure: sweep.measure, tables: fujita.Tables, figures: fujita.Figures})
}

// fujitaSweep says how the paper's methods are measured.
type fujitaSweep struct {
	side         int
	onCPU, onGPU papers.Protocol
}

var (
	fujitaFull = fujitaSweep{
		side:  16384,
		onCPU: papers.Protocol{Time: 0.5, MostRun: 1024, Least: 3, Most: 5, RelativeError: 0.02, EnergyTime: 0.6},
		onGPU: papers.Protocol{Time: 0.2, MostRun: 1024, Least: 3, Most: 5, RelativeError: 0.005, EnergyTime: 0.6},
	}
	fujitaQuick = fujitaSweep{
		side:  2048,
		onCPU: papers.Protocol{Time: 0.1, MostRun: 1024, Least: 3, Most: 3},
		onGPU: papers.Protocol{Generations: 256, Least: 3, Most: 3},
	}
)

// Generations after which a method's cells are compared with those of Gosper's own engine: on a GPU launches of 16 and a part of one, on a
// core as many as take seconds.
const (
	comparedOnCPU = 2
	comparedOnGPU = 33
)

// measure measures Gosper's own engine and all methods that this machine can run.
func (s fujitaSweep) measure(ctx context.Context, r *paperRun) error {
	cells, err := r.soup(ctx, s.side, s.side, 0.5)
	if err != nil {
		return err
	}
	methods := fujita.Methods()
	r.total = len(methods) + 1
	if err := r.gosper(ctx, origin.DefaultRule, cells, s.onGPU); err != nil {
		return err
	}
	device, err := r.gpu()
	if err != nil {
		return err
	}
	for _, m := range methods {
		row, protocol, compared := m.Measurement(s.side, s.side), s.onCPU, comparedOnCPU
		if m.Place != fujita.CPU {
			if device == nil {
				continue
			}
			row.Device, protocol, compared = device.Name, s.onGPU, comparedOnGPU
		}
		err := r.measure(ctx, row, cells, protocol, func() (papers.Stepper, error) { return m.Open(device, s.side, s.side) },
			r.sameCells(ctx, cells, compared))
		if err != nil {
			return err
		}
	}
	return nil
}
