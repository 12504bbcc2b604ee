package run

import (
	"context"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// leaper finds out that a universe repeats itself, on any engine, and then leaps over whole periods. It
// searches now and then: it shows a Finder the generations that follow, one after another. The searches take a
// small part of the time of the run, so a longer period is found later.
type leaper struct {
	stride uint64 // generations from look to look: the rule and its background do the same again; 0: no searches
	once   uint64 // the background's first states, which never come back
	cfg    sim.Config

	pace   float64       // nanoseconds of a generation; 0: not known
	cost   time.Duration // of a look; 0: not known
	spent  time.Duration // on searches; like all times here it is work if the engine is a sim.Metered
	end    time.Duration // at which spent will stand when the present search ends in vain
	last   time.Duration // how long the last search may have taken
	rested time.Duration // time of the generations when it ended

	finder *Finder // nil: no search is under way
	period uint64  // 0: not known
	shift  [2]int  // in a period, to the right and down
}

const (
	// leapFree is the length of the first search. All searches together may take one part in leapShare of the time
	// that the run has taken and will take. The time that it will take is a guess, and counts for no more than
	// leapAhead.
	leapFree  = 100 * time.Microsecond
	leapShare = 100
	// leapLonger is the length of a search in times of the search before.
	leapLonger = 4
	leapAhead  = time.Second
	// leapTold is the generations of a step that tells the pace. After leapLate any step does.
	leapTold = 512
	leapLate = 20 * time.Millisecond
	// leapLooks is the least number of generations that a search must have time for.
	leapLooks = 8
	// leapBytes is about the number of bytes of a universe that are counted in a nanosecond.
	leapBytes = 8
	// leapWorth is the least number of generations that are worth a search.
	leapWorth = 64
	// farthest bounds the coordinates that a leap leads to.
	farthest = 1 << 60
)

// newLeaper returns a leaper for a run. It does nothing for many universes at once, for engines that leap by
// themselves, for a plan that was asked for without leaps (see sim.CutLeap), and while people watch, who may change
// cells. The run may pause only at multiples of rest.
func newLeaper(e Stepper, opts Options, rest uint64) leaper {
	_, single := e.(sim.Engine)
	cfg := opts.Config
	plan, allowed := sim.CutLeap(cfg.Plan)
	if !single || e.Info().Leaps || cfg.Rule.Random() || opts.Quantum > 0 || plan != "" && !allowed ||
		opts.Until == UntilStable {
		return leaper{}
	}
	period, once := rounds(cfg)
	if rest == 0 || period%rest != 0 { // as where only generation 0 has a background in state 0
		return leaper{}
	}
	return leaper{stride: period, once: once, cfg: cfg}
}

// worth reports whether a search may pay before the generation after n, at which something is due.
func (l *leaper) worth(e Stepper, n uint64) bool {
	return l.stride > 0 && n/leapWorth >= l.stride && n != sim.Forever-e.Generation()
}

// stepped says how many generations the last step was, and how many nanoseconds each of them took. The pace of
// a short step says little: engines have ways of their own to leap, but not in few generations.
func (l *leaper) stepped(n uint64, pace float64, stepping time.Duration) {
	if n >= leapTold || stepping >= leapLate {
		l.pace = pace
	}
}

// searching reports whether a search is under way or is to begin, before a step of n generations. stepping is how long
// all until now have taken.
func (l *leaper) searching(
	ctx context.Context, e Stepper, info sim.Info, n uint64, stepping time.Duration,
) (bool, error) {
	switch {
	case l.finder != nil:
		if n >= l.stride && l.spent < l.end {
			return true, nil
		}
		l.finder, l.rested = nil, stepping
		return false, nil
	case !l.worth(e, n) || l.pace == 0 || e.Generation() < l.once || stepping-l.rested < l.last:
		return false, nil
	}
	ahead := time.Duration(min(float64(n)*l.pace, float64(leapAhead)))
	allowed := leapFree + (stepping+ahead)/leapShare - l.spent
	lasts := max(leapFree, leapLonger*l.last)
	look := l.cost
	if look == 0 {
		look = time.Duration(info.Bytes / leapBytes)
	}
	look += time.Duration(l.pace * float64(l.stride*max(info.Grain, 1)))
	lasts = max(lasts, leapLooks*look)
	if lasts > allowed && allowed > l.last { // the last search takes all that is left
		lasts = max(allowed, leapLooks*look)
	}
	if lasts > allowed {
		return false, nil
	}
	clock, engine := timed(e), e.(sim.Engine)
	now, err := outlineOf(engine)
	if err != nil {
		return false, err
	}
	l.cost = clock.took()
	if clock.metered != nil { // it counts steps alone
		l.cost = time.Duration(info.Bytes / leapBytes)
		l.spent += 2 * l.cost
	}
	l.end, l.last = l.spent+lasts, lasts
	finder, err := newFinder(ctx, engine, l.cfg, now, trailCells)
	l.spent += clock.took()
	if err != nil || finder.Blind() {
		return false, err
	}
	l.finder = finder
	return true, nil
}

// look shows the universe to the finder, after a step of a search. The clock was started before the step.
func (l *leaper) look(ctx context.Context, e sim.Engine, clock *clock) error {
	before := l.finder.copies
	r, again, err := l.finder.Look(ctx, e)
	if l.spent += clock.took(); clock.metered != nil {
		l.spent += l.cost * time.Duration(1+l.finder.copies-before)
	}
	if err == nil && again {
		l.period, l.shift, l.finder = r.Period, [2]int{r.DX, r.DY}, nil
	}
	return err
}

// leap advances a universe that repeats itself by as many whole periods as are in n generations. It returns
// false if there is none, or if the cells would come too far from the origin.
func (l *leaper) leap(ctx context.Context, e Stepper, cfg sim.Config, n uint64) (bool, error) {
	if l.period == 0 || n == sim.Forever-e.Generation() {
		return false, nil
	}
	times, engine := n/l.period, e.(sim.Engine)
	pace := max(l.shift[0], -l.shift[0], l.shift[1], -l.shift[1])
	if pace > 0 {
		box, err := engine.Extent()
		if err != nil {
			return false, err
		}
		most := max(box.X+box.W, -box.X, box.Y+box.H, -box.Y)
		times = min(times, uint64(max(0, farthest-most)/pace))
	}
	g := e.Generation() + times*l.period
	switch {
	case times == 0:
		return false, nil
	case pace == 0:
		engine.SetGeneration(g)
		return true, nil
	}
	cells, err := grid.TilesOf(ctx, engine)
	if err != nil {
		return false, err
	}
	return true, load(engine, cfg, cells, int(times)*l.shift[0], int(times)*l.shift[1], g)
}
