package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// bands is a universe on one or several GPUs, each with a band of its rows. For a pass a band fetches the rows around it from the
// bands above and below, and makes the rows that these will fetch next, its edges, in an urgent queue, while the GPU makes all the
// others, which need no rows of a neighbour:
//
//	urgent   │ wait for edges of i-1, i+1, inside │ fetch │ edges of pass p │ …
//	others   │ wait for edges                     │ inside of pass p        │ …
//
// Events keep the order; the host only queues work. Rows that a neighbour fetches are not overwritten before: that happens in its next
// pass but one, which waits for edges that were made after the fetch.
type bands struct {
	all    []*universe
	urgent []device // the rest by band, where there are several
	edges  []event
	inside []event
}

// newBands divides a universe evenly.
func newBands(devs []device, f *flow, t topology.Topology, plan Plan) (*bands, error) {
	b := &bands{}
	for i, dev := range devs {
		top, end := i*t.H/len(devs), (i+1)*t.H/len(devs)
		u, err := newBand(dev, f, t, plan, top, end-top)
		if err != nil {
			b.close()
			return nil, err
		}
		b.all = append(b.all, u)
		if len(devs) > 1 {
			if err := b.addQueues(dev); err != nil {
				b.close()
				return nil, err
			}
		}
	}
	return b, devs[0].enter()
}

// addQueues makes what a band among several needs.
func (b *bands) addQueues(dev device) error {
	urgent, err := dev.urgent()
	if err != nil {
		return err
	}
	edges, err := urgent.newEvent()
	if err != nil {
		return err
	}
	inside, err := dev.newEvent()
	b.urgent, b.edges, b.inside = append(b.urgent, urgent), append(b.edges, edges), append(b.inside, inside)
	return err
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
	case t.Kind != topology.Torus && t.Kind != topology.Plane || t.Axis != topology.NoAxis:
		return refuse("only a torus without a shift and a plane can be divided into bands")
	case t.H/n <= 2*reach:
		return refuse("a band of %d rows is all edge: passes look at %d rows above and below", t.H/n, reach)
	}
	return nil
}

func (b *bands) close() {
	for _, u := range b.all {
		if u.dev.enter() == nil {
			u.close()
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
	// What was queued for a device so far goes before the first pass.
	if err := b.each(func(i int, u *universe) error { return b.finish(i, depth) }); err != nil {
		return err
	}
	for range passes {
		// All bands wait for marks of the pass before, and only then does any set them anew.
		if err := b.each(func(i int, u *universe) error { return b.step(i, depth) }); err != nil {
			return err
		}
		if err := b.each(func(i int, u *universe) error { return b.finish(i, depth) }); err != nil {
			return err
		}
	}
	return nil
}

// step launches a pass of a band.
func (b *bands) step(i, depth int) error {
	u, urgent := b.all[i], b.urgent[i]
	reach := depth * u.f.radius
	if err := b.inside[i].holdBack(urgent); err != nil {
		return err
	}
	if err := b.fetch(i, reach); err != nil {
		return err
	}
	p, err := u.pass(depth)
	if err != nil {
		return err
	}
	if p.ringBytes > sharedBytes { // launches that run together would share the memory of the rings
		if err := b.edges[i].record(); err != nil {
			return err
		}
		if err := b.edges[i].holdBack(u.dev); err != nil {
			return err
		}
		if err := u.step(depth); err != nil {
			return err
		}
		if err := b.inside[i].record(); err != nil {
			return err
		}
		return b.inside[i].holdBack(urgent)
	}
	if err := b.edges[i].holdBack(u.dev); err != nil {
		return err
	}
	if err := u.launch(urgent, depth, 0, reach); err != nil {
		return err
	}
	if err := u.launch(urgent, depth, u.h-reach, u.h); err != nil {
		return err
	}
	if err := u.launch(u.dev, depth, reach, u.h-reach); err != nil {
		return err
	}
	u.current = 1 - u.current
	return nil
}

// finish marks a pass of a band as launched. Columns beyond the sides are filled first: then the edges wait for the inside.
func (b *bands) finish(i, depth int) error {
	u := b.all[i]
	if _, fills := u.tools["ghosts"]; fills {
		if err := b.edges[i].record(); err != nil {
			return err
		}
		if err := b.edges[i].holdBack(u.dev); err != nil {
			return err
		}
		if err := u.fillGhosts(depth * u.f.radius); err != nil {
			return err
		}
		if err := b.inside[i].record(); err != nil {
			return err
		}
		if err := b.inside[i].holdBack(b.urgent[i]); err != nil {
			return err
		}
		return b.edges[i].record()
	}
	if err := b.inside[i].record(); err != nil {
		return err
	}
	return b.edges[i].record()
}

// fetch copies the rows around a band, up to reach, from its neighbours.
func (b *bands) fetch(i, reach int) error {
	u, n := b.all[i], len(b.all)
	around := u.t.Kind != topology.Plane
	if around || i > 0 {
		j := (i + n - 1) % n
		if err := b.edges[j].holdBack(b.urgent[i]); err != nil {
			return err
		}
		if err := b.copyRows(i, -reach, j, b.all[j].h-reach, reach); err != nil {
			return err
		}
	}
	if around || i < n-1 {
		j := (i + 1) % n
		if err := b.edges[j].holdBack(b.urgent[i]); err != nil {
			return err
		}
		return b.copyRows(i, u.h, j, 0, reach)
	}
	return nil
}

// copyRows copies n whole rows, ghost columns and all, from row `from` of band j to row `to` of band i. Both have the same copy
// current in a pass; band j may have launched it already.
func (b *bands) copyRows(i, to, j, from, n int) error {
	u, v := b.all[i], b.all[j]
	for plane := range u.planes {
		at := func(u *universe, base uint64, y int) uint64 {
			return base + uint64(plane)*u.planeBytes() + uint64(u.above+y)*uint64(u.stride)
		}
		err := b.urgent[i].copyFrom(at(u, u.copies[u.current], to), v.dev, at(v, v.copies[u.current], from), uint64(n)*uint64(u.stride))
		if err != nil {
			return err
		}
	}
	return nil
}

// replay is advance through a graph where that is possible.
func (b *bands) replay(depth, passes int) error {
	if len(b.all) > 1 {
		return b.advance(depth, passes)
	}
	return b.all[0].replay(depth, passes)
}

func (b *bands) wait() error {
	return b.each(func(i int, u *universe) error {
		if len(b.urgent) > 0 {
			if err := b.urgent[i].wait(); err != nil {
				return err
			}
		}
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
