package run

import (
	"context"
	"fmt"

	"github.com/gosper-life/gosper/grid"

	"github.com/gosper-life/gosper/sim"
)

// Until is a condition that ends a run. It depends only on generations, never on time, so a repeated run ends at the
// same generation.
type Until uint8

const (
	// UntilTarget means that only the target generation ends the run.
	UntilTarget Until = iota
	// UntilStable means that the state at a generation divisible by 60 equals the state at an earlier such generation
	// of this run, so it will repeat forever. Still lifes and oscillators whose period divides 60 (nearly all common
	// ones) are detected two to three such generations after they settled. Period p is detected after about 2·lcm(p,
	// 60) generations, if that is below 60·65,536. Whole states are compared by their hash, so a glider that circles a
	// torus is an oscillation. On the unbounded plane, groups that fly away forever do not count once they provably
	// never meet anything (see leaving).
	UntilStable
	// UntilExtinct means that no cell is left. It is exact to the generation while the population is below 1024. Above
	// that it is checked every 60 generations.
	UntilExtinct
)

// String returns the condition as flags spell it.
func (u Until) String() string {
	switch u {
	case UntilStable:
		return "stable"
	case UntilExtinct:
		return "extinct"
	default:
		return "target"
	}
}

// ParseUntil reads "stable", "extinct" or "target" (also "").
func ParseUntil(s string) (Until, error) {
	switch s {
	case "", "target":
		return UntilTarget, nil
	case "stable":
		return UntilStable, nil
	case "extinct":
		return UntilExtinct, nil
	}
	return 0, fmt.Errorf("unknown condition %q, want stable, extinct or target", s)
}

// UnmarshalText implements encoding.TextUnmarshaler by ParseUntil.
func (u *Until) UnmarshalText(text []byte) (err error) {
	*u, err = ParseUntil(string(text))
	return err
}

const (
	remember = 1 << 16 // states kept by UntilStable before it starts again
	fewCells = 1024    // UntilExtinct checks every generation below this population
)

// watch decides whether an Until condition holds, and when to look next.
type watch struct {
	until Until
	cfg   sim.Config
	// generations from check to check: LookEvery, or a multiple that is one of the period of the rule and its
	// background too
	every uint64
	once  uint64 // the background's first states, which never come back
	rest  uint64 // checks happen only at multiples of this
	few   bool   // whether the population was small at the last check

	// UntilStable hashes a state only if its outline, which is cheap to compute, was seen before. A lone glider on the
	// unbounded plane never has the same outline again, so a state is remembered from its second occurrence on.
	outlines map[outline]struct{}
	seen     Recurrence

	leaving leaving

	period   uint64 // of the rule and its background
	lifespan bool   // whether the least period and the lifespan are wanted
	start    uint64 // the first generation of the run
	trail    trail
}

// newWatch prepares the looks for the end. They are a whole number of the rule's periods apart, as
// states at different phases are not comparable.
func newWatch(opts Options, start, rest uint64) watch {
	period, once := rounds(opts.Config)
	every := uint64(LookEvery)
	for every%period != 0 {
		every += LookEvery
	}
	return watch{
		until: opts.Until, cfg: opts.Config, every: every, once: once, rest: rest,
		leaving: leaving{cfg: opts.Config},
		period:  period, lifespan: opts.Lifespan, start: start,
	}
}

// next returns the first generation after g at which check must be called.
func (w *watch) next(g uint64) uint64 {
	period := w.every
	switch {
	case w.until == UntilTarget:
		return sim.Forever
	case w.until == UntilExtinct && w.few:
		period = w.rest
	}
	if g > sim.Forever-period {
		return sim.Forever
	}
	return g - g%period + period
}

// check records in a result why the run ends here, if it does, and the period of a stable universe.
func (w *watch) check(ctx context.Context, e sim.Engine, r *Result) (reason Reason, err error) {
	switch w.until {
	case UntilExtinct:
		population, err := e.Population()
		if err != nil {
			return "", err
		}
		w.few = population < fewCells
		if population == 0 {
			return ReasonExtinct, nil
		}
	case UntilStable:
		g := e.Generation()
		if w.lifespan && (g == w.start || g%w.every == 0) {
			if err := w.trail.add(ctx, e, r.Stepping); err != nil {
				return "", err
			}
		}
		if g%w.every == 0 && g >= w.once {
			return w.checkStable(ctx, e, g, r)
		}
	}
	return "", nil
}

// checkStable looks whether the state has been there before. Population and bounding box are compared
// first, since a hash reads all cells.
func (w *watch) checkStable(ctx context.Context, e sim.Engine, g uint64, r *Result) (Reason, error) {
	if len(w.outlines) >= remember || w.seen.Len() >= remember {
		clear(w.outlines)
		w.seen = Recurrence{}
	}
	o, err := outlineOf(e)
	if err != nil {
		return "", err
	}
	if _, before := w.outlines[o]; before {
		hash, err := grid.StateHash(ctx, e, w.cfg.Rule.States, !w.cfg.Topology.Bounded())
		if err != nil {
			return "", err
		}
		if earlier, again := w.seen.Look(hash, g); again {
			c := cycle{length: g - earlier}
			if w.lifespan {
				// The present state is that of the earlier generation, too.
				c.from.generation = earlier
				if c.from.cells, err = grid.TilesOf(ctx, e); err != nil {
					return "", err
				}
			}
			return w.stable(ctx, e, c, r)
		}
	}
	if w.outlines == nil {
		w.outlines = map[outline]struct{}{}
	}
	w.outlines[o] = struct{}{}
	c, found, err := w.leaving.check(ctx, e, g, o.population)
	if !found || err != nil {
		return "", err
	}
	return w.stable(ctx, e, c, r)
}

// stable records what a universe does forever.
func (w *watch) stable(ctx context.Context, e sim.Engine, c cycle, r *Result) (Reason, error) {
	r.Recurrence = c.length
	for _, g := range c.groups {
		if g.shift != [2]int{} {
			r.Leaving++
		}
	}
	if r.Leaving > 0 && r.Leaving == len(c.groups) {
		r.Nothing = true
	}
	if w.lifespan {
		if err := w.measure(ctx, e, c, r); err != nil {
			return "", err
		}
	}
	return ReasonStable, nil
}
