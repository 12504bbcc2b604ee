package playne

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/batch"
	_ "github.com/gosper-life/gosper/sim/cuda" // for batches
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
	"pgregory.net/rapid"
)

// opener makes simulations of some method.
type opener func(Config) (Simulations, error)

func onCPU(c Config) (Simulations, error) { return OpenCPU(c, 2) }

// onGPU opens simulations on the first GPU; without one the test is skipped.
func onGPU(t testing.TB, rows int) opener { return openerOn(papertest.GPU(t), rows) }

// openerOn opens simulations on a device.
func openerOn(d *gpu.Device, rows int) opener {
	return func(c Config) (Simulations, error) {
		c.Rows = min(rows, DefaultRows(c.L))
		return OpenGPU(d, c)
	}
}

func stepper(open opener) papertest.Opener {
	return func(w, h int) (experiment.Stepper, error) {
		if w != h {
			return nil, &experiment.SizeError{Method: "playne", Width: w, Height: h, Allowed: "the sides must be alike"}
		}
		return open(Config{L: w, Universes: 2, Connectivity: 8})
	}
}

func square(sides ...int) [][2]int {
	var sizes [][2]int
	for _, l := range sides {
		sizes = append(sizes, [2]int{l, l})
	}
	return sizes
}

func TestCPUAgreesWithReference(t *testing.T) {
	papertest.Run(t, papertest.Suite{
		Open: stepper(onCPU), Sizes: square(1, 2, 3, 5, 32, 63, 64, 65, 100, 181, 182), Steps: []int{1, 5},
		Refuse: append(square(Most32+1), [2]int{32, 33}),
	})
}

func TestGPUAgreesWithReference(t *testing.T) {
	for _, rows := range gpuRows {
		t.Run(fmt.Sprint("rows=", rows), func(t *testing.T) {
			t.Parallel() // the reference takes most of the time
			papertest.Run(t, papertest.Suite{
				Open:   stepper(onGPU(t, rows)),
				Sizes:  square(append([]int{1, 2, 3, 5, 31, 33, 63, 65, 90, 100, 127, 129, 180, 182, 200}, Sides...)...),
				Refuse: append(square(339, 1025), [2]int{32, 33}),
			})
		})
	}
}

// gpuRows are the rows of threads that are tested on a GPU: those of RowsOfThreads for all Sides, and two odd ones.
var gpuRows = []int{1, 2, 3, 4, 7, 8, 16, mostThreads}

// flood labels the live cells of a torus the naive way: from each cell that has no label yet, all cells that
// can be reached.
func flood(g *grid.Grid, connectivity int) (labels []uint32, histogram []uint64) {
	l := g.W()
	labels, histogram = make([]uint32, l*l), make([]uint64, l*l+1)
	for i := range labels {
		labels[i] = Dead
	}
	steps := [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}, {1, 1}, {1, -1}, {-1, 1}, {-1, -1}}[:connectivity]
	for i := range labels {
		if labels[i] != Dead || g.Get(i%l, i/l) == 0 {
			continue
		}
		labels[i] = uint32(i)
		size := 0
		for stack := []int{i}; len(stack) > 0; size++ {
			at := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			for _, d := range steps {
				x, y := (at%l+d[0]+l)%l, (at/l+d[1]+l)%l
				if n := y*l + x; labels[n] == Dead && g.Get(x, y) == 1 {
					labels[n] = uint32(i)
					stack = append(stack, n)
				}
			}
		}
		histogram[size]++
	}
	return labels, histogram
}

// checkClusters runs simulations of different soups and compares labels and histogram with the naive ones after
// each step.
func checkClusters(t rapid.TB, open opener, c Config, seed uint64, density float64, steps []int) {
	t.Helper()
	s, err := open(c)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	g, err := grid.New(c.L, c.L, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range c.Universes {
		if err := soup.Fill(context.Background(), g, c.L, c.L, seed+uint64(i), density, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.LoadOne(i, g); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range steps {
		if n > 1 {
			if err := s.Step(n - 1); err != nil {
				t.Fatal(err)
			}
			if err := s.Histogram(make([]uint64, c.L*c.L+1)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Step(1); err != nil {
			t.Fatal(err)
		}
		want, got := make([]uint64, c.L*c.L+1), make([]uint64, c.L*c.L+1)
		labels := make([]uint32, c.L*c.L)
		for i := range c.Universes {
			if err := s.StoreOne(i, g); err != nil {
				t.Fatal(err)
			}
			if err := s.Labels(i, labels); err != nil {
				t.Fatal(err)
			}
			naive, histogram := flood(g, c.Connectivity)
			for k := range naive {
				if labels[k] != naive[k] {
					t.Fatalf("%+v, seed %d, universe %d: label of cell (%d, %d) is %d, want %d",
						c, seed, i, k%c.L, k/c.L, labels[k], naive[k])
				}
			}
			for size, count := range histogram {
				want[size] += count
			}
		}
		if err := s.Histogram(got); err != nil {
			t.Fatal(err)
		}
		for size := range want {
			if got[size] != want[size] {
				t.Fatalf("%+v, seed %d: %d clusters of %d cells, want %d", c, seed, got[size], size, want[size])
			}
		}
	}
}

func TestCPUClusters(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			L: rapid.IntRange(1, 40).Draw(t, "side"), Universes: rapid.IntRange(1, 3).Draw(t, "universes"),
			Connectivity: rapid.SampledFrom([]int{4, 8}).Draw(t, "connectivity"),
		}
		checkClusters(t, onCPU, c, rapid.Uint64().Draw(t, "seed"), rapid.Float64Range(0, 1).Draw(t, "density"), []int{1, 3})
	})
	checkClusters(t, onCPU, Config{L: 190, Universes: 1, Connectivity: 8}, 1, 0.5, []int{2})
}

func TestGPUClusters(t *testing.T) {
	for _, rows := range gpuRows {
		t.Run(fmt.Sprint("rows=", rows), func(t *testing.T) {
			t.Parallel()
			open := onGPU(t, rows)
			for i, l := range []int{1, 2, 3, 31, 32, 33, 64, 90, 128, 150, 181, 182, 240} {
				for _, connectivity := range []int{4, 8} {
					checkClusters(t, open, Config{L: l, Universes: 5, Connectivity: connectivity}, uint64(i), 0.55, []int{1, 3, 50})
				}
			}
		})
	}
}

// TestPublishedClusters compares with testdata/clusters.tsv, which a brute-force program that is not Gosper has
// made: soups of B3/S23 on a torus, and their clusters.
func TestPublishedClusters(t *testing.T) {
	checkPublished(t, onCPU)
}

func TestPublishedClustersOnGPU(t *testing.T) {
	checkPublished(t, onGPU(t, 1024))
}

func checkPublished(t *testing.T, open opener) {
	file, err := os.Open("testdata/clusters.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	checked := 0
	for lines := bufio.NewScanner(file); lines.Scan(); {
		f := strings.Split(lines.Text(), "\t")
		if strings.HasPrefix(f[0], "#") || f[0] == "W" {
			continue
		}
		number := func(i int) int {
			n, err := strconv.Atoi(f[i])
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		density, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		l, generation := number(0), number(4)
		s, err := open(Config{L: l, Universes: 1, Connectivity: number(7)})
		if err != nil {
			t.Log(err) // too large for a multiprocessor
			continue
		}
		g, err := grid.New(l, l, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), g, l, l, uint64(number(2)), density, 1, nil); err != nil {
			t.Fatal(err)
		}
		histogram := make([]uint64, l*l+1)
		for _, err := range []error{s.Load(g), s.Step(generation - 1), s.Histogram(histogram), s.Step(1), s.Store(g)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		clear(histogram)
		if err := s.Histogram(histogram); err != nil {
			t.Fatal(err)
		}
		var sizes []string
		for size, count := range histogram {
			if count > 0 {
				sizes = append(sizes, fmt.Sprintf("%d:%d", size, count))
			}
		}
		if got := strings.Join(sizes, " "); got != f[11] || int(g.Population()) != number(5) {
			t.Errorf("%s: population %d, clusters %s", lines.Text(), g.Population(), got)
		}
		checked++
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if checked == 0 {
		t.Error("nothing was compared")
	}
}

func TestCapacities(t *testing.T) {
	for _, c := range []struct{ bytes, bits, want int }{
		{16 << 10, 1, 361}, {48 << 10, 1, 626}, // printed: about 360 and 620
		{16 << 10, 16, 89}, {48 << 10, 16, 155}, // printed: about 90 and 150
		{227 << 10, 1, 1362}, {227 << 10, 16, 181}, {227 << 10, 32, 240},
	} {
		if got := Capacity(c.bytes, c.bits); got != c.want {
			t.Errorf("%d bytes hold a side of %d cells of %d bits, want %d", c.bytes, got, c.bits, c.want)
		}
	}
}

func TestRefusals(t *testing.T) {
	for _, c := range []Config{
		{L: 0, Universes: 1, Connectivity: 8},
		{L: 5, Connectivity: 8},
		{L: 5, Universes: 1, Connectivity: 6},
	} {
		if _, err := OpenCPU(c, 1); err == nil {
			t.Errorf("%+v is not refused", c)
		}
	}
	s, err := OpenCPU(Config{L: 5, Universes: 1, Connectivity: 8}, 1)
	if err != nil {
		t.Fatal(err)
	}
	g, _ := grid.New(5, 6, 1)
	if s.Load(g) == nil || s.Store(g) == nil {
		t.Error("a grid of another size is not refused")
	}
}

// load gives simulations soups of different seeds.
func load(t testing.TB, s Simulations, l int) {
	g, err := grid.New(l, l, 1)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Universes() {
		if err := soup.Fill(t.Context(), g, l, l, uint64(i), 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		if err := s.LoadOne(i, g); err != nil {
			t.Fatal(err)
		}
	}
}

// BenchmarkGeneration is a generation of all simulations, labels and histogram included, in the hundred after a soup.
func BenchmarkGeneration(b *testing.B) {
	for _, universes := range []int{1, Many} {
		for _, l := range []int{64, 128, 150, 181, 240} {
			run := func(name string, open opener) {
				b.Run(fmt.Sprintf("universes=%d/L=%d/%s", universes, l, name), func(b *testing.B) {
					s, err := open(Config{L: l, Universes: universes, Connectivity: 8})
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					const generations = 100
					done := generations
					for b.Loop() {
						if done == generations {
							b.StopTimer()
							load(b, s, l)
							b.StartTimer()
							done = 0
						}
						done += 20
						if err := s.Step(20); err != nil {
							b.Fatal(err)
						}
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e6/20/float64(b.N), "µs/generation")
				})
			}
			run("cpu", func(c Config) (Simulations, error) { return OpenCPU(c, 0) })
			for _, rows := range []int{1, 2, 4, mostThreads} {
				run(fmt.Sprintf("gpu,rows=%d", rows), func(c Config) (Simulations, error) { return onGPU(b, rows)(c) })
			}
		}
	}
}

// BenchmarkEnsemble is a generation of all simulations as in BenchmarkGeneration, by the method of 2013 and by Gosper's
// batches on the same GPU.
func BenchmarkEnsemble(b *testing.B) {
	const generations, mostCells = 100, 1 << 28
	device := papertest.GPU(b)
	life, err := rule.Parse(experiment.Life)
	if err != nil {
		b.Fatal(err)
	}
	for _, l := range []int{16, 32, 48, 64, 80, 96, 112, 128, 181, 240} {
		for n := 1; n <= 100_000 && n*l*l <= mostCells; n *= 10 {
			run := func(name string, open func() (seeded, error)) {
				b.Run(fmt.Sprintf("L=%d/universes=%d/%s", l, n, name), func(b *testing.B) {
					s, err := open()
					if err != nil {
						b.Fatal(err)
					}
					defer s.Close()
					must := func(err error) {
						if err != nil {
							b.Fatal(err)
						}
					}
					must(s.soups(b.Context(), 1, 0.5))
					must(s.Step(generations)) // this loads kernels and allocates memory
					for b.Loop() {
						b.StopTimer()
						must(s.soups(b.Context(), 1, 0.5))
						b.StartTimer()
						must(s.Step(generations))
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e6/generations/float64(b.N), "µs/generation")
				})
			}
			run("2013", func() (seeded, error) {
				s, err := OpenGPU(device, Config{L: l, Universes: n, Connectivity: 8})
				return published{s, l}, err
			})
			run("gosper", func() (seeded, error) {
				o, err := batch.Open(b.Context(), "cuda", batch.Config{
					Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: l, H: l}, Universes: n,
				})
				return &batched{ctx: b.Context(), b: o, n: n}, err
			})
		}
	}
}
