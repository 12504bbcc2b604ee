package bands

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile/warpprog"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/internal/devices"
	"github.com/gosper-life/gosper/sim/cuda/internal/patches"
	"github.com/gosper-life/gosper/sim/cuda/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

// Patched is the kernel that keeps a universe in registers, compiled for a device.
type Patched struct {
	*gpu.Kernel
	plan      patches.Plan
	grid      patches.Grid
	memory    uint64 // for the cells that patches exchange
	bytes     uint64
	warps     int    // of a block
	exchanges uint32 // so far, modulo 2^32
}

// CompilePatched makes the kernel of a plan of patches. fits says whether the device holds all patches at once.
func CompilePatched(dev *gpu.Device, f *warpprog.Program, t topology.Topology, p plan.Plan) (k *Patched, fits bool,
	err error,
) {
	grid, ok := p.PatchGrid(f, t)
	if !ok || !dev.Together {
		return nil, false, nil
	}
	k = &Patched{plan: p.OfPatches(), grid: grid}
	k.bytes = k.plan.ExchangeBytes(f, grid)
	var m ptx.Module
	const name = "patches"
	patches.Write(&m, name, f, k.plan)
	k.warps = min(patches.MostWarps, (grid.Patches()+dev.Multiprocessors-1)/dev.Multiprocessors)
	if k.Kernel, err = dev.Kernel(m.String(), name, k.warps*ptx.Lanes, k.warps*k.plan.SharedBytes(f)); err != nil {
		return nil, false, err
	}
	return k, k.blocks() <= k.Resident*dev.Multiprocessors, nil
}

func (k *Patched) blocks() int { return (k.grid.Patches() + k.warps - 1) / k.warps }

// makePatched prepares the band for its plan of patches.
func (b *band) makePatched() error {
	k, fits, err := CompilePatched(b.dev, b.f, b.t, b.plan)
	if err != nil {
		return err
	}
	if !fits {
		return &sim.Unsupported{
			Engine: devices.Engine, What: fmt.Sprintf("plan %v", b.plan),
			Why: fmt.Sprintf("%s does not hold all patches of %v at once", b.dev.Name, b.t),
		}
	}
	if k.memory, err = b.dev.Alloc(k.bytes); err != nil {
		return err
	}
	b.patched = k
	return b.dev.Clear(k.memory, k.bytes)
}

// stay launches generations during which the cells stay in registers.
func (b *band) stay(generations uint32) error {
	k, to := b.patched, b.copies[1-b.current]
	if err := b.dev.Clear(to, b.Bytes()); err != nil {
		return err
	}
	args := patches.Arguments{
		Source: b.copies[b.current] + b.Origin(), Target: to + b.Origin(), Plane: b.PlaneBytes(), Stride: b.Stride,
		Grid: k.grid, Generations: generations, Exchange: k.memory, Exchanges: k.exchanges,
	}
	b.params = args.Append(b.params[:0])
	if err := k.LaunchTogether(k.blocks(), b.params...); err != nil {
		return err
	}
	k.exchanges += k.plan.Exchanges(generations)
	b.current = 1 - b.current
	b.now += uint64(generations)
	return nil
}
