package batch

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/sim"
)

// Opener makes a batch of dead universes. It returns a *sim.Unsupported error if it cannot run cfg, or cannot
// run on this machine at all.
type Opener func(ctx context.Context, cfg Config) (Batch, error)

// batches holds the implementations of this program, by the names of their engines.
var batches = sim.NewRegistry[Config, Batch](choice, func(cfg Config, device string) Config {
	cfg.Device = device
	return cfg
})

// choice is the table by which sim.Auto chooses: see package sim.
var choice = []sim.Row[Config]{
	{Engine: "cuda", Why: "a GPU is the fastest at computing all cells"},
	{Engine: "cpu", Why: "it runs every batch"},
}

// Register makes a batch implementation known to Open under the name of its engine. sim.Auto tries it only if it is in
// the table.
func Register(name string, open Opener) { batches.Register(name, nil, open) }

// Open makes a batch on the named engine: "cpu", "cuda" or "cuda:1". With sim.Auto (or "") it uses the fastest
// one that accepts cfg. For an engine without batches it returns a *sim.Unsupported error.
func Open(ctx context.Context, name string, cfg Config) (Batch, error) {
	if cfg.Universes < 1 {
		return nil, fmt.Errorf("batch of %d universes: want at least 1", cfg.Universes)
	}
	if !cfg.Topology.Bounded() {
		return nil, fmt.Errorf("batch of universes on %v: want a bounded topology", cfg.Topology)
	}
	if cfg.Rule.Burns() {
		return nil, &sim.Unsupported{
			Engine: name, What: fmt.Sprintf("batches of %v", cfg.Rule),
			Why: "fires are looked for one universe at a time",
		}
	}
	if cfg.Rules != nil && len(cfg.Rules) != cfg.Universes {
		return nil, fmt.Errorf("%d rules for a batch of %d universes", len(cfg.Rules), cfg.Universes)
	}
	engine, _, _ := strings.Cut(name, ":")
	if names := batches.Names(); engine != "" && engine != sim.Auto && !slices.Contains(names, engine) {
		return nil, &sim.Unsupported{
			Engine: name, What: "batches",
			Why: "want " + sim.Auto + " or one of " + strings.Join(names, ", "),
		}
	}
	return batches.Open(ctx, name, cfg)
}
