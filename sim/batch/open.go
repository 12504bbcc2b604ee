package batch

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/sim"
)

// Opener makes a batch of dead universes. It returns a *sim.Unsupported error when it cannot run cfg, or cannot run at all on this
// machine.
type Opener func(ctx context.Context, cfg Config) (Batch, error)

// order is how sim.Auto tries the implementations: fastest first.
var order = []string{"cuda", "cpu"}

var registry = struct {
	sync.RWMutex
	openers map[string]Opener
}{openers: map[string]Opener{}}

// Register makes an implementation known to Open under the name of the engine it belongs to; sim.Auto tries those alone that have a
// place in its order. It is called from init; a name taken twice is a programming error and panics.
func Register(name string, open Opener) {
	registry.Lock()
	defer registry.Unlock()
	if _, taken := registry.openers[name]; taken {
		panic(fmt.Sprintf("batch: name %q is taken", name))
	}
	registry.openers[name] = open
}

// Open makes a batch on the named engine, "cpu", "cuda" or "cuda:1", or with sim.Auto (or "") on the fastest one that accepts cfg. An
// engine that runs no batches is a *sim.Unsupported error.
func Open(ctx context.Context, name string, cfg Config) (Batch, error) {
	if cfg.Universes < 1 {
		return nil, fmt.Errorf("batch of %d universes: at least 1 is needed", cfg.Universes)
	}
	if !cfg.Topology.Bounded() {
		return nil, fmt.Errorf("batch of universes on %v: they must be bounded", cfg.Topology)
	}
	registry.RLock()
	defer registry.RUnlock()
	if name != "" && name != sim.Auto {
		engine, device, chosen := strings.Cut(name, ":")
		if chosen {
			cfg.Device = device
		}
		open, ok := registry.openers[engine]
		if !ok {
			return nil, &sim.Unsupported{Engine: name, What: "batches", Why: "want " + sim.Auto + " or one of " + strings.Join(order, ", ")}
		}
		return open(ctx, cfg)
	}
	var refusals []string
	for _, name := range order {
		open, ok := registry.openers[name]
		if !ok {
			continue
		}
		b, err := open(ctx, cfg)
		if err == nil {
			return b, nil
		}
		var unsupported *sim.Unsupported
		if !errors.As(err, &unsupported) {
			return nil, err // memory, cancellation, …: a slower engine would hide the cause
		}
		refusals = append(refusals, err.Error())
	}
	return nil, &sim.Unsupported{Engine: sim.Auto, Why: strings.Join(refusals, "; ")}
}
