// Package devicetest has a device that runs kernels on the host, from their text.
package devicetest

import (
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
	"github.com/gosper-life/gosper/sim/cuda/device"
)

// Host is a device made of package ptxtest: it runs the kernels themselves, without a GPU. The zero value is ready.
type Host struct {
	Mem   ptxtest.Memory
	Limit uint64 // bytes that can be taken; 0: any number
	Used  uint64 // bytes that are taken

	// FailAt is the number of the call of the driver, counted from 1, that fails with a *Fault; 0: none. Dead: so do all after it.
	FailAt int
	Dead   bool
	Calls  int // so far

	use   sync.Mutex
	rec   *[]func() error   // launches noted instead of made
	sizes map[uint64]uint64 // by address
}

type hostModule struct{ programs map[string]*ptxtest.Program }

type hostKernel struct {
	program *ptxtest.Program
	shared  int
}

// Fault is what a call that was to fail returns. It is a sim.DeviceError.
type Fault struct {
	Call   string
	Number int
}

func (f *Fault) Error() string {
	return fmt.Sprintf("call %d of the driver failed: %s", f.Number, f.Call)
}

// DeviceFailed implements sim.DeviceError.
func (f *Fault) DeviceFailed() {}

// call is what every call of the driver begins with.
func (h *Host) call(name string) error {
	h.Calls++
	if h.FailAt > 0 && (h.Calls == h.FailAt || h.Dead && h.Calls > h.FailAt) {
		return &Fault{name, h.Calls}
	}
	return nil
}

func (h *Host) Name() string         { return "host" }
func (h *Host) BusID() string        { return "" }
func (h *Host) Multiprocessors() int { return 2 }
func (h *Host) SharedMemory() int    { return 227 << 10 }
func (h *Host) Windows() (int, int)  { return 64, 16 }
func (h *Host) Buffer(n uint64) ([]byte, func()) {
	return make([]byte, n), func() {}
}

func (h *Host) Memory() (uint64, error) { return 1 << 40, h.call("Memory") }
func (h *Host) Wait() error             { return h.call("Wait") }
func (h *Host) Enter() error            { return h.call("Enter") }
func (h *Host) Close()                  {}

func (h *Host) Alloc(n uint64) (uint64, error) {
	if err := h.call("Alloc"); err != nil {
		return 0, err
	}
	if h.Limit > 0 && h.Used+n > h.Limit {
		return 0, fmt.Errorf("host has %d bytes free, %d more are needed", h.Limit-h.Used, n)
	}
	at := h.Mem.Alloc(n)
	if h.sizes == nil {
		h.sizes = map[uint64]uint64{}
	}
	h.Used, h.sizes[at] = h.Used+n, n
	return at, nil
}

func (h *Host) Free(at uint64) {
	h.Used -= h.sizes[at]
	delete(h.sizes, at)
	h.Mem.Free(at)
}

func (h *Host) Do(f func() error) error {
	h.use.Lock()
	defer h.use.Unlock()
	return f()
}

type hostEvent struct{ h *Host }

func (e hostEvent) Record() error                  { return e.h.call("Event.Record") }
func (e hostEvent) HoldBack(d device.Device) error { return d.(*Host).call("Event.HoldBack") }

func (h *Host) NewEvent() (device.Event, error) { return hostEvent{h}, h.call("NewEvent") }

func (h *Host) CopyFrom(to uint64, from device.Device, address, n uint64) error {
	if err := h.call("CopyFrom"); err != nil {
		return err
	}
	src := from.(*Host).Mem.Bytes(address, n)
	if src == nil {
		return fmt.Errorf("copy of %d bytes at %#x: not allocated", n, address)
	}
	return h.write(to, src)
}

func (h *Host) Clear(at, n uint64) error {
	if err := h.call("Clear"); err != nil {
		return err
	}
	b := h.Mem.Bytes(at, n)
	if b == nil {
		return fmt.Errorf("clear of %d bytes at %#x: not allocated", n, at)
	}
	clear(b)
	return nil
}

func (h *Host) Write(at uint64, src []byte) error {
	if err := h.call("Write"); err != nil {
		return err
	}
	return h.write(at, src)
}

func (h *Host) write(at uint64, src []byte) error {
	b := h.Mem.Bytes(at, uint64(len(src)))
	if b == nil {
		return fmt.Errorf("write of %d bytes at %#x: not allocated", len(src), at)
	}
	copy(b, src)
	return nil
}

func (h *Host) Read(dst []byte, at uint64) error {
	if err := h.call("Read"); err != nil {
		return err
	}
	b := h.Mem.Bytes(at, uint64(len(dst)))
	if b == nil {
		return fmt.Errorf("read of %d bytes at %#x: not allocated", len(dst), at)
	}
	copy(dst, b)
	return nil
}

// parsed are the programs of all texts so far: the kernels beside those that advance cells are alike for most universes.
var parsed sync.Map

func (h *Host) Load(text string) (device.Module, error) {
	if err := h.call("Load"); err != nil {
		return nil, err
	}
	if programs, ok := parsed.Load(text); ok {
		return hostModule{programs.(map[string]*ptxtest.Program)}, nil
	}
	programs, err := ptxtest.Parse(text)
	if err != nil {
		return nil, err
	}
	parsed.Store(text, programs)
	return hostModule{programs}, nil
}

func (m hostModule) Kernel(name string, shared int) (device.Kernel, error) {
	p := m.programs[name]
	if p == nil {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return hostKernel{p, shared}, nil
}

func (m hostModule) Team(name string, warps, shared int) (device.Kernel, error) {
	if warps != 1 {
		return nil, fmt.Errorf("kernel %s: %d warps a block, the host runs one", name, warps)
	}
	return m.Kernel(name, shared)
}

func (k hostKernel) Resident() int         { return 8 }
func (k hostKernel) Resources() (int, int) { return 0, 0 }

func (h *Host) Launch(k device.Kernel, gridX, gridY int, params []uint64) error {
	hk := k.(hostKernel)
	run := func() error {
		if err := h.call("Launch"); err != nil {
			return err
		}
		return hk.program.Run(&h.Mem, gridX, gridY, hk.shared, params)
	}
	if h.rec != nil {
		*h.rec = append(*h.rec, run)
		return nil
	}
	return run()
}

func (h *Host) Record(f func() error) (func() error, error) {
	var launches []func() error
	h.rec = &launches
	err := f()
	h.rec = nil
	return func() error {
		for _, run := range launches {
			if err := run(); err != nil {
				return err
			}
		}
		return nil
	}, err
}
