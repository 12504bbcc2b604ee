package cuda

import (
	"fmt"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// bands is a universe on one or several GPUs, each with a band of its rows. Before a pass a band fetches the rows around it from the
// bands above and below. Events keep the order; the host only queues work:
//
//	GPU i    … pass p-1 ─ done │ wait for done of i-1, i+1 │ copy their edge rows │ pass p ─ done │ …
//
// A neighbour that overwrites the copied rows, in its pass p+1, has waited for done of pass p here.
type bands struct {
	all  []*universe
	done []event // by band, where there are several
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
			e, err := dev.newEvent()
			if err != nil {
				b.close()
				return nil, err
			}
			b.done = append(b.done, e)
		}
	}
	return b, devs[0].enter()
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
	case t.Kind != topology.Torus && t.Kind != topology.Plane || t.Axis != topology.NoAxis:
		return refuse("only a torus without a shift and a plane can be divided into bands")
	case t.H/n < reach:
		return refuse("a band of %d rows is lower than the %d that a pass looks at", t.H/n, reach)
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
	// The first pass finds the columns beyond the sides filled; each pass after it fills those of its own result.
	if err := b.each(func(i int, u *universe) error { return b.finish(i, depth) }); err != nil {
		return err
	}
	for range passes {
		err := b.each(func(i int, u *universe) error {
			if err := b.fetch(i, depth*u.f.radius); err != nil {
				return err
			}
			return u.step(depth)
		})
		if err != nil {
			return err
		}
		// All bands have launched before any marks its pass done: the fetches above waited for the marks of the pass before.
		if err := b.each(func(i int, u *universe) error { return b.finish(i, depth) }); err != nil {
			return err
		}
	}
	return nil
}

// finish makes a band's cells ready for its neighbours.
func (b *bands) finish(i, depth int) error {
	u := b.all[i]
	if err := u.fillGhosts(depth * u.f.radius); err != nil {
		return err
	}
	return b.done[i].record()
}

// fetch copies the rows around a band, up to reach, from its neighbours.
func (b *bands) fetch(i, reach int) error {
	u, n := b.all[i], len(b.all)
	above, below := b.all[(i+n-1)%n], b.all[(i+1)%n]
	around := u.t.Kind != topology.Plane
	if around || i > 0 {
		if err := b.done[(i+n-1)%n].holdBack(u.dev); err != nil {
			return err
		}
		if err := u.copyRows(-reach, above, above.h-reach, reach); err != nil {
			return err
		}
	}
	if around || i < n-1 {
		if err := b.done[(i+1)%n].holdBack(u.dev); err != nil {
			return err
		}
		return u.copyRows(u.h, below, 0, reach)
	}
	return nil
}

// copyRows copies whole rows, ghost columns and all, from another band. The other's current copy is that of the same pass, as it may
// have been launched already.
func (u *universe) copyRows(to int, from *universe, row, n int) error {
	source := from.copies[u.current]
	for plane := range u.planes {
		at := func(v *universe, base uint64, y int) uint64 {
			return base + uint64(plane)*v.planeBytes() + uint64(v.above+y)*uint64(v.stride)
		}
		err := u.dev.copyFrom(at(u, u.copies[u.current], to), from.dev, at(from, source, row), uint64(n)*uint64(u.stride))
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
	return b.each(func(_ int, u *universe) error { return u.dev.wait() })
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
