// Package universe says what runs, films and viewers start from: a soup, a pattern file, a built-in pattern or a checkpoint, as the flags of
// the command line name it, on the topology that they settle.
package universe

import (
	"context"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/gollyb0"
)

// Start is what a run starts from, before any of its memory is taken.
type Start struct {
	Config     sim.Config // the rule without a bounded-grid suffix
	GollyB0    bool       // a B0 rule runs as in Golly
	Generation uint64     // of the cells that Load writes
	Target     uint64     // of the run that a checkpoint cut; sim.Forever for other origins
	Until      sim.Until  // likewise
	Seed       string     // of a soup, else empty
	Density    float64
	Meta       pattern.Meta // for the files written
	Repeat     string       // arguments of gosper run that make this universe again, in shell quotes
	// Load writes the cells into a dead universe; fill, which may be nil, is told how much of a soup is made. A checkpoint is closed
	// then: it is loaded once.
	Load func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error
}

// check refuses --golly-b0 where it would mean nothing.
func (u *Start) check() error {
	if !u.GollyB0 {
		return nil
	}
	return gollyb0.Check(u.Config.Rule, u.Config.Topology)
}

// Open makes the engine, by sim.Open's name for it. It is refused where memory is short.
func (u *Start) Open(ctx context.Context, engine string) (sim.Engine, error) {
	if !u.GollyB0 {
		return sim.Open(ctx, engine, u.Config)
	}
	return gollyb0.Open(ctx, engine, u.Config)
}

// MetaAt is what files of generation g say besides their cells.
func (u *Start) MetaAt(g uint64) pattern.Meta {
	meta, c := u.Meta, Corner(u.Config.Topology)
	meta.Rule = u.Config.Rule.String() + u.Config.Topology.Suffix()
	meta.X, meta.Y, meta.HasPosition = c.X, c.Y, true
	meta.Generation, meta.States = g, u.Config.Rule.States
	return meta
}
