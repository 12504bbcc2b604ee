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
)

//go:embed host/device.h host/run.h
var hostHeaders embed.FS

// Host runs a room's kernels themselves, compiled for the processor, one block at a time.
type Host struct {
	mu                          sync.Mutex // the library holds one block
	kernel, launch, alloc, free uintptr
}

// OpenHost compiles a source of C++ that says which kernels there are; see host/run.h. Where there is no clang the test is skipped.
func OpenHost(t testing.TB, source string) *Host {
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

// hostAlign is what addresses of memory are multiples of.
const hostAlign = 256

// Alloc gives n bytes full of junk, after which, but for what makes them a multiple of 256, no memory may be touched; free gives them back.
func (h *Host) Alloc(n int) (bytes []byte, free func()) {
	size := (n + hostAlign - 1) / hostAlign * hostAlign
	at := dynlib.Call(h.alloc, uintptr(size))
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), n), func() { dynlib.Call(h.free, at, uintptr(size)) }
}

// Address is that of memory from Alloc, as an argument of Launch.
func Address(bytes []byte) uint64 { return uint64(uintptr(unsafe.Pointer(&bytes[0]))) }

// Launch runs gridX×gridY blocks of a kernel.
func (h *Host) Launch(name string, gridX, gridY, threads, shared int, args ...uint64) error {
	text := append([]byte(name), 0)
	n := int32(dynlib.Call(h.kernel, uintptr(unsafe.Pointer(&text[0]))))
	if n < 0 {
		return fmt.Errorf("no kernel %s", name)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	ok := dynlib.Call(h.launch, uintptr(n), uintptr(gridX), uintptr(gridY), uintptr(threads), uintptr(shared), uintptr(unsafe.Pointer(&args[0])))
	if ok == 0 {
		return fmt.Errorf("kernel %s writes more shared memory than it has", name)
	}
	return nil
}
