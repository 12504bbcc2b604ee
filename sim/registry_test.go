package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// The table chooses: its rows are tried in order, as far as their conditions hold, and an engine only once.
func TestRegistry(t *testing.T) {
	bounded := func(cfg sim.Config) bool { return cfg.Topology.Bounded() }
	asked := 0
	last := func(sim.Config) bool { asked++; return true }
	engines := sim.NewRegistry[sim.Config, sim.Engine]([]sim.Row[sim.Config]{
		{Engine: "cuda", Holds: bounded},
		{Engine: "missing"},
		{Engine: "cpu"},
		{Engine: "cuda"},
		{Engine: "zeta", Holds: last},
	}, func(cfg sim.Config, device string) sim.Config {
		cfg.Device = device
		return cfg
	})
	var opened []string
	failures := map[string]error{
		"cpu":  &sim.Unsupported{Engine: "cpu", What: "B3/S23", Why: "it is Tuesday"},
		"cuda": &sim.Unsupported{Engine: "cuda", Why: "no CUDA driver found"},
	}
	for _, name := range []string{"zeta", "theta", "cpu", "cuda"} {
		check := func(cfg sim.Config) error {
			if cfg.Plan == "sideways" {
				return &sim.Unsupported{Engine: name, What: `plan "sideways"`, Why: "it goes straight"}
			}
			return nil
		}
		engines.Register(name, check, func(context.Context, sim.Config) (sim.Engine, error) {
			opened = append(opened, name)
			return engine{}, failures[name]
		})
	}
	if want := []string{"cpu", "cuda", "theta", "zeta"}; !slices.Equal(engines.Names(), want) {
		t.Errorf("names %v, want %v", engines.Names(), want)
	}

	torus := topology.Topology{Kind: topology.Torus, W: 4, H: 4}
	_, err := engines.Open(t.Context(), sim.Auto, sim.Config{Topology: torus})
	if want := []string{"cuda", "cpu", "zeta"}; err != nil || !slices.Equal(opened, want) {
		t.Errorf("auto tried %v (%v), want %v", opened, err, want)
	}

	opened = nil
	if _, err = engines.Open(t.Context(), sim.Auto, sim.Config{}); err != nil ||
		!slices.Equal(opened, []string{"cpu", "cuda", "zeta"}) {
		t.Errorf("auto tried %v (%v) for an infinite universe", opened, err)
	}

	opened = nil
	var unsupported *sim.Unsupported
	if _, err = engines.Open(t.Context(), sim.Auto, sim.Config{Plan: "sideways"}); !errors.As(err, &unsupported) ||
		unsupported.Engine != sim.Auto || len(opened) > 0 {
		t.Errorf("auto opened %v for what all refuse (%v)", opened, err)
	}
	if _, err = engines.Open(t.Context(), "theta", sim.Config{Plan: "sideways"}); !errors.As(err, &unsupported) ||
		len(opened) > 0 {
		t.Errorf("theta opened %v for what it refuses (%v)", opened, err)
	}

	_, err = engines.Open(t.Context(), "cuda", sim.Config{})
	if !errors.As(err, &unsupported) || err.Error() != "engine cuda cannot run here: no CUDA driver found" {
		t.Errorf("got %v", err)
	}
	_, err = engines.Open(t.Context(), "abacus", sim.Config{})
	if err == nil || !strings.Contains(err.Error(),
		`unknown engine "abacus", want auto or one of cpu, cuda, theta, zeta`) {
		t.Errorf("got %v", err)
	}

	asked, failures["cpu"] = 0, nil
	if _, err = engines.Open(t.Context(), "", sim.Config{}); err != nil || asked > 0 {
		t.Errorf("the condition of a row after the chosen one was looked at (%v)", err)
	}
	full := errors.New("needs more memory")
	failures["cpu"] = full // no reason to try zeta
	if _, err = engines.Open(t.Context(), "", sim.Config{}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

// TestScope checks that a scope refuses what it does not list, and says why, also in the parts of a rule.
func TestScope(t *testing.T) {
	counting := []rule.Kind{rule.KindCounting}
	every := []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating, rule.KindStochastic,
		rule.KindSwaps,
	}
	odd := func(rule.Rule) error { return errors.New("it is odd") }
	for _, c := range []struct {
		rule, plan string
		scope      sim.Scope
		why        string
	}{
		{"B3/S23", "", sim.Scope{Kinds: counting}, ""},
		{"B3/S23", "", sim.Scope{}, "it does not run rules that count neighbours"},
		{"B2-a/S12", "", sim.Scope{Kinds: counting}, "it does not run rules of tables of the 3×3 block"},
		{"WireWorld", "", sim.Scope{Kinds: counting}, "it does not run rules of functions"},
		{"Critters", "", sim.Scope{Kinds: counting}, "it does not run rules of 2×2 blocks"},
		{"B3/S23|B36/S23", "", sim.Scope{Kinds: counting}, "it does not run rules that take turns"},
		{"B3/S23~flip=0.1", "", sim.Scope{Kinds: counting}, "it does not run rules that are left to chance"},
		{
			"B3/S23|B2-a/S12", "",
			sim.Scope{Kinds: []rule.Kind{rule.KindAlternating, rule.KindCounting}},
			"it does not run rules of tables of the 3×3 block",
		},
		{
			"Critters~flip=0.1", "",
			sim.Scope{Kinds: []rule.Kind{rule.KindStochastic}},
			"it does not run rules of 2×2 blocks",
		},
		{"InstantForestFire", "", sim.Scope{Kinds: every}, "fires burn at once"},
		{"B45/S34L", "", sim.Scope{Kinds: counting}, "its cells are triangles"},
		{"B45/S34L", "", sim.Scope{Kinds: counting, Triangles: true}, ""},
		{"B45/S34L|B3/S23L", "", sim.Scope{Kinds: every}, "its cells are triangles"},
		{"3D4,5/5:T4,4,4", "", sim.Scope{Kinds: counting}, "it runs universes of two dimensions"},
		{"3D4,5/5:T4,4,4", "", sim.Scope{Kinds: counting, Volumes: true}, ""},
		{
			"3D4,5/5", "",
			sim.Scope{Kinds: counting, Volumes: true},
			"T0 has two dimensions and the rule has three: want a size like 64x64x64, or :T64,64,64",
		},
		{
			"B3/S23:T4,4", "",
			sim.Scope{Kinds: counting, Topologies: []topology.Kind{topology.Plane}},
			"it does not run on the topology torus",
		},
		{"B3/S23:P4,4", "", sim.Scope{Kinds: counting, Topologies: []topology.Kind{topology.Plane}}, ""},
		{
			"Critters:T5,4", "",
			sim.Scope{Kinds: every},
			"T5,4 has an odd side or shift: for 2×2 blocks and checkerboards, sides that are joined must be even",
		},
		{"B3/S23", "", sim.Scope{Kinds: counting, Rule: odd}, "it is odd"},
		{
			"B3/S23", "", sim.Scope{
				Kinds:    counting,
				Universe: func(r rule.Rule, _ topology.Topology) error { return odd(r) },
			}, "it is odd",
		},
		{"B3/S23", "one way", sim.Scope{Kinds: counting, Plan: "one way"}, ""},
		{"B3/S23", "sideways", sim.Scope{Kinds: counting, Plan: "one way"}, `its only plan is "one way"`},
		{"B3/S23", "sideways", sim.Scope{Kinds: counting}, ""}, // the engine reads it
	} {
		r, on, err := rule.ParseApart(c.rule)
		if err != nil {
			t.Fatal(err)
		}
		if on == nil {
			on = &topology.Topology{}
		}
		c.scope.Engine = "test"
		err = c.scope.Check(sim.Config{Rule: r, Topology: *on, Plan: c.plan})
		var unsupported *sim.Unsupported
		switch {
		case c.why == "" && err != nil, c.why != "" && !errors.As(err, &unsupported):
			t.Errorf("%s: %v, want %q", c.rule, err, c.why)
		case c.why != "" && (unsupported.Why != c.why || unsupported.Engine != "test" || unsupported.What == ""):
			t.Errorf("%s: %+v, want %q", c.rule, *unsupported, c.why)
		}
	}
}

// closing is an engine that says when it is closed.
type closing struct {
	sim.Engine
	closed chan struct{}
}

func (c closing) Close() error {
	close(c.closed)
	return nil
}

// TestOpenEndsWithItsContext: what opens an engine may compile for long, and need not look at its context. Open returns
// without it, and the engine that is made too late is closed.
func TestOpenEndsWithItsContext(t *testing.T) {
	compile, made := make(chan struct{}), closing{closed: make(chan struct{})}
	asked := make(chan struct{})
	judge := func(sim.Config) bool {
		close(asked)
		<-compile
		return true
	}
	engines := sim.NewRegistry[sim.Config, sim.Engine]([]sim.Row[sim.Config]{{Engine: "judge", Holds: judge}}, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	engines.Register("slow", nil, func(context.Context, sim.Config) (sim.Engine, error) {
		cancel()
		<-compile
		return made, nil
	})
	engines.Register("judge", nil, func(context.Context, sim.Config) (sim.Engine, error) {
		return nil, errors.New("too late")
	})
	engines.Register("broken", nil, func(context.Context, sim.Config) (sim.Engine, error) {
		panic("a fault")
	})

	if e, err := engines.Open(ctx, "slow", sim.Config{}); err != context.Canceled || e != nil {
		t.Errorf("cancelled while it compiles: %v, %v", e, err)
	}
	if e, err := engines.Open(ctx, "broken", sim.Config{}); err != context.Canceled || e != nil {
		t.Errorf("cancelled before: %v, %v", e, err)
	}
	judged, stop := context.WithCancel(t.Context())
	go func() {
		<-asked
		stop()
	}()
	if e, err := engines.Open(judged, sim.Auto, sim.Config{}); err != context.Canceled || e != nil {
		t.Errorf("cancelled while a condition is looked at: %v, %v", e, err)
	}
	func() {
		defer func() {
			if fault := recover(); !strings.HasPrefix(fmt.Sprint(fault), "a fault\n") {
				t.Errorf("a panic became %v", fault)
			}
		}()
		_, err := engines.Open(t.Context(), "broken", sim.Config{})
		t.Errorf("a panic became the error %v", err)
	}()
	close(compile)
	<-made.closed
}

// An engine that is registered is not opened for what its scope refuses.
func TestRegisteredScope(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	sim.Register(sim.Scope{Engine: "flat", Kinds: []rule.Kind{rule.KindCounting}, Plan: "flat"},
		func(context.Context, sim.Config) (sim.Engine, error) {
			opened++
			return engine{}, nil
		})
	var unsupported *sim.Unsupported
	if _, err := sim.Open(t.Context(), "flat", sim.Config{Rule: r, Plan: "round"}); !errors.As(err, &unsupported) {
		t.Errorf("got %v, want a refusal", err)
	}
	if _, err := sim.Open(t.Context(), "flat", sim.Config{Rule: r, Plan: "flat"}); err != nil || opened != 1 {
		t.Errorf("opened %d times, %v", opened, err)
	}
}

// engine is one that nobody calls.
type engine struct{ sim.Engine }

// Memory is asked for a little at a time, and never beyond the limit.
func TestAllowMemory(t *testing.T) {
	for _, c := range []struct{ held, limit, want uint64 }{
		{0, 0, 4 << 20},
		{1 << 20, 0, 5 << 20},
		{64 << 20, 0, 72 << 20},
		{1 << 20, 2 << 20, 2 << 20},
		{2 << 20, 2 << 20, 2 << 20},
	} {
		if got, err := sim.AllowMemory(c.held, c.limit); got != c.want || err != nil {
			t.Errorf("%d held, %d allowed: %d, %v, want %d", c.held, c.limit, got, err, c.want)
		}
	}
	if _, err := sim.AllowMemory(3<<20, 2<<20); err == nil {
		t.Error("more than the limit is allowed")
	}
	if _, err := sim.AllowMemory(1<<62, 0); err == nil {
		t.Error("more than any machine has is allowed")
	}
}
