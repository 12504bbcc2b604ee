package cli

import (
	"context"
	"fmt"
	"math"
	"runtime"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/playne"
	"github.com/gosper-life/gosper/soup"
)

type benchPlayneCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*benchPlayneCommand) Help() string {
	return `Example:

    gosper bench playne --quick --out results

One universe on one core or multiprocessor, then one hundred on whole devices: every generation of B3/S23 is followed by the labelling of its clusters and their histogram by size. Each time is the mean over soups of independent seeds, with its standard error.`
}

// Run implements the command.
func (cmd *benchPlayneCommand) Run(ctx context.Context, c *console) error {
	return cmd.run(ctx, c, paper{name: "playne", measure: measurePlayne, tables: playne.Tables, figures: playne.Figures})
}

// playneSweep is what is measured.
type playneSweep struct {
	sides       []int
	generations int // from the soup on
	seeds       int // independent realisations of one simulation; of one hundred a quarter of them, for each has a hundred seeds
	density     float64
}

var (
	playneFull  = playneSweep{sides: playne.Sides, generations: 100, seeds: 16, density: 0.5}
	playneQuick = playneSweep{sides: []int{32, 64, 128}, generations: 20, seeds: 4, density: 0.5}
)

func measurePlayne(ctx context.Context, r *paperRun) error {
	sweep := playneFull
	if r.quick {
		sweep = playneQuick
	}
	clock := playne.CoreClock()
	device, err := r.gpu()
	if err != nil {
		return err
	}
	for _, universes := range []int{1, playne.Many} {
		for _, side := range sweep.sides {
			c := playne.Config{L: side, Universes: universes, Connectivity: 8}
			cores := runtime.GOMAXPROCS(0)
			if universes == 1 {
				cores = 1
			}
			on := papers.Measurement{Method: playne.MethodCPU, Device: coresName(cores, universes)}
			p := papers.Parameters{playne.ParameterClock: gigahertz(clock), playne.ParameterUnits: cores}
			err := sweep.measure(ctx, r, on, c, p, func() (playne.Simulations, error) { return playne.OpenCPU(c, cores) })
			if err != nil {
				return err
			}
			if device == nil {
				continue
			}
			for _, rows := range []string{"1", "most"} {
				if rows == "1" {
					c.Rows = 1
				} else {
					c.Rows = playne.DefaultRows(side)
				}
				on := papers.Measurement{Method: playne.MethodGPU, Device: device.Name}
				p := papers.Parameters{
					playne.ParameterClock: gigahertz(float64(device.ClockKHz) * 1e3), playne.ParameterRows: rows,
					playne.ParameterUnits: device.Multiprocessors, playne.ParameterShared: device.SharedBlockBytes,
				}
				err := sweep.measure(ctx, r, on, c, p, func() (playne.Simulations, error) { return playne.OpenGPU(device, c) })
				if err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// coresName is what CPU simulations ran on.
func coresName(cores, universes int) string {
	if universes == 1 {
		return "one core of " + machineName()
	}
	return fmt.Sprintf("%d cores of %s", cores, machineName())
}

// gigahertz rounds a clock to what is worth printing.
func gigahertz(hertz float64) float64 { return math.Round(hertz/1e7) / 100 }

// measure measures simulations of one side over soups of independent seeds.
func (s playneSweep) measure(
	ctx context.Context, r *paperRun, m papers.Measurement, c playne.Config, p papers.Parameters, open func() (playne.Simulations, error),
) error {
	g, err := grid.New(c.L, c.L, 1)
	if err != nil {
		return err
	}
	p[playne.ParameterUniverses] = c.Universes
	m.Parameters, m.Width, m.Height = p.String(), int64(c.L), int64(c.L)
	realisations := s.seeds
	if c.Universes > 1 {
		realisations = max(2, s.seeds/4)
	}
	var sims playne.Simulations
	protocol := papers.Protocol{
		Generations: s.generations, Least: realisations, Most: realisations,
		Before: func(realisation int) error {
			for i := range c.Universes {
				seed := uint64((realisation+1)*c.Universes + i)
				if err := soup.Fill(ctx, g, c.L, c.L, seed, s.density, 1, nil); err != nil {
					return err
				}
				if err := sims.LoadOne(i, g); err != nil {
					return err
				}
			}
			return nil
		},
	}
	before := len(r.rows)
	err = r.measure(ctx, m, g, protocol, func() (papers.Stepper, error) {
		var err error
		sims, err = open()
		return sims, err
	})
	for i := range r.rows[before:] {
		r.rows[before+i].CellsPerSec *= float64(c.Universes)
	}
	return err
}
