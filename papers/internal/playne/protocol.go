package playne

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Paper returns the paper with its protocol.
func Paper() experiment.Paper {
	return experiment.Paper{
		Name: Name, Methods: []string{MethodCPU, MethodGPU}, Tables: Tables, Figures: Figures,
		Measure: func(ctx context.Context, r *experiment.Run) error {
			if r.Quick {
				return quick.run(ctx, r)
			}
			return full.run(ctx, r)
		},
	}
}

// sweep describes the measurements.
type sweep struct {
	sides       []int
	generations int // after the soup
	// independent realisations of one simulation; larger numbers of simulations have fewer, because each has many
	// seeds
	seeds      int
	density    float64
	energyTime float64             // seconds that measuring the energy takes, of whole devices
	known      map[[2]int]expected // by side and universes
}

var (
	full  = sweep{sides: Sides, generations: 100, seeds: 16, density: 0.5, energyTime: 0.6}
	quick = sweep{sides: []int{32, 64, 128}, generations: 20, seeds: 4, density: 0.5, energyTime: 0.3}
)

// run measures one universe on one core or multiprocessor, Many on whole devices, then Thousands on a GPU.
func (s sweep) run(ctx context.Context, r *experiment.Run) error {
	s.known = map[[2]int]expected{}
	clock := gigahertz(CoreClock())
	device, err := r.GPU()
	if err != nil {
		return err
	}
	for _, universes := range []int{1, Many} {
		for _, side := range s.sides {
			c := Config{L: side, Universes: universes, Connectivity: 8}
			if side <= Most16 {
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
			continue // three sides are enough, and soups take time
		}
		c := Config{L: side, Universes: Thousands, Connectivity: 8}
		if err := s.measureMultiprocessors(ctx, r, c, device); err != nil {
			return err
		}
	}
	return nil
}

// measureCores measures the paper's method and Gosper's own on the CPU.
func (s sweep) measureCores(ctx context.Context, r *experiment.Run, c Config, clock float64) error {
	cores := runtime.GOMAXPROCS(0)
	name := fmt.Sprintf("%d cores of %s", cores, processorName())
	if c.Universes == 1 {
		cores, name = 1, "one core of "+processorName()
	}
	p := experiment.Parameters{ParameterClock: clock, ParameterUnits: cores}
	m := experiment.Measurement{Method: MethodCPU, Device: name}
	err := s.measure(ctx, r, m, c, p, func() (seeded, error) {
		sims, err := OpenCPU(c, cores)
		return published{sims, c.L}, err
	})
	if err != nil || r.Engine != sim.Auto && r.Engine != "cpu" {
		return err
	}
	return s.measureGosper(ctx, r, experiment.Measurement{Device: name}, c, p, "cpu", cores)
}

// processorName returns the name of the processor, shortened for figures.
func processorName() string {
	name := cmp.Or(host.ThisMachine().CPU, "an unknown processor")
	for _, noise := range []string{"(R)", "(TM)", " Processor", " CPU"} {
		name = strings.ReplaceAll(name, noise, "")
	}
	return name
}

// measureMultiprocessors measures the paper's method with one row of threads, with more, up to the largest possible
// number, and Gosper's own engine on a GPU.
func (s sweep) measureMultiprocessors(ctx context.Context, r *experiment.Run, c Config, device *gpu.Device) error {
	p := experiment.Parameters{
		ParameterClock: gigahertz(float64(device.ClockKHz) * 1e3),
		ParameterUnits: device.Multiprocessors, ParameterShared: device.SharedBlockBytes,
	}
	threads := RowsOfThreads(c.L)
	if c.Universes > Many {
		threads = threads[len(threads)-1:]
	}
	for _, c.Rows = range threads {
		p[ParameterRows] = c.Rows
		if c.Rows == DefaultRows(c.L) {
			p[ParameterRows] = RowsMost
		}
		m := experiment.Measurement{Method: MethodGPU, Device: device.Name}
		err := s.measure(ctx, r, m, c, p, func() (seeded, error) {
			sims, err := OpenGPU(device, c)
			return published{sims, c.L}, err
		})
		if err != nil {
			return err
		}
	}
	if r.Engine != sim.Auto && r.Engine != "cuda" {
		return nil
	}
	delete(p, ParameterRows)
	return s.measureGosper(ctx, r, experiment.Measurement{Device: device.Name}, c, p, "cuda", 0)
}

// gigahertz rounds a clock for printing.
func gigahertz(hertz float64) float64 { return math.Round(hertz/1e7) / 100 }

// seeded has simulations that load soups of consecutive seeds.
type seeded interface {
	experiment.Stepper
	soups(ctx context.Context, first uint64, density float64) error
}

// measure measures simulations of one side over soups of independent seeds.
func (s sweep) measure(
	ctx context.Context, r *experiment.Run, m experiment.Measurement, c Config, p experiment.Parameters,
	open func() (seeded, error),
) error {
	g, err := grid.New(c.L, c.L, 1)
	if err != nil || !r.Wants(m.Method) {
		return err
	}
	p[ParameterUniverses] = c.Universes
	m.Parameters, m.Width, m.Height = p.String(), int64(c.L), int64(c.L)
	realisations, energyTime := s.seeds, s.energyTime
	if c.L != compareSide {
		energyTime = 0
	}
	switch c.Universes {
	case 1:
		energyTime = 0 // one core or multiprocessor: meters are of whole devices
	case Many:
		realisations = max(2, s.seeds/4)
	default:
		realisations = 2
	}
	var method seeded
	protocol := experiment.Protocol{
		EnergyTime: energyTime, Settles: true,
		Universes: c.Universes, Generations: s.generations, Least: realisations, Most: realisations,
		Before: func(realisation int) error {
			return method.soups(ctx, uint64((realisation+1)*c.Universes), s.density)
		},
	}
	return r.Measure(ctx, m, g, protocol, func() (experiment.Stepper, error) {
		var err error
		method, err = open()
		return method, err
	}, func(experiment.Stepper) (int, error) { return s.sameClusters(ctx, method, c) })
}

// comparedGenerations is the number of generations whose clusters are compared.
const comparedGenerations = 3

// expected has the results of Gosper's own batches in the first generations of simulations.
type expected struct {
	clusters []uint64   // of all universes and generations, by size
	cells    *grid.Grid // of the first universe at the end
}

// sameClusters checks one of the paper's methods. In the first generations, the clusters of all universes,
// counted by size, must be those that Gosper's own batches find. At the end, so must the cells of the first
// universe.
func (s sweep) sameClusters(ctx context.Context, method seeded, c Config) (int, error) {
	sims, ok := method.(published)
	if !ok {
		return 0, nil // Gosper's own
	}
	key := [2]int{c.L, c.Universes}
	want, ok := s.known[key]
	if !ok {
		var err error
		if want, err = s.expect(ctx, c); err != nil {
			return 0, err
		}
		s.known[key] = want
	}
	return comparedGenerations, s.compare(ctx, sims, want, c)
}

// expect returns the results of Gosper's own batches.
func (s sweep) expect(ctx context.Context, c Config) (want expected, err error) {
	life, err := rule.Parse(experiment.Life)
	if err != nil {
		return want, err
	}
	b, err := batch.Open(ctx, sim.Auto, batch.Config{
		Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: c.L, H: c.L}, Universes: c.Universes,
	})
	if err != nil {
		return want, err
	}
	own := &batched{ctx: ctx, b: b, n: c.Universes}
	defer func() { err = errors.Join(err, own.Close()) }()
	if err := own.soups(ctx, 1, s.density); err != nil {
		return want, err
	}
	want.clusters = make([]uint64, c.L*c.L+1)
	for range comparedGenerations {
		if err := own.Step(1); err != nil {
			return want, err
		}
		own.count(want.clusters)
	}
	if want.cells, err = grid.New(c.L, c.L, 1); err != nil {
		return want, err
	}
	return want, own.Store(want.cells)
}

// compare compares simulations with the expected results.
func (s sweep) compare(ctx context.Context, sims published, want expected, c Config) error {
	got := make([]uint64, len(want.clusters))
	cells, err := grid.New(c.L, c.L, 1)
	if err != nil {
		return err
	}
	for _, step := range []func() error{
		func() error { return sims.soups(ctx, 1, s.density) },
		func() error { return sims.Histogram(make([]uint64, len(got))) }, // drop earlier counts
		func() error { return sims.Step(comparedGenerations) },
		func() error { return sims.Histogram(got) },
		func() error { return sims.Store(cells) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	for size, n := range want.clusters {
		if got[size] != n {
			return fmt.Errorf("%d clusters of %d cells in %d generations of %d universes of %d², Gosper's own batches find %d",
				got[size], size, comparedGenerations, c.Universes, c.L, n)
		}
	}
	x, y, differ, err := grid.FirstDifference(cells, want.cells)
	if err == nil && differ {
		err = fmt.Errorf(
			"after %d generations cell (%d, %d) of the first of %d universes of %d² is %d, Gosper's own batches have %d",
			comparedGenerations, x, y, c.Universes, c.L, cells.Get(x, y), want.cells.Get(x, y))
	}
	return err
}

// measureGosper measures Gosper's own batches, which find the clusters of all universes after each generation. A
// batch that adds them up where its cells are does so, because the paper asks for averages.
func (s sweep) measureGosper(
	ctx context.Context, r *experiment.Run, m experiment.Measurement, c Config, p experiment.Parameters, engine string,
	threads int,
) error {
	life, err := rule.Parse(experiment.Life)
	if err != nil {
		return err
	}
	p[experiment.ParameterEngine] = engine
	m.Method = experiment.MethodGosper
	return s.measure(ctx, r, m, c, p, func() (seeded, error) {
		b, err := batch.Open(ctx, engine, batch.Config{
			Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: c.L, H: c.L}, Universes: c.Universes,
			Threads: threads,
		})
		return &batched{ctx: ctx, b: b, n: c.Universes}, err
	})
}

// published has simulations by the paper's method. The wall clock times their steps on every device, because
// cores and multiprocessors are compared.
type published struct {
	Simulations
	side int
}

func (s published) soups(ctx context.Context, first uint64, density float64) error {
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

// batched has simulations by one of Gosper's batches.
type batched struct {
	ctx      context.Context
	b        batch.Batch
	n        int
	clusters batch.Histograms
	sums     []batch.Sums // of the last generations; empty if clusters has those of the last one
}

func (s *batched) soups(ctx context.Context, first uint64, density float64) error {
	all := make([]batch.Soup, s.n)
	for i := range all {
		all[i] = batch.Soup{Seed: first + uint64(i), Density: density}
	}
	return s.b.Fill(ctx, all)
}

func (s *batched) Load(g *grid.Grid) error { return s.b.Write(0, g) }

// Step advances all universes and counts their clusters after each generation. If the batch can take
// many samples at once, it does.
func (s *batched) Step(n int) error {
	sampler, ok := s.b.(batch.Sampler)
	s.sums = slices.Grow(s.sums[:0], n)[:n]
	if ok && n > 0 {
		var err error
		if ok, err = sampler.Samples(s.ctx, component.Eight, slices.Repeat([]uint64{1}, n), s.sums); ok || err != nil {
			return err
		}
	}
	s.sums = s.sums[:0]
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

// count adds the clusters of all universes in this generation to counts by size.
func (s *batched) count(counts []uint64) {
	if len(s.sums) > 0 {
		for _, r := range s.sums[len(s.sums)-1].Sizes {
			counts[r.Size] += r.Clusters
		}
		return
	}
	for i := range s.n {
		for _, n := range s.clusters.Of(i) {
			counts[n.Size] += uint64(n.Count)
		}
	}
}

func (s *batched) Store(g *grid.Grid) error { return s.b.Read(0, g) }

func (s *batched) Close() error { return s.b.Close() }
