//go:build linux

package boris

import (
	"testing"

	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// The kernels themselves, compiled for the processor, do as the reference does, at every setting that is measured.
func TestOnHost(t *testing.T) {
	d := cudatest.Device(t, "testdata/host.cpp")
	for _, m := range Sweep() {
		t.Run(m.String(), func(t *testing.T) {
			s := papertest.Suite{
				Open:  func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) },
				Sizes: [][2]int{{127, m.blockRows() + 1 - m.Generations}}, // two blocks
				Steps: []int{m.Generations + 1},
			}
			if m.Variant == OneGeneration {
				s.Sizes = [][2]int{{1, 1}, {2, 3}, {63, 8}, {191, 30}, {8192 + 64, 5}}
			}
			papertest.Run(t, s)
		})
	}
}
