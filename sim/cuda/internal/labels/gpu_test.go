//go:build linux

package labels

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/internal/gpu"
)

// newGPU opens the first GPU of the machine. Without a GPU the test is skipped.
func newGPU(t *testing.T) *gpu.Device {
	dev, err := gpu.Open(0)
	if errors.As(err, new(*gpu.Unavailable)) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { gpu.CloseAll([]*gpu.Device{dev}) })
	return dev
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
