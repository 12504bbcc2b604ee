package census

import "slices"

// A soup has settled when nothing is awake: then everything has a period that divides that of a pass. What else there is, oscillators of
// other periods and spaceships, is seen by the population, which repeats; whether it has settled indeed is then found out by looking at
// every object.

// checkEvery is the generations between two looks at a world: a multiple of many periods, and not too many for gliders to fly.
const checkEvery = 48

// history is the populations of a world, one each checkEvery generations.
type history struct {
	populations []int
	next        int // generation of the next look
}

// longestRhythm is how many looks a repeating population may need to come back.
const longestRhythm = 24

// repeats reports whether the population has come back often enough that an examination is due.
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

// restart begins anew, with populations from a generation on.
func (h *history) restart(generation int) {
	h.populations, h.next = h.populations[:0], generation+checkEvery
}

// envelop runs a world for some generations, one by one, and notes in its tiles which cells live in any of them.
func (c *classifier) envelop(w *world, generations int) {
	for _, t := range w.tiles {
		t.envelope = t.sides[w.side]
	}
	w.wakeAll()
	for range generations {
		c.step(w)
		for _, t := range w.computed {
			for y, row := range t.sides[w.side] {
				t.envelope[y] |= row
			}
		}
	}
}

// soup is a pattern on its way to settle.
type soup struct {
	world
	history
	index   uint64
	cells   []Cell
	strike  bool  // whether gliders may be struck out
	found   []int // numbers of the codes of its objects
	endless bool
}

// start makes a soup's world from its cells, with their middle in the middle of a tile: fewer tiles are awake then.
func (s *soup) start(strike bool) {
	b := boxOf(s.cells)
	dx, dy := tileWidth/2-b.X-b.W/2, tileHeight/2-b.Y-b.H/2
	s.reset()
	for _, c := range s.cells {
		s.set(c.X+dx, c.Y+dy)
	}
	s.wakeAll()
	s.restart(0)
	s.strike, s.found, s.endless = strike, s.found[:0], false
}

// advance looks at a soup between passes. It reports whether the soup is done: then it knows what it has found.
func (c *Counter) advance(s *soup) bool {
	if s.intruded() {
		s.start(false)
		return false
	}
	if len(s.awake) == 0 {
		c.settled(s)
		return true
	}
	if s.generation < s.next {
		return false
	}
	s.next += checkEvery
	if s.strike {
		s.strikeGliders()
	}
	population := s.sweep()
	s.populations = append(s.populations, population)
	switch {
	case population > c.limits.Population || s.tooWide(c.limits.Box):
		s.endless = true
		c.pathological(s)
		return true
	case s.generation >= c.limits.Generations:
		if !c.examine(s) {
			c.conclude(s)
		}
		return true
	case s.repeats():
		if c.examine(s) {
			return true
		}
		s.restart(s.generation)
		s.wakeAll() // for passes of full length
	}
	return false
}

// tooWide reports whether tiles lie further apart than a limit.
func (w *world) tooWide(limit int) bool {
	if len(w.tiles) == 0 {
		return false
	}
	b := extent(w.tiles)
	return (b.right-b.left)*tileWidth > limit || (b.bottom-b.top)*tileHeight > limit
}

// extent is the box that tiles are in, of which there must be one; in tiles.
func extent(tiles []*tile) box {
	b := box{tiles[0].x, tiles[0].y, tiles[0].x, tiles[0].y}
	for _, t := range tiles[1:] {
		b = b.with(t.x, t.y)
	}
	return b
}

// settled counts the objects of a world in which nothing is awake. All that is in it comes back after a pass, and nearly always after two
// generations.
func (c *Counter) settled(s *soup) {
	s.wakeAll()
	c.herd.pass([]*world{&s.world}, 2)
	generations := reach
	if len(s.awake) == 0 {
		generations = 1
	}
	c.envelop(&s.world, generations)
	if !c.board.of(&s.world) {
		s.endless = true
		c.pathological(s)
		return
	}
	c.board.zones(func(q square, _ box) { c.add(s, c.small(q)) }, func(cells []Cell, _ box) { c.add(s, c.zone(cells)) })
	c.countEscaped(s)
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

func (c *Counter) countEscaped(s *soup) {
	for range s.escaped {
		s.found = append(s.found, c.number("xq4_153"))
	}
}

func (c *Counter) pathological(s *soup) { s.found = append(s.found, c.number(Pathological)) }
