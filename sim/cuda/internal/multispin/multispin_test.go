//go:build linux

package multispin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/topology"
)

// onHost runs batches on the host.
func onHost(t *testing.T) batch.Opener {
	return func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
		return newOn(&gputest.Driver{Machine: cudatest.Open(t, "../labels/testdata/host.cpp")}, cfg)
	}
}

func newOn(d *gputest.Driver, cfg batch.Config) (batch.Batch, error) {
	devs, err := d.Open(1)
	if err != nil {
		return nil, err
	}
	return newUniverses(devs[0], cfg, nil, 4)
}

func TestBatchKernels(t *testing.T) {
	batchtest.Run(t, onHost(t), batchtest.Options{Slow: true})
}

// TestSamplesApart advances and samples universes in launches of their own, because not all are on the device at once.
func TestSamplesApart(t *testing.T) {
	apart := 0
	open := func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		b, err := onHost(t)(ctx, cfg)
		if err != nil {
			return nil, err
		}
		u := b.(*universes)
		u.dev.Multiprocessors, u.dev.SharedBytes = 1, 0
		for _, l := range u.labellers {
			if !u.fused(l, []uint64{1, 2}) {
				apart++
			}
		}
		return b, nil
	}
	for _, c := range []component.Connectivity{component.Four, component.Eight} {
		one := batchtest.Case{
			Rule: "B3/S23", Topology: "T64,64", Universes: 3, Percent: 40, Steps: []uint64{1, 5},
			Connectivity: c,
		}
		if err := batchtest.Check(t.Context(), open, one); err != nil {
			t.Error(err)
		}
	}
	if apart != 4 {
		t.Errorf("%d of 4 labellers sample apart", apart)
	}
}

// TestSharedWords has as many warps as a GPU has, and more threads than words: they share words.
func TestSharedWords(t *testing.T) {
	parts := map[string]int{"T32,32": 16, "T31,32": 16, "T48,48": 8, "T64,64": 8, "T20,20": 8, "T7,6": 8, "T64,127": 4}
	for suffix, want := range parts {
		open := func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
			devs, err := (&gputest.Driver{Machine: cudatest.Open(t, "../labels/testdata/host.cpp")}).Open(1)
			if err != nil {
				return nil, err
			}
			b, err := New(devs[0], cfg, nil)
			if err != nil {
				return nil, err
			}
			for c, l := range b.(*universes).labellers {
				if l.parts != want {
					t.Errorf("%s: %d parts of a word for %v, want %d", suffix, l.parts, c, want)
				}
			}
			return b, nil
		}
		for _, c := range []component.Connectivity{component.Four, component.Eight} {
			one := batchtest.Case{
				Rule: "B3/S23", Topology: suffix, Universes: 2, Percent: 50, Steps: []uint64{1, 3}, Connectivity: c,
			}
			if err := batchtest.Check(t.Context(), open, one); err != nil {
				t.Error(err)
			}
		}
	}
}

// On a device whose shared memory holds the labels of small universes only.
func TestBatchLabelledByHost(t *testing.T) {
	open := func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
		return newOn(&gputest.Driver{Machine: cudatest.Open(t, "../labels/testdata/host.cpp"), SharedBytes: 4 << 10}, cfg)
	}
	for _, suffix := range []string{"T20,20", "T64,64"} {
		c := batchtest.Case{Rule: "B3/S23", Topology: suffix, Universes: 3, Percent: 40, Steps: []uint64{1, 5}}
		if err := batchtest.Check(t.Context(), open, c); err != nil {
			t.Error(err)
		}
	}
}

// A rule whose sums drift sideways from row to row.
func TestBatchDrifts(t *testing.T) {
	for _, suffix := range []string{"T40,32", "T33,20"} {
		c := batchtest.Case{
			Rule: "R8,C0,M0,S40..70,B45..60,NN", Topology: suffix, Universes: 2, Percent: 40,
			Steps: []uint64{1, 2},
		}
		if err := batchtest.Check(t.Context(), onHost(t), c); err != nil {
			t.Error(err)
		}
	}
}

// Rules with chance, in lanes of one row, of several, and of fewer in the last one.
func TestBatchChance(t *testing.T) { batchChance(t, onHost(t)) }

func TestGPUBatchChance(t *testing.T) {
	needsGPU(t)
	batchChance(t, onGPU)
}

func batchChance(t *testing.T, open batch.Opener) {
	for i, suffix := range []string{"T40,32", "T64,64", "T70,34", "T30,70", "T2,2", "T130,10"} {
		for _, rule := range []string{
			"Ising~T=2.5", "Ising~T=2.3,frozen=0.02", "B3/S23~dead=0.2,frozen=0.1", "B3/S23~checkerboard",
			"B3/S23~flip=0.001,seed=9", "B36/S23~async=0.5,set1=0.02,set0=0.01", "PM/0.2,0.7/1,0.01,0.5~flip=0.4",
		} {
			c := batchtest.Case{Rule: rule, Topology: suffix, Universes: 2 + i%2, Percent: 40, Steps: []uint64{1, 4}}
			if err := batchtest.Check(t.Context(), open, c); err != nil {
				t.Errorf("%s on %s: %v", rule, suffix, err)
			}
		}
	}
}

// needsGPU skips a test if there is no GPU.
func needsGPU(t testing.TB) {
	t.Helper()
	d, err := gpu.Open(0)
	if errors.As(err, new(*gpu.Unavailable)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	gpu.CloseAll([]*gpu.Device{d})
}

func onGPU(_ context.Context, cfg batch.Config) (batch.Batch, error) {
	d, err := gpu.Open(0)
	if err != nil {
		return nil, err
	}
	return New(d, cfg, nil)
}

func TestGPUBatches(t *testing.T) {
	needsGPU(t)
	batchtest.Run(t, onGPU, batchtest.Options{})
}

// BenchmarkBatch does the work of ensembles: it runs the universes of a batch for 1,000 generations, with cluster
// histograms every 10. It also measures the parts alone.
func BenchmarkBatch(b *testing.B) {
	needsGPU(b)
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	for _, side := range []int{32, 64, 128, 256} {
		cfg := batch.Config{
			Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: side, H: side},
			Universes: 10_000 * 128 * 128 / (side * side),
		}
		u, err := onGPU(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		soups := make([]batch.Soup, cfg.Universes)
		for i := range soups {
			soups[i] = batch.Soup{Seed: uint64(i), Density: 0.5}
		}
		var h batch.Histograms
		must := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		cells := float64(cfg.Universes) * float64(side*side)
		time := func(name string, generations int, before, work func()) {
			b.Run(fmt.Sprintf("%d/%s", side, name), func(b *testing.B) {
				for b.Loop() {
					b.StopTimer()
					must(u.Fill(b.Context(), soups))
					before()
					b.StartTimer()
					work()
				}
				b.ReportMetric(cells*float64(generations)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
			})
		}
		for _, c := range []component.Connectivity{component.Four, component.Eight} {
			time(fmt.Sprintf("steps and clusters, %v-connected", c), 1000, func() {}, func() {
				for range 100 {
					must(u.Step(b.Context(), 10))
					must(u.Clusters(b.Context(), c, &h))
				}
			})
			var sums [100]batch.Sums
			time(fmt.Sprintf("samples, %v-connected", c), 1000, func() {}, func() {
				_, err := u.(batch.Sampler).Samples(b.Context(), c, slices.Repeat([]uint64{10}, len(sums)), sums[:])
				must(err)
			})
			for _, after := range []uint64{0, 1, 100, 1000} {
				time(fmt.Sprintf("clusters at %d, %v-connected", after, c), 1, func() { must(u.Step(b.Context(), after)) }, func() {
					must(u.Clusters(b.Context(), c, &h))
				})
			}
		}
		time("steps of 10", 1000, func() {}, func() {
			for range 100 {
				must(u.Step(b.Context(), 10))
			}
		})
		time("a step of 1000", 1000, func() {}, func() { must(u.Step(b.Context(), 1000)) })
		time("fill", 1, func() {}, func() { must(u.Fill(b.Context(), soups)) })
		d := u.(*universes)
		for name, k := range d.kernels {
			b.Logf("%d: kernel %s: %d registers, %d bytes spilled, %d warps a multiprocessor", side, name, k.Registers,
				k.Spilled, k.Resident)
		}
		must(u.Close())
	}
}

// BenchmarkFew advances few small universes by 100 generations and finds their clusters after each: with a histogram
// of each universe, with samples that are taken at once, and only the work of these on the device. Blocks have at most
// 16 or 32 warps.
func BenchmarkFew(b *testing.B) {
	needsGPU(b)
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	must := func(err error) {
		if err != nil {
			b.Fatal(err)
		}
	}
	steps := slices.Repeat([]uint64{1}, 100)
	var sums [100]batch.Sums
	for _, side := range []int{16, 32, 64, 128, 240} {
		for _, n := range []int{1, 100, 1000, 10_000} {
			for _, warps := range []int{16, 32} {
				d, err := gpu.Open(0)
				must(err)
				t := topology.Topology{Kind: topology.Torus, W: side, H: side}
				u, err := newUniverses(d, batch.Config{Rule: r, Topology: t, Universes: n}, nil, warps)
				must(err)
				soups := make([]batch.Soup, n)
				for i := range soups {
					soups[i] = batch.Soup{Seed: uint64(i), Density: 0.5}
				}
				var h batch.Histograms
				run := func(name string, work func() error) {
					b.Run(fmt.Sprintf("%d/%d/%d/%s", side, n, warps, name), func(b *testing.B) {
						for b.Loop() {
							b.StopTimer()
							must(u.Fill(b.Context(), soups))
							b.StartTimer()
							must(work())
						}
						b.ReportMetric(1e6*b.Elapsed().Seconds()/float64(b.N*len(steps)), "µs/generation")
					})
				}
				c := component.Eight
				samples := func() error {
					_, err := u.Samples(b.Context(), c, steps, sums[:])
					return err
				}
				must(samples()) // this loads kernels and allocates memory
				run("samples", samples)
				run("device", func() error {
					return u.dev.Do(func() error {
						l := u.labellers[c]
						s, err := u.sampler(l)
						for i := 0; i < len(steps) && err == nil; i += s.most {
							some := steps[i:min(i+s.most, len(steps))]
							err = errors.Join(u.dev.Clear(s.at, headBytes), u.launchSamples(b.Context(), l, c, s, some))
						}
						return errors.Join(err, u.dev.Wait())
					})
				})
				run("histograms", func() error {
					for range steps {
						if err := errors.Join(u.Step(b.Context(), 1), u.Clusters(b.Context(), c, &h)); err != nil {
							return err
						}
					}
					return nil
				})
				for name, k := range u.kernels {
					b.Logf("%d/%d/%d: kernel %s: %d registers, %d bytes spilled, %d blocks of %d warps a multiprocessor", side, n,
						warps, name, k.Registers, k.Spilled, k.Resident, u.labellers[c].warps)
				}
				must(u.Close())
			}
		}
	}
}
