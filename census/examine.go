package census

import (
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// shortEnvelope is the number of generations an examination runs a soup to see how far everything reaches, if
// no period is longer.
const shortEnvelope = 60

// examine checks every zone of a soup: whether it comes back by itself, and whether everything that flies away
// meets nothing. If so, it counts the objects. The call advances the soup by some generations.
func (c *Counter) examine(s *soup) bool {
	for generations := shortEnvelope; ; {
		c.batch.Envelope(&s.Universe, generations)
		s.drop()
		if !c.zones.Load(&s.Universe) {
			return false
		}
		var paths paths
		periodic, regular, longest := true, true, 0
		look := func(z *zone, bounds sparse.Box) {
			periodic = periodic && z.period > 0
			regular = regular && z.period > 0 && c.every%z.period == 0
			longest = max(longest, z.period)
			paths.add(z, bounds)
			s.take(z)
		}
		c.zones.Zones(func(q sparse.Square, bounds sparse.Box) {
			look(c.small(q), bounds)
		}, func(cells []Cell, bounds sparse.Box) { look(c.large(cells), bounds) })
		if periodic && longest > generations {
			generations = longest
			continue
		}
		if !periodic || paths.meet(s, c.local.Radius) {
			s.drop()
			return false
		}
		s.bound(regular)
		c.countEscaped(s, len(s.Escaped()))
		return true
	}
}

// longEnvelope is the number of generations in which growing objects, and those of long periods, show how far
// they reach.
const longEnvelope = 4608

// conclude counts the objects of a soup that has not settled within the limit of generations: those that grow
// in a known way, and those that come back. The rest is pathological, unless something grows, which leaves
// debris. If everything comes back and meets nothing, the soup has settled: it has an object whose period was
// too long for an examination.
func (c *Counter) conclude(s *soup) {
	s.endless = true
	c.mostWork = 0 // the soup was followed to the end within it, and its parts must all be looked at
	c.batch.Envelope(&s.Universe, longEnvelope)
	s.bound(false)
	if !c.zones.Load(&s.Universe) {
		c.pathological(s)
		return
	}
	unknown, growing, longest := 0, false, 0
	var paths paths
	look := func(z *zone, bounds sparse.Box, cells func() []Cell) {
		if z.period > 0 {
			s.take(z)
			paths.add(z, bounds)
			longest = max(longest, z.period)
		} else if o, ok := c.linearGrowth(cells()); ok {
			s.found = append(s.found, c.number(o.Code))
			growing = true
		} else {
			unknown++
		}
	}
	c.zones.Zones(func(q sparse.Square, bounds sparse.Box) { look(c.small(q), bounds, q.Cells) },
		func(cells []Cell, bounds sparse.Box) { look(c.large(cells), bounds, func() []Cell { return cells }) })
	for range unknown {
		if !growing {
			c.pathological(s)
		}
	}
	c.countEscaped(s, len(s.Escaped()))
	s.endless = growing || unknown > 0 || longest > longEnvelope || paths.meet(s, c.local.Radius)
}

// paths are the places where the zones of a soup are, and where they fly.
type paths struct{ movers, standing []mover }

// add notes where a zone is, and where it will go if it moves.
func (p *paths) add(z *zone, bounds sparse.Box) {
	m := mover{Box: bounds, DX: z.dx, DY: z.dy, Period: z.period}
	if z.dx != 0 || z.dy != 0 {
		p.movers = append(p.movers, m)
	} else {
		p.standing = append(p.standing, m)
	}
}

// meet reports whether something that flies, a removed glider among them, will meet anything under a rule of a radius.
func (p *paths) meet(s *soup, radius int) bool {
	escaped := s.Escaped()
	for i := range escaped {
		p.movers = append(p.movers, moverOf(&escaped[i], s.Generation()))
	}
	return anyMeet(p.movers, p.standing, radius)
}

// anyMeet reports whether a flying object will meet anything under a rule of a radius.
func anyMeet(movers, standing []mover, radius int) bool {
	for i, m := range movers {
		for _, o := range movers[:i] {
			if m.Meets(o, radius) {
				return true
			}
		}
		for _, o := range standing {
			if m.Meets(o, radius) {
				return true
			}
		}
	}
	return false
}
