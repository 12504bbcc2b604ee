package cli

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

type benchCommand struct {
	Speed benchSpeedCommand `cmd:"" help:"Measure how many cells an engine updates a second."`
}

type benchSpeedCommand struct {
	engineFlags `embed:""`

	Rule        string  `default:"B3/S23" placeholder:"R" help:"Rule; a bounded-grid suffix sets size and topology. Default: B3/S23."`
	Size        size    `default:"4096" placeholder:"W|WxH" help:"Size of the torus. Default: 4096."`
	Density     float64 `default:"0.5" placeholder:"D" help:"Share of live cells at the start. Default: 0.5."`
	Generations uint64  `name:"generations" short:"g" placeholder:"N" help:"Generations a run. Default: as many as take half a second."`
	JSON        bool    `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*benchSpeedCommand) Help() string {
	return `Example:

    gosper bench speed --rule bosco --size 8192 --threads 1

After a warm-up the soup of seed 1 is run on five times; the speed is the median, the spread the distance of the fastest from the slowest
run as a share of it.`
}

const (
	benchRuns = 5
	benchTime = 500 * time.Millisecond // of a run whose generations are not given
	benchSeed = 1
)

type speed struct {
	Rule           string    `json:"rule"`
	Width          int       `json:"width"`
	Height         int       `json:"height"`
	Topology       string    `json:"topology"`
	Density        float64   `json:"density"`
	Engine         string    `json:"engine"`
	Device         string    `json:"device"`
	Plan           string    `json:"plan"`
	Bytes          uint64    `json:"bytes"`
	Generations    uint64    `json:"generations"` // of each run
	Seconds        []float64 `json:"seconds"`     // of each run
	CellsPerSecond float64   `json:"cells_per_second"`
	Spread         float64   `json:"spread"`
}

// Run implements the command.
func (cmd *benchSpeedCommand) Run(ctx context.Context, c *console) error {
	cfg, err := cmd.config()
	if err != nil {
		return badInput{err}
	}
	e, err := sim.Open(ctx, cmd.Engine, cfg)
	if err != nil {
		return badInput{err}
	}
	defer e.Close()
	t := cfg.Topology
	if err := soup.Fill(ctx, e, t.W, t.H, benchSeed, cmd.Density, cmd.Threads, nil); err != nil {
		return inputUnlessCancelled(err)
	}
	s := speed{
		Rule: cfg.Rule.String(), Width: t.W, Height: t.H, Topology: t.String(), Density: cmd.Density,
		Generations: cmd.Generations,
	}
	if err := s.measure(ctx, e); err != nil {
		return err
	}
	info := e.Info()
	s.Engine, s.Device, s.Plan, s.Bytes = info.Engine, info.Device, info.Plan, info.Bytes
	if cmd.JSON {
		return c.printJSON(s)
	}
	c.printf("%s on %s, density %g\n", s.Rule, s.Topology, s.Density)
	c.printf("  engine  %s on %s, %s\n", s.Engine, s.Device, s.Plan)
	c.printf("  speed   %s, spread %.1f %% over %d runs of %s generations\n",
		rate(s.CellsPerSecond, "cells"), 100*s.Spread, len(s.Seconds), grouped(s.Generations))
	c.printf("  time    %s a generation\n", seconds(time.Duration(float64(t.W)*float64(t.H)/s.CellsPerSecond*1e9)))
	return nil
}

func (cmd *benchSpeedCommand) config() (sim.Config, error) {
	r, suffix, err := parseRule(cmd.Rule)
	if err != nil {
		return sim.Config{}, err
	}
	t := topology.Topology{Kind: topology.Torus, W: cmd.Size.W, H: cmd.Size.H}
	if suffix != nil {
		if t = *suffix; !t.Bounded() {
			return sim.Config{}, fmt.Errorf("the speed in cells a second is that of a bounded universe, not of %s", t)
		}
	}
	return sim.Config{Rule: r, Topology: t, Threads: cmd.Threads, Plan: cmd.Plan}, cmd.checkThreads()
}

// measure warms the engine up, which finds the number of generations where none is given, and times the runs.
func (s *speed) measure(ctx context.Context, e sim.Engine) error {
	n := max(s.Generations, 1)
	took, err := timeSteps(ctx, e, n)
	if err != nil {
		return err
	}
	for s.Generations == 0 && took < benchTime {
		// At most eight times as many: the first generations are the slowest.
		n = min(8*n, uint64(float64(n)*1.1*float64(benchTime)/float64(max(took, 1)))+1)
		if took, err = timeSteps(ctx, e, n); err != nil {
			return err
		}
	}
	s.Generations = n
	for range benchRuns {
		if took, err = timeSteps(ctx, e, n); err != nil {
			return err
		}
		s.Seconds = append(s.Seconds, took.Seconds())
	}
	cells := float64(s.Width) * float64(s.Height) * float64(n)
	sorted := slices.Sorted(slices.Values(s.Seconds))
	fastest, median, slowest := sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
	s.CellsPerSecond = cells / median
	s.Spread = (cells/fastest - cells/slowest) / s.CellsPerSecond
	return nil
}

func timeSteps(ctx context.Context, e sim.Engine, n uint64) (time.Duration, error) {
	begin := time.Now()
	_, err := e.Step(ctx, n)
	return max(time.Since(begin), 1), err
}
