package papertest

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
var hostHeaders embed.FS

// host is a machine that runs the kernels of a package, compiled for the processor, one block at a time.
type host struct {
	mu                          sync.Mutex // the library holds one block
	kernel, launch, alloc, free uintptr
}

// Host is a machine that runs kernels on the processor. It compiles a C++ source that names the kernels; see host/run.h. The test is skipped
// if there is no clang.
func Host(t testing.TB, source string) gputest.Machine {
	t.Helper()
	compiler, err := exec.LookPath("clang++-19")
	if err != nil {
		t.Skip("no clang++-19 to compile the kernels with")
	}
	dir := t.TempDir()
	for _, name := range []string{"device.h", "run.h"} {
		text, err := hostHeaders.ReadFile("host/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "libhost.so")
	out, err := exec.Command(compiler, "-std=c++17", "-O0", "-Wall", "-Werror", "-fsanitize=undefined", "-fsanitize-trap=undefined",
		"-shared", "-fPIC", "-I", dir, "-o", path, source).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	lib, err := dynlib.Open(path)
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
	return h
}

// HostDevice is a device whose kernels are run by a Host.
func HostDevice(t testing.TB, source string) *gpu.Device {
	t.Helper()
	return (&gputest.Driver{Machine: Host(t, source)}).Device(t)
}

// hostAlign is the alignment of memory.
const hostAlign = 256

// rounded is a number of bytes rounded up to a multiple of hostAlign.
func rounded(bytes uint64) uintptr { return (uintptr(bytes) + hostAlign - 1) / hostAlign * hostAlign }

// Alloc implements gputest.Machine. The memory contains junk. The page after its end, rounded up, is protected.
func (h *host) Alloc(bytes uint64) uint64 { return uint64(dynlib.Call(h.alloc, rounded(bytes))) }

// Free implements gputest.Machine.
func (h *host) Free(address, bytes uint64) { dynlib.Call(h.free, uintptr(address), rounded(bytes)) }

// Bytes implements gputest.Machine.
func (h *host) Bytes(address, n uint64) []byte {
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&address))), n)
}

// Kernel implements gputest.Machine. The source has the kernels, so the module's text is not needed.
func (h *host) Kernel(_, name string) (gputest.Kernel, error) {
	text := append([]byte(name), 0)
	number := int32(dynlib.Call(h.kernel, uintptr(unsafe.Pointer(&text[0]))))
	if number < 0 {
		return nil, fmt.Errorf("no kernel %s", name)
	}
	return func(gridX, gridY, threads, shared int, args []uint64) error {
		h.mu.Lock()
		defer h.mu.Unlock()
		ok := dynlib.Call(h.launch, uintptr(number), uintptr(gridX), uintptr(gridY), uintptr(threads), uintptr(shared), uintptr(unsafe.Pointer(&args[0])))
		if ok == 0 {
			return fmt.Errorf("kernel %s writes more shared memory than it has", name)
		}
		return nil
	}, nil
}
