//go:build linux

package boris

import (
	"encoding/binary"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/papertest"
)

// onHost is a method whose kernel is run by this processor.
type onHost struct {
	*papertest.Host
	m        Method
	w, h     int
	from, to []byte
	free     [2]func()
}

func openOnHost(h *papertest.Host, m Method, w, height int) *onHost {
	u := &onHost{Host: h, m: m, w: w, h: height}
	bytes := wordBytes * ceil(w, 64) * height
	u.from, u.free[0] = h.Alloc(bytes)
	u.to, u.free[1] = h.Alloc(bytes)
	return u
}

func (u *onHost) Load(g *grid.Grid) error {
	words := ceil(u.w, 64)
	for y := range u.h {
		for j, v := range g.Row(0, y)[:words] {
			binary.LittleEndian.PutUint64(u.from[wordBytes*(y*words+j):], v)
		}
	}
	return nil
}

func (u *onHost) Store(g *grid.Grid) error {
	words := ceil(u.w, 64)
	for y := range u.h {
		for j := range words {
			g.Row(0, y)[j] = binary.LittleEndian.Uint64(u.from[wordBytes*(y*words+j):])
		}
	}
	return nil
}

func (u *onHost) Step(n int) error {
	for n > 0 {
		g := min(n, u.m.Generations)
		down, across, args := u.m.launch(u.w, u.h, g)
		args = append([]uint64{papertest.Address(u.from), papertest.Address(u.to)}, args...)
		if err := u.Launch(u.m.kernelName(), down, across, warp*u.m.Warps, u.m.sharedBytes(), args...); err != nil {
			return err
		}
		u.from, u.to = u.to, u.from
		n -= g
	}
	return nil
}

func (u *onHost) Close() error {
	u.free[0]()
	u.free[1]()
	return nil
}

// The kernels themselves, compiled for the processor, do as the reference does, at every setting that is measured.
func TestOnHost(t *testing.T) {
	h := papertest.OpenHost(t, "testdata/host.cpp")
	for _, m := range Sweep() {
		t.Run(m.String(), func(t *testing.T) {
			s := papertest.Suite{
				Open:  func(w, height int) (papers.Stepper, error) { return openOnHost(h, m, w, height), nil },
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
