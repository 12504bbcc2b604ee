package cuda

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/cu"
	"github.com/gosper-life/gosper/internal/cu/cubins"
	"github.com/gosper-life/gosper/sim"
)

func init() { sim.Register(Name, Open) }

// Open returns an engine on the GPUs that cfg.Device lists by number, "0" or "0,1,2"; on the first where it is empty. Without
// NVIDIA's driver it returns an *sim.Unsupported.
func Open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	driver, err := cu.Open()
	if err != nil {
		return nil, &sim.Unsupported{Engine: Name, Why: err.Error()}
	}
	ordinals, err := parseDevices(cfg.Device)
	if err != nil {
		return nil, err
	}
	count, err := driver.Count()
	if err != nil {
		return nil, err
	}
	for _, o := range ordinals {
		if o >= count {
			return nil, fmt.Errorf("there is no GPU %d: this machine has %d, numbered from 0", o, count)
		}
	}
	var devs []device
	for _, o := range ordinals {
		g, err := newGPU(driver, o)
		if err != nil {
			closeAll(devs)
			return nil, err
		}
		devs = append(devs, g)
	}
	if err := allowPeers(devs); err != nil {
		closeAll(devs)
		return nil, err
	}
	return open(devs, cfg)
}

func closeAll(devs []device) {
	for _, d := range devs {
		d.close()
	}
}

// allowPeers lets every GPU reach the memory of every other directly, where the machine can; elsewhere copies go through the host.
func allowPeers(devs []device) error {
	for _, a := range devs {
		err := a.do(func() error {
			for _, b := range devs {
				if a == b {
					continue
				}
				mine, other := a.(*gpu).dev, b.(*gpu).dev
				can, err := mine.CanAccess(other)
				if err == nil && can {
					err = mine.EnableAccess(other)
				}
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parseDevices reads a list of GPU numbers.
func parseDevices(list string) ([]int, error) {
	if list == "" {
		return []int{0}, nil
	}
	var ordinals []int
	for _, text := range strings.Split(list, ",") {
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 || n > 1023 {
			return nil, fmt.Errorf("GPUs %q: numbers from 0 separated by commas are allowed", list)
		}
		for _, other := range ordinals {
			if other == n {
				return nil, fmt.Errorf("GPUs %q: %d is there twice", list, n)
			}
		}
		ordinals = append(ordinals, n)
	}
	return ordinals, nil
}

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

// leastMajor is the compute capability that the kernels are written for, 8.0: Ampere.
const leastMajor = 8

func newGPU(driver *cu.Driver, ordinal int) (*gpu, error) {
	dev, err := driver.Device(ordinal)
	if err != nil {
		return nil, fmt.Errorf("GPU %d: %w", ordinal, err)
	}
	if dev.Major < leastMajor {
		dev.Close()
		return nil, &sim.Unsupported{
			Engine: Name,
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

func (g *gpu) name() string            { return g.dev.Name }
func (g *gpu) multiprocessors() int    { return g.dev.Multiprocessors }
func (g *gpu) sharedMemory() int       { return g.dev.SharedBlockBytes }
func (g *gpu) do(f func() error) error { return g.dev.Do(f) }

// A window of 1024 columns is one strip closed to a ring, which no smaller one outruns.
func (g *gpu) windows() (side, generations int) { return 1024, 256 }

func (g *gpu) memory() (free uint64, err error) {
	free, _, err = g.dev.MemoryInfo()
	return free, err
}

func (g *gpu) alloc(n uint64) (uint64, error) {
	at, err := g.dev.Alloc(n)
	if cu.IsOutOfMemory(err) {
		free, total, _ := g.dev.MemoryInfo()
		return 0, fmt.Errorf("%s has %d MiB of %d MiB free, %d MiB more are needed", g.dev.Name, free>>20, total>>20, n>>20)
	}
	return at, err
}

func (g *gpu) buffer(n uint64) (b []byte, release func()) {
	b, err := g.dev.AllocHost(n)
	if err != nil { // any memory will do
		return make([]byte, n), func() {}
	}
	return b, func() { _ = g.dev.FreeHost(b) }
}

func (g *gpu) free(at uint64) { _ = g.dev.Free(at) } // nothing to be done about a failure

func (g *gpu) clear(at, n uint64) error          { return g.stream.Clear(at, n) }
func (g *gpu) write(at uint64, src []byte) error { return g.stream.Write(at, src) }
func (g *gpu) read(dst []byte, at uint64) error  { return g.stream.Read(dst, at) }
func (g *gpu) wait() error                       { return g.stream.Wait() }

func (g *gpu) enter() error { return g.dev.Enter() }

func (g *gpu) copyFrom(to uint64, from device, address, n uint64) error {
	return g.stream.CopyPeer(to, g.dev, address, from.(*gpu).dev, n)
}

type gpuEvent struct {
	e *cu.Event
	s *cu.Stream
}

func (g *gpu) newEvent() (event, error) {
	e, err := g.dev.NewEvent(false)
	if err == nil {
		g.events = append(g.events, e)
	}
	return gpuEvent{e, g.stream}, err
}

func (e gpuEvent) record() error           { return e.e.Record(e.s) }
func (e gpuEvent) holdBack(d device) error { return d.(*gpu).stream.WaitFor(e.e) }

// load makes a text's kernels ready: those loaded before, those compiled at an earlier start, or compiled now.
func (g *gpu) load(text string) (module, error) {
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

func (m gpuModule) kernel(name string, shared int) (kernel, error) { return m.team(name, 1, shared) }

func (m gpuModule) team(name string, warps, shared int) (kernel, error) {
	f, err := m.m.Function(name)
	if err != nil {
		return nil, err
	}
	k := gpuKernel{f: f, threads: warps * lanes, shared: shared}
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

func (k gpuKernel) resident() int         { return k.blocks }
func (k gpuKernel) resources() (int, int) { return k.regs, k.local }

func (g *gpu) launch(k kernel, gridX, gridY int, params []uint64) error {
	f := k.(gpuKernel)
	return g.launcher.Launch(g.stream, f.f, gridX, gridY, f.threads, f.shared, params)
}

func (g *gpu) record(f func() error) (func() error, error) {
	graph, err := g.stream.Record(f)
	if err != nil {
		return nil, err
	}
	g.graphs = append(g.graphs, graph)
	return func() error { return g.stream.Launch(graph) }, nil
}

func (g *gpu) close() {
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
