package bytewise_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/rulefiletest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/simtest"
	"github.com/gosper-life/gosper/topology"
)

func open(cfg sim.Config) (sim.Engine, error) { return sim.Open(context.Background(), "lookup", cfg) }

func TestSuite(t *testing.T) { simtest.Run(t, open, simtest.Options{Partial: true}) }

func TestTables(t *testing.T) { simtest.RunTables(t, open) }

// TestLongCircuits checks that rules whose circuits are too long for machine code run here.
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
	if _, err := sim.Open(t.Context(), "lookup", sim.Config{Rule: r, Topology: torus}); err != nil {
		t.Error(err)
	}
	_, err = sim.Open(t.Context(), "lookup", sim.Config{Rule: r, Topology: torus, Memory: 1 << 12})
	if err == nil || !strings.Contains(err.Error(), "its decision diagram would take more than 4096 bytes") {
		t.Error(err)
	}
}

// impatient is a context that is done once it has been asked so often.
type impatient struct {
	context.Context
	asked *atomic.Int64
	often int64
}

func (c impatient) Err() error {
	if c.asked.Add(1) > c.often {
		return context.Canceled
	}
	return nil
}

// TestCancelledInside cancels a generation before its end, which may be far away. The cells stay as they were.
func TestCancelledInside(t *testing.T) {
	r, err := rule.Parse("WireWorld")
	if err != nil {
		t.Fatal(err)
	}
	const side = 512 // 64 tiles
	e, err := open(sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: side, H: side}})
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	row := make([]uint64, side/64)
	for y := range side {
		for plane := range e.Planes() {
			for i := range row {
				row[i] = random.Uint64()
			}
			if err := e.WriteRow(row, plane, 0, y, side); err != nil {
				t.Fatal(err)
			}
		}
	}
	hash := func() grid.Digest {
		t.Helper()
		sum, err := grid.StateHash(t.Context(), e, r.States, false)
		if err != nil {
			t.Fatal(err)
		}
		return sum
	}
	before := hash()
	for often := range int64(60) {
		done, err := e.Step(impatient{t.Context(), new(atomic.Int64), often}, 1)
		if done != 0 || !errors.Is(err, context.Canceled) || e.Generation() != 0 || hash() != before {
			t.Fatalf("asked %d times: %d generations done, at %d, %v", often, done, e.Generation(), err)
		}
	}
	if done, err := e.Step(t.Context(), 1); done != 1 || err != nil || hash() == before {
		t.Errorf("afterwards: %d, %v", done, err)
	}
}
