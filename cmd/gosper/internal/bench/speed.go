// Package bench is gosper bench: the speed of engines, what the processor allows, and the measurements of papers.
package bench

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/bench/internal/roofline"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// Command is gosper bench.
type Command struct {
	Speed    speedCommand    `cmd:"" help:"Measure how many cells an engine updates a second."`
	Roofline rooflineCommand `cmd:"" help:"Measure the limits of this processor, and compare a rule's speed with its upper bound."`
	Ensemble ensembleCommand `cmd:"" help:"Measure a study of many universes: its kernels, and the whole command."`
	Hosts    hostsCommand    `cmd:"" help:"Measure a band and the network on two workers, and estimate the speed of a universe on many hosts."`
	Boris    borisCommand    `cmd:"" help:"Measure the kernels of BorisTheBrave: one generation a launch, and several in shared memory."`
	Fujita   fujitaCommand   `cmd:"" help:"Measure the methods of Fujita et al.: words of bits, and blocks of cells on chip for several generations."`
	Playne   playneCommand   `cmd:"" help:"Measure the methods of Playne and Hawick: one small universe a core or multiprocessor, with component labelling."`
	Cat      catCommand      `cmd:"" help:"Measure CAT and the methods that its paper compares it with: sums of neighbourhoods up to radius 16 and beyond on tensor cores."`
}

type speedCommand struct {
	start.EngineFlags `embed:""`

	Rule        string      `placeholder:"R" help:"Rule; a bounded-grid suffix sets size and topology. Default: B3/S23."`
	Size        origin.Size `placeholder:"W|WxH|WxHxD" help:"Size of the torus. Default: 4096; 128x128x128 for rules of three dimensions."`
	Density     float64     `default:"0.5" placeholder:"D" help:"Share of live cells at the start. Default: 0.5."`
	Generations uint64      `name:"generations" short:"g" placeholder:"N" help:"Generations of each run. Default: the number that takes half a second."`
	Suite       bool        `help:"Measure rules of every family and sizes from 1024 to 65536, and print a Markdown table."`
	JSON        bool        `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*speedCommand) Help() string {
	return `Example:

    gosper bench speed --rule bosco --size 8192 --threads 1

After a warm-up, the command makes five runs on the soup of seed 1. It makes the soup again every 1000 generations, or before each run if the engine skips no cells. The speed is the median. The spread is the difference between the fastest and the slowest run, as a share of the median. The speed of a core is computed from processor time, which other processes do not affect. The port limit is the speed of vector units that execute only the rule's operations. It is measured after the runs.`
}

const (
	runs    = 5
	runTime = 500 * time.Millisecond // of a run, if its generations are not given
	seed    = 1
)

type speed struct {
	Rule           string    `json:"rule"`
	Width          int       `json:"width"`
	Height         int       `json:"height"`
	Depth          *int      `json:"depth"` // layers; null in two dimensions
	Topology       string    `json:"topology"`
	Density        float64   `json:"density"`
	Engine         string    `json:"engine"`
	Device         string    `json:"device"`
	Plan           string    `json:"plan"`
	Bytes          uint64    `json:"bytes"`
	Generations    uint64    `json:"generations"` // of each run
	Seconds        []float64 `json:"run_seconds"` // of each run
	CellsPerSecond float64   `json:"cells_per_second"`
	Spread         float64   `json:"spread"`
	// of each run, all threads together; null if the system does not report it
	CPUSeconds   []float64 `json:"run_cpu_seconds"`
	PerCPUSecond *float64  `json:"cells_per_cpu_second"`        // computed from it
	PortLimit    *float64  `json:"port_limit_cells_per_second"` // null for plans without vector code
	// cells_per_second as a share of the port limit; null for plans without vector code
	Fraction   *float64 `json:"port_limit_fraction"`
	energy.Use          // of all runs together
}

// Run implements the command.
func (cmd *speedCommand) Run(ctx context.Context, c *console.Console) error {
	if cmd.Suite {
		return cmd.runSuite(ctx, c, suite)
	}
	cfg, err := configOf(cmd.Rule, cmd.Size)
	if err != nil {
		return console.Bad(err)
	}
	if err := start.CheckThreads(cmd.Threads); err != nil {
		return console.Bad(err)
	}
	cfg.Threads, cfg.Plan = cmd.Threads, cmd.Plan
	s := &speed{Density: cmd.Density, Generations: cmd.Generations}
	if err := s.run(ctx, cmd.Engine, cfg, runTime); err != nil {
		return err
	}
	if err := s.limit(ctx, cfg.Rule); err != nil {
		return err
	}
	if cmd.JSON {
		return c.PrintJSON(s)
	}
	s.print(c)
	return nil
}

func (s *speed) print(c *console.Console) {
	c.Printf("%s on %s, density %g\n", s.Rule, s.Topology, s.Density)
	c.Printf("  engine  %s on %s, %s\n", s.Engine, s.Device, s.Plan)
	c.Printf("  speed   %s, spread %.1f %% over %d runs of %s generations\n",
		number.Rate(s.CellsPerSecond, "cells"), 100*s.Spread, len(s.Seconds), number.Grouped(s.Generations))
	if s.PerCPUSecond != nil {
		c.Printf("  core    %s of processor time\n", number.Rate(*s.PerCPUSecond, "cells"))
	}
	if s.Fraction != nil {
		c.Printf("  limit   %s by the vector ports, of which %.1f %% are reached\n", number.Rate(*s.PortLimit, "cells"),
			100**s.Fraction)
	}
	c.Printf("  energy  %s\n", cmp.Or(s.Use.String(), "not available"))
	generation := s.cells() / s.CellsPerSecond
	c.Printf("  time    %s a generation\n", number.Seconds(time.Duration(generation*1e9)))
}

// cells is the number of cells of the universe.
func (s *speed) cells() float64 {
	layers := 1
	if s.Depth != nil {
		layers = *s.Depth
	}
	return float64(s.Width) * float64(s.Height) * float64(layers)
}

// configOf returns the bounded universe to measure.
func configOf(text string, area origin.Size) (sim.Config, error) {
	r, suffix, err := rule.ParseApart(cmp.Or(text, origin.DefaultRule))
	if err != nil {
		return sim.Config{}, err
	}
	t, err := area.Torus(r.Volume())
	if err != nil {
		return sim.Config{}, err
	}
	if suffix != nil {
		if t = *suffix; !t.Bounded() {
			return sim.Config{}, fmt.Errorf("cells a second are measured on a bounded universe, not on %s", t)
		}
	}
	return sim.Config{Rule: r, Topology: t}, nil
}

// run measures an engine on a soup. If the number of generations is not given, each run takes about perRun.
func (s *speed) run(ctx context.Context, engine string, cfg sim.Config, perRun time.Duration) error {
	e, err := sim.Open(ctx, engine, cfg)
	if err != nil {
		return console.Bad(err)
	}
	defer e.Close()
	t := cfg.Topology
	s.Rule, s.Width, s.Height, s.Topology = cfg.Rule.String(), t.W, t.LayerRows(), t.String()
	if t.Volume() {
		s.Depth = console.Known(t.D)
	}
	fresh := func() error {
		return console.Bad(soup.Fill(ctx, e, t.W, t.H, seed, s.Density, cfg.Threads, nil))
	}
	if err := s.measure(ctx, e, fresh, perRun); err != nil {
		return err
	}
	info := e.Info()
	s.Engine, s.Device, s.Plan, s.Bytes = info.Engine, info.Device, info.Plan, info.Bytes
	return nil
}

// freshFor is the number of generations before a soup is refilled. Without refilling, an engine that skips
// settled cells would be measured while it skips. Engines that skip nothing may need many thousand generations
// to run long enough to be timed; steadyLongest is the most.
const (
	freshFor      = 1000
	steadyLongest = 1 << 24
)

// measure warms the engine up and times the runs. The warm-up finds the number of generations if none is given.
// fresh fills the universe.
func (s *speed) measure(ctx context.Context, e sim.Engine, fresh func() error, perRun time.Duration) error {
	most, steady := uint64(freshFor), e.Info().Steady
	if steady {
		most = steadyLongest
	}
	used := most
	var before time.Duration // processor time when the last step began
	step := func(n uint64) (time.Duration, error) {
		if used += n; used > most || steady {
			if err := fresh(); err != nil {
				return 0, err
			}
			used = n
		}
		before, _ = host.CPUTime()
		return timeSteps(ctx, e, n)
	}
	meter, _ := energy.Open(e.Info().GPUs...) // if it fails, energy is not available
	var joules float64
	n := max(s.Generations, 1)
	took, err := step(n)
	if err != nil {
		return err
	}
	for s.Generations == 0 && took < perRun && n < most {
		// Grow at most eightfold, because the first generations are the slowest.
		n = min(8*n, uint64(float64(n)*1.1*float64(perRun)/float64(max(took, 1)))+1, most)
		if took, err = step(n); err != nil {
			return err
		}
	}
	s.Generations = n
	var all time.Duration
	metered := true
	for range runs {
		joulesBefore, _ := meter.Joules()
		if took, err = step(n); err != nil {
			return err
		}
		joulesAfter, ok := meter.Joules()
		joules, all, metered = joules+joulesAfter-joulesBefore, all+took, metered && ok
		s.Seconds = append(s.Seconds, took.Seconds())
		if after, known := host.CPUTime(); known {
			s.CPUSeconds = append(s.CPUSeconds, max(after-before, 1).Seconds())
		}
	}
	cells := s.cells() * float64(n)
	s.Use = energy.UseOf(joules, metered, all, runs*cells)
	fastest, median, slowest := spread(s.Seconds)
	s.CellsPerSecond = cells / median
	s.Spread = (cells/fastest - cells/slowest) / s.CellsPerSecond
	if s.CPUSeconds != nil {
		_, median, _ := spread(s.CPUSeconds)
		perSecond := cells / median
		s.PerCPUSecond = &perSecond
	}
	return nil
}

func spread(times []float64) (least, median, greatest float64) {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[0], sorted[len(sorted)/2], sorted[len(sorted)-1]
}

func timeSteps(ctx context.Context, e sim.Engine, n uint64) (time.Duration, error) {
	begin := time.Now()
	_, err := e.Step(ctx, n)
	return max(time.Since(begin), 1), err
}

// plan returns the vector code that the plan names, and false if the plan names no code.
func (s *speed) plan() (roofline.Plan, bool) {
	plan, ok := roofline.ParsePlan(s.Plan)
	return plan, ok && strings.HasPrefix(s.Engine, "cpu")
}

// limit measures the vector ports, on as many threads as the plan uses, if the plan has vector code.
func (s *speed) limit(ctx context.Context, r rule.Rule) error {
	plan, ok := s.plan()
	if !ok || r.Volume() { // the model of the limit has two dimensions
		return nil
	}
	rates, err := roofline.MeasureLogic(ctx, plan.Code, plan.Threads)
	if err != nil {
		return err
	}
	limit := roofline.WorkOf(rowProgram(r), plan).LogicLimit(rates)
	fraction := s.CellsPerSecond / limit
	s.PortLimit, s.Fraction = &limit, &fraction
	return nil
}

// rowProgram is the program that vector code executes for a rule.
func rowProgram(r rule.Rule) *rowprog.Program { return compile.Columns(circuit.Of(r)) }
