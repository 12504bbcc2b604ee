package origin

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Origin describes the start of a run, before any memory is allocated for it.
type Origin struct {
	Config     sim.Config // the rule without a bounded-grid suffix
	GollyB0    bool       // a B0 rule runs as in Golly
	Generation uint64     // of the cells that Load writes
	Target     uint64     // of the run that a checkpoint interrupted; sim.Forever for other origins
	Until      run.Until  // of that run
	Start      soup.Start // the start, if the cells do not come from a pattern or checkpoint
	Seed       string     // of a soup, another start or noise, else empty
	Density    float64
	Meta       pattern.Meta      // for the files written
	Outside    uint64            // live cells of a pattern that Load leaves out, because they lie outside the universe
	Facts      map[string]string // of a checkpoint's header; nil for other origins
	Repeat     string            // arguments of gosper run, quoted for a shell, that make this universe again
	// Load writes the cells into a dead universe. fill, which may be nil, gets the progress of putting them in.
	// Loading a checkpoint closes it, so that can be done only once.
	Load func(ctx context.Context, e sim.Engine, fill func(done, total uint64)) error
}

// check refuses generations that cannot be counted further, and --golly-b0 if it has no meaning.
func (u *Origin) check() error {
	if u.Generation == sim.Forever {
		return fmt.Errorf("generation %d is the last that can be counted: no run can continue from it", u.Generation)
	}
	if r := u.Config.Rule; r.Random() && r.BirthOnEmpty() && !u.Config.Topology.Bounded() {
		return fmt.Errorf("rule %v gives life by chance to infinitely many dead cells: want a bounded universe", r)
	}
	if !u.GollyB0 {
		return nil
	}
	return checkGollyB0(u.Config.Rule, u.Config.Topology)
}

// reverse turns time around. What undoes a step from generation g must find blocks where they were then, and at
// g+1, where the universe is now, they are elsewhere: at g+2 they are there again.
func (u *Origin) reverse() error {
	r, err := Reversed(u.Config)
	if err != nil {
		return err
	}
	u.Config.Rule = r
	u.Generation++
	u.Repeat += " --reverse"
	return u.check()
}

// Reversed is the rule that undoes that of a universe.
func Reversed(cfg sim.Config) (rule.Rule, error) {
	r, err := cfg.Rule.Reverse()
	if err != nil {
		return r, err
	}
	t := cfg.Topology
	switch {
	case cfg.Rule.BirthOnEmpty() && !t.Bounded():
		return r, fmt.Errorf("rule %v fills the infinite plane: backwards it is run on bounded universes", r)
	case t.Kind != topology.Unbounded && t.Kind != topology.Torus && t.Kind != topology.Klein:
		return r, fmt.Errorf("%v cannot be run backwards: cells are lost at the edges, or meet themselves at the corners", t)
	}
	for _, s := range t.Gluings() {
		if !cfg.Rule.Invariant(s) {
			return r, fmt.Errorf("%v cannot be run backwards by rule %v, which is not the same beyond the twisted edges", t,
				cfg.Rule)
		}
	}
	return r, nil
}

// squareBytes is about how many bytes a square of a tree takes.
const squareBytes = 40

// Open makes the engine with the given name, as sim.Open does. It fails if there is not enough memory.
func (u *Origin) Open(ctx context.Context, engine string) (sim.Engine, error) {
	return u.OpenFor(ctx, engine, u.Config)
}

// OpenFor is Open for a universe derived from this one, with another rule or size. --golly-b0 applies as long
// as both are unchanged.
func (u *Origin) OpenFor(ctx context.Context, engine string, cfg sim.Config) (sim.Engine, error) {
	if err := cfg.Rule.Fits(cfg.Topology); err != nil {
		return nil, fmt.Errorf("rule %v: %w", cfg.Rule, err)
	}
	if u.GollyB0 && cfg.Rule.Equal(u.Config.Rule) && cfg.Topology.Bounded() {
		return openGollyB0(ctx, engine, cfg)
	}
	return sim.Open(ctx, engine, cfg)
}

// MetaAt returns the metadata for files of generation g.
func (u *Origin) MetaAt(g uint64) pattern.Meta {
	meta, c := u.Meta, Corner(u.Config.Topology)
	meta.Rule = u.Config.Rule.String() + u.Config.Topology.Suffix()
	meta.X, meta.Y, meta.HasPosition = c.X, c.Y, true
	meta.Generation, meta.States = g, u.Config.Rule.States
	meta.Comments = withDigest(meta.Comments, u.Config.Rule)
	meta.RuleFiles = u.Config.Rule.Texts()
	return meta
}
