// Package gpu makes devices of the GPUs of the machine, through NVIDIA's driver.
package gpu

import (
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/internal/cu"
	"github.com/gosper-life/gosper/internal/cu/cubins"
	"github.com/gosper-life/gosper/internal/ptx"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda/device"
)

// gpu is a device that is one.
type gpu struct {
	dev      *cu.Device
	stream   *cu.Stream
	launcher *cu.Launcher
	cuda     int // the driver's version
	modules  map[cubins.Key]*cu.Module
	compiled *cubins.Cache
	graphs   []*cu.Graph
	events   []*cu.Event
}

// LeastMajor is the compute capability that the kernels are written for, 8.0: Ampere.
const LeastMajor = 8

func newGPU(driver *cu.Driver, ordinal int) (*gpu, error) {
	dev, err := driver.Device(ordinal)
	if err != nil {
		return nil, fmt.Errorf("GPU %d: %w", ordinal, err)
	}
	if dev.Major < LeastMajor {
		dev.Close()
		return nil, &sim.Unsupported{
			Engine: device.Name,
			Why:    fmt.Sprintf("%s has compute capability %d.%d, 8.0 is needed", dev.Name, dev.Major, dev.Minor),
		}
	}
	g := &gpu{dev: dev, launcher: cu.NewLauncher(), modules: map[cubins.Key]*cu.Module{}, compiled: cubins.User()}
	err = dev.Do(func() error {
		var err error
		if g.cuda, err = driver.Version(); err != nil {
			return err
		}
		g.stream, err = dev.NewStream(false)
		return err
	})
	if err != nil {
		dev.Close()
		return nil, err
	}
	return g, nil
}

func (g *gpu) Name() string            { return g.dev.Name }
func (g *gpu) BusID() string           { return g.dev.BusID }
func (g *gpu) Multiprocessors() int    { return g.dev.Multiprocessors }
func (g *gpu) SharedMemory() int       { return g.dev.SharedBlockBytes }
func (g *gpu) Do(f func() error) error { return g.dev.Do(f) }

// A window of 1024 columns is one strip closed to a ring, which no smaller one outruns.
func (g *gpu) Windows() (side, generations int) { return 1024, 256 }

func (g *gpu) Memory() (free uint64, err error) {
	free, _, err = g.dev.MemoryInfo()
	return free, err
}

func (g *gpu) Alloc(n uint64) (uint64, error) {
	at, err := g.dev.Alloc(n)
	if cu.IsOutOfMemory(err) {
		free, total, _ := g.dev.MemoryInfo()
		return 0, fmt.Errorf("%s has %d MiB of %d MiB free, %d MiB more are needed", g.dev.Name, free>>20, total>>20, n>>20)
	}
	return at, err
}

func (g *gpu) Buffer(n uint64) (b []byte, release func()) {
	b, err := g.dev.AllocHost(n)
	if err != nil { // any memory will do
		return make([]byte, n), func() {}
	}
	return b, func() { _ = g.dev.FreeHost(b) }
}

func (g *gpu) Free(at uint64) { _ = g.dev.Free(at) } // nothing to be done about a failure

func (g *gpu) Clear(at, n uint64) error          { return g.stream.Clear(at, n) }
func (g *gpu) Write(at uint64, src []byte) error { return g.stream.Write(at, src) }
func (g *gpu) Read(dst []byte, at uint64) error  { return g.stream.Read(dst, at) }
func (g *gpu) Wait() error                       { return g.stream.Wait() }

func (g *gpu) Enter() error { return g.dev.Enter() }

func (g *gpu) CopyFrom(to uint64, from device.Device, address, n uint64) error {
	return g.stream.CopyPeer(to, g.dev, address, from.(*gpu).dev, n)
}

type gpuEvent struct {
	e *cu.Event
	s *cu.Stream
}

func (g *gpu) NewEvent() (device.Event, error) {
	e, err := g.dev.NewEvent(false)
	if err == nil {
		g.events = append(g.events, e)
	}
	return gpuEvent{e, g.stream}, err
}

func (e gpuEvent) Record() error                  { return e.e.Record(e.s) }
func (e gpuEvent) HoldBack(d device.Device) error { return d.(*gpu).stream.WaitFor(e.e) }

// Load makes a text's kernels ready: those loaded before, those compiled at an earlier start, or compiled now.
func (g *gpu) Load(text string) (device.Module, error) {
	key := cubins.KeyOf(text, g.dev.Name, fmt.Sprintf("%d.%d, CUDA %d", g.dev.Major, g.dev.Minor, g.cuda))
	if m := g.modules[key]; m != nil {
		return gpuModule{m}, nil
	}
	if code, ok := g.compiled.Get(key); ok {
		if m, err := g.dev.Load(code); err == nil {
			g.modules[key] = m
			return gpuModule{m}, nil
		}
		g.compiled.Drop(key)
	}
	code, err := g.dev.Compile(text)
	if err != nil {
		return nil, err
	}
	m, err := g.dev.Load(code)
	if err != nil {
		return nil, err
	}
	g.modules[key] = m
	g.compiled.Put(key, code)
	return gpuModule{m}, nil
}

type gpuModule struct{ m *cu.Module }

type gpuKernel struct {
	f                                    *cu.Function
	threads, shared, blocks, regs, local int
}

func (m gpuModule) Kernel(name string, shared int) (device.Kernel, error) {
	return m.Team(name, 1, shared)
}

func (m gpuModule) Team(name string, warps, shared int) (device.Kernel, error) {
	f, err := m.m.Function(name)
	if err != nil {
		return nil, err
	}
	k := gpuKernel{f: f, threads: warps * ptx.Lanes, shared: shared}
	if shared > 0 {
		if err := f.AllowShared(shared); err != nil {
			return nil, err
		}
	}
	var errs [3]error
	k.blocks, errs[0] = f.Resident(k.threads, shared)
	k.regs, errs[1] = f.Registers()
	k.local, errs[2] = f.LocalBytes()
	return k, errors.Join(errs[:]...)
}

func (k gpuKernel) Resident() int         { return k.blocks }
func (k gpuKernel) Resources() (int, int) { return k.regs, k.local }

func (g *gpu) Launch(k device.Kernel, gridX, gridY int, params []uint64) error {
	f := k.(gpuKernel)
	return g.launcher.Launch(g.stream, f.f, gridX, gridY, f.threads, f.shared, params)
}

func (g *gpu) Record(f func() error) (func() error, error) {
	graph, err := g.stream.Record(f)
	if err != nil {
		return nil, err
	}
	g.graphs = append(g.graphs, graph)
	return func() error { return g.stream.Launch(graph) }, nil
}

func (g *gpu) Close() {
	_ = g.dev.Do(func() error {
		var errs []error
		errs = append(errs, g.stream.Wait())
		for _, e := range g.events {
			errs = append(errs, e.Close())
		}
		for _, graph := range g.graphs {
			errs = append(errs, graph.Close())
		}
		for _, m := range g.modules {
			errs = append(errs, m.Close())
		}
		return errors.Join(append(errs, g.stream.Close())...)
	})
	_ = g.dev.Close()
}
