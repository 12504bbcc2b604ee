package cat

import (
	_ "embed"
	"errors"
	"fmt"
	"math"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/gpu"
	"github.com/gosper-life/gosper/rule"
)

//go:generate go run github.com/gosper-life/gosper/internal/cudagen layout.cu methods.cu pack.cu tensor.cu register.cu rows.cu bits.cu rates.cu

var (
	//go:embed zlayout.ptx
	layoutPTX []byte
	//go:embed zmethods.ptx
	methodsPTX []byte
	//go:embed zpack.ptx
	packPTX []byte
	//go:embed ztensor.ptx
	tensorPTX []byte
	//go:embed zregister.ptx
	registerPTX []byte
	//go:embed zrows.ptx
	rowsPTX []byte
	//go:embed zbits.ptx
	bitsPTX []byte
)

// maxSide keeps the cells of a halo, and of a row of fragments, within 31 bits.
const maxSide = 1 << 18

// maxBlocks is CUDA's limit for the second index of blocks.
const maxBlocks = 1<<16 - 1

// Open puts a method to work on a torus of w×h cells on a GPU.
func (m Method) Open(d *gpu.Device, r rule.Rule, w, h int, o Options) (papers.DeviceTimed, error) {
	t, err := m.transitionOf(r)
	if err != nil {
		return nil, err
	}
	if w < 1 || h < 1 || w > maxSide || h > maxSide {
		return nil, &papers.SizeError{Method: string(m), Width: w, Height: h, Allowed: fmt.Sprintf("each side is 1 to %d", maxSide)}
	}
	p, err := m.plan(t, w, h, o, d.Properties)
	if err != nil {
		return nil, err
	}
	if p.shared > d.SharedBlockBytes {
		return nil, fmt.Errorf("%s with radius %d and tile %d×%d (0×0: the usual) needs %d bytes of shared memory a block, %s has %d",
			m, t.radius, o.Tile[0], o.Tile[1], p.shared, d.Name, d.SharedBlockBytes)
	}
	if p.gridY > maxBlocks {
		return nil, fmt.Errorf("%s: strips of so few rows make %d of them, more than %d", m, p.gridY, maxBlocks)
	}
	u := &universe{d: d, w: w, h: h, radius: t.radius, plan: p, fixedHalo: o.FixedHalo}
	u.Steps = gpu.Steps{Device: d, Launch: u.launch}
	err = d.Do(u.open)
	if err != nil {
		return nil, errors.Join(err, u.Close())
	}
	return u, nil
}

// universe is a torus on a GPU.
type universe struct {
	gpu.Steps
	d             *gpu.Device
	w, h, radius  int
	plan          plan
	fixedHalo     bool
	load, store   *gpu.Kernel
	halo, advance *gpu.Kernel
	from, to      *gpu.Buffer
}

func (u *universe) open() error {
	var errs [4]error
	name := u.plan.layout.name
	ptx := layoutPTX
	if name == "bits" {
		ptx = bitsPTX
	}
	u.load, errs[0] = u.d.Kernel(ptx, "load_"+name, blockThreads, 0)
	u.store, errs[1] = u.d.Kernel(ptx, "store_"+name, blockThreads, 0)
	u.halo, errs[2] = u.d.Kernel(ptx, "halo_"+name, blockThreads, 0)
	u.advance, errs[3] = u.d.Kernel(u.plan.ptx, u.plan.kernel, u.plan.threads, u.plan.shared)
	if err := errors.Join(errs[:]...); err != nil {
		return err
	}
	for _, b := range []**gpu.Buffer{&u.from, &u.to} {
		var err error
		if *b, err = u.d.Alloc(u.plan.layout.bytes); err != nil {
			return err
		}
		if err = (*b).Clear(); err != nil {
			return err
		}
	}
	return nil
}

// blockThreads are those of the kernels that load, store and fill halos.
const blockThreads = 256

// words is the length of a row of bits in 32-bit words.
func (u *universe) words() int { return (u.w + 63) / 64 * 2 }

// address is what kernels are given of a buffer.
func (u *universe) address(b *gpu.Buffer) uint64 { return b.Address + uint64(u.plan.layout.origin) }

// convert runs the load or store kernel on a buffer of bits.
func (u *universe) convert(k *gpu.Kernel, bits *gpu.Buffer) error {
	args := append([]uint64{u.address(u.from)}, u.plan.layout.shape...)
	args = append(args, bits.Address, uint64(u.words()), uint64(u.w), uint64(u.h))
	return k.Launch(ceilDiv(u.w, blockThreads), min(u.h, math.MaxUint16), args...)
}

// withBits runs f with room for the universe as rows of bits.
func (u *universe) withBits(f func(bits *gpu.Buffer) error) error {
	return u.d.Do(func() error {
		bits, err := u.d.Alloc(4 * u.words() * u.h)
		if err != nil {
			return err
		}
		err = f(bits)
		return errors.Join(err, u.d.Wait(), bits.Free())
	})
}

// Load implements papers.Stepper.
func (u *universe) Load(g *grid.Grid) error {
	if err := papers.CheckGrid(g, u.w, u.h); err != nil {
		return err
	}
	return u.withBits(func(bits *gpu.Buffer) error {
		rows := make([]uint64, 0, u.words()/2*u.h)
		for y := range u.h {
			rows = append(rows, g.Row(0, y)[:u.words()/2]...)
		}
		if err := gpu.Upload(bits, 0, rows); err != nil {
			return err
		}
		return u.convert(u.load, bits)
	})
}

// Store implements papers.Stepper.
func (u *universe) Store(g *grid.Grid) error {
	if err := papers.CheckGrid(g, u.w, u.h); err != nil {
		return err
	}
	return u.withBits(func(bits *gpu.Buffer) error {
		if err := u.convert(u.store, bits); err != nil {
			return err
		}
		n := u.words() / 2
		rows := make([]uint64, n*u.h)
		if err := gpu.Download(rows, bits, 0); err != nil {
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

// launch puts n generations into the queue.
func (u *universe) launch(n int) error {
	for range n {
		if !u.fixedHalo {
			args := append([]uint64{u.address(u.from)}, u.plan.layout.shape...)
			args = append(args, uint64(u.w), uint64(u.h), uint64(u.radius))
			if err := u.halo.Launch(ceilDiv(u.plan.layout.frame, blockThreads), 1, args...); err != nil {
				return err
			}
		}
		args := append([]uint64{u.address(u.from), u.address(u.to)}, u.plan.args...)
		if err := u.advance.Launch(u.plan.gridX, u.plan.gridY, args...); err != nil {
			return err
		}
		u.from, u.to = u.to, u.from
	}
	return nil
}

// Close implements papers.Stepper.
func (u *universe) Close() error {
	return u.d.Do(func() error { return errors.Join(u.from.Free(), u.to.Free()) })
}
