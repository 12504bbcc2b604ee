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
		"", "portable,bands,lanes=1,slabs=1,depth=2,threads=2",
		"portable,bands,lanes=4,slabs=2,depth=1,threads=1", "portable,bands,lanes=8,slabs=8,depth=3,threads=1",
	}
	simtest.Run(t, open, simtest.Options{Plans: plans, Partial: true})
}

func TestTruth(t *testing.T) { simtest.Truth(t, open, false) }
