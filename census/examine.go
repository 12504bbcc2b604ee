package census

// shortEnvelope is the generations that an examination runs a world for to see how far everything reaches, if no period is longer.
const shortEnvelope = 60

// examine looks at every zone of a world: whether it comes back by itself, and whether what flies away meets nothing. If all is so it counts
// the objects. The world is some generations further then.
func (c *Counter) examine(s *soup) bool {
	for generations := shortEnvelope; ; {
		c.envelop(&s.world, generations)
		s.found = s.found[:0]
		if !c.board.of(&s.world) {
			return false
		}
		var movers, standing []mover
		periodic, longest := true, 0
		look := func(z *zone, bounds box) {
			periodic = periodic && z.period > 0
			longest = max(longest, z.period)
			m := mover{bounds, z.dx, z.dy, z.period}
			if z.dx != 0 || z.dy != 0 {
				movers = append(movers, m)
			} else {
				standing = append(standing, m)
			}
			s.found = append(s.found, z.codes...)
		}
		c.board.zones(func(q square, bounds box) { look(c.small(q), bounds) }, func(cells []Cell, bounds box) { look(c.zone(cells), bounds) })
		if periodic && longest > generations {
			generations = longest
			continue
		}
		for i := range s.escaped {
			movers = append(movers, s.escaped[i].mover(s.generation))
		}
		if !periodic || anyMeet(movers, standing) {
			s.found = s.found[:0]
			return false
		}
		c.countEscaped(s)
		return true
	}
}

// longEnvelope is the generations in which what grows shows how far it reaches.
const longEnvelope = 4608

// conclude counts what a world holds that has not settled within the limit of generations: what grows in a known way, and what comes back.
// The rest is pathological, unless something grows, which leaves debris.
func (c *Counter) conclude(s *soup) {
	s.endless = true
	c.envelop(&s.world, longEnvelope)
	if !c.board.of(&s.world) {
		c.pathological(s)
		return
	}
	unknown, growing := 0, false
	look := func(z *zone, cells func() []Cell) {
		if z.period > 0 {
			s.found = append(s.found, z.codes...)
		} else if o, ok := c.linearGrowth(cells()); ok {
			s.found = append(s.found, c.number(o.Code))
			growing = true
		} else {
			unknown++
		}
	}
	c.board.zones(func(q square, _ box) { look(c.small(q), q.cells) },
		func(cells []Cell, _ box) { look(c.zone(cells), func() []Cell { return cells }) })
	for range unknown {
		if !growing {
			c.pathological(s)
		}
	}
	c.countEscaped(s)
}

// anyMeet reports whether something that flies will meet anything.
func anyMeet(movers, standing []mover) bool {
	for i, m := range movers {
		for _, o := range movers[:i] {
			if m.meets(o) {
				return true
			}
		}
		for _, o := range standing {
			if m.meets(o) {
				return true
			}
		}
	}
	return false
}
