package cuda

import (
	"context"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/sim/cuda/internal/multispin"
	"github.com/gosper-life/gosper/sim/cuda/internal/slab/slabtest"
)

// Universes that are too large for a warp.
var turnCases = []batchtest.Case{
	{Rule: "B3/S23", Topology: "T384,200", Universes: 3, Percent: 45, Steps: []uint64{1, 5}},
	{Rule: "B36/S23~flip=0.01", Topology: "T256,300", Universes: 2, Percent: 40, Steps: []uint64{3}, Connectivity: component.Eight},
}

func TestTurns(t *testing.T) {
	checkTurns(t, func(_ context.Context, cfg batch.Config) (batch.Batch, error) {
		devs, err := (&gputest.Driver{Machine: slabtest.New(t, "internal/slab")}).Open(1)
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
