package fujita

import (
	"testing"

	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

var anySize = [][2]int{
	{1, 1},
	{1, 7},
	{2, 2},
	{5, 3},
	{63, 9},
	{64, 64},
	{65, 5},
	{127, 2},
	{128, 33},
	{200, 1},
	{192, 96},
}

// suite checks a method at the sizes it takes.
func suite(t *testing.T, m Method, d *gpu.Device) {
	s := papertest.Suite{Open: func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) }, Sizes: anySize}
	if m.Block > 0 {
		b := m.Block
		columns, rows := m.Clean()
		s.Sizes = [][2]int{
			{b, b},
			{b + 1, b},
			{b, b + 1},
			{2 * b, 3*b - 1},
			{129, 67},
			{200, 151},
			{192, 128},
			{(64/columns + 1) * columns, (64/rows + 1) * rows}, // whole blocks
		}
		s.Refuse = [][2]int{{b - 1, b}, {b, b - 1}}
		s.Steps = []int{1, m.T, 3*m.T + 1, 2}
	}
	papertest.Run(t, s)
}

func TestCPU(t *testing.T) {
	for _, m := range Methods() {
		if m.Place == CPU {
			t.Run(m.String(), func(t *testing.T) { suite(t, m, nil) })
		}
	}
}

func TestGPU(t *testing.T) {
	for _, place := range []Place{Global, Shared, Register} {
		t.Run(string(place), func(t *testing.T) {
			t.Parallel() // the reference takes most of the time
			d := papertest.GPU(t)
			for _, m := range Methods() {
				if m.Place == place {
					t.Run(m.String(), func(t *testing.T) { suite(t, m, d) })
				}
			}
		})
	}
}

// Every method has a kernel of its name in the committed PTX, and no kernel is without a method.
func TestKernels(t *testing.T) {
	named := map[string]bool{}
	for _, m := range Methods() {
		if m.Place != CPU {
			named[m.kernelName()] = true
		}
	}
	papertest.Kernels(t, lifePTX, named)
}

func TestMethodsDiffer(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range Methods() {
		if seen[m.String()] {
			t.Errorf("%v is there twice", m)
		}
		seen[m.String()] = true
	}
	if len(seen) != 2*(3+6+2*11+4)+2*3 {
		t.Errorf("%d methods", len(seen))
	}
}

func TestNeedsGPU(t *testing.T) {
	if _, err := (Method{Place: Global, Words: SingleWord}).Open(nil, 64, 64); err == nil {
		t.Error("a method of the GPU is opened without one")
	}
}

// BenchmarkCPU is the time of a generation of 16384², or of the side in GOSPER_SIDE.
func BenchmarkCPU(b *testing.B) {
	for _, m := range Methods() {
		if m.Place == CPU {
			b.Run(m.String(), func(b *testing.B) {
				papertest.Benchmark(b, func(w, h int) (experiment.Stepper, error) { return m.Open(nil, w, h) }, 1)
			})
		}
	}
}

// BenchmarkGPU is the time on the device of 64 generations of the same.
func BenchmarkGPU(b *testing.B) {
	d := papertest.GPU(b)
	for _, m := range Methods() {
		if m.Place != CPU {
			b.Run(m.String(), func(b *testing.B) {
				papertest.Benchmark(b, func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) }, 64)
			})
		}
	}
}
