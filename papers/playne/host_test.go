//go:build linux

package playne

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers/papertest"
)

// onHost is simulations whose kernel is run by this processor, with the shared memory of a block on an H200.
type onHost struct {
	*papertest.Host
	config         Config
	bits, shared   int
	cells          []byte
	far, histogram []byte
	free           []func()
}

func openOnHost(h *papertest.Host, rows, most int) opener {
	return func(c Config) (Simulations, error) {
		if err := c.check("on host", 1, Sides[len(Sides)-1]); err != nil {
			return nil, err
		}
		c.Rows = min(rows, DefaultRows(c.L))
		u := &onHost{Host: h, config: c, bits: cellBits(c.L)}
		var near bool
		u.shared, near = sharedBytes(c.L, u.bits, most)
		u.cells = u.alloc(c.Universes * c.L * c.L * u.bits / 8)
		if !near {
			u.far = u.alloc(4 * c.Universes * c.L * c.L)
		}
		u.histogram = u.alloc(4 * (c.L*c.L + 1))
		clear(u.histogram)
		return u, nil
	}
}

func (u *onHost) alloc(n int) []byte {
	bytes, free := u.Alloc(n)
	u.free = append(u.free, free)
	return bytes
}

func (u *onHost) Universes() int { return u.config.Universes }

func (u *onHost) cell(i, k int) uint32 {
	at := (i*u.config.L*u.config.L + k) * u.bits / 8
	if u.bits == 16 {
		return uint32(binary.LittleEndian.Uint16(u.cells[at:]))
	}
	return binary.LittleEndian.Uint32(u.cells[at:])
}

func (u *onHost) LoadOne(i int, g *grid.Grid) error {
	l := u.config.L
	for k := range l * l {
		v := uint32(g.Get(k%l, k/l)) << (u.bits - 1)
		at := (i*l*l + k) * u.bits / 8
		if u.bits == 16 {
			binary.LittleEndian.PutUint16(u.cells[at:], uint16(v))
		} else {
			binary.LittleEndian.PutUint32(u.cells[at:], v)
		}
	}
	return nil
}

func (u *onHost) Load(g *grid.Grid) error {
	for i := range u.config.Universes {
		if err := u.LoadOne(i, g); err != nil {
			return err
		}
	}
	return nil
}

func (u *onHost) StoreOne(i int, g *grid.Grid) error {
	l := u.config.L
	for k := range l * l {
		g.Set(k%l, k/l, uint8(u.cell(i, k)>>(u.bits-1)))
	}
	return nil
}

func (u *onHost) Store(g *grid.Grid) error { return u.StoreOne(0, g) }

func (u *onHost) Step(n int) error {
	var far, eight uint64
	if u.far != nil {
		far = papertest.Address(u.far)
	}
	if u.config.Connectivity == 8 {
		eight = 1
	}
	return u.Launch(fmt.Sprintf("playne%d", u.bits), u.config.Universes, 1, u.config.L*u.config.Rows, u.shared,
		papertest.Address(u.cells), far, papertest.Address(u.histogram), uint64(u.config.L), uint64(u.config.Rows), uint64(n), eight)
}

func (u *onHost) Labels(i int, dst []uint32) error {
	for k := range dst {
		dst[k] = labelOf(u.cell(i, k), u.bits)
	}
	return nil
}

func (u *onHost) Histogram(dst []uint64) error {
	for n := range dst {
		dst[n] += uint64(binary.LittleEndian.Uint32(u.histogram[4*n:]))
	}
	clear(u.histogram)
	return nil
}

func (u *onHost) Close() error {
	for _, free := range u.free {
		free()
	}
	return nil
}

// The kernels themselves, compiled for the processor, do as the reference does, and find the clusters that a flood fill finds: with one
// row of threads and with several, with counters beside the cells and far from them, with cells of 16 bits and of 32.
func TestOnHost(t *testing.T) {
	const h200 = 227 << 10
	h := papertest.OpenHost(t, "testdata/host.cpp")
	for _, rows := range []int{1, 2, 3, 4, 8, mostThreads} {
		t.Run(fmt.Sprint("rows=", rows), func(t *testing.T) {
			papertest.Run(t, papertest.Suite{
				Open:  stepper(openOnHost(h, rows, h200)),
				Sizes: square(1, 2, 3, 31, 48), Steps: []int{1, 3}, Refuse: append(square(339, 1025), [2]int{32, 33}),
			})
			for i, l := range []int{1, 3, 32, 45} {
				for _, connectivity := range []int{4, 8} {
					checkClusters(t, openOnHost(h, rows, h200), Config{L: l, Universes: 2, Connectivity: connectivity}, uint64(i), 0.5, []int{1, 3})
				}
			}
			checkClusters(t, openOnHost(h, rows, 4<<10), Config{L: 33, Universes: 2, Connectivity: 8}, 7, 0.5, []int{2}) // counters are far
		})
	}
	for _, l := range Sides {
		for _, rows := range RowsOfThreads(l) { // all that is measured; 240² has cells of 32 bits
			t.Run(fmt.Sprintf("L=%d rows=%d", l, rows), func(t *testing.T) {
				papertest.Run(t, papertest.Suite{Open: stepper(openOnHost(h, rows, h200)), Sizes: square(l), Steps: []int{1}})
				checkClusters(t, openOnHost(h, rows, h200), Config{L: l, Universes: 1, Connectivity: 8}, 1, 0.5, []int{1})
			})
		}
	}
}
