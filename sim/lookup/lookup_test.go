package lookup_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/rule/rulefile/rulefiletest"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/lookup"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

func open(cfg sim.Config) (sim.Engine, error) { return lookup.Open(context.Background(), cfg) }

func TestSuite(t *testing.T) { simtest.Run(t, open, simtest.Options{Partial: true}) }

func TestTables(t *testing.T) { simtest.RunTables(t, open) }

// TestLongCircuits holds that rules whose circuits are too long for machine code run here.
func TestLongCircuits(t *testing.T) {
	for _, test := range []struct{ rule, want string }{
		{rulefiletest.Name("Moore", "rotate4", 10, 1), "lookup"},   // 15,000 tables
		{rulefiletest.Name("vonNeumann", "rotate4", 10, 1), "cpu"}, // 2,000
	} {
		if err := rulefiletest.Define(test.rule); err != nil {
			t.Fatal(err)
		}
		r, err := rule.Parse(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		for _, where := range []topology.Topology{{}, {Kind: topology.Torus, W: 64, H: 64}} {
			e, err := sim.Open(t.Context(), sim.Auto, sim.Config{Rule: r, Topology: where, Outlook: sim.Outlook{Brief: true}})
			if err != nil {
				t.Errorf("%s on %v: %v", test.rule, where, err)
				continue
			}
			if got := e.Info().Engine; got != test.want {
				t.Errorf("%s on %v: engine %s runs it, want %s", test.rule, where, got, test.want)
			}
			e.Close()
		}
	}
}

// TestLargeTable runs a rule of 256 states with 100,000 transitions, many of which contradict earlier ones.
func TestLargeTable(t *testing.T) {
	const name = "Large-Table"
	var b strings.Builder
	fmt.Fprintf(&b, "@RULE %s\n@TABLE\nn_states:256\nneighborhood:vonNeumann\nsymmetries:none\nvar a={0", name)
	for s := 1; s < 256; s++ {
		fmt.Fprintf(&b, ",%d", s)
	}
	b.WriteString("}\nvar b=a\nvar c=a\n0,0,0,0,0,0\n")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		fmt.Fprintf(&b, "%d,%d,a,b,c,%d\n", rng.IntN(256), rng.IntN(256), rng.IntN(256))
	}
	f, err := rulefile.Limits{}.Parse(name+".rule", []byte(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	rulefile.Add(f)
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := open(sim.Config{Rule: r}); err != nil {
		t.Errorf("the unbounded plane: %v", err)
	}
	c := simtest.Case{Rule: name, Topology: "T12,9", Seed: 1, Percent: 90, Steps: []uint64{1, 1}}
	if err := simtest.Check(t.Context(), open, c); err != nil {
		t.Error(err)
	}
}

// TestDiagramInMemory: the diagram counts as the cells do, so that a rule file cannot take more than a universe may.
func TestDiagramInMemory(t *testing.T) {
	r, err := rule.Parse("Hutton32")
	if err != nil {
		t.Fatal(err)
	}
	torus := topology.Topology{Kind: topology.Torus, W: 64, H: 64}
	if _, err := lookup.Open(t.Context(), sim.Config{Rule: r, Topology: torus}); err != nil {
		t.Error(err)
	}
	_, err = lookup.Open(t.Context(), sim.Config{Rule: r, Topology: torus, Memory: 1 << 12})
	if err == nil || !strings.Contains(err.Error(), "its decision diagram would take more than 4096 bytes") {
		t.Error(err)
	}
}
