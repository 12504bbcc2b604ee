package multispin

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/sim/batch/batchtest"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Universes side by side by every code of this machine, however few they are.
func TestMultispin(t *testing.T) {
	for _, code := range codegen.Codes {
		t.Run(string(code), func(t *testing.T) {
			if err := code.Available(); err != nil {
				t.Skip(err)
			}
			open := func(ctx context.Context, cfg batch.Config) (batch.Batch, error) {
				if !Suits(cfg.Rule, cfg.Topology) {
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
				{
					Rule: "3D4,5/5", Topology: "T6,5,24", Universes: 530, Percent: 25, Steps: []uint64{1, 4},
					Connectivity: component.Six,
				},
				// of several generations a pass, and for three threads
				{
					Rule: "3D4,5/5", Topology: "T40,40,50", Universes: 2, Percent: 12, Steps: []uint64{5},
					Connectivity: component.Six,
				},
			} {
				c.Seed = uint64(i)
				if err := batchtest.Check(t.Context(), open, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
}

// TestRules holds universes with a rule each to the reference, by every code of this machine, also when the
// batch gets other rules.
func TestRules(t *testing.T) {
	for _, code := range codegen.Codes {
		t.Run(string(code), func(t *testing.T) {
			if err := code.Available(); err != nil {
				t.Skip(err)
			}
			for i, c := range []struct{ suffix, topology string }{
				{"", "T40,21"},
				{"", "P9,33"},
				{"V", "T16,30"},
				{"H", "T20,20"},
				{"", "T1,2"},
			} {
				if err := checkRules(t.Context(), code, c.suffix, c.topology, uint64(i)); err != nil {
					t.Errorf("neighbourhood %q on %s: %v", c.suffix, c.topology, err)
				}
			}
		})
	}
}

// checkRules steps 70 universes with random rules, then with others.
func checkRules(ctx context.Context, code codegen.Code, suffix, on string, seed uint64) error {
	const universes = 70 // more than a word
	top, err := topology.Parse(on)
	if err != nil {
		return err
	}
	random := rand.New(rand.NewPCG(seed, 1))
	rules := func() []rule.Rule {
		all := make([]rule.Rule, universes)
		for i := range all {
			text := []byte("B")
			for _, part := range []string{"/S", suffix} {
				for n := range map[string]int{"": 9, "V": 5, "H": 7}[suffix] {
					if random.IntN(2) == 1 {
						text = append(text, byte('0'+n))
					}
				}
				text = append(text, part...)
			}
			if all[i], err = rule.Parse(string(text)); err != nil {
				panic(err) // the text is a rule
			}
		}
		return all
	}
	first := rules()
	b, err := New(batch.Config{Rules: first, Topology: top, Universes: universes, Threads: 2}, code)
	if err != nil {
		return err
	}
	defer b.Close()
	soups := make([]batch.Soup, universes)
	for i := range soups {
		soups[i] = batch.Soup{Seed: seed + uint64(i), Density: 0.4}
	}
	for _, rules := range [][]rule.Rule{first, rules()} {
		if err := errors.Join(b.Choose(rules), b.Fill(ctx, soups), b.Step(ctx, 13)); err != nil {
			return err
		}
		g, err := grid.New(top.W, top.H, 1)
		if err != nil {
			return err
		}
		for i, r := range rules {
			want, err := reference.Open(ctx, sim.Config{Rule: r, Topology: top})
			if err != nil {
				return err
			}
			if err := soup.Fill(ctx, want, top.W, top.H, soups[i].Seed, soups[i].Density, 1, nil); err != nil {
				return err
			}
			if _, err := want.Step(ctx, 13); err != nil {
				return err
			}
			if err := b.Read(i, g); err != nil {
				return err
			}
			if x, y, differ, err := grid.FirstDifference(g, want); err != nil || differ {
				return fmt.Errorf("universe %d, %v: cell (%d, %d) is %d, %w", i, r, x, y, g.Get(x, y), err)
			}
		}
	}
	return nil
}

// TestRulesAreRefused: only rules of one neighbourhood share a batch.
func TestRulesAreRefused(t *testing.T) {
	top, err := topology.Parse("T8,8")
	if err != nil {
		t.Fatal(err)
	}
	for _, texts := range [][]string{{"B3/S23", "B3/S23V"}, {"B3/S23", "345/2/4"}, {"345/2/4", "B3/S23"}} {
		var rules []rule.Rule
		for _, text := range texts {
			r, err := rule.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			rules = append(rules, r)
		}
		var unsupported *sim.Unsupported
		if _, err := New(batch.Config{Rules: rules, Topology: top, Universes: len(rules)}, codegen.Portable); !errors.As(err,
			&unsupported) {
			t.Errorf("%v: %v, want unsupported", texts, err)
		}
	}
}

// BenchmarkRules is the cost of a rule for each universe, beside that of one rule for all.
func BenchmarkRules(b *testing.B) {
	top, err := topology.Parse("T64,64")
	if err != nil {
		b.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	code := codegen.Fastest()
	n := 64 * code.Lanes()
	for name, rules := range map[string][]rule.Rule{"one": nil, "each": slices.Repeat([]rule.Rule{life}, n)} {
		b.Run(name, func(b *testing.B) {
			u, err := New(batch.Config{Rule: life, Rules: rules, Topology: top, Universes: n, Threads: 1}, code)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if err := u.Step(b.Context(), 100); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(100*n*top.W*top.H)*float64(b.N)/b.Elapsed().Seconds()/1e9, "Gcells/s")
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
	for _, c := range []struct {
		side, universes int
		want            bool
	}{{16, 10, false}, {16, 80, true}, {64, 200, false}, {64, 300, true}, {128, 512, true}, {256, 512, false}} {
		cube, err := topology.NewVolume(topology.Torus, c.side, c.side, c.side)
		if err != nil {
			t.Fatal(err)
		}
		if got := Pays(cube, c.universes, false, codegen.AVX512); got != c.want {
			t.Errorf("volumes, %+v: %v", c, got)
		}
	}
}
