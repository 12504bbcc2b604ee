package sim

import (
	"context"
	"errors"
	"time"

	"github.com/gosper-life/gosper/grid"
)

// rival is another engine that races with the engine of a run to the next generation at which something is due. Nobody can tell beforehand whether a
// pattern repeats itself: an engine that leaps, because it remembers, then takes no time for what takes another one years. So both get their turns, and
// the first one to reach it goes on alone. The cells are the same either way. One of the two leaps, and the other one does not.
type rival struct {
	open   func(ctx context.Context) (Engine, error) // nil: there is none, or it has given up
	engine Engine                                    // nil: not opened yet
	from   uint64                                    // the generation whose cells it was given
	goal   uint64                                    // the generation that it is on its way to
	spent  time.Duration
}

const (
	// rivalAfter is how long an engine runs before it gets a rival, without the longest of its steps: one may last long because the machine
	// is busy. It is also the shortest turn.
	rivalAfter = 400 * time.Millisecond
	// rivalTrial is the first turn of the rival of an engine that leaps. The rival's pace then says how long it would take.
	rivalTrial = 100 * time.Millisecond
	// rivalLeast is how many generations are worth a rival.
	rivalLeast = 256
	// raceLeap is the shortest leap in a race. Shorter ones would come first without one, to see how long they take, and each length of
	// a large pattern takes as long as the next. In a race a leap is cut short instead.
	raceLeap = rivalLeast
	// rivalTurn is the longest turn of a rival: progress is not shown meanwhile.
	rivalTurn = time.Second
	// rivalFull is how long a rival gets as much time as the engine. From there on it gets one part in rivalShare.
	rivalFull  = 5 * time.Second
	rivalShare = 10
	// rivalCells is the largest area that is handed to a rival, and rivalDrawn to one that does not store it as a tree.
	rivalCells = 1 << 31
	rivalDrawn = 1 << 27
)

// allowance is how long a rival may have run by the time that the engine has run for so long.
func allowance(engine time.Duration) time.Duration { return min(engine, rivalFull+engine/rivalShare) }

// race gives the rival a turn if one is due. It reports whether the rival has reached the goal and taken over.
func (r *runner) race(ctx context.Context, goal uint64) (bool, error) {
	v, ran, g := &r.rival, r.result.Stepping-r.longest, r.engine.Generation()
	if v.open == nil || ran < rivalAfter || goal == Forever || goal-g < rivalLeast {
		return false, nil
	}
	turn := min(allowance(ran)-v.spent, rivalTurn)
	if r.engine.Info().Leaps { // its own pace tells nothing
		if v.engine == nil {
			turn = rivalTrial
		}
		if turn < rivalTrial || v.left(goal) > rivalShare*float64(ran) {
			return false, nil
		}
	} else if g == r.start || turn < rivalAfter || float64(goal-g)/float64(g-r.start)*float64(ran) < float64(turn) {
		return false, nil
	}
	begin := time.Now()
	limited, cancel := context.WithTimeout(ctx, turn)
	defer cancel()
	err := v.turn(limited, r.engine.(Engine), goal)
	v.spent += time.Since(begin)
	switch {
	case err == nil:
		return true, r.takeOver()
	case ctx.Err() != nil: // Run looks at that itself
	case limited.Err() == nil || !errors.Is(err, limited.Err()):
		v.giveUp()
	}
	return false, nil
}

// left is how many nanoseconds the rival, which does not leap, will still take by its pace so far. It is 0 if there is no rival yet.
func (v *rival) left(goal uint64) float64 {
	if v.engine == nil {
		return 0
	}
	g := v.engine.Generation()
	return float64(v.spent) * float64(goal-g) / float64(max(g-v.from, 1))
}

// turn runs the rival until ctx is done, or it has reached the goal: then it returns nil.
func (v *rival) turn(ctx context.Context, from Engine, goal uint64) error {
	if v.engine != nil && v.goal != goal { // the engine got there first
		v.engine.Close()
		v.engine = nil
	}
	if v.engine == nil {
		if err := v.begin(ctx, from); err != nil {
			return err
		}
	}
	v.goal = goal
	_, err := v.engine.Step(ctx, goal-v.engine.Generation())
	return err
}

var errTooMany = errors.New("too many cells to hand over")

// begin opens the rival with the cells of an engine.
func (v *rival) begin(ctx context.Context, from Engine) error {
	parts, err := grid.OccupiedRows(from)
	if err != nil {
		return err
	}
	cells, most := uint64(0), uint64(rivalCells)
	if from.Info().Leaps {
		most = rivalDrawn
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

// giveUp ends the race.
func (v *rival) giveUp() {
	if v.engine != nil {
		v.engine.Close()
	}
	*v = rival{}
}

// takeOver puts the rival in the engine's place.
func (r *runner) takeOver() error {
	old := r.engine.(Engine)
	r.result.Replaced = &Replaced{Engine: old.Info().Engine, Generation: r.rival.from}
	r.result.Stepping += r.rival.spent
	r.engine, r.result.Engine = r.rival.engine, r.rival.engine
	r.rival = rival{}
	r.tuner = &Tuner{}
	return old.Close()
}
