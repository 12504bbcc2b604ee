package census

import (
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// Counter counts the objects that patterns settle into. It remembers objects, so that the next pattern takes less time. It is for one
// goroutine.
type Counter struct {
	*classifier
	gliders bool // may be struck out
	board   board
	codes   []string       // by number
	numbers map[string]int // of codes
	seen    map[square]*zone
	apart   []world // for islands by themselves
}

// zone is what is known of a zone's cells by themselves.
type zone struct {
	codes          []int // numbers of its objects' codes; none where the zone does not come back
	dx, dy, period int
}

// NewCounter makes a counter for two-state rules of the eight neighbours without B0.
func NewCounter(r rule.Rule, limits Limits) (*Counter, error) {
	if err := limits.Validate(); err != nil {
		return nil, err
	}
	c, err := newClassifier(r, limits.orDefault())
	if err != nil {
		return nil, err
	}
	return &Counter{classifier: c, gliders: hasGlider(r), numbers: map[string]int{}, seen: map[square]*zone{}}, nil
}

// Identify says what a pattern is: all its cells together, as one object.
func (c *Counter) Identify(cells []Cell) Object {
	cells = sorted(cells)
	if o, ok := c.identify(cells); ok {
		return o
	}
	tally := c.Count(cells)
	if !tally.Endless && len(tally.Objects) == 0 {
		return Object{Code: nothing, Kind: Dead}
	}
	if tally.Endless { // what settles does not grow
		if o, ok := c.linearGrowth(cells); ok {
			return o
		}
	}
	return Object{Code: Pathological}
}

// Tally is what a pattern has settled into.
type Tally struct {
	Objects map[string]int // by apgcode
	Endless bool           // it had not settled within the limits: what is not known counts as Pathological
}

// Count runs a pattern until it settles, or until a limit is reached, and counts its objects.
func (c *Counter) Count(cells []Cell) Tally {
	s := &soup{cells: cells}
	s.start(c.gliders)
	for !c.advance(s) {
		c.herd.pass([]*world{&s.world}, reach)
	}
	t := Tally{Objects: map[string]int{}, Endless: s.endless}
	for _, number := range s.found {
		t.Objects[c.codes[number]]++
	}
	return t
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

// start makes a soup's world from its cells.
func (s *soup) start(strike bool) {
	s.load(s.cells)
	s.restart(0)
	s.strike, s.found, s.endless = strike, s.found[:0], false
}

// advance looks at a soup between passes. It reports whether the soup is done: then it knows what it has found.
func (c *Counter) advance(s *soup) bool {
	if len(s.escaped) > 0 && s.intruded() {
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
	s.sweep()
	population := s.population()
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
		s.rouse()
	}
	return false
}

// tooWide reports whether tiles lie further apart than a limit.
func (w *world) tooWide(limit int) bool {
	if len(w.tiles) == 0 {
		return false
	}
	b := box{w.tiles[0].x, w.tiles[0].y, w.tiles[0].x, w.tiles[0].y}
	for _, t := range w.tiles {
		b = b.with(t.x, t.y)
	}
	return (b.right-b.left)*tileWidth > limit || (b.bottom-b.top)*tileHeight > limit
}

// settled counts the objects of a world in which nothing is awake.
func (c *Counter) settled(s *soup) {
	c.envelop(&s.world, reach)
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

// small looks up a zone.
func (c *Counter) small(q square) *zone {
	z, ok := c.seen[q]
	if !ok {
		z = c.zone(q.cells())
		if len(c.seen) == mostSeen {
			clear(c.seen)
		}
		c.seen[q] = z
	}
	return z
}

// mostSeen is how many zones are remembered, in some tens of megabytes. A million soups of Life have fewer.
const mostSeen = 1 << 18

// zone finds out what is in a zone.
func (c *Counter) zone(cells []Cell) *zone {
	z := new(zone)
	if z.period, z.dx, z.dy = c.period(cells); z.period == 0 {
		return z
	}
	if islands := touching(cells); len(islands) > 1 && c.independent(z, cells, islands) {
		return z
	}
	for _, o := range c.parts(c.phases(cells, z.period), z.dx, z.dy) {
		z.codes = append(z.codes, c.number(o.Code))
	}
	return z
}

// independent reports whether the islands of a zone evolve together as each does alone, and gives the zone their objects. Most zones are
// like that, with islands that are known: common objects by chance near each other.
func (c *Counter) independent(z *zone, cells []Cell, islands [][]Cell) bool {
	if len(c.apart) < len(islands) {
		c.apart = append(c.apart, make([]world, len(islands)-len(c.apart))...)
	}
	var codes []int
	period := z.period
	for i, island := range islands {
		box := boxOf(island)
		q, ok := squareOf(island, box)
		if !ok {
			return false
		}
		known := c.small(q)
		if known.period == 0 || known.dx*z.period != z.dx*known.period || known.dy*z.period != z.dy*known.period {
			return false
		}
		codes = append(codes, known.codes...)
		if period = leastCommonMultiple(period, known.period); period > c.limits.Period {
			return false
		}
		c.apart[i].load(island)
	}
	c.alone.load(cells)
	var together, each []Cell
	for range period {
		c.step(&c.alone)
		together, each = c.alone.appendCells(together[:0]), each[:0]
		for i := range islands {
			c.step(&c.apart[i])
			each = c.apart[i].appendCells(each)
		}
		if len(together) != len(each) {
			return false
		}
		slices.SortFunc(together, byRow)
		slices.SortFunc(each, byRow)
		if !slices.Equal(together, each) {
			return false
		}
	}
	z.codes = codes
	return true
}

func leastCommonMultiple(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}

// touching cuts cells into islands that touch, over edges or corners.
func touching(cells []Cell) [][]Cell {
	rest := slices.Clone(cells)
	var islands [][]Cell
	for len(rest) > 0 {
		island := []Cell{rest[0]}
		rest = rest[1:]
		for done := 0; done < len(island); done++ {
			at := island[done]
			kept := rest[:0]
			for _, c := range rest {
				if max(c.X-at.X, at.X-c.X, c.Y-at.Y, at.Y-c.Y) <= 1 {
					island = append(island, c)
				} else {
					kept = append(kept, c)
				}
			}
			rest = kept
		}
		slices.SortFunc(island, byRow)
		islands = append(islands, island)
	}
	return islands
}

// number is the number of a code.
func (c *Counter) number(code string) int {
	n, ok := c.numbers[code]
	if !ok {
		n = len(c.codes)
		c.numbers[code] = n
		c.codes = append(c.codes, code)
	}
	return n
}

// An examination runs a world for this many generations to see how far everything reaches, or for longer where periods are longer.
const (
	shortEnvelope   = 60
	longestEnvelope = 1200
)

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
		if periodic && longest > generations && longest <= longestEnvelope {
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

// rouse makes ready for passes of full length after others.
func (w *world) rouse() {
	w.awake = w.awake[:0]
	for _, t := range w.tiles {
		t.awake = false
	}
	w.wakeAll()
}
