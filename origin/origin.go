package origin

import (
	"context"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/gollyb0"
	"github.com/gosper-life/gosper/sim/hashlife"
)

// Origin is what a run starts from, before any of its memory is taken.
type Origin struct {
	Config     sim.Config // the rule without a bounded-grid suffix
	GollyB0    bool       // a B0 rule runs as in Golly
	Generation uint64     // of the cells that Load writes
	Target     uint64     // of the run that a checkpoint cut; sim.Forever for other origins
	Until      sim.Until  // likewise
	Seed       string     // of a soup, else empty
	Density    float64
	Meta       pattern.Meta      // for the files written
	Facts      map[string]string // of a checkpoint's header; nil for other origins
	// Ahead is how many generations the run will go without a look at the cells; 0: not known. It helps Open to choose.
	Ahead  uint64
	Repeat string // arguments of gosper run that make this universe again, in shell quotes
	// Load writes the cells into a dead universe; fill, which may be nil, is told how much of a soup is made. A checkpoint is closed
	// then: it is loaded once.
	Load func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error
	size size
}

// size is what Open knows of the cells that Load will write.
type size struct {
	population  uint64 // 0: not known
	drawn, tree uint64 // bytes of the cells of a macrocell file when they are drawn, and of its tree; 0: it is none
}

// check refuses generations that cannot be counted on from, and --golly-b0 where it would mean nothing.
func (u *Origin) check() error {
	if u.Generation == sim.Forever {
		return fmt.Errorf("generation %d is the last that can be counted: nothing goes on from it", u.Generation)
	}
	if !u.GollyB0 {
		return nil
	}
	return gollyb0.Check(u.Config.Rule, u.Config.Topology)
}

// squareBytes is what a square of a tree takes, roughly.
const squareBytes = 40

// Open makes the engine, by sim.Open's name for it. It is refused where memory is short. Auto is hashed life where that can run what
// nothing else can in time.
func (u *Origin) Open(ctx context.Context, engine string) (sim.Engine, error) {
	if (engine == "" || engine == sim.Auto) && (u.isTree() || u.isEndless()) {
		e, err := sim.Open(ctx, hashlife.Name, u.Config)
		var unsupported *sim.Unsupported
		if err == nil || !errors.As(err, &unsupported) {
			return e, err
		}
	}
	if !u.GollyB0 {
		return sim.Open(ctx, engine, u.Config)
	}
	return gollyb0.Open(ctx, engine, u.Config)
}

// isTree reports whether the pattern is a large quadtree that is mostly the same squares again and again.
func (u *Origin) isTree() bool {
	const large = 16 << 20 // bytes
	return u.size.drawn > large && u.size.drawn > 4*u.size.tree
}

// isEndless reports whether a few cells are to run for so long that any engine that computes generation after generation takes minutes
// at least, even for a glider.
func (u *Origin) isEndless() bool {
	const (
		few = 1 << 20
		far = 1 << 30
	)
	return u.Ahead >= far && 0 < u.size.population && u.size.population <= few
}

// MetaAt is what files of generation g say besides their cells.
func (u *Origin) MetaAt(g uint64) pattern.Meta {
	meta, c := u.Meta, Corner(u.Config.Topology)
	meta.Rule = u.Config.Rule.String() + u.Config.Topology.Suffix()
	meta.X, meta.Y, meta.HasPosition = c.X, c.Y, true
	meta.Generation, meta.States = g, u.Config.Rule.States
	return meta
}
