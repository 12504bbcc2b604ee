package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Opener makes an engine for a dead universe at generation 0. It returns an *Unsupported error when the engine cannot
// run cfg, or cannot run at all on this machine.
type Opener func(ctx context.Context, cfg Config) (Engine, error)

// Auto is the name under which Open tries every engine, fastest first.
const Auto = "auto"

// fastest and fastestInfinite are the orders in which Auto tries engines on bounded and on infinite universes; those that they do not
// name come last, by name. An infinite universe is mostly empty: what skips the empty parts comes first.
var (
	fastest         = []string{"cuda", "cpu", "reference"}
	fastestInfinite = []string{"cpu", "cuda", "reference"}
)

var registry = struct {
	sync.RWMutex
	openers map[string]Opener
}{openers: map[string]Opener{}}

// Register makes an engine known to Open. Engines call it from init; a name taken twice is a programming error and
// panics.
func Register(name string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.openers[name]; taken || name == Auto || name == "" {
		panic(fmt.Sprintf("sim: engine name %q is taken", name))
	}
	registry.openers[name] = open
}

// Names lists the registered engines in alphabetical order.
func Names() []string {
	registry.RLock()
	defer registry.RUnlock()
	names := make([]string, 0, len(registry.openers))
	for name := range registry.openers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Open makes the named engine for cfg, or with Auto (or "") the fastest registered one that accepts it. Engines that run on
// devices take a choice of them after a colon: "cuda:1", "cuda:0,1,2,3".
func Open(ctx context.Context, name string, cfg Config) (Engine, error) {
	if name == "" || name == Auto {
		return openFastest(ctx, cfg)
	}
	engine, device, chosen := strings.Cut(name, ":")
	if chosen {
		cfg.Device = device
	}
	registry.RLock()
	open, ok := registry.openers[engine]
	registry.RUnlock()
	if !ok {
		return nil, fmt.Errorf("unknown engine %q, want %s or one of %s", name, Auto, strings.Join(Names(), ", "))
	}
	return open(ctx, cfg)
}

func openFastest(ctx context.Context, cfg Config) (Engine, error) {
	names, order := Names(), fastest
	if !cfg.Topology.Bounded() {
		order = fastestInfinite
	}
	slices.SortStableFunc(names, func(a, b string) int { return rank(a, order) - rank(b, order) })
	var refusals []string
	for _, name := range names {
		e, err := Open(ctx, name, cfg)
		if err == nil {
			return e, nil
		}
		var unsupported *Unsupported
		if !errors.As(err, &unsupported) {
			return nil, err // memory, cancellation, …: a slower engine would hide the cause
		}
		refusals = append(refusals, err.Error())
	}
	if len(refusals) == 0 {
		return nil, errors.New("no engine is registered")
	}
	return nil, &Unsupported{Engine: Auto, Why: strings.Join(refusals, "; ")}
}

func rank(name string, order []string) int {
	if i := slices.Index(order, name); i >= 0 {
		return i
	}
	return len(order)
}

// Unsupported reports that an engine cannot run a rule, a topology or a plan, or cannot run at all on this machine.
type Unsupported struct {
	Engine string // the engine's registered name
	What   string // what was refused, as the user wrote it: a rule, a topology, a plan; empty: everything
	Why    string // the reason, in words
}

func (e *Unsupported) Error() string {
	if e.What == "" {
		return fmt.Sprintf("engine %s cannot run here: %s", e.Engine, e.Why)
	}
	return fmt.Sprintf("engine %s cannot run %s: %s", e.Engine, e.What, e.Why)
}
