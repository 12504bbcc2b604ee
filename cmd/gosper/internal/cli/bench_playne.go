package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/papers/playne"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

type benchPlayneCommand struct {
	paperFlags `embed:""`
}

// Help is shown below the usage.
func (*benchPlayneCommand) Help() string {
	return `Example:

    gosper bench playne --quick --out results

One universe on one core or multiprocessor, then one hundred on whole devices, then ten thousand on the GPU: every generation of B3/S23 is followed by the labelling of its clusters and their histogram by size. Each time is the mean over soups of independent seeds, with its standard error.`
}

// Run implements the command.
func (cmd *benchPlayneCommand) Run(ctx context.Context, c *console.Console) error {
	return cmd.run(ctx, c, paper{name: playne.Name, measure: measurePlayne, tables: playne.Tables, figures: playne.Figures})
}

// playneSweep is what is measured.
type playneSweep struct {
	sides       []int
	generations int // from the soup on
	seeds       int // independent realisations of one simulation; of more a few, for each has many seeds
	density     float64
	energyTime  float64 // seconds that measuring the energy takes, of whole devices
}

var (
	playneFull  = playneSweep{sides: playne.Sides, generations: 100, seeds: 16, density: 0.5, energyTime: 0.6}
	playneQuick = playneSweep{sides: []int{32, 64, 128}, generations: 20, seeds: 4, density: 0.5, energyTime: 0.3}
)

func measurePlayne(ctx context.Context, r *paperRun) error {
	if r.quick {
		return playneQuick.run(ctx, r)
	}
	return playneFull.run(ctx, r)
}

func (s playneSweep) run(ctx context.Context, r *paperRun) error {
	clock := gigahertz(playne.CoreClock())
	device, err := r.gpu()
	if err != nil {
		return err
	}
	for _, universes := range []int{1, playne.Many} {
		for _, side := range s.sides {
			c := playne.Config{L: side, Universes: universes, Connectivity: 8}
			if side <= playne.Most16 {
				if err := s.measureCores(ctx, r, c, clock); err != nil {
					return err
				}
			}
			if device == nil {
				continue
			}
			if err := s.measureMultiprocessors(ctx, r, c, device); err != nil {
				return err
			}
		}
	}
	if device == nil {
		return nil
	}
	for _, side := range s.sides {
		if side&(side-1) != 0 {
			continue // three sides tell enough, and soups take their time
		}
		c := playne.Config{L: side, Universes: playne.Thousands, Connectivity: 8}
		if err := s.measureMultiprocessors(ctx, r, c, device); err != nil {
			return err
		}
	}
	return nil
}

// measureCores measures the paper's method and Gosper's own on the CPU.
func (s playneSweep) measureCores(ctx context.Context, r *paperRun, c playne.Config, clock float64) error {
	cores := runtime.GOMAXPROCS(0)
	name := fmt.Sprintf("%d cores of %s", cores, processorName())
	if c.Universes == 1 {
		cores, name = 1, "one core of "+processorName()
	}
	p := papers.Parameters{playne.ParameterClock: clock, playne.ParameterUnits: cores}
	m := papers.Measurement{Method: playne.MethodCPU, Device: name}
	err := s.measure(ctx, r, m, c, p, func() (playneMethod, error) {
		sims, err := playne.OpenCPU(c, cores)
		return playneSimulations{sims, c.L}, err
	})
	if err != nil || r.engine != sim.Auto && r.engine != "cpu" {
		return err
	}
	return s.measureGosper(ctx, r, papers.Measurement{Device: name}, c, p, "cpu", cores)
}

// processorName is the processor as short as figures need it.
func processorName() string {
	name := cmp.Or(host.ThisMachine().CPU, "an unknown processor")
	for _, noise := range []string{"(R)", "(TM)", " Processor", " CPU"} {
		name = strings.ReplaceAll(name, noise, "")
	}
	return name
}

// measureMultiprocessors measures the paper's method with one row of threads and more, up to as many as there may be, and Gosper's own on
// a GPU.
func (s playneSweep) measureMultiprocessors(ctx context.Context, r *paperRun, c playne.Config, device *gpu.Device) error {
	p := papers.Parameters{
		playne.ParameterClock: gigahertz(float64(device.ClockKHz) * 1e3),
		playne.ParameterUnits: device.Multiprocessors, playne.ParameterShared: device.SharedBlockBytes,
	}
	threads := playne.RowsOfThreads(c.L)
	if c.Universes > playne.Many {
		threads = threads[len(threads)-1:]
	}
	for _, c.Rows = range threads {
		p[playne.ParameterRows] = c.Rows
		if c.Rows == playne.DefaultRows(c.L) {
			p[playne.ParameterRows] = playne.RowsMost
		}
		m := papers.Measurement{Method: playne.MethodGPU, Device: device.Name}
		err := s.measure(ctx, r, m, c, p, func() (playneMethod, error) {
			sims, err := playne.OpenGPU(device, c)
			return playneSimulations{sims, c.L}, err
		})
		if err != nil {
			return err
		}
	}
	if r.engine != sim.Auto && r.engine != "cuda" {
		return nil
	}
	delete(p, playne.ParameterRows)
	return s.measureGosper(ctx, r, papers.Measurement{Device: device.Name}, c, p, "cuda", 0)
}

// gigahertz rounds a clock to what is worth printing.
func gigahertz(hertz float64) float64 { return math.Round(hertz/1e7) / 100 }

// playneMethod is simulations that can be given soups of consecutive seeds.
type playneMethod interface {
	papers.Stepper
	soups(ctx context.Context, first uint64, density float64) error
}

// measure measures simulations of one side over soups of independent seeds.
func (s playneSweep) measure(
	ctx context.Context, r *paperRun, m papers.Measurement, c playne.Config, p papers.Parameters, open func() (playneMethod, error),
) error {
	g, err := grid.New(c.L, c.L, 1)
	if err != nil {
		return err
	}
	p[playne.ParameterUniverses] = c.Universes
	m.Parameters, m.Width, m.Height = p.String(), int64(c.L), int64(c.L)
	realisations, energyTime := s.seeds, s.energyTime
	if !playne.Metered(c.L) {
		energyTime = 0
	}
	switch c.Universes {
	case 1:
		energyTime = 0 // one core or multiprocessor: meters are of whole devices
	case playne.Many:
		realisations = max(2, s.seeds/4)
	default:
		realisations = 2
	}
	var method playneMethod
	protocol := papers.Protocol{
		EnergyTime: energyTime, Settles: true,
		Generations: s.generations, Least: realisations, Most: realisations,
		Before: func(realisation int) error {
			return method.soups(ctx, uint64((realisation+1)*c.Universes), s.density)
		},
	}
	before := len(r.rows)
	err = r.measure(ctx, m, g, protocol, func() (papers.Stepper, error) {
		var err error
		method, err = open()
		return method, err
	}, func(papers.Stepper) (int, error) { return s.sameClusters(ctx, method, c) })
	for i := range r.rows[before:] {
		r.rows[before+i].CellsPerSec *= float64(c.Universes)
	}
	return err
}

// comparedGenerations are those whose clusters are compared.
const comparedGenerations = 3

// sameClusters checks one of the paper's methods: the clusters of all universes in the first generations, counted by size, are those that
// Gosper's own batches find, and so are the cells of the first universe in the end.
func (s playneSweep) sameClusters(ctx context.Context, method playneMethod, c playne.Config) (int, error) {
	sims, ok := method.(playneSimulations)
	if !ok {
		return 0, nil // Gosper's own
	}
	life, err := rule.Parse(origin.DefaultRule)
	if err != nil {
		return 0, err
	}
	b, err := batch.Open(ctx, sim.Auto, batch.Config{
		Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: c.L, H: c.L}, Universes: c.Universes,
	})
	if err != nil {
		return 0, err
	}
	own := &gosperSimulations{ctx: ctx, b: b, n: c.Universes}
	err = s.compareClusters(ctx, sims, own, c)
	return comparedGenerations, errors.Join(err, own.Close())
}

func (s playneSweep) compareClusters(ctx context.Context, sims playneSimulations, own *gosperSimulations, c playne.Config) error {
	for _, m := range []playneMethod{sims, own} {
		if err := m.soups(ctx, 1, s.density); err != nil {
			return err
		}
	}
	got, want := make([]uint64, c.L*c.L+1), make([]uint64, c.L*c.L+1)
	if err := sims.Histogram(make([]uint64, len(got))); err != nil { // what was there before
		return err
	}
	if err := sims.Step(comparedGenerations); err != nil {
		return err
	}
	if err := sims.Histogram(got); err != nil {
		return err
	}
	for range comparedGenerations {
		if err := own.Step(1); err != nil {
			return err
		}
		for i := range c.Universes {
			for _, n := range own.clusters.Of(i) {
				want[n.Size] += uint64(n.Count)
			}
		}
	}
	for size := range want {
		if got[size] != want[size] {
			return fmt.Errorf("%d clusters of %d cells in %d generations of %d universes of %d², Gosper's own batches find %d",
				got[size], size, comparedGenerations, c.Universes, c.L, want[size])
		}
	}
	a, err1 := grid.New(c.L, c.L, 1)
	z, err2 := grid.New(c.L, c.L, 1)
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	if err := errors.Join(sims.Store(a), own.Store(z)); err != nil {
		return err
	}
	x, y, differ, err := grid.FirstDifference(a, z)
	if err == nil && differ {
		err = fmt.Errorf("after %d generations cell (%d, %d) of the first of %d universes of %d² is %d, Gosper's own batches have %d",
			comparedGenerations, x, y, c.Universes, c.L, a.Get(x, y), z.Get(x, y))
	}
	return err
}

// measureGosper measures Gosper's own batches, which find the clusters of all universes after each generation.
func (s playneSweep) measureGosper(
	ctx context.Context, r *paperRun, m papers.Measurement, c playne.Config, p papers.Parameters, engine string, threads int,
) error {
	life, err := rule.Parse(origin.DefaultRule)
	if err != nil {
		return err
	}
	p[papers.ParameterEngine] = engine
	m.Method = papers.MethodGosper
	return s.measure(ctx, r, m, c, p, func() (playneMethod, error) {
		b, err := batch.Open(ctx, engine, batch.Config{
			Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: c.L, H: c.L}, Universes: c.Universes, Threads: threads,
		})
		return &gosperSimulations{ctx: ctx, b: b, n: c.Universes}, err
	})
}

// playneSimulations are the paper's own. Their steps are timed by the wall clock on every device, since cores and multiprocessors are compared.
type playneSimulations struct {
	playne.Simulations
	side int
}

func (s playneSimulations) soups(ctx context.Context, first uint64, density float64) error {
	g, err := grid.New(s.side, s.side, 1)
	if err != nil {
		return err
	}
	for i := range s.Universes() {
		if err := soup.Fill(ctx, g, s.side, s.side, first+uint64(i), density, 1, nil); err != nil {
			return err
		}
		if err := s.LoadOne(i, g); err != nil {
			return err
		}
	}
	return nil
}

// gosperSimulations are a batch.
type gosperSimulations struct {
	ctx      context.Context
	b        batch.Batch
	n        int
	clusters batch.Histograms
}

func (s *gosperSimulations) soups(ctx context.Context, first uint64, density float64) error {
	all := make([]batch.Soup, s.n)
	for i := range all {
		all[i] = batch.Soup{Seed: first + uint64(i), Density: density}
	}
	return s.b.Fill(ctx, all)
}

func (s *gosperSimulations) Load(g *grid.Grid) error { return s.b.Write(0, g) }

func (s *gosperSimulations) Step(n int) error {
	for range n {
		if err := s.b.Step(s.ctx, 1); err != nil {
			return err
		}
		if err := s.b.Clusters(s.ctx, component.Eight, &s.clusters); err != nil {
			return err
		}
	}
	return nil
}

func (s *gosperSimulations) Store(g *grid.Grid) error { return s.b.Read(0, g) }

func (s *gosperSimulations) Close() error { return s.b.Close() }
