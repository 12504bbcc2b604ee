package worker

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	_ "github.com/gosper-life/gosper/sim/cuda"
	"github.com/gosper-life/gosper/topology"
)

// enginesSpecs are small universes of every kind that engines treat differently.
var enginesSpecs = []ensemble.Spec{
	{
		Rules: []string{"life"}, Sizes: []string{"32"}, Densities: ensemble.Densities{0.3}, Universes: 6,
		Measures: []string{"settling", "entropy"}, Cap: 128,
	},
	{Rules: []string{"highlife"}, Sizes: []string{"128"}, Universes: 2, Measures: []string{"clusters", "activity"}},
	{Rules: []string{"life"}, Sizes: []string{"33x20"}, Universes: 520, PerJob: 520, Measures: []string{"clusters"}},
	{
		Rules: []string{"B2/S345/4"}, Sizes: []string{"P40,50"}, Densities: ensemble.Densities{0.2}, Universes: 2,
		Measures: []string{"clusters", "activity"},
	},
	{
		Rules: []string{"R2,C0,M1,S3..8,B5..8,NM"}, Sizes: []string{"K30*,20"}, Universes: 2,
		Measures: []string{"clusters", "percolation"},
	},
}

// TestEnginesGiveTheSameBytes compares the results of every engine that runs here with those of the reference.
func TestEnginesGiveTheSameBytes(t *testing.T) {
	for _, spec := range enginesSpecs {
		spec.Generations, spec.Every = 20, 10
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			var want []byte
			for _, engine := range []string{"reference", "cpu", "cuda", "auto"} {
				if engine == "cuda" && !hasBatches(t, engine, study.Points[0]) {
					continue
				}
				r := Worker{Engine: engine}
				result, err := r.Run(t.Context(), j)
				if err != nil {
					t.Fatalf("%s: %v", engine, err)
				}
				got, err := result.Encode()
				if err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %s", study.Spec.Rules[0], r.Used)
				if want == nil {
					want = got
				} else if !bytes.Equal(want, got) {
					t.Errorf("%s on %s: %s differs from the reference", study.Spec.Rules[0], study.Spec.Sizes[0], r.Used)
				}
			}
		}
	}
}

// spanning is a batch that finds what clusters span, as a GPU's does.
type spanning struct {
	batch.Batch
	cells   *grid.Grid
	t       topology.Topology
	spanned *int
}

// Spans implements batch.Spanner.
func (s spanning) Spans(_ context.Context, c component.Connectivity, dst []component.Span) error {
	*s.spanned++
	for i := range dst {
		if err := s.Read(i, s.cells); err != nil {
			return err
		}
		found, err := component.Label(s.cells, s.t, c)
		if err != nil {
			return err
		}
		dst[i] = found.Span
	}
	return nil
}

// uncounted is for batches that take samples at once, but do not count cells.
type uncounted struct{}

func (uncounted) CanTally(int) bool                                         { return false }
func (uncounted) Remember(context.Context) error                            { return nil }
func (uncounted) Tally(context.Context, int, []batch.Tally, []uint32) error { return nil }

// sampling is a batch that takes samples at once, as a GPU's does.
type sampling struct {
	batch.Batch
	uncounted
	n     int
	taken *int
	able  bool
}

// Samples implements batch.Sampler.
func (s sampling) Samples(ctx context.Context, c component.Connectivity, steps []uint64, dst []batch.Sums) (bool,
	error,
) {
	if !s.able {
		return false, nil
	}
	var h batch.Histograms
	for k, n := range steps {
		if err := s.Step(ctx, n); err != nil {
			return true, err
		}
		if err := s.Clusters(ctx, c, &h); err != nil {
			return true, err
		}
		dst[k] = batch.Sums{Universes: make([]batch.UniverseSums, s.n)}
		for i := range s.n {
			dst[k].AddUniverse(i, h.Of(i))
		}
		*s.taken++
	}
	return true, nil
}

// TestBatchesThatSample compares the results of a batch that takes samples at once with those of one that takes
// them one by one, and holds when it is asked to.
func TestBatchesThatSample(t *testing.T) {
	taken, able := 0, true
	batch.Register("sampling", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		cfg.Shared = false
		b, err := batch.Open(ctx, "cpu", cfg)
		return sampling{b, uncounted{}, cfg.Universes, &taken, able}, err
	})
	for _, c := range []struct {
		change func(*ensemble.Spec)
		able   bool
		taken  int // samples
	}{
		{func(*ensemble.Spec) {}, true, 2 * 12},
		{func(*ensemble.Spec) {}, false, 0},
		{func(s *ensemble.Spec) { s.Densities = ensemble.Densities{0} }, true, 2 * 12},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "entropy") }, true, 0},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "activity") }, true, 0},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "percolation") }, true, 0},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "settling") }, true, 0},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "energy") }, true, 0},
		{func(s *ensemble.Spec) { s.Measures = append(s.Measures, "magnetisation") }, true, 2 * 12},
		{func(s *ensemble.Spec) { s.Measures = []string{"density"} }, true, 0},
		{func(s *ensemble.Spec) { s.Keep = true }, true, 0},
		{func(s *ensemble.Spec) { s.Rules = []string{"B2/S345/4"} }, true, 0},
	} {
		// There are enough universes for their samples to be taken in two parts.
		spec := ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"6"}, Densities: ensemble.Densities{0.6}, Generations: 22, Every: 2,
			Universes: 2 * (atOnce/8 + 1), PerJob: atOnce/8 + 1, Measures: []string{"clusters"},
		}
		if c.change(&spec); !c.able || c.taken == 0 {
			spec.Universes, spec.PerJob = 10, 10
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		taken, able = 0, c.able
		workers := map[string]*Worker{"cpu": {Engine: "cpu"}, "sampling": {Engine: "sampling"}}
		for j := range study.Jobs() {
			var want []byte
			for _, engine := range []string{"cpu", "sampling"} {
				result, err := workers[engine].Run(t.Context(), j)
				if err != nil {
					t.Fatal(err)
				}
				got, err := result.Encode()
				if err != nil {
					t.Fatal(err)
				}
				if want == nil {
					want = got
				} else if !bytes.Equal(want, got) {
					t.Errorf("%+v: other results", spec)
				}
			}
		}
		if taken != c.taken {
			t.Errorf("%+v: %d samples were taken at once, want %d", spec, taken, c.taken)
		}
		for _, w := range workers {
			w.Close()
		}
	}
}

// tallying is a batch that counts cells, neighbours and blocks, as a GPU's does.
type tallying struct {
	batch.Batch
	t             topology.Topology
	before        []*grid.Grid
	now           *grid.Grid
	counted, kept *int
}

// Samples implements batch.Sampler.
func (b *tallying) Samples(context.Context, component.Connectivity, []uint64, []batch.Sums) (bool, error) {
	return false, nil
}

// CanTally implements batch.Sampler.
func (b *tallying) CanTally(block int) bool { return block <= 2 }

// Remember implements batch.Sampler.
func (b *tallying) Remember(context.Context) error {
	*b.kept++
	for i, g := range b.before {
		if err := b.Read(i, g); err != nil {
			return err
		}
	}
	return nil
}

// Tally implements batch.Sampler.
func (b *tallying) Tally(_ context.Context, block int, dst []batch.Tally, patterns []uint32) error {
	*b.counted++
	clear(dst)
	clear(patterns)
	for i := range dst {
		if err := b.Read(i, b.now); err != nil {
			return err
		}
		at := func(x, y int) uint32 { return uint32(b.now.Get(x%b.t.W, y%b.t.H)) }
		v := &dst[i]
		for y := range b.t.H {
			for x := range b.t.W {
				is, was := at(x, y), uint32(b.before[i].Get(x, y))
				v.Live, v.Births, v.Deaths = v.Live+is, v.Births+(is&^was), v.Deaths+(was&^is)
				v.Unlike += (is ^ at(x+1, y)) + (is ^ at(x, y+1))
				pattern := 0
				for k := range block * block {
					pattern = pattern<<1 | int(at(x+k/block, y+k%block))
				}
				if block > 0 {
					patterns[i<<(block*block)+pattern]++
				}
			}
		}
	}
	return nil
}

// TestBatchesThatTally compares the results of a batch that counts cells, neighbours and blocks with those of one whose
// cells are read for that, and holds when it is asked to.
func TestBatchesThatTally(t *testing.T) {
	var counted, kept int
	batch.Register("tallying", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		b := &tallying{t: cfg.Topology, counted: &counted, kept: &kept}
		for range cfg.Universes + 1 {
			g, err := grid.New(cfg.Topology.W, cfg.Topology.H, 1)
			if err != nil {
				return nil, err
			}
			b.before = append(b.before, g)
		}
		b.now, b.before = b.before[0], b.before[1:]
		cfg.Shared = false
		var err error
		b.Batch, err = batch.Open(ctx, "cpu", cfg)
		return b, err
	})
	for _, c := range []struct {
		measures      []string
		block         int
		counted, kept int // calls
	}{
		{[]string{"activity"}, 0, 3, 2},
		{[]string{"entropy"}, 0, 3, 0},
		{[]string{"entropy"}, 1, 3, 0},
		{[]string{"entropy"}, 3, 0, 0},
		{[]string{"energy", "magnetisation"}, 0, 3, 0},
		{[]string{"activity", "entropy", "energy", "clusters"}, 2, 3, 2},
		{[]string{"activity", "settling"}, 0, 3, 2},
		{[]string{"activity", "correlation"}, 0, 0, 0},
		{[]string{"energy", "spreading"}, 0, 0, 0},
		{[]string{"activity", "percolation"}, 0, 0, 0},
		{[]string{"magnetisation"}, 0, 0, 0},
	} {
		spec := ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"24x20"}, Universes: 20, Generations: 20, Every: 10, Measures: c.measures,
			Block: c.block,
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			counted, kept = 0, 0
			sameAsProcessor(t, j, "tallying")
			if counted != c.counted || kept != c.kept {
				t.Errorf("%v: the batch counted %d times and kept cells %d times, want %d and %d", c.measures, counted, kept,
					c.counted, c.kept)
			}
		}
	}
}

// sameAsProcessor fails the test unless an engine gives the bytes that the processor gives for a job.
func sameAsProcessor(t *testing.T, j ensemble.Job, engine string) {
	t.Helper()
	var encoded [2][]byte
	for i, name := range []string{"cpu", engine} {
		result, err := (&Worker{Engine: name}).Run(t.Context(), j)
		if err == nil {
			encoded[i], err = result.Encode()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(encoded[0], encoded[1]) {
		t.Errorf("%v, measures %v: engine %s gives another result", j, j.Spec.Measures, engine)
	}
}

// TestBatchesThatSpan compares the results of a batch that finds what percolates with those of one whose cells
// are read for that: where nothing else needs cells, where something does, and where clusters are counted as
// well.
func TestBatchesThatSpan(t *testing.T) {
	spanned := 0
	batch.Register("spanning", func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		cells, err := grid.New(cfg.Topology.W, cfg.Topology.H, 1)
		if err != nil {
			return nil, err
		}
		cfg.Shared = false
		b, err := batch.Open(ctx, "cpu", cfg)
		return spanning{b, cells, cfg.Topology, &spanned}, err
	})
	for _, c := range []struct {
		measures []string
		asked    int // how often the batch is asked what is spanned
	}{{[]string{"percolation"}, 3}, {[]string{"percolation", "entropy"}, 3}, {[]string{"percolation", "clusters"}, 0}} {
		spec := ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"24"}, Densities: ensemble.Densities{0.6}, Universes: 20, Generations: 20,
			Every: 10, Measures: c.measures,
			Connectivity: 4,
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			spanned = 0
			sameAsProcessor(t, j, "spanning")
			if spanned != c.asked {
				t.Errorf("%v: the batch was asked %d times, want %d", c.measures, spanned, c.asked)
			}
		}
	}
}

// labelling is the reference with clusters of its own, as the GPU has.
type labelling struct {
	sim.Engine
	topology topology.Topology
	labelled *int
}

func (l labelling) Clusters(c component.Connectivity) (component.Clusters, error) {
	*l.labelled++
	return component.Label(l.Engine, l.topology, c)
}

// TestEnginesThatLabel compares the results of an engine that finds clusters itself with those of one that does not.
func TestEnginesThatLabel(t *testing.T) {
	labelled := 0
	sim.Register(sim.Scope{Engine: "labelling", Kinds: []rule.Kind{rule.KindCounting}},
		func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
			e, err := sim.Open(ctx, "reference", cfg)
			return labelling{e, cfg.Topology, &labelled}, err
		})
	for _, measures := range [][]string{
		{"clusters"},
		{"percolation"},
		{"clusters", "percolation"},
		{"clusters", "percolation", "entropy"},
	} {
		for _, r := range []string{"life", "B2/S345/4"} {
			spec := ensemble.Spec{
				Rules: []string{r}, Sizes: []string{"K30*,20"}, Densities: ensemble.Densities{0.4}, Universes: 3,
				Measures: measures, Generations: 20, Every: 10,
			}
			study, err := spec.Check()
			if err != nil {
				t.Fatal(err)
			}
			for j := range study.Jobs() {
				var want []byte
				for _, engine := range []string{"reference", "labelling"} {
					labelled = 0
					r := Worker{Engine: engine}
					result, err := r.Run(t.Context(), j)
					if err != nil {
						t.Fatal(err)
					}
					got, err := result.Encode()
					if err != nil {
						t.Fatal(err)
					}
					if engine == "reference" {
						want = got
						continue
					}
					if !bytes.Equal(want, got) {
						t.Errorf("%v of %s differ", measures, study.Spec.Rules[0])
					}
					if labelled != 9 {
						t.Errorf("%d of 9 samples were labelled by the engine", labelled)
					}
				}
			}
		}
	}
}

// hasBatches reports whether an engine runs many of these universes here.
func hasBatches(t testing.TB, engine string, at ensemble.Point) bool {
	t.Helper()
	b, err := batch.Open(context.Background(), engine, batch.Config{Rule: at.Rule, Topology: at.Topology, Universes: 2})
	var unsupported *sim.Unsupported
	if errors.As(err, &unsupported) {
		t.Log(err)
		return false
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	return true
}

// BenchmarkJob is a job of the size a GPU wants: 4096 universes of 128×128 for 1000 generations, clusters every 10.
func BenchmarkJob(b *testing.B) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"128"}, Universes: 4096, PerJob: 4096, Generations: 1000, Every: 10,
		Measures: []string{"clusters"},
	}
	study, err := spec.Check()
	if err != nil {
		b.Fatal(err)
	}
	for _, c := range []struct {
		engine string
		atOnce int
	}{{"cpu", 1}, {"cuda", 1}, {"cuda", 4}, {"cuda", 8}} {
		b.Run(fmt.Sprintf("%s/%d", c.engine, c.atOnce), func(b *testing.B) {
			if !hasBatches(b, c.engine, study.Points[0]) {
				b.Skip("no such engine here")
			}
			runners := make([]Worker, c.atOnce) // as those of a run, which keep their engines
			for b.Loop() {
				var wg sync.WaitGroup
				for i := range runners {
					r := &runners[i]
					r.Engine = c.engine
					wg.Go(func() {
						for j := range study.Jobs() {
							result, err := r.Run(b.Context(), j)
							if err == nil {
								_, err = result.Encode()
							}
							if err != nil {
								b.Error(err)
							}
						}
					})
				}
				wg.Wait()
			}
			for i := range runners {
				runners[i].Close()
			}
			b.ReportMetric(float64(c.atOnce)*4096*128*128*1000*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gcells/s")
		})
	}
}
