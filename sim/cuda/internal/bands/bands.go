// Package bands keeps the cells of a bounded universe in the memory of one GPU or several, and advances them.
package bands

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/sim/cuda/internal/wavefront"
	"github.com/gosper-life/gosper/topology"
)

// Universe is a universe on one or several GPUs. Each has a band of its rows, and a halo of rows of the bands above
// and below. The halo is wide enough for several passes: each pass also computes the part of the halo that the next
// passes need, some rows fewer every time. Therefore, bands exchange rows rarely, and need not wait for each other in
// between.
//
//	       halo  ┌ ─ ─ ─ ┐
//	row 0 ┌──────┴───────┴──┐   pass 1 reads it all, makes all but the outermost rows
//	      │ band            │   pass 2 reads those, …
//	      └──────┬───────┬──┘   the last pass makes the band
//	       halo  └ ─ ─ ─ ┘
//
// The host only queues work; events keep its order. The neighbours of a band copy its rows before its second
// pass overwrites them.
type Universe struct {
	all    []*band
	rows   []*rows      // by band
	passes int          // between exchanges
	made   []*gpu.Event // by band: its rows of the present generation
	copied []*gpu.Event // by band: its halo is there
	seams  []uint64     // by band: memory for halo rows that must be turned before they fit; 0: none
}

// New divides a universe into equal bands.
func New(devs []*gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan) (*Universe, error) {
	return newBands(devs, f, t, p, 1)
}

// NewVolumes makes a batch of volumes on a device. Their rows follow each other like those of one universe, and the
// methods of Universe take them so. All volumes advance together.
func NewVolumes(dev *gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan, n int) (*Universe, error) {
	return newBands([]*gpu.Device{dev}, f, t, p, n)
}

func newBands(devs []*gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan, n int) (*Universe, error) {
	height, deep := plan.Height(t), plan.Deep(t)
	u := &Universe{passes: p.Exchanged(f, t, height/len(devs))}
	for i, dev := range devs {
		top, end := i*height/len(devs)*deep, (i+1)*height/len(devs)*deep
		b, err := newBand(dev, f, t, p, top, end-top, n)
		if err != nil {
			u.close()
			return nil, err
		}
		u.all = append(u.all, b)
		if len(devs) > 1 {
			if err := u.addMeans(b, i == 0 || i == len(devs)-1); err != nil {
				u.close()
				return nil, err
			}
		}
	}
	err := u.each(func(_ int, b *band) error {
		r, err := newRows(b, transferBytes)
		u.rows = append(u.rows, r)
		return err
	})
	if err != nil {
		u.close()
		return nil, err
	}
	return u, devs[0].Enter()
}

// addMeans makes the events and the memory that one of several bands needs. outer says that it is at the
// universe's top or bottom.
func (u *Universe) addMeans(b *band, outer bool) error {
	made, err := b.dev.NewEvent()
	if err != nil {
		return err
	}
	copied, err := b.dev.NewEvent()
	if err != nil {
		return err
	}
	var seam uint64
	if outer && b.t.Kind != topology.Plane && !plan.WrapsRows(b.t) {
		if seam, err = b.dev.Alloc(uint64(b.Planes) * b.seamBytes()); err != nil {
			return err
		}
	}
	u.made, u.copied, u.seams = append(u.made, made), append(u.copied, copied), append(u.seams, seam)
	return nil
}

// Do runs f with the first device current, when nothing is being read any more.
func (u *Universe) Do(f func() error) error {
	for _, r := range u.rows {
		r.settle()
	}
	return u.all[0].dev.Do(f)
}

// Release frees all memory.
func (u *Universe) Release() error {
	return u.Do(func() error {
		u.close()
		return u.all[0].dev.Enter()
	})
}

// close frees the memory of all bands. It also runs when only some of them have been made, and rows, seams and events
// are then shorter lists than bands.
func (u *Universe) close() {
	for i, b := range u.all {
		if b.dev.Enter() == nil {
			if i < len(u.rows) {
				u.rows[i].close()
			}
			b.close()
			if i < len(u.seams) {
				b.dev.Free(u.seams[i])
			}
		}
	}
}

// each calls do for every band with its device current, and then makes the first device current again.
func (u *Universe) each(do func(i int, b *band) error) error {
	if len(u.all) == 1 {
		return do(0, u.all[0])
	}
	for i, b := range u.all {
		if err := b.dev.Enter(); err != nil {
			return err
		}
		if err := do(i, b); err != nil {
			return err
		}
	}
	return u.all[0].dev.Enter()
}

// SetGeneration tells the generation of the cells, on which rules of blocks and rules that take turns depend.
func (u *Universe) SetGeneration(g uint64) {
	for _, b := range u.all {
		b.now = g
	}
}

// SetSeed sets the seed of the rule's random part.
func (u *Universe) SetSeed(seed uint64) error {
	return u.each(func(_ int, b *band) error {
		b.seed = seed
		return b.drawn.setSeed(b.dev, seed)
	})
}

// Place says before the first step that row 0 is a row of a larger universe, which has the random bits: see sim.Placer.
// That universe must have as many rows as are drawn together, or lie in the halo of a device.
func (u *Universe) Place(first, rows int) error {
	for _, b := range u.all {
		if least := max(b.plan.Unroll, b.Above); rows < least {
			return fmt.Errorf("random bits of a universe of %d rows: a GPU needs at least %d", rows, least)
		}
		b.place = wavefront.Place{Top: random.Place(b.top, [2]int{first, rows}), Tall: rows}
	}
	return nil
}

// Shares reports whether passes of a depth have to begin with even generations: see wavefront.Plan.
func (u *Universe) Shares(depth int) bool { return u.all[0].planOf(depth).Shares(u.all[0].f) }

// Advance launches passes of one depth on all devices.
func (u *Universe) Advance(depth, passes int) error {
	if len(u.all) == 1 {
		return u.all[0].advance(depth, passes)
	}
	for passes > 0 {
		n := min(passes, u.passes)
		if err := u.exchange(n * depth * u.all[0].f.Radius * u.all[0].deep); err != nil {
			return err
		}
		for n--; n >= 0; n-- {
			err := u.each(func(_ int, b *band) error { return b.step(depth, n*depth*b.f.Radius) })
			if err != nil {
				return err
			}
			passes--
		}
	}
	return nil
}

// Stay launches generations during which all cells stay in the registers of one device, by a plan of patches.
func (u *Universe) Stay(generations uint32) error { return u.all[0].stay(generations) }

// exchange gives every band a halo of the given number of rows. It goes over all bands three times,
// and only queues work:
//
//   - Each device notes when its rows are made.
//   - Each device waits for the rows of its neighbours, copies them, and notes when it has copied
//     them.
//   - Each device waits until its neighbours have copied. After that, it may overwrite its rows.
//
// Going over them once would not do: waiting for an event that nobody has recorded yet does not wait.
func (u *Universe) exchange(rows int) error {
	if err := u.each(func(i int, _ *band) error { return u.made[i].Record() }); err != nil {
		return err
	}
	err := u.each(func(i int, b *band) error {
		for _, side := range []int{-1, 1} {
			if err := u.fetch(i, side, rows); err != nil {
				return err
			}
		}
		return u.copied[i].Record()
	})
	if err != nil {
		return err
	}
	return u.each(func(i int, b *band) error {
		for _, side := range []int{-1, 1} {
			if j, ok := u.beside(i, side); ok {
				if err := b.dev.WaitFor(u.copied[j]); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// beside is the band above (side -1) or below (1), if there is one.
func (u *Universe) beside(i, side int) (j int, ok bool) {
	n := len(u.all)
	j = i + side
	if u.all[i].t.Kind == topology.Plane {
		return j, 0 <= j && j < n
	}
	return (j + n) % n, true
}

// fetch copies the rows above or below a band from its neighbour, once the neighbour has computed them.
func (u *Universe) fetch(i, side, rows int) error {
	j, ok := u.beside(i, side)
	if !ok {
		return nil
	}
	b, v := u.all[i], u.all[j]
	if err := b.dev.WaitFor(u.made[j]); err != nil {
		return err
	}
	to, from := -rows, v.H-rows
	if side > 0 {
		to, from = b.H, 0
	}
	outer := i == 0 && side < 0 || i == len(u.all)-1 && side > 0
	if outer && u.seams[i] != 0 {
		return u.fetchTurned(i, j, side, from, rows)
	}
	for plane := range b.Planes {
		at := b.rowAt(b.copies[b.current], plane, to)
		if err := b.dev.CopyFrom(at, v.dev, v.rowAt(v.copies[v.current], plane, from),
			uint64(rows)*uint64(b.Stride)); err != nil {
			return err
		}
	}
	return nil
}

// fetchTurned is fetch across the universe's top or bottom if rows are shifted or mirrored there.
func (u *Universe) fetchTurned(i, j, side, from, rows int) error {
	b, v, seam := u.all[i], u.all[j], u.seams[i]
	for plane := range b.Planes {
		at := seam + uint64(plane)*b.seamBytes()
		if err := b.dev.CopyFrom(at, v.dev, v.rowAt(v.copies[v.current], plane, from),
			uint64(rows)*uint64(b.Stride)); err != nil {
			return err
		}
	}
	// The kernel counts rows of the whole universe; those of the seam begin with row v.top+from.
	first := -rows
	if side > 0 {
		first = b.t.H
	}
	row := func(address uint64, y int) uint64 { return address - uint64(y)*uint64(b.Stride) + uint64(b.Margin) }
	target := row(b.rowAt(b.copies[b.current], 0, 0), b.top)
	return b.copyHalo(halo{
		target: target, source: row(seam, v.top+from), sourcePlane: b.seamBytes(), planes: b.Planes,
		firstRow: first, rows: rows, height: b.t.H, reach: b.Before*32*b.Words + 1, whole: true,
	})
}

// rowAt is the address where row y of a plane of a copy begins, including the halo.
func (b *band) rowAt(base uint64, plane, y int) uint64 {
	return base + uint64(plane)*b.PlaneBytes() + uint64(b.Above+y)*uint64(b.Stride)
}

// seamBytes is the size of a plane of a seam.
func (b *band) seamBytes() uint64 { return uint64(b.Above) * uint64(b.Stride) }

// Replay is advance through a graph where that is possible.
func (u *Universe) Replay(depth, passes int) error {
	if len(u.all) > 1 {
		return u.Advance(depth, passes)
	}
	return u.all[0].replay(depth, passes)
}

// Wait waits until all devices have done their work.
func (u *Universe) Wait() error {
	return u.each(func(_ int, b *band) error {
		return b.dev.Wait()
	})
}

// Use makes the first band advance with a pass that is already compiled.
func (u *Universe) Use(k *Pass) { u.all[0].kernels[k.plan.Depth] = k }

// Pass returns the first band's pass of a depth.
func (u *Universe) Pass(depth int) (*Pass, error) { return u.all[0].pass(depth) }

// Patched returns the kernel of a plan of patches.
func (u *Universe) Patched() *Patched { return u.all[0].patched }

// at returns the band that holds row y.
func (u *Universe) at(y int) int {
	for i, b := range u.all {
		if y < b.top+b.H {
			return i
		}
	}
	return len(u.all) - 1
}
