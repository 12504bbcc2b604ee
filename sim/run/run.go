package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/gosper-life/gosper/sim"
)

// Stepper is driven by Run. It is one universe (an Engine), or many that advance together.
type Stepper interface {
	// Step, Generation and Info are documented at Engine.
	Step(ctx context.Context, n uint64) (done uint64, err error)
	Generation() uint64
	Info() sim.Info
}

// Observer looks at a universe at set generations: a census, a series, frames, the samples of an ensemble. It must not
// change cells.
type Observer interface {
	// Next returns the first generation from g on at which Observe must be called, or Forever if there is none. The
	// result does not depend on where a run began, so an interrupted and resumed run is observed at the same generations
	// as an uninterrupted one.
	Next(g uint64) uint64
	// Observe is called between steps: at every generation that Next returns, including the first of a run, and at the
	// last generation of a run in any case. It is never called twice at one generation. At the end of an interrupted
	// run it gets a context that is not cancelled. ErrStop ends the run; any other error makes it fail.
	Observe(ctx context.Context, e Stepper) error
}

// NextMultiple returns the first multiple of a period from g on, as an Observer's Next needs it. It returns Forever if
// the multiple is too large to count, or if the period is 0.
func NextMultiple(g, period uint64) uint64 {
	if period == 0 {
		return sim.Forever
	}
	rest := g % period
	switch {
	case rest == 0:
		return g
	case g-rest > sim.Forever-period:
		return sim.Forever
	}
	return g - rest + period
}

// ErrStop is returned by an Observer or a Hook to end a run that has reached its purpose: see ReasonStopped.
var ErrStop = errors.New("the run is to end")

// Hook is called at set times rather than at set generations, for progress, checkpoints, or the commands of a
// session. Like an Observer, it must not change cells.
type Hook struct {
	First time.Duration // from the start of the run to the first call; 0 means Every
	// from the end of one call to the next, or EveryStep; a step takes about a quantum, so shorter times are not
	// kept
	Every time.Duration
	Call  func(ctx context.Context, e Stepper) error
	// During is called by another goroutine while a step lasts, every Every, with the generation that the step has
	// about reached, if the engine is a Teller. It is never called during Call. It may be nil.
	During func(generation uint64)
}

// EveryStep, as a Hook's Every, means before every step.
const EveryStep time.Duration = 1

// Options says where a run ends and who watches it.
type Options struct {
	Config    sim.Config // the configuration of the engine
	Target    uint64     // the generation to stop at, absolute (see Engine.SetGeneration); Forever for none
	Until     Until      // a condition that stops the run before Target; it needs a Stepper that is an Engine
	Lifespan  bool       // of a stable universe: find Result.Period and Result.Lifespan, which takes some generations more
	Empty     bool       // pause only at generations whose background is in state 0: see Run
	Observers []Observer
	Hooks     []Hook
	// Quantum is about how long a step lasts while there are hooks, so that the next hook is not late. A step that
	// takes ten times as long is cut short. 0 means 100 ms; then nothing is cut short, and leaps may take any time.
	Quantum time.Duration
	Tuner   *Tuner // of the last run on the same engine, to continue with; nil means a new one
	// Rival is an engine for the same universe that may be much faster, or much slower. It races with the first one, and
	// takes its place if it wins: see Result.Engine. Observers and hooks are given the new one from then on. With a
	// Quantum its turns last no longer than that, and it stays for the next run; else Run closes it. nil means no rival.
	// Rules of a radius over 64 have none that leaps.
	Rival *Rival
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
	// the universe would outgrow its coordinates; Run returns the *OutOfSpace as well
	ReasonSpace   Reason = "space"
	ReasonStopped Reason = "stopped" // an Observer or a Hook ended it: see ErrStop
)

// Result describes a finished run.
type Result struct {
	Reason      Reason // empty when Run returned an error other than *OutOfMemory and *OutOfSpace
	Generation  uint64 // the universe's present generation
	Generations uint64 // the generations that this run computed
	Leapt       uint64 // how many of them were whole periods that the run leapt over
	Recurrence  uint64 // ReasonStable: the state repeats after this many generations, a multiple of its period
	// Options.Lifespan: the least period of the cells that stay, or of those that leave if none stays
	Period uint64
	// Options.Lifespan: from this generation on, all cells repeat or fly away; nil if not known
	Lifespan *uint64
	Leaving  int  // ReasonStable: groups of cells that do not repeat but fly away forever
	Nothing  bool // ReasonStable: nothing stays, because all groups leave
	// the rival that took over, if one did; the caller closes it, and the first engine is closed
	Engine         sim.Engine
	Replaced       *Replaced     // the engine that it took over from; nil if none did
	Stepping       time.Duration // time inside Engine.Step, without observers and hooks
	CellsPerSecond float64       // W·H·Generations / Stepping; 0 if undefined: unbounded universes, or no generations
}

// Replaced is an engine that a rival has replaced.
type Replaced struct {
	Engine     string // its name
	Generation uint64 // the last one that it computed of the present universe
}

// Run advances e until Target is reached, Until holds, or ctx is done. A cancelled or expired ctx is not an error: Run
// finishes the present generation and the Result gives the reason. Under a B0 rule the background of an unbounded
// universe is alive at some generations, under one without Smax at the odd ones (Info.Background). Some functions that
// look at cells cannot show that. With Options.Empty, Run refuses starts and targets of such universes where the
// background is alive, calls hooks and checks conditions only at multiples of sim.Config.EmptyEvery, and ends
// interrupted runs at one. Observers choose their generations themselves.
func Run(ctx context.Context, e Stepper, opts Options) (Result, error) {
	r := runner{engine: e, opts: opts, start: e.Generation(), rest: 1, quantum: opts.Quantum, tuner: opts.Tuner}
	if r.quantum == 0 {
		r.quantum = usualQuantum
	}
	if r.tuner == nil {
		r.tuner = &Tuner{}
	}
	if opts.Empty {
		r.rest = opts.Config.EmptyEvery()
	}
	r.leaper = newLeaper(e, opts, r.rest)
	r.watch = newWatch(opts, r.start, r.rest)
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
	if _, ok := e.(sim.Engine); !ok || opts.Config.Rule.Radius() > rivalRadius && !e.Info().Leaps {
		r.opts.Rival = nil
	}
	if r.opts.Rival.races() && e.Info().Leaps {
		r.tuner.begin(raceLeap)
	}
	reason, err := r.loop(ctx)
	if r.opts.Rival != nil && opts.Quantum == 0 {
		r.opts.Rival.Close()
	}
	if grown := outgrown(err); err == nil || grown != "" && r.engine.Generation()%r.rest == 0 {
		if grown != "" {
			reason = grown
		}
		if failed := r.observeEnd(context.WithoutCancel(ctx)); failed != nil {
			reason, err = "", errors.Join(err, failed)
		}
		r.result.Reason = reason
	}
	r.account()
	return r.result, err
}

// outgrown is the reason of a run that ended with an error because its universe has grown too far, empty for other
// errors.
func outgrown(err error) Reason {
	var full *sim.OutOfMemory
	var far *sim.OutOfSpace
	switch {
	case errors.As(err, &full):
		return ReasonMemory
	case errors.As(err, &far):
		return ReasonSpace
	}
	return ""
}

// runner is a run under way.
type runner struct {
	engine   Stepper
	opts     Options
	start    uint64 // first generation
	rest     uint64 // the run may pause only at multiples of this
	quantum  time.Duration
	tuner    *Tuner
	due      []time.Time
	watch    watch
	observed []uint64 // by observer: 1 + the generation it last saw, 0 if none
	result   Result
	worked   time.Duration // the work of all steps, or their time: see clock
	leaper   leaper
}

// validate refuses runs that could not end as asked.
func (r *runner) validate() error {
	if r.opts.Until == UntilStable && r.opts.Config.Rule.Random() {
		return fmt.Errorf("rule %v never settles for certain: what it does is left to chance", r.opts.Config.Rule)
	}
	if r.opts.Target < r.start {
		return fmt.Errorf("target generation %d is already passed: the universe is at %d", r.opts.Target, r.start)
	}
	for _, h := range r.opts.Hooks {
		if h.Every <= 0 {
			return fmt.Errorf("hook interval %v is not positive", h.Every)
		}
	}
	if _, ok := r.engine.(sim.Engine); !ok && r.opts.Until != UntilTarget {
		return fmt.Errorf("a run of many universes at once cannot end on the condition %v", r.opts.Until)
	}
	if r.opts.Empty {
		end := r.opts.Target
		if end == sim.Forever && r.rest == sim.Forever {
			end = r.start + 1 // the first one at which it could be interrupted
		}
		err := r.opts.Config.CheckEmpty("start at", r.start)
		if err == nil && end != sim.Forever {
			err = r.opts.Config.CheckEmpty("stop at", end)
		}
		if err != nil {
			return err
		}
	}
	r.observed = make([]uint64, len(r.opts.Observers))
	return nil
}

// loop steps until the run ends and returns the reason.
func (r *runner) loop(ctx context.Context) (Reason, error) {
	for {
		reason, err := r.pause(ctx)
		if reason == "" && err == nil {
			err = r.step(ctx, r.engine.Generation())
		}
		switch {
		case reason != "":
			return reason, nil
		case err == nil:
		case errors.Is(err, ErrStop):
			return ReasonStopped, nil
		case ctx.Err() != nil && errors.Is(err, ctx.Err()):
			return endOf(err), r.toRest(ctx)
		default:
			return "", err
		}
	}
}

// pause does what is due between two steps. It returns a reason if the run ends here.
func (r *runner) pause(ctx context.Context) (Reason, error) {
	g := r.engine.Generation()
	for i, o := range r.opts.Observers {
		if o.Next(g) == g && !r.hasObserved(i) {
			if err := r.observe(ctx, i); err != nil {
				return "", err
			}
		}
	}
	rests := g%r.rest == 0
	if r.opts.Until != UntilTarget && rests {
		if reason, err := r.watch.check(ctx, r.engine.(sim.Engine), &r.result); reason != "" || err != nil {
			return reason, err
		}
	}
	if g == r.opts.Target {
		return ReasonTarget, nil
	}
	if err := ctx.Err(); err != nil || !rests {
		return "", err
	}
	return "", r.callHooks(ctx)
}

func endOf(ctxErr error) Reason {
	if errors.Is(ctxErr, context.DeadlineExceeded) {
		return ReasonTimeout
	}
	return ReasonInterrupted
}

// step advances to the next generation at which something is due, or by about one quantum while there are hooks.
func (r *runner) step(ctx context.Context, g uint64) error {
	n := min(r.opts.Target, r.watch.next(g)) - g
	for _, o := range r.opts.Observers {
		n = min(n, o.Next(g+1)-g)
	}
	if leapt, err := r.leap(ctx, n); leapt || err != nil {
		return err
	}
	info := r.engine.Info()
	searches, err := r.leaper.searching(ctx, r.engine, info, n, r.worked)
	if err != nil {
		return err
	}
	if searches {
		return r.search(ctx)
	}
	if won, err := r.race(ctx, g+n); won || err != nil {
		return err
	}
	tuned := len(r.opts.Hooks) > 0 || r.opts.Rival.races() || r.leaper.worth(r.engine, n)
	if tuned {
		most := max(r.tuner.next(), r.rest)
		n = min(n, most-(g+most)%r.rest)
		if info.Leaps {
			n = aligned(n, g)
		}
	}
	begin, clock := time.Now(), timed(r.engine)
	done, err := r.stepOnce(ctx, n)
	took, cost := time.Since(begin), clock.took()
	r.result.Stepping += took
	r.worked += cost
	if r.opts.Rival.races() {
		r.opts.Rival.account(g, done, cost, info.Leaps, clock.metered != nil)
	}
	r.leaper.stepped(done, float64(cost)/float64(max(done, 1)), r.worked)
	switch {
	case err != nil:
		return err
	case tuned && info.Leaps:
		if done > 0 {
			r.tuner.leapt(took, leapQuanta*r.opts.Quantum)
		}
	case tuned:
		if r.opts.Quantum > 0 || !r.opts.Rival.races() {
			cost = took // somebody waits for the next step, or nothing depends on its length
		}
		r.tuner.took(max(done, 1), info.Grain, cost, r.racing(), r.opts.Quantum == 0)
	}
	return nil
}

// leap advances a universe that is known to repeat itself.
func (r *runner) leap(ctx context.Context, n uint64) (bool, error) {
	begin, from := time.Now(), r.engine.Generation()
	leapt, err := r.leaper.leap(ctx, r.engine, r.opts.Config, n)
	if leapt {
		r.result.Leapt += r.engine.Generation() - from
		r.result.Stepping += time.Since(begin)
	}
	return leapt, err
}

// search is a step of a search for the period of the universe.
func (r *runner) search(ctx context.Context) error {
	begin, clock := time.Now(), timed(r.engine)
	_, err := r.stepOnce(ctx, r.leaper.stride)
	r.result.Stepping += time.Since(begin)
	r.worked += clock.took()
	if err != nil {
		return err
	}
	return r.leaper.look(ctx, r.engine.(sim.Engine), &clock)
}

// stepOnce runs n generations. It runs fewer if they take much longer than a quantum, because a universe may slow down
// a thousandfold from one step to the next.
func (r *runner) stepOnce(ctx context.Context, n uint64) (done uint64, err error) {
	limited, cancel := ctx, func() {}
	step := r.engine.Step
	switch {
	case r.opts.Quantum > 0 && n > r.rest:
		limited, cancel = context.WithTimeout(ctx, overrun*r.opts.Quantum)
	case r.opts.Rival.races() && r.engine.Info().Leaps: // it remembers what it has found out by then
		if m, metered := r.engine.(sim.Metered); metered {
			step = func(ctx context.Context, n uint64) (uint64, error) {
				return m.StepWithin(ctx, n, max(rivalAfter, r.opts.Rival.ran))
			}
			break
		}
		limited, cancel = context.WithTimeout(ctx, max(rivalAfter, r.result.Stepping))
	}
	defer cancel()
	defer r.tellDuring()()
	done, err = step(limited, n)
	switch {
	case errors.Is(err, sim.ErrWork) && ctx.Err() == nil:
		return done, r.toRest(ctx)
	case err != nil && ctx.Err() == nil && limited.Err() != nil && errors.Is(err, limited.Err()):
		return done, r.toRest(ctx)
	case err == nil && done != n:
		return done, fmt.Errorf("engine %s did %d generations of %d without an error", r.engine.Info().Engine, done, n)
	}
	return done, err
}

// tellDuring calls the hooks that want to know how far a step is, until end is called.
func (r *runner) tellDuring() (end func()) {
	teller, ok := r.engine.(sim.Teller)
	if !ok {
		return func() {}
	}
	var telling sync.WaitGroup
	ended := make(chan struct{})
	for _, h := range r.opts.Hooks {
		if h.During == nil {
			continue
		}
		telling.Go(func() {
			ticker := time.NewTicker(h.Every)
			defer ticker.Stop()
			for {
				select {
				case <-ticker.C:
					h.During(teller.Underway())
				case <-ended:
					return
				}
			}
		})
	}
	return func() {
		close(ended)
		telling.Wait()
	}
}

// toRest goes on to a generation where the run may pause.
func (r *runner) toRest(ctx context.Context) error {
	past := r.engine.Generation() % r.rest
	if past == 0 {
		return nil
	}
	_, err := r.engine.Step(context.WithoutCancel(ctx), r.rest-past)
	return err
}

// callHooks calls the hooks that are due. The next call is due by the time from the end of this one,
// so that a slow hook does not take all of the time.
func (r *runner) callHooks(ctx context.Context) error {
	for i, h := range r.opts.Hooks {
		if h.Every != EveryStep && time.Now().Before(r.due[i]) {
			continue
		}
		if err := h.Call(ctx, r.engine); err != nil {
			return err
		}
		r.due[i] = time.Now().Add(h.Every)
	}
	return nil
}

func (r *runner) hasObserved(i int) bool { return r.observed[i] == r.engine.Generation()+1 }

// observe calls an observer, and notes the generation: each is observed once.
func (r *runner) observe(ctx context.Context, i int) error {
	if err := r.opts.Observers[i].Observe(ctx, r.engine); err != nil && !errors.Is(err, ErrStop) {
		return err // an interrupted observation is repeated at the end
	} else if r.observed[i] = r.engine.Generation() + 1; err != nil {
		return err
	}
	return nil
}

// observeEnd lets all observers see the last generation, which may be no sample.
func (r *runner) observeEnd(ctx context.Context) error {
	for i := range r.opts.Observers {
		if r.hasObserved(i) {
			continue
		}
		if err := r.observe(ctx, i); err != nil && !errors.Is(err, ErrStop) {
			return err
		}
	}
	return nil
}

// account computes what the result says about speed.
func (r *runner) account() {
	r.result.Generation = r.engine.Generation()
	r.result.Generations = r.result.Generation - r.start
	t := r.opts.Config.Topology
	if s := r.result.Stepping.Seconds(); s > 0 {
		r.result.CellsPerSecond = float64(t.W) * float64(t.H) * float64(r.result.Generations) / s
	}
}
