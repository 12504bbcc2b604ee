package run_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// fake is an engine of one row whose cells are a function of the generation, so that a test decides what a run sees.
type fake struct {
	generation uint64
	cells      func(g uint64) uint64
	took       time.Duration // a generation lasts so long
	steps      []uint64
	fail       error // returned by Step
	grain      uint64
}

func (f *fake) Step(ctx context.Context, n uint64) (uint64, error) {
	f.steps = append(f.steps, n)
	for done := range n {
		if ctx.Err() != nil {
			return done, ctx.Err()
		}
		if f.fail != nil && f.generation == 10 {
			return done, f.fail
		}
		if f.took > 0 {
			time.Sleep(f.took)
		}
		f.generation++
	}
	return n, nil
}

func (f *fake) Generation() uint64          { return f.generation }
func (f *fake) SetGeneration(g uint64)      { f.generation = g }
func (f *fake) Population() (uint64, error) { return uint64(len(bitsOf(f.now()))), nil }

func (f *fake) Info() sim.Info                            { return sim.Info{Engine: "fake", Grain: f.grain} }
func (f *fake) Close() error                              { return nil }
func (f *fake) Extent() (grid.Rect, error)                { return grid.Rect{W: 64, H: 1}, nil }
func (f *fake) Planes() int                               { return 1 }
func (f *fake) WriteRow(_ []uint64, _, _, _, _ int) error { return nil }

func (f *fake) ReadRow(dst []uint64, _, _, _, _ int) error {
	dst[0] = f.now()
	return nil
}

func (f *fake) now() uint64 {
	if f.cells == nil {
		return f.generation + 1
	}
	return f.cells(f.generation)
}

func bitsOf(w uint64) (set []int) {
	for i := range 64 {
		if w>>i&1 == 1 {
			set = append(set, i)
		}
	}
	return set
}

type observer struct {
	every uint64
	seen  []uint64
	fail  error
	look  func(ctx context.Context) error // what Observe does besides; nil: nothing
}

func (o *observer) Next(g uint64) uint64 { return run.NextMultiple(g, o.every) }

func (o *observer) Observe(ctx context.Context, e run.Stepper) error {
	if ctx.Err() != nil {
		return errors.New("observed with a cancelled context")
	}
	o.seen = append(o.seen, e.Generation())
	if o.look != nil {
		return o.look(ctx)
	}
	return o.fail
}

func life(w, h int) sim.Config {
	return sim.Config{
		Rule: rule.Rule{
			States: 2, Neighbourhood: rule.Neighbourhood{Letter: 'M', Radius: 1},
			Birth: rule.Counts{{Lo: 3, Hi: 3}}, Survival: rule.Counts{{Lo: 2, Hi: 3}},
		},
		Topology: topology.Topology{Kind: topology.Torus, W: w, H: h},
	}
}

// planned is a configuration for which a plan is asked for. Every generation is then computed, even if they repeat.
func planned(w, h int) sim.Config {
	c := life(w, h)
	c.Plan = "any"
	return c
}

// seedsUnbounded is B0 on the unbounded plane, whose background alternates.
func alternating() sim.Config {
	c := life(0, 0)
	c.Topology = topology.Topology{}
	c.Rule.Birth = rule.Counts{{Lo: 0, Hi: 0}}
	return c
}

func TestTargetAndObservers(t *testing.T) {
	e := &fake{generation: 7}
	tens, fives := &observer{every: 10}, &observer{every: 5}
	r, err := run.Run(t.Context(), e, run.Options{Config: life(64, 1), Target: 32, Observers: []run.Observer{tens, fives}})
	if err != nil || r.Reason != run.ReasonTarget || r.Generation != 32 || r.Generations != 25 {
		t.Errorf("got %+v, %v", r, err)
	}
	if want := []uint64{10, 20, 30, 32}; !slices.Equal(tens.seen, want) {
		t.Errorf("every 10 saw %v, want %v", tens.seen, want)
	}
	if want := []uint64{10, 15, 20, 25, 30, 32}; !slices.Equal(fives.seen, want) {
		t.Errorf("every 5 saw %v, want %v", fives.seen, want)
	}
	if want := []uint64{3, 5, 5, 5, 5, 2}; !slices.Equal(e.steps, want) {
		t.Errorf("steps %v, want %v", e.steps, want)
	}
}

func TestObserverAtTheStartOnce(t *testing.T) {
	o := &observer{every: 4}
	if _, err := run.Run(t.Context(), &fake{}, run.Options{
		Config:    life(64, 1),
		Observers: []run.Observer{o},
	}); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{0}; !slices.Equal(o.seen, want) {
		t.Errorf("a run of no generation was seen at %v, want %v", o.seen, want)
	}
}

func TestNothingDueIsOneStep(t *testing.T) {
	e := &fake{}
	if _, err := run.Run(t.Context(), e, run.Options{Config: planned(64, 1), Target: 12345}); err != nil {
		t.Fatal(err)
	}
	if want := []uint64{12345}; !slices.Equal(e.steps, want) {
		t.Errorf("steps %v, want %v", e.steps, want)
	}
}

// TestRunLeaps checks that a run, on every engine, finds out that its universe repeats and leaps over most
// generations. Observations that are due in between still take place.
func TestRunLeaps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{took: 10 * time.Microsecond, cells: func(g uint64) uint64 {
			if g < 1000 {
				return g << 8
			}
			return 1 << (20 + g%7)
		}}
		o := &observer{every: 1_000_000}
		r, err := run.Run(t.Context(), e, run.Options{Config: life(64, 1), Target: 5_000_003, Observers: []run.Observer{o}})
		if err != nil || r.Generation != 5_000_003 || r.Generations != 5_000_003 {
			t.Errorf("%+v, %v", r, err)
		}
		if want := []uint64{0, 1e6, 2e6, 3e6, 4e6, 5e6, 5_000_003}; !slices.Equal(o.seen, want) {
			t.Errorf("observed at %v, want %v", o.seen, want)
		}
		computed := uint64(0)
		for _, n := range e.steps {
			computed += n
		}
		if computed > 200_000 {
			t.Errorf("%d generations were computed", computed)
		}
	})
}

func TestHooksEveryTenthOfASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{took: 100 * time.Microsecond, grain: 48}
		start := time.Now()
		var progress, checkpoints []time.Duration
		record := func(to *[]time.Duration) func(context.Context, run.Stepper) error {
			return func(context.Context, run.Stepper) error {
				*to = append(*to, time.Since(start))
				return nil
			}
		}
		r, err := run.Run(t.Context(), e, run.Options{
			Config: planned(1000, 10), Target: 100_000, // ten seconds
			Hooks: []run.Hook{
				{Every: 100 * time.Millisecond, Call: record(&progress)},
				{First: time.Second, Every: 4 * time.Second, Call: record(&checkpoints)},
			},
		})
		if err != nil || r.Stepping != 10*time.Second || r.CellsPerSecond != 1e8 {
			t.Errorf("got %+v, %v", r, err)
		}
		if n := len(progress); n < 45 || n > 100 {
			t.Errorf("%d progress calls in ten seconds", n)
		}
		if n := len(checkpoints); n != 3 || checkpoints[0] < time.Second || checkpoints[0] > 1200*time.Millisecond {
			t.Errorf("checkpoints at %v", checkpoints)
		}
		if n := len(e.steps); n > 120 {
			t.Errorf("%d steps for ten seconds: %v", n, e.steps)
		}
		if whole := e.steps[len(e.steps)/2]; whole%48 != 0 {
			t.Errorf("a step in the middle of the run is of %d generations, not a multiple of 48", whole)
		}
	})
}

func TestSlowEngineStepsSingly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{took: time.Second}
		hook := run.Hook{Every: time.Second, Call: func(context.Context, run.Stepper) error { return nil }}
		if _, err := run.Run(t.Context(), e, run.Options{
			Config: life(64, 1), Target: 5,
			Hooks: []run.Hook{hook},
		}); err != nil {
			t.Fatal(err)
		}
		if want := []uint64{1, 1, 1, 1, 1}; !slices.Equal(e.steps, want) {
			t.Errorf("steps %v, want %v", e.steps, want)
		}
	})
}

func TestInterruptAndTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cfg := alternating()
		for _, c := range []struct {
			ctx  func() (context.Context, context.CancelFunc)
			want run.Reason
		}{
			{func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(t.Context(), 3500*time.Millisecond)
			}, run.ReasonTimeout},
			{func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(4500*time.Millisecond, cancel)
				return ctx, cancel
			}, run.ReasonInterrupted},
		} {
			ctx, cancel := c.ctx()
			defer cancel()
			e, o := &fake{took: time.Second}, &observer{every: 1000}
			r, err := run.Run(ctx, e, run.Options{
				Config: cfg, Empty: true, Target: sim.Forever - 1,
				Observers: []run.Observer{o},
			})
			if err != nil || r.Reason != c.want {
				t.Errorf("got %+v, %v, want %v", r, err, c.want)
			}
			if r.Generation%2 != 0 || r.Generation < 4 {
				t.Errorf("%v at generation %d, want an even one from 4", c.want, r.Generation)
			}
			if want := []uint64{0, r.Generation}; !slices.Equal(o.seen, want) {
				t.Errorf("observed at %v, want %v", o.seen, want)
			}
		}
	})
}

func TestUntilStable(t *testing.T) {
	settle := func(at, period uint64) func(uint64) uint64 {
		return func(g uint64) uint64 {
			if g < at {
				return g << 8
			}
			return 1 << (20 + (g-at)%period)
		}
	}
	for _, c := range []struct{ at, period, stop, recurrence uint64 }{
		{0, 1, 120, 60}, // looks at 0, 60 and 120: outline, state, again
		{100, 2, 240, 60},
		{1000, 15, 1140, 60},
		{1000, 7, 1500, 420},
	} {
		e := &fake{cells: settle(c.at, c.period)}
		r, err := run.Run(t.Context(), e, run.Options{Config: life(64, 1), Target: 1e6, Until: run.UntilStable})
		want := run.Result{
			Reason: run.ReasonStable, Generation: c.stop, Generations: c.stop, Recurrence: c.recurrence,
			Stepping: r.Stepping, CellsPerSecond: r.CellsPerSecond,
		}
		if d := cmp.Diff(want, r); d != "" || err != nil {
			t.Errorf("settled at %d with period %d: %v %s", c.at, c.period, err, d)
		}
	}
}

func TestUntilExtinct(t *testing.T) {
	e := &fake{cells: func(g uint64) uint64 {
		if g < 131 {
			return g + 1
		}
		return 0
	}}
	r, err := run.Run(t.Context(), e, run.Options{Config: life(64, 1), Target: 1000, Until: run.UntilExtinct})
	if err != nil || r.Reason != run.ReasonExtinct || r.Generation != 131 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestErrorsEndARun(t *testing.T) {
	broken := errors.New("broken")
	hook := run.Hook{First: time.Nanosecond, Every: time.Hour, Call: func(context.Context, run.Stepper) error {
		return broken
	}}
	for name, c := range map[string]struct {
		e    *fake
		opts run.Options
	}{
		"engine":   {&fake{fail: broken}, run.Options{}},
		"observer": {&fake{}, run.Options{Observers: []run.Observer{&observer{every: 3, fail: broken}}}},
		"hook":     {&fake{}, run.Options{Hooks: []run.Hook{hook}}},
	} {
		c.opts.Config, c.opts.Target = life(64, 1), 1<<20
		r, err := run.Run(t.Context(), c.e, c.opts)
		if !errors.Is(err, broken) || r.Reason != "" || r.Generation != c.e.generation {
			t.Errorf("%s: got %+v, %v", name, r, err)
		}
	}
}

// A universe that has outgrown its memory is looked at a last time, and the result says where it is.
func TestOutOfMemoryEndsARun(t *testing.T) {
	full := &sim.OutOfMemory{What: "it has grown", Why: errors.New("no more")}
	for _, cfg := range []sim.Config{life(64, 1), alternating()} {
		e, o := &fake{fail: full}, &observer{every: 100}
		r, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 1000, Observers: []run.Observer{o}})
		if !errors.Is(err, full) || r.Reason != run.ReasonMemory || r.Generation != 10 ||
			!slices.Equal(o.seen, []uint64{0, 10}) {
			t.Errorf("reason %q at generation %d, seen %v, error %v", r.Reason, r.Generation, o.seen, err)
		}
	}
	lost := errors.New("no look")
	r, err := run.Run(t.Context(), &fake{fail: full}, run.Options{
		Config: life(64, 1), Target: 1000,
		Observers: []run.Observer{&observer{every: 7, fail: lost}},
	})
	if !errors.Is(err, lost) || r.Reason != "" {
		t.Errorf("reason %q, error %v", r.Reason, err)
	}
}

// A background that alternates is in nobody's way who can show it.
func TestOddGenerations(t *testing.T) {
	e, o := &fake{generation: 3}, &observer{every: 3}
	r, err := run.Run(t.Context(), e, run.Options{Config: alternating(), Target: 11, Observers: []run.Observer{o}})
	if err != nil || r.Generation != 11 || !slices.Equal(o.seen, []uint64{3, 6, 9, 11}) {
		t.Errorf("%+v, %v, observed at %v", r, err, o.seen)
	}
}

// TestEmpty: where an observer looks at odd generations, too, hooks and conditions keep to even ones.
func TestEmpty(t *testing.T) {
	e, o := &fake{cells: func(g uint64) uint64 { return max(300, g) - g }}, &observer{every: 3}
	var hooked []uint64
	hook := run.Hook{Every: run.EveryStep, Call: func(_ context.Context, e run.Stepper) error {
		hooked = append(hooked, e.Generation())
		return nil
	}}
	r, err := run.Run(t.Context(), e, run.Options{
		Config: alternating(), Empty: true, Target: 1000, Until: run.UntilExtinct, Observers: []run.Observer{o},
		Hooks: []run.Hook{hook},
	})
	if err != nil || r.Reason != run.ReasonExtinct || r.Generation != 300 || !slices.Contains(o.seen, 297) {
		t.Errorf("%+v, %v, observed at %v", r, err, o.seen)
	}
	if len(hooked) < 50 || slices.ContainsFunc(hooked, func(g uint64) bool { return g%2 != 0 }) {
		t.Errorf("hooks at %v", hooked)
	}
}

func TestRefusedOptions(t *testing.T) {
	for want, c := range map[string]struct {
		at   uint64
		opts run.Options
	}{
		"already passed":       {9, run.Options{Config: life(64, 1), Target: 8}},
		"stop at generation 7": {0, run.Options{Config: alternating(), Target: 7, Empty: true}},
		"start at":             {3, run.Options{Config: alternating(), Target: 8, Empty: true}},
		"not positive":         {0, run.Options{Config: life(64, 1), Hooks: []run.Hook{{}}}},
	} {
		e := &fake{generation: c.at}
		if _, err := run.Run(t.Context(), e, c.opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error that says %q", err, want)
		}
		if len(e.steps) > 0 {
			t.Errorf("%s: the engine was stepped", want)
		}
	}
}

// TestInterruptedLook: an observer that heeds an interrupt looks again at the end, and the run is an interrupted one,
// not a failed one.
func TestInterruptedLook(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	e := &fake{}
	o := &observer{every: 5}
	o.look = func(ctx context.Context) error {
		if e.generation == 10 && ctx.Done() != nil {
			cancel()
		}
		return ctx.Err()
	}
	r, err := run.Run(ctx, e, run.Options{Config: life(64, 1), Target: 1000, Observers: []run.Observer{o}})
	if err != nil || r.Reason != run.ReasonInterrupted || r.Generation != 10 ||
		!slices.Equal(o.seen, []uint64{0, 5, 10, 10}) {
		t.Errorf("%+v, %v, observed at %v", r, err, o.seen)
	}
}

// TestStop: what an observer or a hook was for may be done before the target is reached.
func TestStop(t *testing.T) {
	e, o := &fake{}, &observer{every: 7}
	o.look = func(context.Context) error {
		if e.generation == 21 {
			return run.ErrStop
		}
		return nil
	}
	r, err := run.Run(t.Context(), e, run.Options{Config: life(64, 1), Target: sim.Forever, Observers: []run.Observer{o}})
	if err != nil || r.Reason != run.ReasonStopped || r.Generation != 21 || !slices.Equal(o.seen, []uint64{0, 7, 14, 21}) {
		t.Errorf("%+v, %v, observed at %v", r, err, o.seen)
	}
	hook := run.Hook{Every: run.EveryStep, Call: func(_ context.Context, e run.Stepper) error {
		if e.Generation() >= 3 {
			return run.ErrStop
		}
		return nil
	}}
	r, err = run.Run(t.Context(), &fake{}, run.Options{Config: life(64, 1), Target: sim.Forever, Hooks: []run.Hook{hook}})
	if err != nil || r.Reason != run.ReasonStopped || r.Generation < 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// TestQuantum: a step that lasts ten times as long as somebody waits ends early, and the next one is shorter.
func TestQuantum(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, tuner := &fake{took: time.Microsecond}, &run.Tuner{}
		var longest time.Duration
		last := time.Now()
		hook := run.Hook{Every: run.EveryStep, Call: func(_ context.Context, s run.Stepper) error {
			if s.Generation() > 1e6 {
				e.took = time.Millisecond // a thousandfold
			}
			longest, last = max(longest, time.Since(last)), time.Now()
			return nil
		}}
		opts := run.Options{
			Config: life(64, 1), Target: 1e6 + 30_000, Hooks: []run.Hook{hook}, Quantum: 10 * time.Millisecond, Tuner: tuner,
		}
		if r, err := run.Run(t.Context(), e, opts); err != nil || r.Reason != run.ReasonTarget {
			t.Errorf("%+v, %v", r, err)
		}
		if longest > 110*time.Millisecond {
			t.Errorf("a step lasted %v", longest)
		}
		n := e.steps[len(e.steps)-2]
		if n < 9 || n > 11 {
			t.Errorf("steps of %d ms at last, want 10", n)
		}
		opts.Target += 100
		e.steps = nil
		if _, err := run.Run(t.Context(), e, opts); err != nil || e.steps[0] != n {
			t.Errorf("the next run begins with steps of %v generations, want %d: %v", e.steps, n, err)
		}
	})
}

// TestManyHaveNoCondition: what is no Engine has no cells to look at.
func TestManyHaveNoCondition(t *testing.T) {
	many := struct{ run.Stepper }{&fake{}}
	if _, err := run.Run(t.Context(), many, run.Options{
		Config: life(64, 1), Target: 9,
		Until: run.UntilStable,
	}); err == nil {
		t.Error("many universes were run until they are stable")
	}
	if r, err := run.Run(t.Context(), many, run.Options{Config: life(64, 1), Target: 9}); err != nil || r.Generation != 9 {
		t.Errorf("%+v, %v", r, err)
	}
}

func TestNextMultiple(t *testing.T) {
	for _, c := range []struct{ g, period, want uint64 }{
		{0, 5, 0},
		{1, 5, 5},
		{5, 5, 5},
		{sim.Forever - 2, 1, sim.Forever - 2},
		{sim.Forever - 2, 1 << 40, sim.Forever},
		{7, 0, sim.Forever},
	} {
		if got := run.NextMultiple(c.g, c.period); got != c.want {
			t.Errorf("the first multiple of %d from %d on: %d, want %d", c.period, c.g, got, c.want)
		}
	}
}

func TestParseUntil(t *testing.T) {
	for _, u := range []run.Until{run.UntilTarget, run.UntilStable, run.UntilExtinct} {
		if got, err := run.ParseUntil(u.String()); got != u || err != nil {
			t.Errorf("%v read back as %v, %v", u, got, err)
		}
	}
	if _, err := run.ParseUntil("settled"); err == nil {
		t.Error("an unknown condition was accepted")
	}
}
