package multispin

import (
	"context"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// Universes side by side by every code of this machine, however few they are.
func TestMultispin(t *testing.T) {
	for _, code := range []codegen.Code{codegen.Portable, codegen.AVX2, codegen.AVX512} {
		t.Run(string(code), func(t *testing.T) {
			if err := code.Available(); err != nil {
				t.Skip(err)
			}
			open := func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
				if !Suits(cfg.Topology) {
					return nil, &sim.Unsupported{Engine: "cpu", What: cfg.Topology.String()}
				}
				cfg.Threads = 3
				return New(cfg, code)
			}
			batchtest.Run(t, open, batchtest.Options{Slow: true, Fixed: code != codegen.Fastest()})
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

func TestPays(t *testing.T) {
	for _, c := range []struct {
		side, universes int
		chance, want    bool
	}{
		{32, 10, false, false},
		{32, 100, false, true},
		{128, 20, false, false},
		{128, 512, false, true},
		{128, 10_000, false, true},
		{1024, 64, false, false},
		{4096, 512, false, false},
		{8, 32, true, false},
		{8, 100, true, true},
		{32, 100, true, false},
		{32, 512, true, true},
		{128, 512, true, false},
	} {
		torus := topology.Topology{Kind: topology.Torus, W: c.side, H: c.side}
		if got := Pays(torus, c.universes, c.chance, codegen.AVX512); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
