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
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
)

// host is a machine made of this one: it runs labels.cu itself, compiled for the processor by testdata/host.cpp.
type host struct {
	kernel  uintptr
	launch  uintptr
	alloc   uintptr
	free    uintptr
	giveWay uint64 // a thread lets others go first once in so many times, 0: never
	seed    uint64
}

var hostLibrary = sync.OnceValues(func() (*dynlib.Library, error) { return dynlib.Open(hostPath) })

var hostPath string

// newHost is the machine and a device that runs kernels there. Where there is no compiler the test is skipped.
func newHost(t testing.TB) (*host, *gpu.Device) {
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
	h := &host{}
	for name, to := range map[string]*uintptr{
		"host_kernel": &h.kernel, "host_launch": &h.launch, "host_alloc": &h.alloc, "host_free": &h.free,
	} {
		if *to, err = lib.Symbol(name); err != nil {
			t.Fatal(err)
		}
	}
	return h, (&gputest.Driver{Machine: h}).Device(t)
}

// Alloc implements gputest.Machine.
func (h *host) Alloc(n uint64) uint64 { return uint64(dynlib.Call(h.alloc, uintptr(n))) }

// Free implements gputest.Machine.
func (h *host) Free(at, n uint64) { dynlib.Call(h.free, uintptr(at), uintptr(n)) }

// Bytes implements gputest.Machine. Where memory ends the next page may not be touched.
func (h *host) Bytes(at, n uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n)
}

// Kernel implements gputest.Machine.
func (h *host) Kernel(_, name string) (gputest.Kernel, error) {
	text := append([]byte(name), 0)
	number := int32(dynlib.Call(h.kernel, uintptr(unsafe.Pointer(&text[0]))))
	if number < 0 {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return func(blocks, _, threads, shared int, args []uint64) error {
		h.seed++
		ok := dynlib.Call(h.launch, uintptr(number), uintptr(blocks), uintptr(threads), uintptr(shared), uintptr(unsafe.Pointer(&args[0])),
			uintptr(h.giveWay), uintptr(h.seed))
		if ok == 0 {
			return fmt.Errorf("kernel %s writes more shared memory than it has", name)
		}
		return nil
	}, nil
}
