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
	// objects behind, and "" if it is none of these.
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

// Most samples of a pattern, and the generations that they take together unless there are only three.
const (
	mostSamples       = 9
	sampleGenerations = 9600
)

// output finds out what a course makes that grows linearly: it goes on, and compares the objects that are there after
// each period. Their number may repeat after some periods of the population. All growth must be due to them.
func (c *Counter) output(h *course, o Object) Output {
	if o.Kind != LinearGrowth || h.over {
		return Output{}
	}
	samples := []sample{c.sample(h)}
	for n := min(mostSamples, max(3, sampleGenerations/o.Period)); len(samples) < n; {
		for t := range o.Period {
			c.step(&h.Universe)
			if t%sweepEvery == 0 {
				h.Sweep()
			}
		}
		samples = append(samples, c.sample(h))
	}
	for k := 1; 2*k < len(samples); k++ {
		made := samples[k].since(samples[0])
		regular := true
		for i := range samples[k:] {
			before, after := samples[i], samples[i+k]
			regular = regular && after.others == before.others && maps.Equal(after.since(before), made)
		}
		if regular {
			return outputOf(made, k*o.Period, samples[0], samples[k])
		}
	}
	return Output{}
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

// outputOf describes what was made between two samples. The rest of the pattern stands still or moves. Without a rest,
// spaceships that meet make others: a rake, if nothing else is there.
func outputOf(made map[string]int, generations int, before, after sample) Output {
	from, to := before.rest, after.rest
	out := Output{Generations: generations, Emits: map[string]int{}, Leaves: map[string]int{}}
	for code, n := range made {
		switch {
		case n < 0:
			return Output{}
		case moves(code):
			out.Emits[code] = n
		default:
			out.Leaves[code] = n
		}
	}
	switch {
	case len(out.Leaves) > 0:
		out.Class = "puffer"
	case len(out.Emits) == 0:
		return Output{}
	case from.Empty():
		out.Class = "rake"
		for code := range before.objects {
			if !moves(code) {
				out.Class = ""
			}
		}
	case from.W != to.W || from.H != to.H:
	case from == to:
		out.Class = "gun"
	default:
		out.Class = "rake"
	}
	return out
}

// moves reports whether an apgcode is that of a spaceship.
func moves(code string) bool { return strings.HasPrefix(code, "xq") || strings.HasPrefix(code, "ov_q") }

// sample counts the objects that a course consists of now. Spaceships in a stream are so close that they are one
// zone; then cells that touch are looked at on their own.
func (c *Counter) sample(h *course) sample {
	s := sample{objects: map[string]int{}}
	var u sparse.Universe
	u.Load(h.Cells())
	c.batch.Envelope(&u, BoxEvery)
	if !c.zones.Load(&u) {
		return s
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
			box := grid.Rect{X: b.Left, Y: b.Top, W: b.Right - b.Left + 1, H: b.Bottom - b.Top + 1}
			apart(q.Cells(), func(grid.Rect) grid.Rect { return box }) // cells of a square have lost their place
		}
	}, func(cells []Cell, _ sparse.Box) {
		period, dx, dy := c.period(cells, mostEmitted)
		if period == 0 {
			apart(cells, func(island grid.Rect) grid.Rect { return island })
			return
		}
		for _, o := range c.parts(c.phases(cells, period), dx, dy) {
			s.objects[o.Code]++
		}
	})
	return s
}
