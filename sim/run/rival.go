package run

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime/debug"
	"time"

	"github.com/gosper-life/gosper/grid"

	"github.com/gosper-life/gosper/sim"
)

// clock measures the steps of an engine: by its work if it is a sim.Metered, else by the time.
type clock struct {
	metered sim.Metered // nil: it is none
	work    time.Duration
	begin   time.Time
}

// timed starts a clock for an engine. A nil engine takes time.
func timed(e Stepper) clock {
	c := clock{begin: time.Now()}
	if m, ok := e.(sim.Metered); ok {
		c.metered, c.work = m, m.Work()
	}
	return c
}

// took returns the work or the time of the engine since the clock was started.
func (c *clock) took() time.Duration {
	if c.metered != nil {
		return c.metered.Work() - c.work
	}
	return time.Since(c.begin)
}

// Rival is another engine that races with the engine of a run to the next generation at which something is due.
// Nobody can tell beforehand whether a pattern repeats itself: an engine that leaps, because it remembers, then takes
// no time for what takes another one years. As a result, both get their turns, and the first one to reach it goes on
// alone. The cells are the same either way. One of the two leaps, and the other one does not. Turns are measured in
// work if the engines count it (sim.Metered), so the same one wins each time.
//
// A Rival belongs to one engine and its cells. It may be passed to several runs of that engine with a Quantum, and then
// continues where the last run ended. The caller closes it. It must not be used by two goroutines at once.
type Rival struct {
	open    func(ctx context.Context) (sim.Engine, error) // nil: it has won, or has given up
	engine  sim.Engine                                    // nil: not opened yet
	from    uint64                                        // the generation whose cells it was given
	goal    uint64                                        // the generation that it is on its way to
	spent   time.Duration
	ran     time.Duration // of the engine that it races with
	done    uint64        // generations of that engine
	longest time.Duration // of the steps of that engine, if it is not a sim.Metered
	rest    float64       // nanoseconds that this engine will take to the goal, if it does not leap
	// patience is the time that the next opening may take at least. It grows if an opening is cut short.
	patience time.Duration
	leaps    leaps
	growth   growth // of the one that does not leap
	won      bool
}

// leaps are the steps of a rival that leaps and is a sim.Metered. Each is twice as long as the one before, so
// that their work tells soon how fast it is.
type leaps struct {
	next  uint64        // the length of the next step
	begun time.Duration // the work that has been done for it
	rate  float64       // nanoseconds of a generation of the last step; 0: none is done
	last  [2]float64    // nanoseconds of the last step and of the one before
	times float64       // the last two steps each took so many times the work of the one before; 0: nobody knows
}

// firstLeap and longestLeap are the shortest and the longest step of a rival that leaps.
const (
	firstLeap   = 32
	longestLeap = 1 << 62
)

// expected returns the nanoseconds that the rival will take for the next n generations if the work of its steps keeps
// growing as in the last two. The work of a pattern that does not repeat itself doubles from step to step. It grows
// faster if the pattern does.
func (l *leaps) expected(n uint64) float64 {
	sum, work, left := -float64(l.begun), l.last[0], float64(n)
	for length := float64(l.next); left > 0; length *= 2 {
		work *= max(l.times, 1)
		sum += work * min(left/length, 1)
		left -= length
	}
	return sum
}

// allowed returns the work that the rival may do for its next step, of at most n generations. If it is faster than the
// engine that it races with and reaches the goal sooner, it may take as long as the engine would for the step. If its
// steps promise that it will, it may take twice as long as they do, until it has taken half of the engine's time. Else
// it is 0.
func (v *Rival) allowed(n uint64) time.Duration {
	const most = float64(1 << 62)
	l, allowed := &v.leaps, 0.0
	// The rival comes after the engine at first. If the pattern grows, the engine was faster there than it is now.
	pace := min(v.growth.last.pace, float64(v.ran)/float64(max(v.done, 1)))
	if l.rate > 0 && l.rate < pace && l.rate*float64(n) < v.rest {
		allowed = float64(min(n, l.next)) * pace
	}
	half := (float64(v.ran) + v.rest) / 2
	if l.times > 0 && float64(v.spent) < half && l.expected(n) < v.rest*promising {
		allowed = max(allowed, min(2*l.last[0]*max(l.times, 1), half))
	}
	return max(time.Duration(min(allowed, most))-l.begun, 0)
}

// growth tells how the pace of an engine that does not leap changes as the pattern grows.
type growth struct {
	last     paced
	old, new paced   // earlier steps: at the middle of the last one, at least twice the generations of old had passed
	power    float64 // the pace grows with this power of the generation
}

// paced is the pace of a step.
type paced struct {
	at, pace float64 // the middle of the step, in generations, and the nanoseconds of a generation
}

// step adds a step between two generations.
func (w *growth) step(from, to uint64, took time.Duration) {
	const (
		most  = 2    // a pattern grows in two dimensions
		least = 1.25 // the ash of a methuselah and the trail of a puffer grow more slowly
	)
	if to <= from {
		return
	}
	w.last = paced{float64(from)/2 + float64(to)/2, max(float64(took)/float64(to-from), 1)}
	switch {
	case w.old.at == 0 || w.last.at < w.new.at: // the first one, or the generation was set back
		w.old, w.new = w.last, w.last
	case w.last.at >= 2*w.new.at:
		w.old, w.new = w.new, w.last
	}
	if w.last.at > w.old.at {
		w.power = min(math.Log(w.last.pace/w.old.pace)/math.Log(w.last.at/w.old.at), most)
	}
	if w.power < least {
		w.power = 0
	}
}

// left returns the nanoseconds between two generations. It is infinite if the engine has not done one yet.
func (w *growth) left(from, to uint64) float64 {
	at, p := w.last.at, w.power+1
	if at == 0 {
		return math.Inf(1)
	}
	return w.last.pace * at / p * (math.Pow(float64(to)/at, p) - math.Pow(float64(from)/at, p))
}

// leap takes steps to the goal until the turn has passed. A rival that is faster than the engine that it races
// with goes on for longest at most.
func (v *Rival) leap(ctx context.Context, m sim.Metered, goal uint64, turn, longest time.Duration) error {
	l := &v.leaps
	for begin := m.Work(); v.engine.Generation() < goal; {
		n, from := goal-v.engine.Generation(), m.Work()
		most := min(max(turn-(from-begin), v.allowed(n)), longest-(from-begin))
		if most <= 0 {
			return sim.ErrWork
		}
		n = min(n, l.next)
		_, err := m.StepWithin(ctx, n, most)
		took := m.Work() - from
		v.spent += took
		if l.begun += took; err != nil {
			return err
		}
		next := leaps{
			next: min(2*l.next, longestLeap), rate: max(float64(l.begun)/float64(n), 1),
			last: [2]float64{float64(l.begun), l.last[0]},
		}
		if before := l.last[1]; before > 0 {
			next.times = math.Sqrt(next.last[0] / before)
		}
		*l = next
	}
	return nil
}

// walk takes two steps to the goal until the turn has passed. Their paces tell how the pattern grows.
func (v *Rival) walk(ctx context.Context, m sim.Metered, goal uint64, turn time.Duration) (err error) {
	for range 2 {
		g, from := v.engine.Generation(), m.Work()
		_, err = m.StepWithin(ctx, goal-g, turn/2)
		took := m.Work() - from
		v.spent += took
		v.growth.step(g, v.engine.Generation(), took)
		if !errors.Is(err, sim.ErrWork) {
			break
		}
	}
	return err
}

// NewRival returns a rival that is opened when its first turn comes: as an engine of a dead universe like that of the
// run.
func NewRival(open func(ctx context.Context) (sim.Engine, error)) *Rival { return &Rival{open: open} }

// Restart drops what the rival has found out, because cells have been changed. It begins again with the present ones.
func (v *Rival) Restart() {
	if e := v.engine; e != nil {
		v.engine = nil
		_ = release(e)
	}
}

// Close ends the race and frees the rival's memory. It does nothing to a rival that has won.
func (v *Rival) Close() {
	v.Restart()
	*v = Rival{won: v.won}
}

// Won reports whether the rival has taken the engine's place: see Options.Rival.
func (v *Rival) Won() bool { return v.won }

// races reports whether there is a rival that has neither won nor given up.
func (v *Rival) races() bool { return v != nil && v.open != nil }

// account adds a step of the engine that the rival races with, from a generation on. It took work, or time. Leaps says
// whether the engine leaps.
func (v *Rival) account(from, done uint64, took time.Duration, leaps, metered bool) {
	v.ran, v.done = v.ran+took, v.done+done
	if !metered {
		v.longest = max(v.longest, took)
	}
	if !leaps {
		v.growth.step(from, from+done, took)
	}
}

const (
	// rivalFirst is the time that an engine that does not leap runs before it gets a rival, without the longest of its
	// steps: one may last long because the machine is busy. A sim.Metered runs for rivalSoon, with all of its steps: a
	// pattern that grows is still small then. Until rivalAfter the rival gets one part in rivalEarly of what the run will
	// probably take, so runs that repeat end soon, and those that do not repeat take little longer.
	rivalFirst = 10 * time.Millisecond
	rivalSoon  = time.Millisecond
	rivalEarly = 5
	// promising is a part of the engine's remaining time. A rival goes on if its steps promise to reach the goal in it.
	promising = 0.5
	// rivalWorth bounds the first turn to a part of the rest of the run. Near the end a rival comes too late.
	rivalWorth = 4
	// rivalAhead bounds the first turn of the rival of a sim.Metered, in times of the work until then. A soup is slow
	// at first, so its last step then promises too long a run.
	rivalAhead = 6
	// rivalLeastTurn is the shortest turn. If the rival is a sim.Metered, its opening counts as rivalOpening of it.
	rivalLeastTurn = 2 * time.Millisecond
	rivalOpening   = time.Millisecond / 2
	// rivalAfter is the time that an engine runs before its rival gets as much time, or any at all if the engine leaps. It
	// is then the shortest turn, too.
	rivalAfter = 400 * time.Millisecond
	// handOver is about how long it takes to hand over a cell, dead or alive. A rival that would need more than its
	// first turn for that waits.
	handOver = time.Nanosecond
	// rivalTrial is the first turn of the rival of an engine that leaps. The rival's pace then says how long it would
	// take.
	rivalTrial = 100 * time.Millisecond
	// rivalLeast is the number of generations that are worth a rival.
	rivalLeast = 256
	// raceLeap is the shortest leap in a race. Shorter ones would come first without one, to see how long they take,
	// and each length of a large pattern takes as long as the next. In a race a leap is cut short instead.
	raceLeap = rivalLeast
	// rivalTurn is the longest turn of a rival: progress is not shown meanwhile.
	rivalTurn = time.Second
	// rivalFull is the time for which a rival gets as much time as the engine. From there on it gets one part in
	// rivalShare.
	rivalFull  = 5 * time.Second
	rivalShare = 10
	// rivalCells is the largest area that is handed to a rival, and rivalDrawn to one that does not store it as a tree.
	rivalCells = 1 << 31
	rivalDrawn = 1 << 27
	// rivalRadius is the largest radius of a rule that is worth a rival. Hashed life computes squares of four radii, and
	// farther rules have no machine code for them: it took a hundred times as long as running sums.
	rivalRadius = 64
)

// allowance returns the longest time that a rival may have run when the engine has run for the given time.
func allowance(engine time.Duration) time.Duration { return min(engine, rivalFull+engine/rivalShare) }

// race gives the rival a turn if one is due. It reports whether the rival has reached the goal and taken over.
func (r *runner) race(ctx context.Context, goal uint64) (bool, error) {
	v, g := r.opts.Rival, r.engine.Generation()
	if !v.races() || goal == sim.Forever || goal-g < rivalLeast {
		return false, nil
	}
	ran := v.ran - v.longest
	turn := r.turn(goal, ran)
	if turn == 0 {
		return false, nil
	}
	most := uint64(math.MaxUint64)
	if ran < rivalAfter || r.opts.Quantum > 0 {
		most = uint64(turn / handOver)
	}
	longest := max(turn, rivalTurn)
	if r.opts.Quantum > 0 {
		longest = turn
	}
	ended, err := v.turn(ctx, r.engine.(sim.Engine), goal, most, turn, longest)
	switch {
	case err == nil:
		return true, r.takeOver()
	case ctx.Err() != nil: // Run looks at that itself
	case ran < rivalAfter && errors.Is(err, errTooMany):
	case !ended:
		v.Close()
	}
	return false, nil
}

// turn is the longest time that the rival may run now, after the engine has run for so long. 0 is not at all.
func (r *runner) turn(goal uint64, ran time.Duration) time.Duration {
	v, g := r.opts.Rival, r.engine.Generation()
	if r.engine.Info().Leaps { // its own pace tells nothing
		switch {
		case ran < rivalAfter:
			return 0
		case v.engine == nil:
			return rivalTrial
		case v.growth.left(v.engine.Generation(), goal) > float64(ran) || v.spent > 2*ran:
			return 0 // the engine may still need less than the rival would
		}
		return min(rivalTurn, cmp.Or(r.opts.Quantum, rivalTurn))
	}
	turn := min(allowance(ran)-v.spent, rivalTurn)
	first, whole := rivalFirst, turn
	if _, metered := r.engine.(sim.Metered); metered {
		first = rivalSoon
		if v.engine == nil {
			whole = min(rivalAhead*ran, rivalTurn) // the first turn may be longer than the engine has run
		}
	}
	if ran < first {
		return 0
	}
	v.rest = v.growth.left(g, goal)
	if v.engine != nil {
		if most := v.allowed(goal - v.engine.Generation()); most > 0 {
			return min(most, rivalTurn, cmp.Or(r.opts.Quantum, rivalTurn))
		}
	}
	least := rivalAfter
	if r.opts.Quantum > 0 { // somebody waits for the end of the turn
		least, turn, whole = rivalLeastTurn, min(turn, r.opts.Quantum), min(whole, r.opts.Quantum)
	}
	if ran < rivalAfter {
		least = rivalLeastTurn
		turn = time.Duration(min(float64(whole), (float64(ran)+v.rest)/rivalEarly-float64(v.spent)))
		if v.engine == nil && v.rest < rivalWorth*float64(turn) {
			return 0
		}
	}
	if turn < least || v.rest < float64(turn) {
		return 0
	}
	return turn
}

// racing is the quantum of a step of the engine while its rival waits for its first turns: they would come late after a
// whole one.
func (r *runner) racing() time.Duration {
	if v := r.opts.Rival; v.races() && v.ran-v.longest < rivalAfter {
		first := rivalFirst
		if _, metered := r.engine.(sim.Metered); metered {
			first = rivalSoon
		}
		return min(r.quantum, max(first, v.ran-v.longest)/2)
	}
	return r.quantum
}

// turn runs the rival for a turn, or for longest at most if it is faster (see leap), or until it has reached
// the goal and returns nil. Any other error than the end of the turn (ended) is one of the rival. The rival
// gets the cells of the engine only if they are no more than most.
func (v *Rival) turn(ctx context.Context, from sim.Engine, goal, most uint64, turn, longest time.Duration) (ended bool,
	err error,
) {
	begin := time.Now()
	limited, cancel, limit := ctx, func() {}, turn
	if v.engine == nil {
		limit = max(turn, v.patience)
	}
	if _, metered := from.(sim.Metered); !metered {
		limited, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	if v.engine != nil && v.goal != goal { // the engine got there first
		v.Restart()
	}
	opening := time.Duration(0)
	if v.engine == nil {
		if err := v.begin(limited, from, most); err != nil {
			if limited.Err() != nil {
				v.patience = min(2*limit, rivalTurn) // or else it might never be opened on a busy machine
			}
			return limited.Err() != nil && errors.Is(err, limited.Err()), err
		}
		if limited != ctx && limit > turn {
			cancel()
			limited, cancel = context.WithTimeout(ctx, turn)
			defer cancel()
		}
		v.patience, opening = 0, rivalOpening
		if v.leaps = (leaps{next: firstLeap}); !v.engine.Info().Leaps {
			v.growth = growth{}
		}
	}
	v.goal = goal
	if m, metered := v.engine.(sim.Metered); metered && limited == ctx {
		v.spent += opening
		if v.engine.Info().Leaps {
			err = v.leap(ctx, m, goal, turn-opening, longest)
		} else {
			err = v.walk(ctx, m, goal, turn-opening)
		}
		return errors.Is(err, sim.ErrWork), err
	}
	if limited == ctx {
		limited, cancel = context.WithTimeout(ctx, turn)
		defer cancel()
	}
	g := v.engine.Generation()
	_, err = v.engine.Step(limited, goal-g)
	took := time.Since(begin)
	v.spent += took
	v.growth.step(g, v.engine.Generation(), took)
	return err != nil && limited.Err() != nil && errors.Is(err, limited.Err()), err
}

var errTooMany = errors.New("too many cells to hand over")

// begin opens the rival with the cells of an engine.
func (v *Rival) begin(ctx context.Context, from sim.Engine, most uint64) error {
	parts, err := grid.OccupiedRows(from)
	if err != nil {
		return err
	}
	cells, most := uint64(0), min(most, rivalCells)
	if from.Info().Leaps {
		most = min(most, rivalDrawn)
	}
	for _, part := range parts {
		if cells += min(grid.Product(uint64(part.W), uint64(part.H)), most+1); cells > most {
			return errTooMany
		}
	}
	e, err := v.open(ctx)
	if err != nil {
		return err
	}
	v.engine = e
	for _, part := range parts {
		if err := grid.Copy(v.engine, from, part, part.X, part.Y); err != nil {
			return err
		}
	}
	v.from = from.Generation()
	v.engine.SetGeneration(v.from)
	return nil
}

// takeOver puts the rival in the engine's place.
func (r *runner) takeOver() error {
	old := r.engine.(sim.Engine)
	v := r.opts.Rival
	r.result.Replaced = &Replaced{Engine: old.Info().Engine, Generation: v.from}
	r.result.Stepping += v.spent
	r.engine, r.result.Engine = v.engine, v.engine
	*v = Rival{won: true}
	r.tuner = &Tuner{}
	r.leaper = newLeaper(r.engine, r.opts, r.rest)
	return release(old)
}

// release closes an engine. If it is large, its memory goes back to the system at once: the other engine of the race
// may soon need as much.
func release(e sim.Engine) error {
	const large = 32 << 20
	bytes := e.Info().Bytes
	err := e.Close()
	if bytes >= large {
		debug.FreeOSMemory()
	}
	return err
}
