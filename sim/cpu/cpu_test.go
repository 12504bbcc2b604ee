package cpu

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
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

// TestChanceOnEveryKind adds chance to a rule of each kind, and compares the cells with those of the reference.
func TestChanceOnEveryKind(t *testing.T) {
	rules := map[rule.Kind][]string{
		rule.KindCounting:    {"B3/S23", "345/2/4", "R2,C0,M1,S5..9,B5..8,NM", "B3/S23L"},
		rule.KindTable:       {"B2-a/S12", "B3-k/S23/5"},
		rule.KindFunction:    {"B3/S23History", "R1/T2/C4/NM"},
		rule.KindBlocks:      {"Critters"},
		rule.KindAlternating: {"B3/S23|B36/S23", "B3/S23|M0,8,4,3,2,5,9,7,1,6,10,11,12,13,14,15"},
		rule.KindStochastic:  {"PN/0,0.25,0.5,0.75,1/0.2", "Ising~T=2", "Q3N/0.6,0.37,0.2,0.1", "Sandpile~p=0.1"},
		rule.KindSwaps:       {"BusyBoxesW"},
	}
	for kind := rule.Kind(0); !strings.HasPrefix(kind.String(), "rules of kind "); kind++ {
		if rules[kind] == nil {
			t.Errorf("no rule is among %v", kind)
		}
		for _, base := range rules[kind] {
			r, err := rule.Parse(base)
			if err != nil || r.Kind() != kind {
				t.Fatalf("%s is of kind %v: %v", base, r.Kind(), err)
			}
			disturbed := base + "~set1=0.1,async=0.7,seed=3"
			if strings.Contains(base, "~") { // a model, which has fewer options
				disturbed = base + ",dead=0.1,seed=3"
			}
			size := "T66,34"
			if r.Volume() {
				size += ",4"
			}
			c := simtest.Case{Rule: disturbed, Topology: size, Seed: 5, Percent: 40, Steps: []uint64{1, 4, 6}}
			if err := simtest.Check(t.Context(), open, c); err != nil {
				t.Error(err)
			}
		}
	}
}
