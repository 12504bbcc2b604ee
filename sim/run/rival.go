package run

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/gosper-life/gosper/grid"

	"github.com/gosper-life/gosper/sim"
)

// Rival is another engine that races with the engine of a run to the next generation at which something is due.
// Nobody can tell beforehand whether a pattern repeats itself: an engine that leaps, because it remembers, then takes
// no time for what takes another one years. As a result, both get their turns, and the first one to reach it goes on
// alone. The cells are the same either way. One of the two leaps, and the other one does not.
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
	longest time.Duration // of the steps of that engine
	pace    float64       // nanoseconds of a generation of the last step of that engine
	won     bool
}

// NewRival returns a rival that is opened when its first turn comes: as an engine of a dead universe like that of the
// run.
func NewRival(open func(ctx context.Context) (sim.Engine, error)) *Rival { return &Rival{open: open} }

// Restart drops what the rival has found out, because cells have been changed. It begins again with the present ones.
func (v *Rival) Restart() {
	if v.engine != nil {
		v.engine.Close()
		v.engine = nil
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

// account adds a step of the engine that the rival races with, of done generations.
func (v *Rival) account(took time.Duration, done uint64) {
	v.ran += took
	v.longest = max(v.longest, took)
	v.pace = float64(took) / float64(max(done, 1))
}

const (
	// rivalFirst is the time that an engine that does not leap runs before it gets a rival, without the longest of its
	// steps: one may last long because the machine is busy. Until rivalAfter the rival gets one part in rivalEarly of
	// what the run will take by the engine's last step, so runs that repeat end soon, and those that do not repeat take
	// little longer.
	rivalFirst = 10 * time.Millisecond
	rivalEarly = 8
	// rivalLeastTurn is the shortest turn: to open a rival takes about half of it.
	rivalLeastTurn = 2 * time.Millisecond
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
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	most := uint64(math.MaxUint64)
	if ran < rivalAfter || r.opts.Quantum > 0 {
		most = uint64(turn / handOver)
	}
	err := v.turn(limited, r.engine.(sim.Engine), goal, most)
	v.spent += time.Since(begin)
	switch {
	case err == nil:
		return true, r.takeOver()
	case ctx.Err() != nil: // Run looks at that itself
	case ran < rivalAfter && errors.Is(err, errTooMany):
	case limited.Err() == nil || !errors.Is(err, limited.Err()):
		v.Close()
	}
	return false, nil
}

// turn is the longest time that the rival may run now, after the engine has run for so long. 0 is not at all.
func (r *runner) turn(goal uint64, ran time.Duration) time.Duration {
	v, g := r.opts.Rival, r.engine.Generation()
	turn := min(allowance(ran)-v.spent, rivalTurn)
	if r.engine.Info().Leaps { // its own pace tells nothing
		if v.engine == nil {
			turn = rivalTrial
		}
		if ran < rivalAfter || turn < rivalTrial || v.left(goal) > rivalShare*float64(ran) {
			return 0
		}
		return turn
	}
	if ran < rivalFirst {
		return 0
	}
	left := float64(goal-g) * v.pace
	least := rivalAfter
	if r.opts.Quantum > 0 { // somebody waits for the end of the turn
		least, turn = rivalLeastTurn, min(turn, r.opts.Quantum)
	}
	if ran < rivalAfter {
		least = rivalLeastTurn
		turn = time.Duration(min(float64(turn), (float64(ran)+left)/rivalEarly-float64(v.spent)))
	}
	if turn < least || left < float64(turn) {
		return 0
	}
	return turn
}

// racing is the quantum of a step of the engine while its rival waits for its first turns: they would come late after a
// whole one.
func (r *runner) racing() time.Duration {
	if v := r.opts.Rival; v.races() && v.ran-v.longest < rivalAfter {
		return min(r.quantum, max(rivalFirst, v.ran-v.longest)/2)
	}
	return r.quantum
}

// left is the number of nanoseconds the rival, which does not leap, will still take by its pace so far. It is 0
// if there is no rival yet.
func (v *Rival) left(goal uint64) float64 {
	if v.engine == nil {
		return 0
	}
	g := v.engine.Generation()
	return float64(v.spent) * float64(goal-g) / float64(max(g-v.from, 1))
}

// turn runs the rival until ctx is done, or until it has reached the goal and returns nil. The rival gets the cells
// of the engine only if they are no more than most.
func (v *Rival) turn(ctx context.Context, from sim.Engine, goal, most uint64) error {
	if v.engine != nil && v.goal != goal { // the engine got there first
		v.Restart()
	}
	if v.engine == nil {
		if err := v.begin(ctx, from, most); err != nil {
			return err
		}
	}
	v.goal = goal
	_, err := v.engine.Step(ctx, goal-v.engine.Generation())
	return err
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
	if v.engine, err = v.open(ctx); err != nil {
		return err
	}
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
	return old.Close()
}
