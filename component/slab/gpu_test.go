//go:build linux

package slab

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/cu"
)

// gpu is the first GPU of the machine, as sim/cuda uses one.
type gpu struct {
	dev      *cu.Device
	stream   *cu.Stream
	launcher *cu.Launcher
	module   *cu.Module
}

// newGPU skips a test where there is none.
func newGPU(t *testing.T) *gpu {
	driver, err := cu.Open()
	if err != nil {
		t.Skip(err)
	}
	dev, err := driver.Device(0)
	if err != nil {
		t.Skip(err)
	}
	g := &gpu{dev: dev, launcher: cu.NewLauncher()}
	err = dev.Do(func() error {
		var errs [2]error
		g.stream, errs[0] = dev.NewStream(false)
		g.module, errs[1] = dev.Load([]byte(kernels))
		return errors.Join(errs[:]...)
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = dev.Do(func() error { return errors.Join(g.stream.Close(), g.module.Close()) })
		_ = dev.Close()
	})
	return g
}

type gpuKernel struct {
	f               *cu.Function
	threads, shared int
	resident        int
}

func (k gpuKernel) Resident() int { return k.resident }

func (g *gpu) Multiprocessors() int { return g.dev.Multiprocessors }

func (g *gpu) Alloc(n uint64) (at uint64, err error) {
	err = g.dev.Do(func() (err error) {
		at, err = g.dev.Alloc(n)
		return err
	})
	return at, err
}

func (g *gpu) Free(at uint64) {
	_ = g.dev.Do(func() error { return g.dev.Free(at) })
}

func (g *gpu) Clear(at, n uint64) error {
	return g.dev.Do(func() error { return g.stream.Clear(at, n) })
}

func (g *gpu) Read(dst []byte, at uint64) error {
	return g.dev.Do(func() error { return g.stream.Read(dst, at) })
}

func (g *gpu) Write(at uint64, src []byte) error {
	return g.dev.Do(func() error { return g.stream.Write(at, src) })
}

func (g *gpu) Kernel(_, name string, warps, shared int) (Kernel, error) {
	k := gpuKernel{threads: warps * lanes, shared: shared}
	err := g.dev.Do(func() (err error) {
		if k.f, err = g.module.Function(name); err != nil {
			return err
		}
		if shared > 0 {
			if err := k.f.AllowShared(shared); err != nil {
				return err
			}
		}
		k.resident, err = k.f.Resident(k.threads, shared)
		return err
	})
	return k, err
}

func (g *gpu) Launch(k Kernel, blocks int, params []uint64) error {
	f := k.(gpuKernel)
	return g.dev.Do(func() error {
		return g.launcher.Launch(g.stream, f.f, blocks, 1, f.threads, f.shared, params)
	})
}

func TestGPUPatterns(t *testing.T) {
	checkPatterns(t, newGPU(t), [][2]int{{1, 1}, {300, 300}, {257, 521}, {600, 130}, {2000, 1500}, {3000, 3000}})
}

func TestGPUAnySize(t *testing.T) {
	checkAnySize(t, newGPU(t), 3000, func(*rapid.T) {})
}

// A few small universes, little enough for compute-sanitizer.
func TestGPUSmall(t *testing.T) {
	checkPatterns(t, newGPU(t), [][2]int{{300, 300}})
}
