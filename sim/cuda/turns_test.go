//go:build linux

package cuda

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/sim/cuda/internal/multispin"
	"github.com/gosper-life/gosper/topology"
)

// Universes that are too large for a warp.
var turnCases = []batchtest.Case{
	{Rule: "B3/S23", Topology: "T384,200", Universes: 3, Percent: 45, Steps: []uint64{1, 5}},
	{
		Rule: "B36/S23~flip=0.01", Topology: "T256,300", Universes: 2, Percent: 40, Steps: []uint64{3},
		Connectivity: component.Eight,
	},
}

func TestTurns(t *testing.T) {
	checkTurns(t, func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
		devs, err := (&gputest.Driver{Machine: cudatest.Open(t, "internal/labels/testdata/host.cpp")}).Open(1)
		if err != nil {
			return nil, err
		}
		return multispin.New(devs[0], cfg, newTurns(devs[0], cfg))
	})
}

func TestGPUTurns(t *testing.T) {
	needGPU(t)
	checkTurns(t, openBatch)
}

func checkTurns(t *testing.T, open batch.Opener) {
	for _, c := range turnCases {
		turned := false
		err := batchtest.Check(t.Context(), func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
			b, err := open(ctx, cfg)
			turned = err == nil && b.Info().Plan == "turns"
			return b, err
		}, c)
		if err != nil || !turned {
			t.Errorf("%+v: in turns: %v, %v", c, turned, err)
		}
	}
}

// What cannot take turns is left to an engine for one universe at a time.
func TestTurnsRefused(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		w, h  int
		limit uint64 // bytes of memory
		want  string
	}{
		{500, 500, 0, "multiple of 128"},
		{4096, 64, 0, "no side above 2048"},
		{512, 512, 1 << 20, "16th of the free memory"},
	} {
		devs, err := (&gputest.Driver{Limit: c.limit}).Open(1)
		if err != nil {
			t.Fatal(err)
		}
		cfg := batch.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: c.w, H: c.h}, Universes: 4}
		_, err = multispin.New(devs[0], cfg, newTurns(devs[0], cfg))
		if !errors.As(err, new(*sim.Unsupported)) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d×%d in %d bytes: %v, want an error with %q", c.w, c.h, c.limit, err, c.want)
		}
		gpu.CloseAll(devs)
	}
}
