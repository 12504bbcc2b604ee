package rpc

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/internal/gpu/gputest"
)

// memoryVariable is the folder of files that are memory of the stand-in's GPU: see testdata/libcuda.c. A process that
// has the variable has two such GPUs.
const memoryVariable = "GOSPER_TEST_MEMORY"

func init() {
	if folder := os.Getenv(memoryVariable); folder != "" {
		gpu.Replace(gpu.StandIn(&busIDs{gputest.Driver{Foreign: func(h gpu.Handle) []byte { return mapped(folder, h) }}}))
	}
}

// busIDs is a driver whose GPUs have the bus id of that of testdata/libcuda.c.
type busIDs struct{ gputest.Driver }

func (d *busIDs) Call(name string, args ...uintptr) int {
	if name == "cuDeviceGetPCIBusId" {
		copy(unsafe.Slice(*(**byte)(unsafe.Pointer(&args[0])), args[1]), "0000:01:00.0")
		return 0
	}
	return d.Driver.Call(name, args...)
}

// mapped returns the memory of a handle.
func mapped(folder string, h gpu.Handle) []byte {
	number, _, _ := bytes.Cut(h[1:], []byte{0})
	f, err := os.OpenFile(filepath.Join(folder, string(number)), os.O_RDWR, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil
	}
	memory, err := syscall.Mmap(int(f.Fd()), 0, int(info.Size()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return memory
}

// TestDeviceCells has the Python package take cells from the stand-in of a GPU, as PyTorch would.
func TestDeviceCells(t *testing.T) {
	python := ""
	for _, name := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(name, "-c", "import numpy").Run() == nil {
			python = name
			break
		}
	}
	compiler, err := exec.LookPath("gcc")
	if python == "" || err != nil {
		t.Skip("no gcc, or no Python with numpy")
	}
	library := filepath.Join(t.TempDir(), "libcuda.so")
	build := exec.Command(compiler, "-shared", "-fPIC", "-o", library, "testdata/libcuda.c")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	packages, err := filepath.Abs("../../../../python")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, python, "-B", "testdata/device.py")
	cmd.WaitDelay = time.Minute
	cmd.Env = append(os.Environ(), memoryVariable+"="+t.TempDir(), "GOSPER_LIBCUDA="+library,
		"GOSPER_TEST_LIBRARY="+library, "GOSPER_ENGINE=", "GOSPER_BINARY="+clitest.Program(t), "PYTHONPATH="+packages)
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.HasSuffix(strings.TrimSpace(string(out)), "all as it should be") {
		t.Errorf("%v: %s", err, out)
	}
}
