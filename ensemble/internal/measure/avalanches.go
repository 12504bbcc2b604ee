package measure

import (
	"math/bits"
	"math/rand/v2"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// each is the number of cells of a universe for each avalanche that is started in a sample.
const each = 16

// mostOctaves is the number of powers of two the distributions of sizes and of durations have at most: avalanches of
// 2^31 topplings do not happen.
const mostOctaves = 32

// cascade is one avalanche or one fire.
type cascade struct {
	size     int // topplings, or trees that burn
	area     int // different cells that topple
	duration int // generations
}

// cascades adds up avalanches.
type cascades struct {
	n                    int
	size, area, duration float64
	sizes, durations     []int // how many have at least 2^k
}

func newCascades(octaves int) *cascades {
	return &cascades{sizes: make([]int, octaves), durations: make([]int, octaves)}
}

// add counts a cascade. Entry k of sizes is the number of cascades of at least 2^k topplings, and that
// of durations likewise.
func (c *cascades) add(one cascade) {
	c.n++
	c.size, c.area, c.duration = c.size+float64(one.size), c.area+float64(one.area), c.duration+float64(one.duration)
	for k := range min(bits.Len(uint(one.size)), len(c.sizes)) {
		c.sizes[k]++
	}
	for k := range min(bits.Len(uint(one.duration)), len(c.durations)) {
		c.durations[k]++
	}
}

// store stores the means and the shares.
func (c *cascades) store(dst []float64) {
	n := float64(c.n)
	dst[0], dst[1] = c.size/n, c.duration/n
	for k := range c.sizes {
		dst[2+k], dst[2+len(c.sizes)+k] = float64(c.sizes[k])/n, float64(c.durations[k])/n
	}
}

// cascadesOf returns the names of the numbers that store stores.
func cascadesOf(name string, octaves int) []string {
	names := []string{name + "_size", name + "_duration"}
	return append(append(names, numbered(name+"_size_from", 0, octaves-1)...),
		numbered(name+"_duration_from", 0, octaves-1)...)
}

// octaves is the number of powers of two that are at most some number.
func octaves(most float64) int {
	n := 0
	for limit := 1.0; limit <= most && n < mostOctaves; limit *= 2 {
		n++
	}
	return n
}

// chance makes the random numbers of a sample: which cells are struck.
func (v View) chance() *rand.Rand { return rand.New(rand.NewPCG(v.Seed, v.Generation)) }

// started is the number of avalanches that are started in a sample.
func (v View) started() int { return (v.Topology.W*v.Topology.H + each - 1) / each }

// avalanches lets a sandpile come to rest. It then drops grains on random cells, each one after the avalanche of the
// last grain has ended.
type avalanches struct{}

// Quantities implements Instrument.
func (avalanches) Quantities(s Setting) []string {
	return append([]string{"height", "height_inside", "avalanche_area"},
		cascadesOf("avalanche", avalanches{}.octaves(s))...)
}

// octaves is the number of powers of two a size can reach: in a square of side L a grain makes a cell topple at most
// of the order of L² times.
func (avalanches) octaves(s Setting) int { return octaves(s.cells() * s.cells()) }

// Measure implements Instrument.
func (a avalanches) Measure(dst []float64, v View) {
	p := newPile(v.States, v.Topology)
	for at := range p.heights {
		p.wake(at)
	}
	p.relax()
	dst[0], dst[1] = p.means()
	random, all := v.chance(), newCascades(a.octaves(v.Setting))
	for range v.started() {
		at := random.IntN(len(p.heights))
		p.heights[at]++
		p.wake(at)
		all.add(p.relax())
	}
	dst[2] = all.area / float64(all.n)
	all.store(dst[3:])
}

// means are the mean height of all cells, and of those in the middle half of the columns, of the rows and of the
// layers.
func (p *pile) means() (all, inside float64) {
	cells := 0
	middle := func(at, n int) bool { return at >= n/4 && at < n-n/4 }
	for at, height := range p.heights {
		all += float64(height)
		if x, y := at%p.w, at/p.w; middle(x, p.w) && middle(y%p.h, p.h) && middle(y/p.h, p.d) {
			inside += float64(height)
			cells++
		}
	}
	return all / float64(len(p.heights)), inside / float64(cells)
}

// pile is a sandpile of w cells in a row, h rows in a layer and d layers. Grains that leave it are lost.
type pile struct {
	w, h, d    int
	steep      uint8 // grains with which a cell topples: one for each of its neighbours
	heights    []uint8
	next, now  []int32 // cells with so many grains or more
	touched    []int32 // by cell: the number of the last avalanche that toppled it
	avalanches int32
}

// newPile reads heights from the states of cells. A site topples when it has as many grains as
// neighbours: four, or six in three dimensions.
func newPile(g *grid.Grid, t topology.Topology) *pile {
	p := &pile{
		w: t.W, h: t.LayerRows(), d: max(t.D, 1), steep: 4,
		heights: make([]uint8, t.W*t.H), touched: make([]int32, t.W*t.H),
	}
	if t.Volume() {
		p.steep = 6
	}
	for y := range t.H {
		for k := range g.Planes() {
			row := g.Row(k, y)
			for x := range p.w {
				p.heights[y*p.w+x] |= uint8(row[x>>6]>>(x&63)&1) << k
			}
		}
	}
	return p
}

// wake lists a cell that topples in the next generation.
func (p *pile) wake(at int) {
	if p.heights[at] >= p.steep {
		p.next = append(p.next, int32(at))
	}
}

// relax topples all steep cells at once, until no such cells are left. No cell ever has more than seven grains: one
// that topples has three at most, and gets four. In a volume these are eleven, five and six.
func (p *pile) relax() cascade {
	var one cascade
	p.avalanches++
	for len(p.next) > 0 {
		p.now, p.next = p.next, p.now[:0]
		one.duration++
		one.size += len(p.now)
		for _, at := range p.now {
			p.heights[at] -= p.steep
			if p.touched[at] != p.avalanches {
				p.touched[at] = p.avalanches
				one.area++
			}
		}
		for _, at := range p.now {
			x, y, z := int(at)%p.w, int(at)/p.w%p.h, int(at)/p.w/p.h
			if x > 0 {
				p.give(at - 1)
			}
			if x < p.w-1 {
				p.give(at + 1)
			}
			if y > 0 {
				p.give(at - int32(p.w))
			}
			if y < p.h-1 {
				p.give(at + int32(p.w))
			}
			if z > 0 {
				p.give(at - int32(p.w*p.h))
			}
			if z < p.d-1 {
				p.give(at + int32(p.w*p.h))
			}
		}
	}
	return one
}

// give adds a grain to a cell, which is listed when it becomes steep.
func (p *pile) give(at int32) {
	p.heights[at]++
	if p.heights[at] == p.steep {
		p.next = append(p.next, at)
	}
}
