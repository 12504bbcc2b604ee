package cuda

import (
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/internal/ptx/ptxtest"
)

// host is a device made of package ptxtest: it runs the kernels themselves, without a GPU.
type host struct {
	use sync.Mutex
	mem ptxtest.Memory
	rec *[]func() error // launches noted instead of made

	limit, used uint64 // bytes; limit 0: none
	sizes       map[uint64]uint64
}

type hostModule struct{ programs map[string]*ptxtest.Program }

type hostKernel struct {
	program *ptxtest.Program
	shared  int
}

func (h *host) name() string            { return "host" }
func (h *host) multiprocessors() int    { return 2 }
func (h *host) windows() (int, int)     { return 64, 16 }
func (h *host) memory() (uint64, error) { return 1 << 40, nil }
func (h *host) buffer(n uint64) ([]byte, func()) {
	return make([]byte, n), func() {}
}

func (h *host) wait() error { return nil }
func (h *host) close()      {}

func (h *host) enter() error { return nil }

func (h *host) alloc(n uint64) (uint64, error) {
	if h.limit > 0 && h.used+n > h.limit {
		return 0, fmt.Errorf("host has %d bytes free, %d more are needed", h.limit-h.used, n)
	}
	at := h.mem.Alloc(n)
	if h.sizes == nil {
		h.sizes = map[uint64]uint64{}
	}
	h.used, h.sizes[at] = h.used+n, n
	return at, nil
}

func (h *host) free(at uint64) {
	h.used -= h.sizes[at]
	delete(h.sizes, at)
	h.mem.Free(at)
}

func (h *host) do(f func() error) error {
	h.use.Lock()
	defer h.use.Unlock()
	return f()
}

type hostEvent struct{}

func (hostEvent) record() error         { return nil }
func (hostEvent) holdBack(device) error { return nil }

func (h *host) newEvent() (event, error) { return hostEvent{}, nil }

func (h *host) copyFrom(to uint64, from device, address, n uint64) error {
	src := from.(*host).mem.Bytes(address, n)
	if src == nil {
		return fmt.Errorf("copy of %d bytes at %#x: not allocated", n, address)
	}
	return h.write(to, src)
}

func (h *host) clear(at, n uint64) error {
	b := h.mem.Bytes(at, n)
	if b == nil {
		return fmt.Errorf("clear of %d bytes at %#x: not allocated", n, at)
	}
	clear(b)
	return nil
}

func (h *host) write(at uint64, src []byte) error {
	b := h.mem.Bytes(at, uint64(len(src)))
	if b == nil {
		return fmt.Errorf("write of %d bytes at %#x: not allocated", len(src), at)
	}
	copy(b, src)
	return nil
}

func (h *host) read(dst []byte, at uint64) error {
	b := h.mem.Bytes(at, uint64(len(dst)))
	if b == nil {
		return fmt.Errorf("read of %d bytes at %#x: not allocated", len(dst), at)
	}
	copy(dst, b)
	return nil
}

// parsed are the programs of all texts so far: the kernels beside those that advance cells are alike for most universes.
var parsed sync.Map

func (h *host) load(text string) (module, error) {
	if programs, ok := parsed.Load(text); ok {
		return hostModule{programs.(map[string]*ptxtest.Program)}, nil
	}
	programs, err := ptxtest.Parse(text)
	parsed.Store(text, programs)
	return hostModule{programs}, err
}

func (m hostModule) kernel(name string, shared int) (kernel, error) {
	p := m.programs[name]
	if p == nil {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return hostKernel{p, shared}, nil
}

func (k hostKernel) resident() int         { return 8 }
func (k hostKernel) resources() (int, int) { return 0, 0 }

func (h *host) launch(k kernel, gridX, gridY int, params []uint64) error {
	hk := k.(hostKernel)
	run := func() error { return hk.program.Run(&h.mem, gridX, gridY, hk.shared, params) }
	if h.rec != nil {
		*h.rec = append(*h.rec, run)
		return nil
	}
	return run()
}

func (h *host) record(f func() error) (func() error, error) {
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
