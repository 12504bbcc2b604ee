package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/sim"
)

// Opener makes a batch of dead universes. It returns a *sim.Unsupported error when it cannot run cfg, or cannot run at all on this
// machine.
type Opener func(ctx context.Context, cfg Config) (Batch, error)

// batches are those of this program, by the names of the engines that they belong to.
var batches = sim.NewRegistry[Config, Batch](func(cfg Config, device string) Config {
	cfg.Device = device
	return cfg
})

// Register makes batches known to Open under the name of the engine that they belong to: see sim.Register.
func Register(name string, priority func(Config) int, open Opener) {
	batches.Register(name, priority, open)
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
	engine, _, _ := strings.Cut(name, ":")
	if names := batches.Names(); engine != "" && engine != sim.Auto && !slices.Contains(names, engine) {
		return nil, &sim.Unsupported{Engine: name, What: "batches", Why: "want " + sim.Auto + " or one of " + strings.Join(names, ", ")}
	}
	return batches.Open(ctx, name, cfg)
}
