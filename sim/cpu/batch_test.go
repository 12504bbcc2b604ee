package cpu

import (
	"context"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/topology"
)

// What batches have for every topology.
func TestBatchOnEngines(t *testing.T) {
	open := func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
		return batch.OnEngines(ctx, Open, cfg)
	}
	batchtest.Run(t, open, batchtest.Options{Slow: true, Fixed: true})
	for _, suffix := range []string{"K20,30", "C30,20", "S20", "T30,20+3", "P7,9"} {
		c := batchtest.Case{Rule: "B3/S23", Topology: suffix, Universes: 3, Percent: 40, Steps: []uint64{1, 7}}
		if err := batchtest.Check(t.Context(), openBatch, c); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkBatch does the work of ensembles on one core.
func BenchmarkBatch(b *testing.B) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	for _, side := range []int{32, 64, 128, 256} {
		const universes = 512
		cfg := batch.Config{
			Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: side, H: side},
			Universes: universes, Threads: 1,
		}
		u, err := openBatch(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		soups := make([]batch.Soup, universes)
		for i := range soups {
			soups[i] = batch.Soup{Seed: uint64(i), Density: 0.5}
		}
		var h batch.Histograms
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
