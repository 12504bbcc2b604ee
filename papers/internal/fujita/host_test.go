//go:build linux

package fujita

import (
	"testing"

	"github.com/gosper-life/gosper/internal/cudagen/cudatest"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// The kernels themselves, compiled for the processor, do as the reference does.
func TestOnHost(t *testing.T) {
	d := cudatest.Device(t, "testdata/host.cpp")
	for _, m := range Methods() {
		if m.Place == CPU {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			s := papertest.Suite{
				Open:  func(w, h int) (experiment.Stepper, error) { return m.Open(d, w, h) },
				Sizes: [][2]int{{1, 1}, {5, 3}, {65, 5}, {128, 33}, {300, 2}}, Steps: []int{1, 2},
			}
			if b := m.Block; b > 0 {
				s.Sizes = [][2]int{{b, b}, {129, 67}, {192, 128}}
				s.Steps = []int{m.T, m.T + 1}
			}
			papertest.Run(t, s)
		})
	}
}
