package census

import (
	"slices"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A soup has settled when its universe is asleep, that is, when everything in it has a period that divides that
// of a pass. Oscillators of other periods and spaceships keep a universe awake. They show in the population,
// which repeats. Then every object is examined to find out whether the soup has really settled.

// checkEvery is the number of generations between two checks of a soup: a multiple of many periods, but so few that
// gliders do not fly far. Wide rules are checked more often, because a generation takes much longer than a check.
const (
	checkEvery     = 48
	checkWideEvery = 12
)

// rhythm holds the populations of a soup at its checks. A population that repeats proves nothing, but it costs nothing
// either: it says when to examine the objects of the soup. A run.Finder, which proves that a universe repeats itself,
// would copy the cells of every soup, and would never find the end of one with gliders.
type rhythm struct {
	populations []int
	every       int // generations between two checks
	next        int // generation of the next check
	// At the last check the population was present, with the gliders that were removed. At check changed it was
	// another one, the last time; 0 if it never was.
	present, changed int
}

// longestRhythm is the most generations after which a repeating population must come back.
const longestRhythm = 24 * checkEvery

// repeats reports whether the population has come back often enough for an examination.
func (r *rhythm) repeats() bool {
	n := len(r.populations)
	for k := 1; k <= longestRhythm/r.every; k++ {
		need := max(10, 2*k)
		if n < need+k {
			return false
		}
		if slices.Equal(r.populations[n-need:], r.populations[n-need-k:n-k]) {
			return true
		}
	}
	return false
}

// restart starts again, with populations from a generation on.
func (r *rhythm) restart(generation, every int) {
	r.populations, r.every, r.next = r.populations[:0], every, generation+every
	r.present, r.changed = -1, 0
}

// add adds the population of a check, and the cells of gliders that were removed.
func (r *rhythm) add(population, removed, generation int) {
	r.populations = append(r.populations, population)
	if population += removed; population != r.present {
		if r.present >= 0 {
			r.changed = generation - r.every
		}
		r.present = population
	}
}

// soup is a pattern that is settling.
type soup struct {
	sparse.Universe
	rhythm
	index   uint64
	cells   []Cell
	strike  bool  // whether gliders may be removed
	found   []int // numbers of the codes of its objects
	ash     int   // cells of these objects, each in its smallest phase
	least   int   // bounds of its lifespan
	most    int
	endless bool
	limit   string // the one that it has reached, if it is endless
	resumed bool   // it did not begin here, but on a GPU
}

// start makes a soup's universe from its cells, which is checked each time some generations have passed.
func (s *soup) start(strike bool, every int) {
	s.LoadCentred(s.cells, apgcode.BoxOf(s.cells))
	s.restart(0, every)
	s.strike, s.endless, s.resumed = strike, false, false
	s.drop()
}

// drop forgets the objects that were found.
func (s *soup) drop() { s.found, s.ash = s.found[:0], 0 }

// bound notes the bounds of the lifespan of a soup that has settled. regular says that all periods divide the time
// between two checks. Then its population was always the same at checks since it settled.
func (s *soup) bound(regular bool) {
	s.least, s.most = 0, s.Generation()
	if regular && s.changed > 0 {
		s.least = s.changed + 1
	}
}

// take adds the objects of a zone.
func (s *soup) take(z *zone) {
	s.found = append(s.found, z.codes...)
	s.ash += z.cells
}

// gliderCells is the population of a glider, and gliderCode its apgcode.
const (
	gliderCells = 5
	gliderCode  = "xq4_153"
)

// advance checks a soup between passes. It reports whether the soup is done; its objects are then known.
func (c *Counter) advance(s *soup) bool {
	if s.Intruded() {
		s.start(false, c.every)
		return false
	}
	if s.IsAsleep() {
		c.settled(s)
		return true
	}
	if s.Generation() < s.next {
		return false
	}
	s.next += s.every
	if s.strike {
		s.StrikeGliders()
	}
	population := s.Sweep()
	s.add(population, gliderCells*len(s.Escaped()), s.Generation())
	wide := s.IsWider(c.limits.Box)
	large := population > c.limits.Population || wide || c.growsAtLight(s, population)
	switch {
	case s.resumed && (large || s.Generation() >= c.limits.Generations):
		s.start(c.gliders, c.every) // what it counts as may depend on when it was looked at
	case large:
		s.endless, s.limit = true, "population"
		if wide {
			s.limit = "box"
		}
		c.pathological(s)
		return true
	case s.Generation() >= c.limits.Generations:
		s.limit = "generations"
		if !c.examine(s) {
			c.conclude(s)
		}
		return true
	case s.repeats():
		if c.examine(s) {
			return true
		}
		s.restart(s.Generation(), c.every)
		s.WakeAll() // so that passes of full length can follow
	}
	return false
}

// A soup that grows at the speed of light is given up from this generation on, when it is too wide for a window on a
// GPU, and beyond this part of the limit on the population.
const (
	leastAtLight = 1008
	partAtLight  = 8
)

// growsAtLight reports whether a soup has a good part of the cells that it may have, and has long grown at nearly the
// speed of light in a direction along each axis. Nothing can overtake the spaceships that fly there, and more follow.
// Every such soup that was run further reached a limit.
func (c *Counter) growsAtLight(s *soup, population int) bool {
	if population <= c.limits.Population/partAtLight || s.Generation() < leastAtLight {
		return false
	}
	far := c.local.Radius * s.Generation() * 7 / 8
	b, ok := s.Bounds()
	return ok && max(-b.Left, b.Right) >= far && max(-b.Top, b.Bottom) >= far
}

// settled counts the objects of a universe that is asleep. Everything in it comes back after a pass, and nearly
// always after two generations.
func (c *Counter) settled(s *soup) {
	s.bound(true)
	if !c.batch.EnvelopeOfTwo(&s.Universe) {
		c.batch.Envelope(&s.Universe, c.batch.Generations())
	}
	if !c.zones.Load(&s.Universe) {
		s.endless, s.limit = true, "box"
		c.pathological(s)
		return
	}
	c.addZones(s)
	c.countEscaped(s, len(s.Escaped()))
}

// addZones counts the objects of all zones.
func (c *Counter) addZones(s *soup) {
	c.zones.Zones(func(q sparse.Square, _ sparse.Box) {
		c.add(s, c.small(q))
	}, func(cells []Cell, _ sparse.Box) { c.add(s, c.large(cells)) })
}

// add counts the objects of a zone.
func (c *Counter) add(s *soup, z *zone) {
	if z.period == 0 {
		s.endless, s.limit = true, "period"
		c.pathological(s)
		return
	}
	s.take(z)
}

// countEscaped counts gliders that were removed.
func (c *Counter) countEscaped(s *soup, gliders int) {
	for range gliders {
		s.found = append(s.found, c.number(gliderCode))
	}
	s.ash += gliders * gliderCells
}

func (c *Counter) pathological(s *soup) { s.found = append(s.found, c.number(Pathological)) }
