package cpu

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/simtest"
)

func open(cfg sim.Config) (sim.Engine, error) { return Open(context.Background(), cfg) }

// TestSuite runs the suite under the engine's own plans and under some it would not choose.
func TestSuite(t *testing.T) {
	plans := []string{
		"",
		"portable,bands,slabs=1,depth=2,threads=2",
		"avx2,bands,slabs=2,depth=4,threads=1",
		"avx512,bands,slabs=1,depth=3,threads=2",
		"avx512,bands,slabs=8,depth=2,threads=1",
		"neon,bands,slabs=2,depth=3,threads=2",
		"neon,bands,slabs=4,depth=2,threads=1",
		"simd128,bands,slabs=1,depth=3,threads=2",
		"simd128,bands,slabs=2,depth=2,threads=1",
	}
	if testing.Short() {
		plans = plans[:2]
	}
	simtest.Run(t, open, simtest.Options{Plans: runnable(t, plans), Partial: true})
}

func TestTables(t *testing.T) { simtest.RunTables(t, open) }

// runnable is the plans whose code this machine can run.
func runnable(t *testing.T, plans []string) []string {
	return slices.DeleteFunc(slices.Clone(plans), func(plan string) bool {
		code, _, _ := strings.Cut(plan, ",")
		if code == "" {
			return false
		}
		err := codegen.Code(code).Available()
		if err != nil {
			t.Logf("plan %s is left out: %v", plan, err)
		}
		return err != nil
	})
}

func TestTruth(t *testing.T) { simtest.Truth(t, open, testing.Short()) }
