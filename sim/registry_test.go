package sim_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func TestRegistry(t *testing.T) {
	engines := sim.NewRegistry[sim.Config, sim.Engine](func(cfg sim.Config, device string) sim.Config {
		cfg.Device = device
		return cfg
	})
	var opened []string
	register := func(name string, bounded, infinite int, err error) {
		priority := func(cfg sim.Config) int {
			if cfg.Topology.Bounded() {
				return bounded
			}
			return infinite
		}
		engines.Register(name, priority, func(context.Context, sim.Config) (sim.Engine, error) {
			opened = append(opened, name)
			if err != nil {
				return nil, err
			}
			return engine{}, nil
		})
	}
	register("zeta", 1, 1, nil)
	register("theta", 0, 0, nil)
	register("cpu", 2, 3, &sim.Unsupported{Engine: "cpu", What: "B3/S23", Why: "it is Tuesday"})
	register("cuda", 3, 2, &sim.Unsupported{Engine: "cuda", Why: "no CUDA driver found"})
	if want := []string{"cpu", "cuda", "theta", "zeta"}; !slices.Equal(engines.Names(), want) {
		t.Errorf("names %v, want %v", engines.Names(), want)
	}

	e, err := engines.Open(t.Context(), sim.Auto,
		sim.Config{Topology: topology.Topology{Kind: topology.Torus, W: 4, H: 4}})
	if want := []string{"cuda", "cpu", "zeta"}; err != nil || e == nil || !slices.Equal(opened, want) {
		t.Errorf("auto tried %v (%v), want %v", opened, err, want)
	}

	opened = nil
	if _, err = engines.Open(t.Context(), sim.Auto, sim.Config{}); err != nil ||
		!slices.Equal(opened, []string{"cpu", "cuda", "zeta"}) {
		t.Errorf("auto tried %v (%v) for an infinite universe", opened, err)
	}

	_, err = engines.Open(t.Context(), "cuda", sim.Config{})
	var unsupported *sim.Unsupported
	if !errors.As(err, &unsupported) || err.Error() != "engine cuda cannot run here: no CUDA driver found" {
		t.Errorf("got %v", err)
	}
	_, err = engines.Open(t.Context(), "abacus", sim.Config{})
	if err == nil || !strings.Contains(err.Error(),
		`unknown engine "abacus", want auto or one of cpu, cuda, theta, zeta`) {
		t.Errorf("got %v", err)
	}

	full := errors.New("needs more memory")
	register("eta", 1, 1, full) // before zeta, and no reason to try that
	if _, err = engines.Open(t.Context(), "", sim.Config{}); !errors.Is(err, full) {
		t.Errorf("got %v, want %v", err, full)
	}
}

// An engine is asked for a universe of three dimensions only if it is registered for them.
func TestVolumes(t *testing.T) {
	var opened []string
	open := func(name string) sim.Opener {
		return func(context.Context, sim.Config) (sim.Engine, error) {
			opened = append(opened, name)
			return engine{}, nil
		}
	}
	sim.Register("flat", func(sim.Config) int { return 9 }, open("flat"))
	sim.RegisterForVolumes("solid", 100, func(sim.Config) int { return 1 }, open("solid"))
	volume := sim.Config{Topology: topology.Topology{Kind: topology.Torus, W: 4, H: 12, D: 3}}
	plane := sim.Config{Topology: topology.Topology{Kind: topology.Torus, W: 4, H: 12}}
	for _, cfg := range []sim.Config{volume, plane} {
		if _, err := sim.Open(t.Context(), sim.Auto, cfg); err != nil {
			t.Error(err)
		}
	}
	if want := []string{"solid", "flat"}; !slices.Equal(opened, want) {
		t.Errorf("auto opened %v, want %v", opened, want)
	}
	var unsupported *sim.Unsupported
	if _, err := sim.Open(t.Context(), "flat", volume); !errors.As(err, &unsupported) {
		t.Errorf("got %v, want a refusal", err)
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
	engines := sim.NewRegistry[sim.Config, sim.Engine](func(cfg sim.Config, _ string) sim.Config { return cfg })
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	compile, made := make(chan struct{}), closing{closed: make(chan struct{})}
	engines.Register("slow", sim.Never[sim.Config], func(context.Context, sim.Config) (sim.Engine, error) {
		cancel()
		<-compile
		return made, nil
	})
	asked := make(chan struct{})
	engines.RegisterAtMost("judge", 1, func(sim.Config) int {
		close(asked)
		<-compile
		return 1
	}, func(context.Context, sim.Config) (sim.Engine, error) { return nil, errors.New("too late") })
	engines.Register("broken", sim.Never[sim.Config], func(context.Context, sim.Config) (sim.Engine, error) {
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
		t.Errorf("cancelled while it finds the priority: %v, %v", e, err)
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

// TestRegisterAtMost looks at whether an entry whose priority takes long to find is asked for it: only where it
// could be the next to open.
func TestRegisterAtMost(t *testing.T) {
	for _, test := range []struct {
		other, most, priority int
		refused               bool // by the other
		asked                 bool
		opened                []string
	}{
		{5, 4, 3, false, false, []string{"other"}},
		{5, 4, 3, true, true, []string{"other", "slow"}},
		{4, 4, 4, false, false, []string{"other"}}, // its name comes first
		{3, 4, 4, false, true, []string{"slow"}},
		{3, 4, 2, false, true, []string{"other"}},
		{3, 4, 0, true, true, []string{"other"}},
	} {
		engines := sim.NewRegistry[sim.Config, sim.Engine](nil)
		var opened []string
		asked := false
		open := func(name string, refused bool) sim.Opener {
			return func(context.Context, sim.Config) (sim.Engine, error) {
				opened = append(opened, name)
				if refused {
					return nil, &sim.Unsupported{Engine: name, Why: "it is a test"}
				}
				return engine{}, nil
			}
		}
		engines.Register("other", func(sim.Config) int { return test.other }, open("other", test.refused))
		engines.RegisterAtMost("slow", test.most, func(sim.Config) int {
			asked = true
			return test.priority
		}, open("slow", false))
		if _, err := engines.Open(t.Context(), sim.Auto, sim.Config{}); (err != nil) != (len(opened) == 1 && test.refused) {
			t.Errorf("%+v: %v", test, err)
		}
		if asked != test.asked || !slices.Equal(opened, test.opened) {
			t.Errorf("%+v: asked %v, opened %v", test, asked, opened)
		}
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
