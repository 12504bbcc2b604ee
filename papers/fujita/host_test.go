//go:build linux

package fujita

import (
	"testing"
	"unsafe"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/papertest"
)

// onHost is a method of the GPU whose kernel is run by this processor.
type onHost struct {
	*papertest.Host
	m        Method
	w, h     int
	from, to []byte
	free     [2]func()
}

func openOnHost(h *papertest.Host, m Method, w, height int) *onHost {
	u := &onHost{Host: h, m: m, w: w, h: height}
	words, _, _ := m.words(w, height)
	u.from, u.free[0] = h.Alloc(words * height * m.wordBytes())
	u.to, u.free[1] = h.Alloc(words * height * m.wordBytes())
	clear(u.to) // as openGPU does
	return u
}

// of are bytes as words.
func of[T uint32 | uint64](bytes []byte) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), len(bytes)/int(unsafe.Sizeof(T(0))))
}

func (u *onHost) Load(g *grid.Grid) error {
	switch u.m.cellsOfWord() {
	case 1:
		return unpackCells(u.from, g, u.w, u.h, u.m.Columns)
	case 32:
		words, err := arrange[uint32](u.m, g, u.w, u.h)
		copy(of[uint32](u.from), words)
		return err
	default:
		words, err := arrange[uint64](u.m, g, u.w, u.h)
		copy(of[uint64](u.from), words)
		return err
	}
}

func (u *onHost) Store(g *grid.Grid) error {
	switch u.m.cellsOfWord() {
	case 1:
		return packCells(g, u.from, u.w, u.h, u.m.Columns)
	case 32:
		collect(u.m, g, of[uint32](u.from), u.w, u.h)
	default:
		collect(u.m, g, of[uint64](u.from), u.w, u.h)
	}
	return nil
}

func (u *onHost) Step(n int) error {
	for n > 0 {
		g := min(n, max(u.m.T, 1))
		for _, l := range u.m.launches(u.w, u.h, g) {
			args := append([]uint64{papertest.Address(u.from), papertest.Address(u.to)}, l.args...)
			if err := u.Launch(u.m.kernelName(), l.x, l.y, warp*u.m.warps(), 0, args...); err != nil {
				return err
			}
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

// The kernels themselves, compiled for the processor, do as the reference does.
func TestOnHost(t *testing.T) {
	h := papertest.OpenHost(t, "testdata/host.cpp")
	for _, m := range Methods() {
		if m.Place == CPU {
			continue
		}
		t.Run(m.String(), func(t *testing.T) {
			s := papertest.Suite{
				Open:  func(w, height int) (papers.Stepper, error) { return openOnHost(h, m, w, height), nil },
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
