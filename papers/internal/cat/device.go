package cat

import (
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/rule"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen layout.cu methods.cu pack.cu prefix.cu wmma.cu known.cu tensor.cu register.cu temporal.cu rows.cu bits.cu volume.cu rates.cu

var (
	//go:embed zlayout.ptx.gz
	layoutPTX string
	//go:embed zmethods.ptx.gz
	methodsPTX string
	//go:embed zpack.ptx.gz
	packPTX string
	//go:embed zprefix.ptx.gz
	prefixPTX string
	//go:embed zwmma.ptx.gz
	wmmaPTX string
	//go:embed zknown.ptx.gz
	knownPTX string
	//go:embed ztensor.ptx.gz
	tensorPTX string
	//go:embed zregister.ptx.gz
	registerPTX string
	//go:embed ztemporal.ptx.gz
	temporalPTX string
	//go:embed zrows.ptx.gz
	rowsPTX string
	//go:embed zbits.ptx.gz
	bitsPTX string
	//go:embed zvolume.ptx.gz
	volumePTX string
)

// maxSide keeps the cells of a halo, and of a row of fragments, within 31 bits.
const maxSide = 1 << 18

// maxBlocks is CUDA's limit for the second index of blocks.
const maxBlocks = 1<<16 - 1

// maxVolumeSide is that of a volume.
const maxVolumeSide = 1 << 12

// checkSize refuses a size. h is the rows of all layers together.
func (m Method) checkSize(w, h, layers int) error {
	most, sides := maxSide, []int{w, h}
	if m == Volume {
		if layers < 1 || h%layers != 0 {
			return fmt.Errorf("%d rows in %d layers; as many rows in each are needed, in at least one", h, layers)
		}
		most, sides = maxVolumeSide, []int{w, h / layers, layers}
	}
	if slices.Min(sides) < 1 || slices.Max(sides) > most {
		return &experiment.SizeError{
			Method: string(m), Width: w, Height: h,
			Allowed: fmt.Sprintf("each side is 1 to %d", most),
		}
	}
	return nil
}

// Open runs a method on a torus of w×h cells on a GPU.
func (m Method) Open(d *gpu.Device, r rule.Rule, w, h int, o Options) (*Universe, error) {
	t, err := m.transitionOf(r)
	if err != nil {
		return nil, err
	}
	if err := m.checkSize(w, h, o.Layers); err != nil {
		return nil, err
	}
	p, err := m.launch(t, w, h, o, d.Properties)
	if err != nil {
		return nil, err
	}
	if p.shared > d.SharedBlockBytes {
		return nil, fmt.Errorf(
			"%s with radius %d and tile %d×%d (0×0: the usual) needs %d bytes of shared memory a block, %s has %d",
			m, t.radius, o.Tile[0], o.Tile[1], p.shared, d.Name, d.SharedBlockBytes)
	}
	if p.gridY > maxBlocks {
		return nil, fmt.Errorf("%s: strips of so few rows make %d of them, more than %d", m, p.gridY, maxBlocks)
	}
	u := &Universe{d: d, w: w, h: h, radius: t.radius * max(p.generations, 1), advance: p, fixedHalo: o.FixedHalo}
	u.GPUSteps = experiment.GPUSteps{Device: d, Launch: u.generations}
	err = d.Do(u.open)
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// Universe is a torus on a GPU that advances by one method.
type Universe struct {
	experiment.GPUSteps
	d            *gpu.Device
	w, h, radius int // radius: cells of the halo
	advance      launch
	fixedHalo    bool
	load, store  *gpu.Kernel
	halo, step   *gpu.Kernel
	from, to     uint64
	table        uint64 // of Pack
}

// open compiles the four kernels of a method, and takes memory for two copies of its cells.
func (u *Universe) open() error {
	var errs [4]error
	name := u.advance.layout.name
	ptx := layoutPTX
	switch name {
	case "bits":
		ptx = bitsPTX
	case "volume":
		ptx = volumePTX
	}
	u.load, errs[0] = u.d.Kernel(ptx, "load_"+name, blockThreads, 0)
	u.store, errs[1] = u.d.Kernel(ptx, "store_"+name, blockThreads, 0)
	u.halo, errs[2] = u.d.Kernel(ptx, "halo_"+name, blockThreads, 0)
	u.step, errs[3] = u.d.Kernel(u.advance.ptx, u.advance.kernel, u.advance.threads, u.advance.shared)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	// The kernels of CAT read a fragment for each band. If shared memory took all of the memory, the cache could
	// not keep what they read.
	if u.advance.shared > 0 {
		if err := u.step.LeaveCache(); err != nil {
			return err
		}
	}
	for _, b := range []*uint64{&u.from, &u.to} {
		var err error
		if *b, err = u.d.Alloc(uint64(u.advance.layout.bytes)); err != nil {
			return err
		}
		if err = u.d.Clear(*b, uint64(u.advance.layout.bytes)); err != nil {
			return err
		}
	}
	if len(u.advance.table) == 0 {
		return nil
	}
	var err error
	if u.table, err = u.d.Alloc(uint64(len(u.advance.table))); err != nil {
		return err
	}
	u.advance.args = append(u.advance.args, u.table)
	return u.d.Write(u.table, u.advance.table)
}

// blockThreads is the number of threads in blocks of the kernels that load, store and fill halos.
const blockThreads = 256

// address returns the address that kernels get for a copy of the cells.
func (u *Universe) address(b uint64) uint64 { return b + uint64(u.advance.layout.origin) }

// convert runs the load or store kernel on a buffer of bits.
func (u *Universe) convert(k *gpu.Kernel, bits uint64) error {
	args := append([]uint64{u.address(u.from)}, u.advance.layout.shape...)
	args = append(args, bits, uint64(rowWords(u.w)), uint64(u.w), uint64(u.h))
	return k.Launch(ceilDiv(u.w, blockThreads), min(u.h, math.MaxUint16), args...)
}

// Load implements experiment.Stepper.
func (u *Universe) Load(g *grid.Grid) error {
	c, err := Upload(u.d, g)
	if err != nil {
		return err
	}
	return errors.Join(u.LoadCells(c), c.Close())
}

// LoadCells loads cells that are on the device. They must be those of a universe of the same size.
func (u *Universe) LoadCells(c *Cells) error {
	if err := c.check(u); err != nil {
		return err
	}
	return u.d.Do(func() error {
		err := u.convert(u.load, c.bits)
		if err == nil {
			err = u.refresh()
		}
		return errors.Join(err, u.d.Wait())
	})
}

// Store implements experiment.Stepper.
func (u *Universe) Store(g *grid.Grid) error {
	if err := experiment.CheckGrid(g, u.w, u.h); err != nil {
		return err
	}
	return u.withCells(func(c *Cells) error {
		n := rowWords(u.w) / 2
		rows := make([]uint64, n*u.h)
		if err := u.d.Read(gpu.Bytes(rows), c.bits); err != nil {
			return err
		}
		for y := range u.h {
			if err := g.WriteRow(rows[y*n:(y+1)*n], 0, 0, y, u.w); err != nil {
				return err
			}
		}
		return nil
	})
}

// Differs reports whether the universe differs from cells of its size.
func (u *Universe) Differs(from *Cells) (differs bool, err error) {
	if err := from.check(u); err != nil {
		return false, err
	}
	err = u.withCells(func(c *Cells) error {
		k, err := u.d.Kernel(layoutPTX, "differences", blockThreads, 0)
		if err != nil {
			return err
		}
		found, err := u.d.Alloc(4)
		if err != nil {
			return err
		}
		count := make([]uint32, 1)
		err = errors.Join(
			u.d.Clear(found, 4),
			k.Launch(16*u.d.Multiprocessors, 1, c.bits, from.bits, uint64(rowWords(u.w)*u.h), found),
			u.d.Read(gpu.Bytes(count), found),
		)
		u.d.Free(found)
		differs = count[0] > 0
		return err
	})
	return differs, err
}

// withCells calls f with the current cells, inside Do.
func (u *Universe) withCells(f func(c *Cells) error) error {
	return u.d.Do(func() error {
		c, err := newCells(u.d, u.w, u.h)
		if err != nil {
			return err
		}
		err = u.convert(u.store, c.bits)
		if err == nil {
			err = f(c)
		}
		err = errors.Join(err, u.d.Wait())
		u.d.Free(c.bits)
		return err
	})
}

// refresh fills the halo of the current cells.
func (u *Universe) refresh() error {
	args := append([]uint64{u.address(u.from)}, u.advance.layout.shape...)
	args = append(args, uint64(u.w), uint64(u.h), uint64(u.radius))
	return u.halo.Launch(ceilDiv(u.advance.layout.frame, blockThreads), 1, args...)
}

// generations puts n generations into the queue.
func (u *Universe) generations(n int) error {
	for done := 0; done < n; done += max(u.advance.generations, 1) {
		if !u.fixedHalo {
			if err := u.refresh(); err != nil {
				return err
			}
		}
		args := append([]uint64{u.address(u.from), u.address(u.to)}, u.advance.args...)
		if u.advance.generations > 0 {
			args = append(args, uint64(min(u.advance.generations, n-done)))
		}
		if err := u.step.Launch(u.advance.gridX, u.advance.gridY, args...); err != nil {
			return err
		}
		u.from, u.to = u.to, u.from
	}
	return nil
}

// Close implements experiment.Stepper.
func (u *Universe) Close() error {
	return u.d.Do(func() error {
		u.d.Free(u.from, u.to, u.table)
		return nil
	})
}
