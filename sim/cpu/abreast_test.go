package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	batches "github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/topology"
)

// Universes side by side by every code of this machine, however few they are.
func TestAbreast(t *testing.T) {
	for _, code := range []Code{Portable, AVX2, AVX512} {
		t.Run(string(code), func(t *testing.T) {
			if err := code.available(); err != nil {
				t.Skip(err)
			}
			open := func(ctx context.Context, cfg batches.Config) (batches.Batch, error) {
				if !abreastTopology(cfg.Topology) {
					return nil, &sim.Unsupported{Engine: "cpu", What: cfg.Topology.String()}
				}
				cfg.Threads = 3
				return newGroups(cfg, code)
			}
			batchtest.Run(t, open, batchtest.Options{Slow: true, Fixed: code != fastestCode()})
			for i, c := range []batchtest.Case{
				{Rule: "B3/S23", Topology: "P40,33", Universes: 3, Percent: 40, Steps: []uint64{1, 7}},
				{Rule: "B0/S8", Topology: "P9,5", Universes: 3, Percent: 40, Steps: []uint64{1, 3}},
				{Rule: "345/2/7", Topology: "T33,20", Universes: 70, Percent: 40, Steps: []uint64{1, 7}},
				{Rule: "B3/S23", Topology: "T16,16", Universes: 1300, Percent: 40, Steps: []uint64{1, 20}},
				{Rule: "R5,C0,M1,S34..58,B34..45,NM", Topology: "P20,30", Universes: 3, Percent: 40, Steps: []uint64{2}},
			} {
				c.Seed = uint64(i)
				if err := batchtest.Check(t.Context(), open, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// What batches have for every topology.
func TestBatchOnEngines(t *testing.T) {
	open := func(ctx context.Context, cfg batches.Config) (batches.Batch, error) {
		return batches.OnEngines(ctx, Open, cfg)
	}
	batchtest.Run(t, open, batchtest.Options{Slow: true, Fixed: true})
	for _, suffix := range []string{"K20,30", "C30,20", "S20", "T30,20+3", "P7,9"} {
		c := batchtest.Case{Rule: "B3/S23", Topology: suffix, Universes: 3, Percent: 40, Steps: []uint64{1, 7}}
		if err := batchtest.Check(t.Context(), OpenBatch, c); err != nil {
			t.Error(err)
		}
	}
}

func TestAbreastPays(t *testing.T) {
	for _, c := range []struct {
		side, universes int
		want            bool
	}{{32, 10, false}, {32, 100, true}, {128, 20, false}, {128, 512, true}, {128, 10_000, true}, {1024, 64, false}, {4096, 512, false}} {
		torus := topology.Topology{Kind: topology.Torus, W: c.side, H: c.side}
		if got := abreastPays(torus, c.universes, AVX512); got != c.want {
			t.Errorf("%d universes of %d²: %v, want %v", c.universes, c.side, got, c.want)
		}
	}
}

// BenchmarkBatch is what ensembles do, on one core.
func BenchmarkBatch(b *testing.B) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	for _, side := range []int{32, 64, 128, 256} {
		const universes = 512
		cfg := batches.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: side, H: side}, Universes: universes, Threads: 1}
		u, err := OpenBatch(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		soups := make([]batches.Soup, universes)
		for i := range soups {
			soups[i] = batches.Soup{Seed: uint64(i), Density: 0.5}
		}
		var h batches.Histograms
		must := func(err error) {
			if err != nil {
				b.Fatal(err)
			}
		}
		run := func(name string, generations int, work func()) {
			b.Run(fmt.Sprintf("%d/%s", side, name), func(b *testing.B) {
				must(u.Fill(b.Context(), soups))
				must(u.Step(b.Context(), 100))
				for b.Loop() {
					work()
				}
				b.ReportMetric(universes*float64(side*side)*float64(generations)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
			})
		}
		run("steps and clusters", 1000, func() {
			must(u.Fill(b.Context(), soups))
			for range 100 {
				must(u.Step(b.Context(), 10))
				must(u.Clusters(b.Context(), component.Eight, &h))
			}
		})
		run("step", 10, func() { must(u.Step(b.Context(), 10)) })
		run("clusters", 1, func() { must(u.Clusters(b.Context(), component.Eight, &h)) })
		run("fill", 1, func() { must(u.Fill(b.Context(), soups)) })
		b.Log(u.Info().Plan)
	}
}
