package cpu

import (
	"context"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/simtest"
)

func open(cfg sim.Config) (sim.Engine, error) { return Open(context.Background(), cfg) }

func TestSuite(t *testing.T) {
	plans := []string{
		"", "portable,bands,slabs=1,depth=2,threads=2",
		"avx512,bands,slabs=1,depth=3,threads=1", "avx512,bands,slabs=8,depth=2,threads=1",
	}
	simtest.Run(t, open, simtest.Options{Plans: plans, Partial: true})
}

func TestTruth(t *testing.T) { simtest.Truth(t, open, false) }
