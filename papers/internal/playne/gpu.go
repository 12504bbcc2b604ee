package playne

import (
	_ "embed"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen multiprocessor.cu

//go:embed zmultiprocessor.ptx.gz
var multiprocessor string

const mostThreads = 1024 // of a block

// GPU runs simulations on the multiprocessors of a GPU, each as one block of threads.
type GPU struct {
	experiment.GPUSteps
	config    Config
	d         *gpu.Device
	kernel    *gpu.Kernel
	bits      int    // of a cell
	cells     uint64 // of all universes
	far       uint64 // counters that do not fit in shared memory, or 0
	histogram uint64
	host      []uint32 // the cells of one universe
	narrow    []uint16
}

// MostGPU returns the greatest side that fits in the shared memory of a multiprocessor of the device.
func MostGPU(d *gpu.Device) int {
	return max(Capacity(d.SharedBlockBytes, 16), Capacity(d.SharedBlockBytes, 32))
}

// DefaultRows returns the default number of rows of threads of a block, for a universe of side l: the largest
// possible number.
func DefaultRows(l int) int { return max(1, min(l, mostThreads/max(l, 1))) }

// RowsOfThreads returns the numbers of rows of threads that are measured for a universe of side l: the powers
// of two below DefaultRows, and DefaultRows.
func RowsOfThreads(l int) []int {
	var list []int
	for rows := 1; rows < DefaultRows(l); rows *= 2 {
		list = append(list, rows)
	}
	return append(list, DefaultRows(l))
}

// OpenGPU makes simulations on a device. Config.Rows may be 0 for DefaultRows.
func OpenGPU(d *gpu.Device, c Config) (*GPU, error) {
	if err := c.check("playne gpu", 1, min(MostGPU(d), mostThreads)); err != nil {
		return nil, err
	}
	if c.Rows == 0 {
		c.Rows = DefaultRows(c.L)
	}
	if c.Rows < 1 || c.Rows*c.L > mostThreads {
		return nil, fmt.Errorf("playne gpu: %d rows of %d threads, 1 to %d rows are allowed", c.Rows, c.L, DefaultRows(c.L))
	}
	g := &GPU{config: c, d: d, bits: cellBits(c.L)}
	g.GPUSteps = experiment.GPUSteps{Device: d, Launch: g.launch}
	err := d.Do(g.open)
	if err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// cellBits returns the number of bits of a cell, state and label, in a universe of side l.
func cellBits(l int) int {
	if l > Most16 {
		return 32
	}
	return 16
}

// open compiles the kernel for the number of bits of a label, and takes memory. Labels that do not fit
// in shared memory are in the device's memory.
func (g *GPU) open() error {
	l, n := g.config.L, g.config.Universes
	cells := uint64(n*l*l*g.bits) / 8
	shared, near := sharedBytes(l, g.bits, g.d.SharedBlockBytes)
	var err error
	if g.kernel, err = g.d.Kernel(multiprocessor, fmt.Sprintf("playne%d", g.bits), l*g.config.Rows, shared); err != nil {
		return err
	}
	if g.cells, err = g.d.Alloc(cells); err != nil {
		return err
	}
	if !near {
		if g.far, err = g.d.Alloc(uint64(4 * n * l * l)); err != nil {
			return err
		}
	}
	if g.histogram, err = g.d.Alloc(g.histogramBytes()); err != nil {
		return err
	}
	g.host, g.narrow = make([]uint32, l*l), make([]uint16, l*l)
	return errors.Join(g.d.Clear(g.cells, cells), g.d.Clear(g.histogram, g.histogramBytes()), g.d.Wait())
}

func (g *GPU) histogramBytes() uint64 { return 4 * uint64(g.config.L*g.config.L+1) }

// universe returns the address of the cells of universe i.
func (g *GPU) universe(i int) uint64 {
	return g.cells + uint64(i)*uint64(g.config.L*g.config.L*g.bits/8)
}

// sharedBytes returns the shared memory of a block: cells, two rows, and counters if they fit (near).
func sharedBytes(l, bits, most int) (bytes int, near bool) {
	bytes = ((l*l+2*l)*bits/8 + 3) &^ 3
	if near = bytes+4*l*l <= most; near {
		bytes += 4 * l * l
	}
	return bytes, near
}

// Universes implements Simulations.
func (g *GPU) Universes() int { return g.config.Universes }

// Load implements experiment.Stepper.
func (g *GPU) Load(from *grid.Grid) error {
	for i := range g.config.Universes {
		if err := g.LoadOne(i, from); err != nil {
			return err
		}
	}
	return nil
}

// LoadOne implements Simulations.
func (g *GPU) LoadOne(i int, from *grid.Grid) error {
	l := g.config.L
	if err := experiment.CheckGrid(from, l, l); err != nil {
		return err
	}
	for y := range l {
		row := from.Row(0, y)
		for x := range l {
			g.host[y*l+x] = uint32(row[x>>6] >> (x & 63) & 1 << (g.bits - 1))
		}
	}
	return g.d.Do(func() error {
		if g.bits == 32 {
			return g.d.Write(g.universe(i), gpu.Bytes(g.host))
		}
		for k, c := range g.host {
			g.narrow[k] = uint16(c)
		}
		return g.d.Write(g.universe(i), gpu.Bytes(g.narrow))
	})
}

// fetch copies the cells of a universe to the host.
func (g *GPU) fetch(i int) error {
	return g.d.Do(func() error {
		if g.bits == 32 {
			return g.d.Read(gpu.Bytes(g.host), g.universe(i))
		}
		err := g.d.Read(gpu.Bytes(g.narrow), g.universe(i))
		for k, c := range g.narrow {
			g.host[k] = uint32(c)
		}
		return err
	})
}

// mostGenerations is the greatest number of generations of a launch. Longer launches would freeze a screen on
// the same GPU.
const mostGenerations = 1000

// launch puts n generations into the queue.
func (g *GPU) launch(n int) error {
	var eight uint64
	if g.config.Connectivity == 8 {
		eight = 1
	}
	for ; n > 0; n -= mostGenerations {
		if err := g.kernel.Launch(g.config.Universes, 1, g.cells, g.far, g.histogram,
			gpu.Int(g.config.L), gpu.Int(g.config.Rows), gpu.Int(min(n, mostGenerations)), eight); err != nil {
			return err
		}
	}
	return nil
}

// Store implements experiment.Stepper.
func (g *GPU) Store(to *grid.Grid) error { return g.StoreOne(0, to) }

// StoreOne implements Simulations.
func (g *GPU) StoreOne(i int, to *grid.Grid) error {
	l := g.config.L
	if err := experiment.CheckGrid(to, l, l); err != nil {
		return err
	}
	if err := g.fetch(i); err != nil {
		return err
	}
	for y := range l {
		row := to.Row(0, y)
		clear(row)
		for x := range l {
			row[x>>6] |= uint64(g.host[y*l+x]>>(g.bits-1)) << (x & 63)
		}
	}
	return nil
}

// Labels implements Simulations.
func (g *GPU) Labels(i int, dst []uint32) error {
	if err := g.fetch(i); err != nil {
		return err
	}
	for k, c := range g.host {
		dst[k] = labelOf(c, g.bits)
	}
	return nil
}

// labelOf returns the label of a cell with the given number of bits.
func labelOf(cell uint32, bits int) uint32 {
	if cell>>(bits-1) == 0 {
		return Dead
	}
	return cell &^ (1 << (bits - 1))
}

// Histogram implements Simulations. A counter of the device overflows after 2^32 clusters of a size.
func (g *GPU) Histogram(dst []uint64) error {
	counts := make([]uint32, g.config.L*g.config.L+1)
	err := g.d.Do(func() error {
		return errors.Join(g.d.Read(gpu.Bytes(counts), g.histogram), g.d.Clear(g.histogram, g.histogramBytes()), g.d.Wait())
	})
	for n, c := range counts {
		dst[n] += uint64(c)
	}
	return err
}

// Close implements experiment.Stepper.
func (g *GPU) Close() error {
	return g.d.Do(func() error {
		g.d.Free(g.cells, g.far, g.histogram)
		return nil
	})
}
