package census

import (
	"slices"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A soup has settled when its universe is asleep, that is, when everything in it has a period that divides that
// of a pass. Oscillators of other periods and spaceships keep a universe awake. They show in the population,
// which repeats. Then every object is examined to find out whether the soup has really settled.

// checkEvery is the number of generations between two checks of a soup: a multiple of many periods, but small
// enough that gliders do not fly far.
const checkEvery = 48

// history holds the populations of a soup, one for each checkEvery generations.
type history struct {
	populations []int
	next        int // generation of the next check
}

// longestRhythm is the most checks after which a repeating population must come back.
const longestRhythm = 24

// repeats reports whether the population has come back often enough for an examination.
func (h *history) repeats() bool {
	n := len(h.populations)
	for k := 1; k <= longestRhythm; k++ {
		need := max(10, 2*k)
		if n < need+k {
			return false
		}
		if slices.Equal(h.populations[n-need:], h.populations[n-need-k:n-k]) {
			return true
		}
	}
	return false
}

// restart starts again, with populations from a generation on.
func (h *history) restart(generation int) {
	h.populations, h.next = h.populations[:0], generation+checkEvery
}

// soup is a pattern that is settling.
type soup struct {
	sparse.Universe
	history
	index   uint64
	cells   []Cell
	strike  bool  // whether gliders may be removed
	found   []int // numbers of the codes of its objects
	endless bool
	resumed bool // it did not begin here, but on a GPU
}

// start makes a soup's universe from its cells.
func (s *soup) start(strike bool) {
	s.LoadCentred(s.cells, apgcode.BoxOf(s.cells))
	s.restart(0)
	s.strike, s.found, s.endless, s.resumed = strike, s.found[:0], false, false
}

// advance checks a soup between passes. It reports whether the soup is done; its objects are then known.
func (c *Counter) advance(s *soup) bool {
	if s.Intruded() {
		s.start(false)
		return false
	}
	if s.IsAsleep() {
		c.settled(s)
		return true
	}
	if s.Generation() < s.next {
		return false
	}
	s.next += checkEvery
	if s.strike {
		s.StrikeGliders()
	}
	population := s.Sweep()
	s.populations = append(s.populations, population)
	large := population > c.limits.Population || s.IsWider(c.limits.Box)
	switch {
	case s.resumed && (large || s.Generation() >= c.limits.Generations):
		s.start(c.gliders) // what it counts as may depend on when it was looked at
	case large:
		s.endless = true
		c.pathological(s)
		return true
	case s.Generation() >= c.limits.Generations:
		if !c.examine(s) {
			c.conclude(s)
		}
		return true
	case s.repeats():
		if c.examine(s) {
			return true
		}
		s.restart(s.Generation())
		s.WakeAll() // so that passes of full length can follow
	}
	return false
}

// settled counts the objects of a universe that is asleep. Everything in it comes back after a pass, and nearly
// always after two generations.
func (c *Counter) settled(s *soup) {
	if !c.batch.EnvelopeOfTwo(&s.Universe) {
		c.batch.Envelope(&s.Universe, sparse.PassGenerations)
	}
	if !c.zones.Load(&s.Universe) {
		s.endless = true
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
		s.endless = true
		c.pathological(s)
		return
	}
	s.found = append(s.found, z.codes...)
}

// countEscaped counts gliders that were removed.
func (c *Counter) countEscaped(s *soup, gliders int) {
	for range gliders {
		s.found = append(s.found, c.number("xq4_153"))
	}
}

func (c *Counter) pathological(s *soup) { s.found = append(s.found, c.number(Pathological)) }
