package sim

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"
)

// Forever is the target of a run that only ctx or Until ends.
const Forever uint64 = math.MaxUint64

// Observer looks at a universe at set generations: a census, a series, frames.
type Observer interface {
	// Every is the period in generations, at least 1, constant during a run.
	Every() uint64
	// Observe is called between steps at every generation that is a multiple of Every, counted from generation 0 so
	// that a run cut and resumed samples the same generations as one never cut. It is called at the first generation of
	// a run when that is such a multiple, and at its last generation whatever it is; never twice at one generation. It
	// is also called at the end of a run that was interrupted, with a context that is not cancelled. An error ends the
	// run.
	Observe(ctx context.Context, e Engine) error
}

// Hook is called at set times rather than generations: progress, checkpoints, frames of a viewer.
type Hook struct {
	First time.Duration // from the start of the run to the first call; 0: as Every
	Every time.Duration // from the end of one call to the next; above 0. Steps last about 100 ms, so shorter ones come late
	Call  func(ctx context.Context, e Engine) error
}

// Options says where a run ends and who watches it.
type Options struct {
	Config    Config // what the engine was opened with
	Target    uint64 // the generation to stop at, absolute (see Engine.SetGeneration); Forever: none
	Until     Until  // a condition that stops the run before Target
	Even      bool   // pause at even generations only where the background is alive at odd ones: see Run
	Observers []Observer
	Hooks     []Hook
}

// Reason says why a run ended.
type Reason string

const (
	ReasonTarget      Reason = "target"      // the target generation is reached
	ReasonStable      Reason = "stable"      // see UntilStable
	ReasonExtinct     Reason = "extinct"     // see UntilExtinct
	ReasonInterrupted Reason = "interrupted" // the context was cancelled
	ReasonTimeout     Reason = "timeout"     // the context's deadline passed
	ReasonMemory      Reason = "memory"      // the universe would outgrow its memory; Run returns the *OutOfMemory as well
)

// Result is what a run did.
type Result struct {
	Reason         Reason        // empty when Run returned an error other than *OutOfMemory
	Generation     uint64        // where the universe is now
	Generations    uint64        // done by this run
	Recurrence     uint64        // ReasonStable: the state repeats after this many generations, a multiple of its period
	Leaving        int           // ReasonStable: groups of cells that do not repeat but fly away for ever
	Stepping       time.Duration // time inside Engine.Step, observers and hooks left out
	CellsPerSecond float64       // W·H·Generations / Stepping; 0 where undefined: unbounded universes and runs of no generation
}

// Run advances e to its target, whatever comes first of Target, Until and the end of ctx. A cancelled or expired ctx is
// not an error: the generation in hand is finished and the Result says so. Under a B0 rule without Smax the background of an
// unbounded universe is alive at odd generations (Info.Background), which not everything that looks at cells can show. With
// Options.Even odd starts, targets and observation periods are refused up front there, and interruptions finish on an even
// generation.
func Run(ctx context.Context, e Engine, opts Options) (Result, error) {
	r := runner{engine: e, opts: opts, start: e.Generation(), chunk: 1, parity: 1}
	if opts.Even && alternates(opts.Config) {
		r.parity = 2
	}
	r.watch = newWatch(opts, r.parity)
	if err := r.validate(); err != nil {
		return r.result, err
	}
	r.due = make([]time.Time, len(opts.Hooks))
	for i, h := range opts.Hooks {
		r.due[i] = time.Now().Add(max(h.First, 0))
		if h.First == 0 {
			r.due[i] = time.Now().Add(h.Every)
		}
	}
	reason, err := r.loop(ctx)
	var full *OutOfMemory
	if err == nil || errors.As(err, &full) && r.engine.Generation()%r.parity == 0 {
		if full != nil {
			reason = ReasonMemory
		}
		if failed := r.observeEnd(context.WithoutCancel(ctx)); failed != nil {
			reason, err = "", errors.Join(err, failed)
		}
		r.result.Reason = reason
	}
	r.account()
	return r.result, err
}

// alternates reports whether the background of the universe changes at every generation.
func alternates(cfg Config) bool {
	return !cfg.Topology.Bounded() && cfg.Rule.BirthOnEmpty() && !cfg.Rule.SurvivesFull()
}

// quantum is how long a step may last while there are hooks to serve.
const quantum = 100 * time.Millisecond

// blocking is what long steps are rounded down to: a multiple of every depth (2, 3, 4, 6, 8, 12, 16, 24) to which
// schedules block generations, so that cutting a run into steps leaves no remainder passes.
const blocking = 48

// longest is the most generations of a step while there are hooks to serve.
const longest = 1 << 60

type runner struct {
	engine   Engine
	opts     Options
	start    uint64 // first generation
	parity   uint64 // the run may pause at multiples of this only
	chunk    uint64 // generations expected to take one quantum
	due      []time.Time
	watch    watch
	observed []uint64 // by observer: 1 + the generation it last saw, 0 for none
	result   Result
}

func (r *runner) validate() error {
	if r.opts.Target < r.start {
		return fmt.Errorf("target generation %d is already passed: the universe is at %d", r.opts.Target, r.start)
	}
	for _, h := range r.opts.Hooks {
		if h.Every <= 0 {
			return fmt.Errorf("hook interval %v is not positive", h.Every)
		}
	}
	for _, o := range r.opts.Observers {
		if o.Every() == 0 {
			return errors.New("observation period 0, want at least 1 generation")
		}
		if o.Every()%r.parity != 0 {
			return r.oddError("observe every", o.Every())
		}
	}
	if r.start%r.parity != 0 {
		return r.oddError("start at", r.start)
	}
	if r.opts.Target != Forever && r.opts.Target%r.parity != 0 {
		return r.oddError("stop at", r.opts.Target)
	}
	r.observed = make([]uint64, len(r.opts.Observers))
	return nil
}

func (r *runner) oddError(what string, g uint64) error {
	return fmt.Errorf("cannot %s generation %d: the background is alive at odd generations of this rule, and pictures, clusters and"+
		" most files cannot hold that; rle and macrocell can", what, g)
}

// loop steps until the run ends and says why.
func (r *runner) loop(ctx context.Context) (Reason, error) {
	for {
		g := r.engine.Generation()
		for i, o := range r.opts.Observers {
			if g%o.Every() == 0 {
				if err := r.observe(ctx, i); err != nil {
					return "", err
				}
			}
		}
		if reason, err := r.watch.check(ctx, r.engine, &r.result); ctx.Err() != nil && errors.Is(err, ctx.Err()) {
			return endOf(err), nil
		} else if reason != "" || err != nil {
			return reason, err
		}
		if g == r.opts.Target {
			return ReasonTarget, nil
		}
		if err := ctx.Err(); err != nil {
			return endOf(err), nil
		}
		if err := r.callHooks(ctx); err != nil {
			return "", err
		}
		if err := r.step(ctx, g); err != nil {
			if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
				return endOf(err), r.evenOut(ctx)
			}
			return "", err
		}
	}
}

func endOf(ctxErr error) Reason {
	if errors.Is(ctxErr, context.DeadlineExceeded) {
		return ReasonTimeout
	}
	return ReasonInterrupted
}

// step advances to the next generation at which something is due, or by about one quantum when hooks are waiting.
func (r *runner) step(ctx context.Context, g uint64) error {
	n := min(r.opts.Target, r.watch.next(g)) - g
	for _, o := range r.opts.Observers {
		n = min(n, o.Every()-g%o.Every())
	}
	if len(r.opts.Hooks) > 0 {
		chunk := max(r.chunk, r.parity)
		n = min(n, chunk-chunk%r.parity)
	}
	begin := time.Now()
	done, err := r.engine.Step(ctx, n)
	took := time.Since(begin)
	r.result.Stepping += took
	if err != nil {
		return err
	}
	if done != n {
		return fmt.Errorf("engine %s did %d generations of %d without an error", r.engine.Info().Engine, done, n)
	}
	if r.engine.Info().Leaps {
		r.chunk = min(2*r.chunk, longest)
	} else {
		r.chunk = adapt(r.chunk, n, took)
	}
	return nil
}

// adapt is the next chunk after n generations took so long. It grows eightfold at most, for the first steps of an
// engine (warming up, compiling) say little about the later ones.
func adapt(chunk, n uint64, took time.Duration) uint64 {
	grown := min(8*chunk, longest)
	if took <= 0 {
		return grown
	}
	fit := float64(n) * float64(quantum) / float64(took)
	if fit >= float64(grown) {
		return grown
	}
	next := max(uint64(fit), 1)
	if next > blocking {
		next -= next % blocking
	}
	return next
}

// evenOut finishes the pair of generations that an alternating rule was interrupted in.
func (r *runner) evenOut(ctx context.Context) error {
	if r.engine.Generation()%r.parity == 0 {
		return nil
	}
	_, err := r.engine.Step(context.WithoutCancel(ctx), 1)
	return err
}

func (r *runner) callHooks(ctx context.Context) error {
	for i, h := range r.opts.Hooks {
		if time.Now().Before(r.due[i]) {
			continue
		}
		if err := h.Call(ctx, r.engine); err != nil {
			return err
		}
		r.due[i] = time.Now().Add(h.Every)
	}
	return nil
}

func (r *runner) observe(ctx context.Context, i int) error {
	r.observed[i] = r.engine.Generation() + 1
	return r.opts.Observers[i].Observe(ctx, r.engine)
}

func (r *runner) observeEnd(ctx context.Context) error {
	for i := range r.opts.Observers {
		if r.observed[i] == r.engine.Generation()+1 {
			continue
		}
		if err := r.observe(ctx, i); err != nil {
			return err
		}
	}
	return nil
}

func (r *runner) account() {
	r.result.Generation = r.engine.Generation()
	r.result.Generations = r.result.Generation - r.start
	t := r.opts.Config.Topology
	if s := r.result.Stepping.Seconds(); s > 0 {
		r.result.CellsPerSecond = float64(t.W) * float64(t.H) * float64(r.result.Generations) / s
	}
}
