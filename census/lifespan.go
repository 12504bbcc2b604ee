package census

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// A census learns only roughly when a soup has settled. The lifespan is the first generation from which every cell
// belongs to a still life, an oscillator or something that flies away forever. To find it, a soup runs again, and
// keeps its cells from time to time. Its objects are then followed back in time, each as it moves on its own: the soup
// has settled at a generation if these are its cells from then on.

// snapshot is the cells of a soup at a generation, in any order. Gliders that were removed before are not among them.
type snapshot struct {
	generation int
	cells      []Cell
}

// traveller is cells that come back, moved, with a period: the cells of a zone, or a glider that is removed.
type traveller struct {
	period     int
	dx, dy     int         // in a period
	from       int         // the generation of the first phase
	phases     [][]Cell    // if it moves
	footprints []footprint // of the phases if it stays in place, where they may have very many cells
	removed    int         // the generation after which it is no longer in the universe
}

// footprint describes cells in any order. Other cells nearly never have the same footprint: the numbers of cells are
// as good as random, and their sum has 64 bits.
type footprint struct {
	cells int
	sum   uint64
}

// add adds a cell in a state, or removes it if count is -1.
func (p *footprint) add(x, y int, state uint8, count int) {
	n := uint64(x)*0x9e3779b97f4a7c15 + uint64(y)*0xc2b2ae3d27d4eb4f + uint64(state)*0x165667b19e3779f9
	for range 2 {
		n = (n ^ n>>32) * 0xd6e8feb86659fd93
	}
	p.cells += count
	p.sum += (n ^ n>>32) * uint64(count)
}

// addCells adds cells, moved by (dx, dy).
func (p *footprint) addCells(cells []Cell, dx, dy int) {
	for _, c := range cells {
		p.add(c.X+dx, c.Y+dy, c.Age+1, 1)
	}
}

// footprintOf is the footprint of cells.
func footprintOf(cells []Cell) (p footprint) {
	p.addCells(cells, 0, 0)
	return p
}

// traveller makes one of the cells of a zone, in order, at a generation.
func (c *classifier) traveller(cells []Cell, period, dx, dy, generation int) traveller {
	t := traveller{period: max(period, 1), dx: dx, dy: dy, from: generation, removed: math.MaxInt}
	if dx != 0 || dy != 0 {
		t.phases = c.phases(cells, period)
		return t
	}
	p := footprintOf(cells)
	t.footprints = append(t.footprints, p)
	for changes := range c.history(cells, period-1) {
		for _, change := range changes {
			if change.From > 0 {
				p.add(change.X, change.Y, change.From, -1)
			}
			if change.To > 0 {
				p.add(change.X, change.Y, change.To, 1)
			}
		}
		t.footprints = append(t.footprints, p)
	}
	return t
}

// addTo adds the cells at any generation to a footprint.
func (t *traveller) addTo(p *footprint, generation int) {
	phase := ((generation-t.from)%t.period + t.period) % t.period
	if t.phases == nil {
		p.cells += t.footprints[phase].cells
		p.sum += t.footprints[phase].sum
		return
	}
	periods := (generation - t.from - phase) / t.period
	p.addCells(t.phases[phase], periods*t.dx, periods*t.dy)
}

// rerun is a soup that settles again, to find its lifespan.
type rerun struct {
	soup
	least      int // the lifespan is not shorter
	kept       []snapshot
	travellers []traveller
}

// begin prepares a soup to run.
func (r *rerun) begin(cells []Cell, strike bool, every int) {
	r.cells = cells
	r.start(strike, every)
	r.restarted()
}

// restarted notes that the universe is at generation 0.
func (r *rerun) restarted() {
	r.kept, r.travellers = r.kept[:0], nil
	r.keep()
}

// keep keeps the present cells.
func (r *rerun) keep() {
	r.kept = append(r.kept, snapshot{r.Generation(), r.AppendCells(make([]Cell, 0, r.Population()))})
}

// advanceAgain advances a soup between passes as advance does, and keeps its cells whenever that checks them. It
// reports whether the soup is done.
func (c *Counter) advanceAgain(r *rerun) bool {
	generation, escaped := r.Generation(), len(r.Escaped())
	if generation >= r.next && generation+r.every > r.least {
		r.keep()
	}
	done := c.advance(&r.soup)
	if r.Generation() < generation {
		r.restarted()
		return done
	}
	for _, g := range r.Escaped()[escaped:] {
		phases := c.phases(appendSquare(nil, g.Square, g.X, g.Y), 4)
		r.travellers = append(r.travellers, traveller{
			period: 4, dx: g.DX, dy: g.DY, from: g.Generation, phases: phases, removed: g.Generation,
		})
	}
	return done
}

// lifespans finds the lifespans of soups that settle.
func (c *Counter) lifespans(soups []lived, cellsOf func(soup uint64) []Cell) {
	runs := make([]rerun, len(soups))
	var running []*rerun
	for i := range runs {
		runs[i].least = soups[i].least
		runs[i].begin(cellsOf(soups[i].soup), c.gliders, c.every)
		running = append(running, &runs[i])
	}
	var universes []*sparse.Universe
	for {
		running = slices.DeleteFunc(running, c.advanceAgain)
		if len(running) == 0 {
			break
		}
		universes = universes[:0]
		for _, r := range running {
			universes = append(universes, &r.Universe)
		}
		c.batch.Pass(universes, c.batch.Generations())
	}
	for i := range runs {
		n := c.lifespan(&runs[i])
		soups[i].least, soups[i].most = n, n
	}
}

// lifespan finds the lifespan of a soup that is done.
func (c *Counter) lifespan(r *rerun) int {
	c.findTravellers(r)
	end := r.Generation()
	for i := len(r.kept) - 1; i >= 0; i-- {
		if s := r.kept[i]; !r.isAt(s.generation, s.generation, s.cells) {
			return c.firstAfter(r, s, end)
		}
		end = r.kept[i].generation
	}
	return 0
}

// firstAfter finds a lifespan by bisection, between a generation at which the soup has not settled and one at which it
// has.
func (c *Counter) firstAfter(r *rerun, before snapshot, end int) int {
	since := before.generation
	for end-before.generation > 1 {
		middle := before.generation + (end-before.generation)/2
		c.alone.LoadAt(before.cells, before.generation)
		for left := middle - before.generation; left > 0; {
			n := min(left, c.batch.Generations())
			c.alone.WakeAll()
			c.batch.Pass([]*sparse.Universe{&c.alone}, n)
			left -= n
		}
		if cells := c.alone.AppendCells(make([]Cell, 0, len(before.cells))); r.isAt(middle, since, cells) {
			end = middle
		} else {
			before = snapshot{middle, cells}
		}
	}
	return end
}

// isAt reports whether cells are those of the travellers at a generation, without the gliders that were removed before
// the generation since.
func (r *rerun) isAt(generation, since int, cells []Cell) bool {
	var all footprint
	for i := range r.travellers {
		if t := &r.travellers[i]; t.removed >= since {
			t.addTo(&all, generation)
		}
	}
	return all == footprintOf(cells)
}

// findTravellers adds the zones of a soup that is done. All of them come back.
func (c *Counter) findTravellers(r *rerun) {
	removed := len(r.travellers)
	for generations, longest := 0, shortEnvelope; generations < longest; {
		generations = longest
		r.travellers = r.travellers[:removed]
		c.batch.Envelope(&r.Universe, generations)
		c.zones.Load(&r.Universe)
		c.zones.Zones(nil, func(cells []Cell, _ sparse.Box) {
			period, dx, dy := c.period(cells, c.limits.Period)
			if longest = max(longest, period); period == 0 { // it meets another zone later, as conclude has found
				longest = longEnvelope
			}
			r.travellers = append(r.travellers, c.traveller(cells, period, dx, dy, r.Generation()))
		})
	}
}

// cells makes the cells of a soup.
func (s *Search) cells(soup uint64) []Cell { return Soup(s.Root, soup, s.Symmetry) }
