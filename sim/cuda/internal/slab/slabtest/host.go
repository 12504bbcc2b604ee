//go:build linux

// Package slabtest runs the kernels of package slab on the host, in tests.
package slabtest

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
)

// Host is a machine made of this one. It runs labels.cu itself, compiled for the processor by testdata/host.cpp, and the text of all other kernels.
type Host struct {
	GiveWay uint64 // a thread lets others go first once in so many times, 0: never
	Seed    uint64 // of when it does

	gputest.PTX
	kernel, launch, alloc, free uintptr
}

// library is what the kernels are compiled to, once for all tests of a package.
var library = sync.OnceValues(func() (*dynlib.Library, error) { return dynlib.Open(path) })

var path string

// New makes a machine. folder is that of package slab, as seen from the test's. Where there is no compiler the test is skipped.
func New(t testing.TB, folder string) *Host {
	t.Helper()
	if path == "" {
		compile(t, folder)
	}
	lib, err := library()
	if err != nil {
		t.Fatal(err)
	}
	h := &Host{}
	for name, to := range map[string]*uintptr{
		"host_kernel": &h.kernel, "host_launch": &h.launch, "host_alloc": &h.alloc, "host_free": &h.free,
	} {
		if *to, err = lib.Symbol(name); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func compile(t testing.TB, folder string) {
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to compile the kernels with")
	}
	sources := filepath.Join(folder, "slabtest", "testdata")
	to := filepath.Join(t.TempDir(), "libhost.so")
	out, err := exec.Command(compiler, "-x", "c++", "-std=c++17", "-O2", "-U_FORTIFY_SOURCE", "-Wall", "-Werror", "-fsanitize=undefined",
		"-fsanitize-undefined-trap-on-error", "-shared", "-fPIC", "-I", sources, "-o", to, filepath.Join(sources, "host.cpp")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	path = to
	if _, err := library(); err != nil { // while its file is there
		t.Fatal(err)
	}
}

// Alloc implements gputest.Machine.
func (h *Host) Alloc(n uint64) uint64 {
	at := uint64(dynlib.Call(h.alloc, uintptr(n)))
	if at != 0 {
		h.Adopt(at, h.Bytes(at, n))
	}
	return at
}

// Free implements gputest.Machine.
func (h *Host) Free(at, n uint64) {
	h.PTX.Free(at, n)
	dynlib.Call(h.free, uintptr(at), uintptr(n))
}

// Bytes implements gputest.Machine. Where memory ends the next page may not be touched.
func (h *Host) Bytes(at, n uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n)
}

// Kernel implements gputest.Machine.
func (h *Host) Kernel(text, name string) (gputest.Kernel, error) {
	symbol := append([]byte(name), 0)
	number := int32(dynlib.Call(h.kernel, uintptr(unsafe.Pointer(&symbol[0]))))
	if number < 0 {
		return h.PTX.Kernel(text, name)
	}
	return func(blocks, _, threads, shared int, args []uint64) error {
		h.Seed++
		ok := dynlib.Call(h.launch, uintptr(number), uintptr(blocks), uintptr(threads), uintptr(shared), uintptr(unsafe.Pointer(&args[0])),
			uintptr(h.GiveWay), uintptr(h.Seed))
		if ok == 0 {
			return fmt.Errorf("kernel %s writes more shared memory than it has", name)
		}
		return nil
	}, nil
}
