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
	phases  [][]Cell // from generation from on
	from    int
	dx, dy  int // in a period
	removed int // the generation after which it is no longer in the universe
}

// appendCells appends the cells at any generation.
func (t *traveller) appendCells(cells []Cell, generation int) []Cell {
	n := len(t.phases)
	phase := ((generation-t.from)%n + n) % n
	periods := (generation - t.from - phase) / n
	for _, cell := range t.phases[phase] {
		cell.X, cell.Y = cell.X+periods*t.dx, cell.Y+periods*t.dy
		cells = append(cells, cell)
	}
	return cells
}

// rerun is a soup that settles again, to find its lifespan.
type rerun struct {
	soup
	least      int // the lifespan is not shorter
	kept       []snapshot
	travellers []traveller
	scratch    []Cell // of isAt
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
		r.travellers = append(r.travellers, traveller{phases, g.Generation, g.DX, g.DY, g.Generation})
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
// the generation since. It sorts the cells.
func (r *rerun) isAt(generation, since int, cells []Cell) bool {
	all := r.scratch[:0]
	for i := range r.travellers {
		if t := &r.travellers[i]; t.removed >= since {
			all = t.appendCells(all, generation)
		}
	}
	r.scratch = all
	if len(all) != len(cells) || mixed(all) != mixed(cells) {
		return false
	}
	slices.SortFunc(all, sparse.ByRow)
	slices.SortFunc(cells, sparse.ByRow)
	return slices.Equal(all, cells)
}

// mixed is a number of cells that does not depend on their order. Other cells nearly always have another one.
func mixed(cells []Cell) (sum uint64) {
	for _, c := range cells {
		mix := (uint64(c.X)<<32 ^ uint64(c.Y)<<8 ^ uint64(c.Age)) * 0x9e3779b97f4a7c15
		sum += mix ^ mix>>29
	}
	return sum
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
			r.travellers = append(r.travellers, traveller{c.phases(cells, period), r.Generation(), dx, dy, math.MaxInt})
		})
	}
}

// cells makes the cells of a soup.
func (s *Search) cells(soup uint64) []Cell { return Soup(s.Root, soup, s.Symmetry) }
