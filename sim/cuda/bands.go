package cuda

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// bands is a universe on one or several GPUs, each with a band of its rows and a halo of rows of the bands above and below. The halo
// is wide enough for several passes: each pass also computes what the next ones need of it, some rows fewer every time, so that bands
// exchange rows seldom and need not wait for each other in between.
//
//	       halo  ┌ ─ ─ ─ ┐
//	row 0 ┌──────┴───────┴──┐   pass 1 reads it all, makes all but the outermost rows
//	      │ band            │   pass 2 reads those, …
//	      └──────┬───────┬──┘   the last pass makes the band
//	       halo  └ ─ ─ ─ ┘
//
// Events keep the order; the host only queues work. A band's rows are copied by its neighbours before its second pass overwrites them.
type bands struct {
	all    []*universe
	passes int      // between exchanges
	made   []event  // by band: its rows of the present generation
	copied []event  // by band: it has its halo
	seams  []uint64 // by band: memory for the halo of other rows, where they are to be turned before they fit
}

// newBands divides a universe evenly.
func newBands(devs []device, f *flow, t topology.Topology, plan Plan) (*bands, error) {
	b := &bands{passes: plan.exchanged(f, t, t.H/len(devs))}
	for i, dev := range devs {
		top, end := i*t.H/len(devs), (i+1)*t.H/len(devs)
		u, err := newBand(dev, f, t, plan, top, end-top)
		if err != nil {
			b.close()
			return nil, err
		}
		b.all = append(b.all, u)
		if len(devs) > 1 {
			if err := b.addMeans(u, i == 0 || i == len(devs)-1); err != nil {
				b.close()
				return nil, err
			}
		}
	}
	return b, devs[0].enter()
}

// addMeans makes what a band among several needs; it may have the universe's top or bottom.
func (b *bands) addMeans(u *universe, outer bool) error {
	made, err := u.dev.newEvent()
	if err != nil {
		return err
	}
	copied, err := u.dev.newEvent()
	if err != nil {
		return err
	}
	var seam uint64
	if outer && u.t.Kind != topology.Plane && !wrapsRows(u.t) {
		if seam, err = u.dev.alloc(uint64(u.planes) * u.seamBytes()); err != nil {
			return err
		}
	}
	b.made, b.copied, b.seams = append(b.made, made), append(b.copied, copied), append(b.seams, seam)
	return nil
}

// exchangeCost is what an exchange costs, in tables of words that a GPU could have computed meanwhile: about 60 µs.
const exchangeCost = 1e9

// exchanged is the number of passes between exchanges of bands of so many rows: as many as make the cost of the exchange, shared by the
// passes, equal to that of the rows computed twice. Rows that are turned where the universe closes have to be exchanged after each
// generation if the rule does not turn with them.
func (p Plan) exchanged(f *flow, t topology.Topology, rows int) int {
	reach := p.Depth * f.radius
	if !wrapsRows(t) && t.Kind != topology.Plane && p.Depth == 1 {
		return 1
	}
	work := float64(f.cost(p.Words)) / float64(2*p.Words) * float64(p.Depth) * float64(reach) * float64(t.W) // of reach rows, in tables
	best := int(math.Sqrt(exchangeCost * 32 / work))
	return max(1, min(best, rows/(8*reach), 64))
}

func newBand(dev device, f *flow, t topology.Topology, plan Plan, top, rows int) (*universe, error) {
	if err := dev.enter(); err != nil {
		return nil, err
	}
	return newUniverse(dev, f, t, plan, top, rows)
}

// divisible reports, as an error, why a universe cannot be divided into bands of rows.
func divisible(t topology.Topology, f *flow, plan Plan, n int) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: Name, What: fmt.Sprintf("topology %v on %d GPUs", t, n), Why: fmt.Sprintf(why, args...)}
	}
	switch reach := plan.Depth * f.radius; {
	case n == 1:
	case plan.Chunk > 0:
		return refuse("bands have both copies of their rows: leave out chunk=%d", plan.Chunk)
	case !ownColumns(t):
		return refuse("where rows go on in other rows at their ends they cannot be divided: use one GPU")
	case t.H/n < reach:
		return refuse("a band of %d rows is all edge: passes look at %d rows above and below", t.H/n, reach)
	}
	return nil
}

// ownColumns reports whether what lies beyond the left and right end of a row is dead or belongs to the row itself.
func ownColumns(t topology.Topology) bool {
	switch t.Kind {
	case topology.Plane:
		return true
	case topology.Torus:
		return t.Axis != topology.Vertical
	case topology.Klein:
		return t.Twist == topology.Horizontal
	}
	return false
}

func (b *bands) close() {
	for i, u := range b.all {
		if u.dev.enter() == nil {
			u.close()
			if i < len(b.seams) && b.seams[i] != 0 {
				u.dev.free(b.seams[i])
			}
		}
	}
}

// each does something for every band, on its device, and goes back to the first.
func (b *bands) each(do func(i int, u *universe) error) error {
	if len(b.all) == 1 {
		return do(0, b.all[0])
	}
	for i, u := range b.all {
		if err := u.dev.enter(); err != nil {
			return err
		}
		if err := do(i, u); err != nil {
			return err
		}
	}
	return b.all[0].dev.enter()
}

// advance launches passes of one depth on all devices.
func (b *bands) advance(depth, passes int) error {
	if len(b.all) == 1 {
		return b.all[0].advance(depth, passes)
	}
	for passes > 0 {
		n := min(passes, b.passes)
		if err := b.exchange(n * depth * b.all[0].f.radius); err != nil {
			return err
		}
		for n--; n >= 0; n-- {
			err := b.each(func(_ int, u *universe) error { return u.step(depth, n*depth*u.f.radius) })
			if err != nil {
				return err
			}
			passes--
		}
	}
	return nil
}

// exchange gives every band a halo of so many rows.
func (b *bands) exchange(rows int) error {
	if err := b.each(func(i int, _ *universe) error { return b.made[i].record() }); err != nil {
		return err
	}
	err := b.each(func(i int, u *universe) error {
		for _, side := range []int{-1, 1} {
			if err := b.fetch(i, side, rows); err != nil {
				return err
			}
		}
		return b.copied[i].record()
	})
	if err != nil {
		return err
	}
	return b.each(func(i int, u *universe) error {
		for _, side := range []int{-1, 1} {
			if j, ok := b.beside(i, side); ok {
				if err := b.copied[j].holdBack(u.dev); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// beside is the band above (side -1) or below (1), if there is one.
func (b *bands) beside(i, side int) (j int, ok bool) {
	n := len(b.all)
	j = i + side
	if b.all[i].t.Kind == topology.Plane {
		return j, 0 <= j && j < n
	}
	return (j + n) % n, true
}

// fetch copies the rows above or below a band from its neighbour, when that has made them.
func (b *bands) fetch(i, side, rows int) error {
	j, ok := b.beside(i, side)
	if !ok {
		return nil
	}
	u, v := b.all[i], b.all[j]
	if err := b.made[j].holdBack(u.dev); err != nil {
		return err
	}
	to, from := -rows, v.h-rows
	if side > 0 {
		to, from = u.h, 0
	}
	outer := i == 0 && side < 0 || i == len(b.all)-1 && side > 0
	if outer && b.seams[i] != 0 {
		return b.fetchTurned(i, j, side, from, rows)
	}
	for plane := range u.planes {
		at := u.rowAt(u.copies[u.current], plane, to)
		if err := u.dev.copyFrom(at, v.dev, v.rowAt(v.copies[v.current], plane, from), uint64(rows)*uint64(u.stride)); err != nil {
			return err
		}
	}
	return nil
}

// fetchTurned is fetch across the universe's top or bottom, where rows are moved or mirrored.
func (b *bands) fetchTurned(i, j, side, from, rows int) error {
	u, v, seam := b.all[i], b.all[j], b.seams[i]
	for plane := range u.planes {
		at := seam + uint64(plane)*u.seamBytes()
		if err := u.dev.copyFrom(at, v.dev, v.rowAt(v.copies[v.current], plane, from), uint64(rows)*uint64(u.stride)); err != nil {
			return err
		}
	}
	// The kernel counts rows of the whole universe; those of the seam begin with row v.top+from.
	first := -rows
	if side > 0 {
		first = u.t.H
	}
	row := func(address uint64, y int) uint64 { return address - uint64(y)*uint64(u.stride) + uint64(u.margin) }
	target := row(u.rowAt(u.copies[u.current], 0, 0), u.top)
	return u.ghosts(target, row(seam, v.top+from), u.seamBytes(), first, rows, u.t.H, u.before*32*u.words+1, true)
}

// rowAt is where row y of a plane of a copy begins, ghosts and all.
func (u *universe) rowAt(copy uint64, plane, y int) uint64 {
	return copy + uint64(plane)*u.planeBytes() + uint64(u.above+y)*uint64(u.stride)
}

// seamBytes is the size of a plane of a seam.
func (u *universe) seamBytes() uint64 { return uint64(u.above) * uint64(u.stride) }

// replay is advance through a graph where that is possible.
func (b *bands) replay(depth, passes int) error {
	if len(b.all) > 1 {
		return b.advance(depth, passes)
	}
	return b.all[0].replay(depth, passes)
}

func (b *bands) wait() error {
	return b.each(func(_ int, u *universe) error {
		return u.dev.wait()
	})
}

func (b *bands) population() (uint64, error) {
	var total uint64
	err := b.each(func(_ int, u *universe) error {
		n, err := u.population()
		total += n
		return err
	})
	return total, err
}

// at is the band that holds row y.
func (b *bands) at(y int) int {
	for i, u := range b.all {
		if y < u.top+u.h {
			return i
		}
	}
	return len(b.all) - 1
}
