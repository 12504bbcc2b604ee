package cli

import (
	"context"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/origin"
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

B3/S23 on a half-full torus of 65536² cells, as in the articles (--quick: 4096²), at 1 to 32 generations a launch. All but Gosper's own engine needs a GPU; without one that is measured on 16384².`
}

// Run implements the command.
func (cmd *benchBorisCommand) Run(ctx context.Context, c *console.Console) error {
	sweep := borisFull
	if cmd.Quick {
		sweep = borisQuick
	}
	return cmd.run(ctx, c, paper{name: boris.Name, measure: sweep.measure, tables: boris.Tables, figures: boris.Figures})
}

// borisSweep says how the kernels are measured.
type borisSweep struct {
	side, sideOfCPU int // the latter where there is no GPU
	protocol        papers.Protocol
}

var (
	borisFull = borisSweep{
		boris.PrintedSide, 16384, papers.Protocol{Generations: 96, Least: 3, Most: 5, RelativeError: 0.005, EnergyTime: 0.6},
	}
	borisQuick = borisSweep{4096, 4096, papers.Protocol{Generations: 96, Least: 3, Most: 3}}
)

// measure measures Gosper's own engine and, on a GPU, the kernels.
func (s borisSweep) measure(ctx context.Context, r *paperRun) error {
	device, err := r.gpu()
	if err != nil {
		return err
	}
	side := s.side
	if device == nil {
		side = s.sideOfCPU
	}
	cells, err := r.soup(ctx, side, side, 0.5)
	if err != nil {
		return err
	}
	methods := boris.Sweep()
	r.total = len(methods) + 1
	if err := r.gosper(ctx, origin.DefaultRule, cells, s.protocol); err != nil || device == nil {
		return err
	}
	for _, m := range methods {
		row := m.Measurement(side, side)
		row.Device = device.Name
		protocol := s.protocol
		if !m.Metered() {
			protocol.EnergyTime = 0
		}
		err := r.measure(ctx, row, cells, protocol, func() (papers.Stepper, error) { return m.Open(device, side, side) },
			r.sameCells(ctx, cells, s.protocol.Generations))
		if err != nil {
			return err
		}
	}
	return nil
}
