package cudatest

import (
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/internal/dynlib"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
)

//go:embed host/device.h host/run.h
var headers embed.FS

// Host is a machine made of this one. It runs the kernels of its source, and the text of all others.
type Host struct {
	GiveWay uint64 // a thread gives way once in this number of changes of shared memory; 0: never
	Seed    uint64 // of when it does

	gputest.PTX
	*library
}

// library is a compiled source.
type library struct {
	mu                                   sync.Mutex // it holds one block
	kernel, giveWay, launch, alloc, free uintptr
}

var (
	libraries   = map[string]*library{} // by the path of the source: once for all tests of a package
	librariesMu sync.Mutex
)

// Open makes a machine that runs the kernels of a C++ source; see host/run.h. Without gcc the test is skipped.
func Open(t testing.TB, source string) *Host {
	t.Helper()
	librariesMu.Lock()
	defer librariesMu.Unlock()
	if libraries[source] == nil {
		libraries[source] = compile(t, source)
	}
	return &Host{library: libraries[source]}
}

// Device opens a device of a Host.
func Device(t testing.TB, source string) *gpu.Device {
	t.Helper()
	return (&gputest.Driver{Machine: Open(t, source)}).Device(t)
}

// compile compiles CUDA kernels for the processor, with a stand-in for the device, and loads them.
func compile(t testing.TB, source string) *library {
	t.Helper()
	compiler, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("no gcc to compile the kernels with")
	}
	dir := t.TempDir()
	for _, name := range []string{"device.h", "run.h"} {
		text, err := headers.ReadFile("host/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "libhost.so")
	// Threads change by longjmp from one stack to another, which _FORTIFY_SOURCE takes for a mistake.
	out, err := exec.Command(compiler, "-x", "c++", "-std=c++17", "-O1", "-U_FORTIFY_SOURCE", "-Wall",
		"-Wno-unknown-pragmas", "-Werror",
		"-fsanitize=undefined", "-fsanitize-undefined-trap-on-error", "-shared", "-fPIC", "-I", dir, "-o", path, source).
		CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lib, err := dynlib.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	l := &library{}
	for name, to := range map[string]*uintptr{
		"host_kernel": &l.kernel, "host_give_way": &l.giveWay, "host_launch": &l.launch, "host_alloc": &l.alloc,
		"host_free": &l.free,
	} {
		if *to, err = lib.Symbol(name); err != nil {
			t.Fatal(err)
		}
	}
	return l
}

// Alloc implements gputest.Machine. The memory contains junk.
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
	return func(gridX, gridY, threads, shared int, args []uint64) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.Seed++
		dynlib.Call(h.giveWay, uintptr(h.GiveWay), uintptr(h.Seed))
		ok := dynlib.Call(h.launch, uintptr(number), uintptr(gridX), uintptr(gridY), uintptr(threads), uintptr(shared),
			uintptr(unsafe.Pointer(&args[0])))
		if ok == 0 {
			return fmt.Errorf("kernel %s writes more shared memory than it has", name)
		}
		return nil
	}, nil
}
