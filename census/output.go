package census

import (
	"maps"
	"strings"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Output lists the objects that a pattern makes again and again if it grows linearly, as far as it was seen. The zero
// value says that this is not known.
type Output struct {
	// Class is "gun" if it stands still and emits spaceships, "rake" if it moves and does, "puffer" if it leaves
	// objects behind. It is "wickstretcher" if a part of it moves away from the rest and a wick between them grows, and
	// "" if it is none of these.
	Class       string
	Generations int            // in which it makes
	Emits       map[string]int // these spaceships, by apgcode,
	Leaves      map[string]int // and these still lifes and oscillators
}

// sample is a look at a growing pattern: the periodic objects in it, the number of the other cells, and a box around
// these.
type sample struct {
	objects map[string]int
	others  int
	rest    grid.Rect
}

// mostEmitted is the longest period of a large object that is looked for in samples.
const mostEmitted = 240

// Most samples of a pattern, and the generations that they take together unless there are only three. mostFrames is
// the number of periods after which a pattern may be the same in its frame: two if it is turned over after one.
const (
	mostSamples       = 9
	sampleGenerations = 9600
	mostFrames        = 2
)

// output finds out what a course makes that grows linearly: it goes on, and compares the objects that are there after
// each period. Their number may repeat after some periods of the population. All growth must be due to them.
func (c *Counter) output(h *course, o Object) (out Output) {
	if o.Kind != LinearGrowth || h.over {
		return out
	}
	var samples []sample
	var states [][]Cell // at the first of them
	for n := min(mostSamples, max(3, sampleGenerations/o.Period)); len(samples) < n; {
		if len(samples) > 0 {
			c.run(&h.Universe, o.Period)
		}
		s, ok := c.sample(h)
		if !ok {
			break
		}
		if samples = append(samples, s); len(states) <= mostFrames {
			states = append(states, h.Cells())
		}
	}
	for k := 1; 2*k < len(samples); k++ {
		made := samples[k].since(samples[0])
		regular := true
		for i := range samples[k:] {
			before, after := samples[i], samples[i+k]
			regular = regular && after.others == before.others && maps.Equal(after.since(before), made)
		}
		if regular {
			out = outputOf(made, k*o.Period, emitter(samples[0], samples[k], samples[2*k]))
			break
		}
	}
	for k := 1; k < len(states) && out.Class == ""; k++ {
		if framed := c.outputByFrame(states[0], states[k], k*o.Period, o.Growth); framed.Class != "" {
			out = framed
		}
	}
	return out
}

// run advances one object by some generations.
func (c *Counter) run(u *sparse.Universe, generations int) {
	for t := range generations {
		c.step(u)
		if t%sweepEvery == 0 {
			u.Sweep()
		}
	}
}

// since lists of which objects there are more than before, or fewer.
func (s sample) since(before sample) map[string]int {
	made := maps.Clone(s.objects)
	for code, n := range before.objects {
		if made[code] -= n; made[code] == 0 {
			delete(made, code)
		}
	}
	return made
}

// outputOf describes objects that were made in some generations by a pattern of a class, if all of them are spaceships.
// Otherwise it is a puffer. If made has fewer of an object than before, nothing is known.
func outputOf(made map[string]int, generations int, class string) Output {
	out := Output{Class: class, Generations: generations, Emits: map[string]int{}, Leaves: map[string]int{}}
	for code, n := range made {
		switch {
		case n < 0:
			return Output{}
		case moves(code):
			out.Emits[code] = n
		default:
			out.Leaves[code], out.Class = n, "puffer"
		}
	}
	if len(made) == 0 {
		return Output{}
	}
	return out
}

// emitter is the class of a pattern that emits spaceships in the time between two samples, and as long after them up to
// a third one. The rest of it stands still, or turns, or moves on. Without a rest, spaceships that meet make others: a
// rake, if nothing else is there.
func emitter(first, second, third sample) string {
	moved := func(from, to grid.Rect) grid.Rect {
		return grid.Rect{X: to.X - from.X, Y: to.Y - from.Y, W: to.W - from.W, H: to.H - from.H}
	}
	once := moved(first.rest, second.rest)
	switch {
	case first.rest.Empty():
		for code := range first.objects {
			if !moves(code) {
				return ""
			}
		}
	case first.rest == third.rest:
		return "gun"
	case once.W != 0 || once.H != 0 || once != moved(second.rest, third.rest):
		return ""
	}
	return "rake"
}

// moves reports whether an apgcode is that of a spaceship.
func moves(code string) bool { return strings.HasPrefix(code, "xq") || strings.HasPrefix(code, "ov_q") }

// sample counts the objects that a course consists of now. Spaceships in a stream are so close that they are one
// zone; then cells that touch are looked at on their own. ok is false if it has become too wide.
func (c *Counter) sample(h *course) (s sample, ok bool) {
	s.objects = map[string]int{}
	var u sparse.Universe
	u.Load(h.Cells())
	c.batch.Envelope(&u, BoxEvery)
	if !c.zones.Load(&u) {
		return s, false
	}
	count := func(z *zone) bool {
		for _, code := range z.codes {
			s.objects[c.codes[code]]++
		}
		return z.period > 0
	}
	// apart counts islands: cells of a zone that touch. The rest of the pattern is in their boxes.
	apart := func(cells []Cell, around func(island grid.Rect) grid.Rect) {
		for _, island := range sparse.Touching(cells, c.local.Radius) {
			box := apgcode.BoxOf(island)
			if q, ok := sparse.SquareOf(island, box); !ok || !count(c.small(q)) {
				s.rest = s.rest.Union(around(box))
				s.others += len(island)
			}
		}
	}
	c.zones.Zones(func(q sparse.Square, b sparse.Box) {
		if !count(c.small(q)) {
			box := rectOf(b)
			apart(q.Cells(), func(grid.Rect) grid.Rect { return box }) // cells of a square have lost their place
		}
	}, func(cells []Cell, _ sparse.Box) {
		period, dx, dy := c.period(cells, mostEmitted)
		if period == 0 {
			apart(cells, func(island grid.Rect) grid.Rect { return island })
			return
		}
		for _, o := range c.divide(cells, period, dx, dy) {
			s.objects[o.Code]++
		}
	})
	return s, true
}
