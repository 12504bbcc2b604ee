package boris

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// settings lists all settings that are measured, and every method at launches of one generation, of an odd number,
// and of the largest number.
func settings() []Method {
	list := Sweep()
	for _, m := range Methods() {
		for _, m.Generations = range []int{1, 7, min(MostGenerations, (m.blockRows()-1)/2)} {
			if m.Valid() == nil && !slices.Contains(list, m) {
				list = append(list, m)
			}
		}
	}
	return list
}

func TestGPU(t *testing.T) {
	byVariant := map[Variant][]Method{}
	for _, m := range settings() {
		byVariant[m.Variant] = append(byVariant[m.Variant], m)
	}
	for _, v := range variants {
		t.Run(string(v), func(t *testing.T) {
			t.Parallel() // the reference takes most of the time
			d := papertest.GPU(t)
			for _, m := range byVariant[v] {
				t.Run(m.String(), func(t *testing.T) {
					s := papertest.Suite{
						Open:  func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) },
						Sizes: [][2]int{{64, 1}, {64, 64}, {65, 3}, {127, 50}, {128, 9}, {191, 130}, {31*64 + 5, 35}},
						Steps: []int{1, m.Generations, 2*m.Generations + 1},
					}
					if m.Variant == OneGeneration {
						s.Sizes = append(s.Sizes, [][2]int{{1, 1}, {2, 3}, {63, 8}, {8192 + 64, 5}}...)
					} else {
						s.Refuse = [][2]int{{63, 64}}
					}
					papertest.Run(t, s)
				})
			}
		})
	}
}

// Every method has a kernel of its name in the committed PTX, and no kernel is without a method.
func TestKernels(t *testing.T) {
	named := map[string]bool{}
	for _, m := range Methods() {
		named[m.kernelName()] = true
	}
	papertest.Kernels(t, lifePTX, named)
}

func TestValid(t *testing.T) {
	m := Method{Variant: Unrolled, Rows: 4, Warps: 16}
	for generations, want := range map[int]bool{0: false, 1: true, 8: true, 31: true, 32: false, 63: false} {
		m.Generations = generations
		if err := m.Valid(); (err == nil) != want {
			t.Errorf("%d generations in %d rows: %v", generations, m.blockRows(), err)
		}
	}
	m = Method{Variant: Unrolled, Rows: 8, Warps: 32, Generations: 64}
	if m.Valid() == nil {
		t.Error("64 generations with one word to spare")
	}
}

// Blocks fit the shared memory that every device of compute capability 8.0 and later lets a block have, 99 KiB
// or more; the highest rectangles need the 163 KiB of an A100.
func TestSharedFits(t *testing.T) {
	for _, m := range Methods() {
		most := 99 << 10
		if m.blockRows() > chartRows {
			most = 163 << 10
		}
		if n := m.sharedBytes(); n > most {
			t.Errorf("%v takes %d bytes", m, n)
		}
	}
}

// BenchmarkGPU is the time on the device of 64 generations of 16384², or of the side in GOSPER_SIDE.
func BenchmarkGPU(b *testing.B) {
	d := papertest.GPU(b)
	for _, m := range Methods() {
		for _, generations := range []int{1, 2, 4, 8, 12, 16, 24, 32} {
			if m.Variant == OneGeneration && generations > 1 {
				continue
			}
			if m.Generations = generations; m.Valid() == nil {
				b.Run(m.String(), func(b *testing.B) {
					papertest.Benchmark(b, func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) }, 64)
				})
			}
		}
	}
}
