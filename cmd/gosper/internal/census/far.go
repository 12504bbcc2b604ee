package census

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/sim/run"
)

// Hashed life shows the far future of a pattern that does not settle, at generations that are equally far apart. After
// mostLooks of them, every second one is forgotten, and the next ones are twice as far apart.
const (
	firstApart = 60 // a multiple of many periods
	mostLooks  = 512
	farthest   = 1 << 29 // about the last generation
	lastApart  = 2520    // another number of generations between looks at the end, a multiple of other periods
)

// farWork and farMemory limit what this takes. Work does not depend on the machine, so the outcome does not either.
const (
	farWork   = 3 * time.Second // for the looks, and as much for those of lastApart
	farMemory = 1 << 30
)

// far is a pattern that hashed life follows.
type far struct {
	e           sim.Engine
	states      int
	every       int // generations between two looks
	populations []int
	boxes       []grid.Rect
	object      census.Object // how it grows, from the first look that showed it; unknown if it does not
	sawtooth    bool
}

// lookFar finds out how a pattern of an origin that does not settle grows in the far future, or that it comes back. It
// returns an object of unknown kind if hashed life does not run the pattern, or shows neither.
func lookFar(ctx context.Context, u *origin.Origin) (o census.Object, err error) {
	cfg := u.Config
	cfg.Threads, cfg.Memory = 1, farMemory
	e, err := u.OpenFor(ctx, hashlife.Name, cfg)
	var refused *sim.Unsupported
	if errors.As(err, &refused) {
		return o, nil
	}
	if err != nil {
		return o, err
	}
	defer func() { err = errors.Join(err, e.Close()) }()
	if err := u.Load(ctx, e, nil); err != nil {
		return o, err
	}
	f := &far{e: e, states: cfg.Rule.States, every: firstApart}
	ended, err := f.run(ctx)
	if err != nil {
		return o, err
	}
	switch {
	case f.sawtooth:
		return f.seen(census.Sawtooth), nil
	case f.object.Kind != census.Unknown:
		return f.object, nil
	case ended:
		return f.about(), nil
	}
	if o, err := f.back(ctx); err != nil || o.Kind != census.Unknown {
		return o, err
	}
	about := f.about()
	if about.Kind == census.Unknown {
		return about, nil
	}
	if o, err := f.again(ctx); err != nil || o.Kind != census.Unknown {
		return o, err
	}
	return about, nil
}

// far is lookFar for a pattern that is endless within the limits and is near by then. It returns an object of unknown
// kind for others, and if the growth of near is quadratic, or linear for half of the generations seen.
func (cmd *IdentifyCommand) far(
	ctx context.Context, c *console.Console, p *pattern.Pattern, near census.Object, endless bool,
) (o census.Object, err error) {
	linear := near.Kind == census.LinearGrowth && 2*near.Growth.From <= near.Growth.To
	if !endless || linear || near.Kind == census.QuadraticGrowth {
		return o, nil
	}
	flags := origin.Flags{Pattern: cmd.Pattern, Rule: cmd.Rule}
	u, err := flags.Of(ctx, p)
	if err != nil {
		return o, console.Bad(err)
	}
	defer c.Line(false).Clock("looking at the far future")()
	return lookFar(ctx, u)
}

// decides reports whether the far future says all there is to say about a pattern. Otherwise the pattern is followed up
// to its limits: under linear growth, to say what it makes.
func decides(future census.Object) bool {
	switch future.Kind {
	case census.QuadraticGrowth, census.Sawtooth, census.Oscillator:
		return true
	}
	return false
}

// add adds what the far future shows of a pattern that is near within the limits. If growth in it is the same, more is
// known of it from near.
func (f *identified) add(future, near census.Object) {
	switch {
	case future.Kind == census.Unknown:
		if near.Growth == (census.Growth{}) {
			f.steady = future.Growth.To
		}
		return
	case near.Kind == census.LinearGrowth && future.Kind == near.Kind &&
		(future.Period == 0 || sameRate(future, near)):
		return
	case future.Kind == census.Oscillator:
		f.Kind, f.later, f.Code, f.Ash = census.Unstable, future.Kind, nil, nil
		f.Settles, f.Limit = true, nil
	default:
		f.Kind = future.Kind
	}
	f.Period, f.Growth = console.Known(future.Period), growthOf(future, census.Output{})
}

// run looks at the pattern until it is far enough in the future. ended says that this took too much work, memory or
// space before.
func (f *far) run(ctx context.Context) (ended bool, err error) {
	e := f.e.(sim.Metered)
	for {
		if err := f.look(); err != nil {
			return false, err
		}
		next := uint64(f.every)
		if len(f.populations) == mostLooks {
			f.judge()
			if f.every*mostLooks >= farthest {
				return false, nil
			}
			f.populations, f.boxes = second(f.populations), second(f.boxes)
			f.every *= 2
		}
		_, err := e.StepWithin(ctx, next, farWork-e.Work())
		switch {
		case err == nil:
		case !atLimit(err):
			return false, err
		default:
			if len(f.populations) > mostLooks/2 {
				f.judge()
			}
			return true, nil
		}
	}
}

// look adds a look at the present generation.
func (f *far) look() error {
	n, err := f.e.Population()
	if err != nil {
		return err
	}
	box, err := f.e.Extent()
	f.populations, f.boxes = append(f.populations, int(min(n, math.MaxInt/8))), append(f.boxes, box)
	return err
}

// second keeps every second one of some looks, from the first on.
func second[T any](looks []T) []T {
	for i := range len(looks) / 2 {
		looks[i] = looks[2*i]
	}
	return looks[:len(looks)/2]
}

// atLimit reports whether an error says that a run has used up its work, memory or space.
func atLimit(err error) bool {
	var memory *sim.OutOfMemory
	var space *sim.OutOfSpace
	return errors.Is(err, sim.ErrWork) || errors.As(err, &memory) || errors.As(err, &space)
}

// judge describes the pattern by the looks at it so far. If it goes on to grow as before, only the last look is
// another one.
func (f *far) judge() {
	f.sawtooth = f.sawtooth || isSawtooth(f.populations)
	o, ok := census.Grows(f.populations, f.boxes, f.every)
	switch {
	case !ok:
		f.object = census.Object{}
	case o.Kind == f.object.Kind && sameRate(o, f.object):
		f.object.Growth.To = o.Growth.To
	default:
		f.object = o
	}
}

// sameRate reports whether two objects that grow in the same known way grow about equally fast. Looks that are further
// apart may show spaceships in fewer phases, which have other numbers of cells.
func sameRate(a, b census.Object) bool {
	x, y := a.Growth.Cells/float64(a.Period), b.Growth.Cells/float64(b.Period)
	if a.Kind == census.QuadraticGrowth {
		x, y = x/float64(a.Period), y/float64(b.Period)
	}
	return math.Abs(x-y) <= max(x, y)/4
}

// again looks at other generations from now on, to find a period that has no small multiple among the others.
func (f *far) again(ctx context.Context) (o census.Object, err error) {
	e, from, work := f.e.(sim.Metered), f.e.Generation(), f.e.(sim.Metered).Work()
	f.every, f.populations, f.boxes = lastApart, nil, nil
	for range mostLooks {
		if err := f.look(); err != nil {
			return o, err
		}
		if _, err := e.StepWithin(ctx, lastApart, farWork-(e.Work()-work)); err != nil {
			if !atLimit(err) {
				return o, err
			}
			break
		}
	}
	o, ok := census.Grows(f.populations, f.boxes, f.every)
	if !ok {
		return census.Object{}, nil
	}
	o.Growth.From += int(from)
	o.Growth.To += int(from)
	return o, nil
}

// seen describes a pattern of a kind by the generations that were looked at, without a period.
func (f *far) seen(kind census.Kind) census.Object {
	return census.Object{Kind: kind, Growth: census.Growth{To: (len(f.populations) - 1) * f.every}}
}

// back returns an oscillator if the populations repeat, and all cells of a generation come back. The present
// generation then belongs to its cycle.
func (f *far) back(ctx context.Context) (o census.Object, err error) {
	n := f.populations[len(f.populations)/2:]
	for k := 1; 2*k < len(n); k++ {
		if !slices.Equal(n[k:], n[:len(n)-k]) {
			continue
		}
		state := func() (grid.Digest, error) { return grid.StateHash(ctx, f.e, f.states, true) }
		home, err := state()
		if err != nil {
			return o, err
		}
		recurrence := uint64(k * f.every)
		if _, err := f.e.Step(ctx, recurrence); err != nil {
			return o, err
		}
		if again, err := state(); err != nil || again != home {
			return o, err
		}
		period, err := run.Period(ctx, f.e, recurrence, 1, state)
		return census.Object{Kind: census.Oscillator, Period: int(period)}, err
	}
	return o, nil
}

// about describes growth without a period by a power of time. It compares the means of three and of four spans of time,
// each twice as long as the one before. It returns an object of unknown kind if the population does not grow.
func (f *far) about() census.Object {
	n := f.populations
	if len(n) < mostLooks/8 {
		return census.Object{}
	}
	var rise [3]float64
	end := len(n)
	last := mean(n[end/2:])
	for i := range rise {
		end /= 2
		before := mean(n[end/2 : end])
		rise[i], last = last-before, before
	}
	early, late := math.Log2(rise[1]/rise[2]), math.Log2(rise[0]/rise[1])
	if slices.Min(rise[:]) <= 0 {
		early, late = 0, 0
	}
	o := f.seen(census.Growing)
	if b := f.boxes[len(n)-1]; !b.Empty() {
		o.Growth.Filled = float64(n[len(n)-1]) / (float64(b.W) * float64(b.H))
	}
	o.Growth.From = end / 2 * f.every
	for _, known := range []struct {
		kind  census.Kind
		power float64
	}{{census.LinearGrowth, 1}, {census.QuadraticGrowth, 2}} {
		if max(math.Abs(early-known.power), math.Abs(late-known.power)) < 0.08 {
			o.Kind = known.kind
		}
	}
	switch {
	case late > 0.05 && math.Abs(late-early) < 0.5:
		o.Growth.Power = late
	case slices.Max(n[len(n)/2:]) < 2*slices.Max(n[:len(n)/2]):
		return f.seen(census.Unknown)
	}
	return o
}

// mean is the average of populations.
func mean(n []int) float64 {
	sum := 0.0
	for _, n := range n {
		sum += float64(n)
	}
	return sum / float64(len(n))
}

// isSawtooth reports whether populations rise higher and higher, but fall again each time, to less than half. The
// valleys after the last three peaks must not rise as the peaks do.
func isSawtooth(n []int) bool {
	var peaks, valleys []int
	peak, valley := 0, 0 // of the current tooth; valley is 0 until the population has fallen to half of the peak
	for _, n := range n {
		switch {
		case n > peak:
			if valley > 0 {
				peaks, valleys = append(peaks, peak), append(valleys, valley)
			}
			peak, valley = n, 0
		case valley > 0:
			valley = min(valley, n)
		case 2*n < peak:
			valley = max(n, 1)
		}
	}
	if valley > 0 {
		peaks, valleys = append(peaks, peak), append(valleys, valley)
	}
	k := len(peaks)
	return k >= 3 && 4*peaks[k-3] < 3*peaks[k-2] && 4*peaks[k-2] < 3*peaks[k-1] &&
		valleys[k-1] <= cmp.Or(2*valleys[k-3], 1)
}
