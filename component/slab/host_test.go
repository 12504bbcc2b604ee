//go:build linux

package slab

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
)

// host is a device made of this machine: it runs labels.cu itself, compiled for the processor by testdata/host.cpp.
type host struct {
	mu      *sync.Mutex // the library holds one block
	kernel  uintptr
	launch  uintptr
	alloc   uintptr
	free    uintptr
	giveWay uint64 // a thread lets others go first once in so many times, 0: never
	seed    uint64
	sizes   map[uint64]uint64
}

type hostKernel struct{ number, threads, shared int }

func (hostKernel) Resident() int { return 2 }

var hostLibrary = sync.OnceValues(func() (*dynlib.Library, error) { return dynlib.Open(hostPath) })

var hostPath string

// newHost skips the test where there is no compiler.
func newHost(t testing.TB) *host {
	if hostPath == "" {
		compiler, err := exec.LookPath("gcc")
		if err != nil {
			t.Skip("no gcc to compile the kernels with")
		}
		hostPath = filepath.Join(libraries, "libhost.so")
		out, err := exec.Command(compiler, "-x", "c++", "-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-Wall", "-Werror", "-fsanitize=undefined",
			"-fsanitize-undefined-trap-on-error", "-shared", "-fPIC", "-I", "testdata", "-o", hostPath, "testdata/host.cpp").CombinedOutput()
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	lib, err := hostLibrary()
	if err != nil {
		t.Fatal(err)
	}
	h := &host{mu: new(sync.Mutex), sizes: map[uint64]uint64{}}
	for name, to := range map[string]*uintptr{
		"host_kernel": &h.kernel, "host_launch": &h.launch, "host_alloc": &h.alloc, "host_free": &h.free,
	} {
		if *to, err = lib.Symbol(name); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func (h *host) Multiprocessors() int { return 3 }

func (h *host) Alloc(n uint64) (uint64, error) {
	at := uint64(dynlib.Call(h.alloc, uintptr(n)))
	if at == 0 {
		return 0, fmt.Errorf("no %d bytes", n)
	}
	h.sizes[at] = n
	return at, nil
}

func (h *host) Free(at uint64) {
	dynlib.Call(h.free, uintptr(at), uintptr(h.sizes[at]))
	delete(h.sizes, at)
}

// bytes are the n bytes at an address of the library.
func (h *host) bytes(at, n uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n)
}

func (h *host) Clear(at, n uint64) error {
	clear(h.bytes(at, n))
	return nil
}

func (h *host) Write(at uint64, src []byte) error {
	copy(h.bytes(at, uint64(len(src))), src)
	return nil
}

func (h *host) Read(dst []byte, at uint64) error {
	copy(dst, h.bytes(at, uint64(len(dst))))
	return nil
}

func (h *host) Kernel(_, name string, warps, shared int) (Kernel, error) {
	text := append([]byte(name), 0)
	n := int32(dynlib.Call(h.kernel, uintptr(unsafe.Pointer(&text[0]))))
	if n < 0 {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return hostKernel{int(n), warps * lanes, shared}, nil
}

func (h *host) Launch(k Kernel, blocks int, params []uint64) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	hk := k.(hostKernel)
	h.seed++
	ok := dynlib.Call(h.launch, uintptr(hk.number), uintptr(blocks), uintptr(hk.threads), uintptr(hk.shared),
		uintptr(unsafe.Pointer(&params[0])), uintptr(h.giveWay), uintptr(h.seed))
	if ok == 0 {
		return fmt.Errorf("kernel %d writes more shared memory than it has", hk.number)
	}
	return nil
}
