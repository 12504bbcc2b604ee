//go:build linux

package cat

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/papertest"
	"github.com/gosper-life/gosper/rule"
)

// onHost is a Universe whose kernels are run by this processor.
type onHost struct {
	*papertest.Host
	w, h, radius   int
	plan           plan
	from, to, bits []byte
	free           []func()
}

func openOnHost(h *papertest.Host, m Method, r rule.Rule, width, height int, o Options) (*onHost, error) {
	t, err := m.transitionOf(r)
	if err != nil {
		return nil, err
	}
	p, err := m.plan(t, width, height, o, h200)
	if err != nil {
		return nil, err
	}
	u := &onHost{Host: h, w: width, h: height, radius: t.radius, plan: p}
	u.from, u.to, u.bits = u.alloc(p.layout.bytes), u.alloc(p.layout.bytes), u.alloc(4*rowWords(width)*height)
	clear(u.from)
	clear(u.to)
	if len(p.table) > 0 {
		table := u.alloc(len(p.table))
		copy(table, p.table)
		u.plan.args = append(u.plan.args, papertest.Address(table))
	}
	return u, nil
}

func (u *onHost) alloc(n int) []byte {
	bytes, free := u.Alloc(n)
	u.free = append(u.free, free)
	return bytes
}

func (u *onHost) cells(of []byte) uint64 { return papertest.Address(of) + uint64(u.plan.layout.origin) }

func (u *onHost) convert(kernel string) error {
	args := append([]uint64{u.cells(u.from)}, u.plan.layout.shape...)
	args = append(args, papertest.Address(u.bits), uint64(rowWords(u.w)), uint64(u.w), uint64(u.h))
	return u.Host.Launch(kernel+"_"+u.plan.layout.name, ceilDiv(u.w, blockThreads), min(u.h, math.MaxUint16), blockThreads, 0, args...)
}

func (u *onHost) Load(g *grid.Grid) error {
	for y := range u.h {
		for i, word := range g.Row(0, y)[:rowWords(u.w)/2] {
			binary.LittleEndian.PutUint64(u.bits[4*rowWords(u.w)*y+8*i:], word)
		}
	}
	return u.convert("load")
}

func (u *onHost) Store(g *grid.Grid) error {
	err := u.convert("store")
	for y := range u.h {
		for x := range u.w {
			g.Set(x, y, u.bits[4*rowWords(u.w)*y+x/8]>>(x%8)&1)
		}
	}
	return err
}

func (u *onHost) Step(n int) error {
	for range n {
		args := append([]uint64{u.cells(u.from)}, u.plan.layout.shape...)
		args = append(args, uint64(u.w), uint64(u.h), uint64(u.radius))
		if err := u.Host.Launch("halo_"+u.plan.layout.name, ceilDiv(u.plan.layout.frame, blockThreads), 1, blockThreads, 0, args...); err != nil {
			return err
		}
		args = append([]uint64{u.cells(u.from), u.cells(u.to)}, u.plan.args...)
		if err := u.Host.Launch(u.plan.kernel, u.plan.gridX, u.plan.gridY, u.plan.threads, u.plan.shared, args...); err != nil {
			return err
		}
		u.from, u.to = u.to, u.from
	}
	return nil
}

func (u *onHost) Close() error {
	for _, free := range u.free {
		free()
	}
	return nil
}

// The kernels themselves, compiled for the processor, do as the reference does: every method at every radius, with the tiles of the heat map's
// corners, and beyond the paper's radii and neighbourhoods.
func TestKernels(t *testing.T) {
	h := papertest.OpenHost(t, "testdata/host.cpp")
	t.Run("differences", func(t *testing.T) { checkDifferences(t, h) })
	check := func(m Method, text string, density float64, o Options, sizes ...[2]int) {
		t.Run(fmt.Sprint(m, " ", text, o.Tile, o.Change), func(t *testing.T) {
			r, err := rule.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			papertest.Run(t, papertest.Suite{
				Rule: text, Sizes: sizes, Steps: []int{1, 1}, Density: density,
				Open: func(w, height int) (papers.Stepper, error) { return openOnHost(h, m, r, w, height, o) },
			})
		})
	}
	for _, m := range All() {
		for _, p := range Instances() {
			sizes := [][2]int{{44, 19}}
			if p.Radius == 1 || p.Radius == 9 || p.Radius == 16 {
				sizes = append(sizes, [2]int{70, 35}, [2]int{5, 1})
			}
			check(m, p.Notation, p.Density, Options{}, sizes...)
		}
	}
	for _, tile := range [][2]int{{1, 1}, {1, 30}, {30, 1}, {2, 3}} {
		check(CAT, Instances()[9].Notation, 0.4, Options{Tile: tile}, [2]int{70, 35})
	}
	for _, text := range []string{"R1,C2,S2-3,B2,N+", "R16,C2,S20-40,B22-30,N+"} {
		check(CAT, text, 0.4, Options{}, [2]int{70, 35})
	}
	for _, tile := range KnownTiles {
		check(CAT, Instances()[9].Notation, 0.4, Options{Tile: tile}, [2]int{70, 35})
	}
	for _, m := range []Method{MMA, Cached} {
		check(m, Instances()[9].Notation, 0.4, Options{Tile: [2]int{2, 3}, Warps: 5}, [2]int{70, 35})
		for _, text := range []string{"R1,C2,S2-3,B2,N+", "R16,C2,S20-40,B22-30,N+"} {
			check(m, text, 0.4, Options{Tile: [2]int{2, 3}}, [2]int{70, 35})
		}
	}
	for _, m := range []Method{Prefix, Registers, Int8} {
		check(m, Instances()[9].Notation, 0.3, Options{Rows: 1}, [2]int{70, 70})
	}
	for _, m := range Beyond {
		for _, radius := range []int{17, 22, 23, 32, 33, 64} {
			if radius <= m.MaxRadius() {
				n := (2*radius+1)*(2*radius+1) - 1
				text := fmt.Sprintf("R%d,C0,M0,S%d..%d,B%d..%d,NM", radius, n*38/100, n*45/100, n*36/100, n*40/100)
				check(m, text, 0.4, Options{Tile: [2]int{1, 3}}, [2]int{70, 35})
			}
		}
	}
	for _, m := range []Method{Rows, Bits} {
		for _, text := range []string{"R3,C0,M0,S6..9,B7..9,NN", "R16,C0,M0,S180..240,B190..230,NN", "R9,C0,M0,S90..120,B95..110,NC"} {
			check(m, text, 0.45, Options{}, [2]int{70, 35})
		}
	}
	for _, m := range Published {
		for _, change := range Changes[m] {
			for _, radius := range []int{1, 16} {
				p := Instances()[radius-1]
				check(m, p.Notation, p.Density, Options{Change: change}, [2]int{70, 35}, [2]int{20, 250})
			}
			if m == CAT {
				check(m, "R7,C2,S9-15,B8-13,N+", 0.4, Options{Change: change}, [2]int{70, 35})
			}
		}
	}
}

// checkDifferences checks that the kernel that compares cells counts the words that differ.
func checkDifferences(t *testing.T, h *papertest.Host) {
	const words = 3000
	a, freeA := h.Alloc(4 * words)
	b, freeB := h.Alloc(4 * words)
	count, freeCount := h.Alloc(4)
	defer func() { freeA(); freeB(); freeCount() }()
	clear(count)
	for _, i := range []int{0, 1, 4*words - 1, 5000} {
		b[i] ^= 1
	}
	if err := h.Launch("differences", 2, 1, blockThreads, 0, papertest.Address(a), papertest.Address(b), words, papertest.Address(count)); err != nil {
		t.Fatal(err)
	}
	if n := binary.LittleEndian.Uint32(count); n != 3 {
		t.Errorf("%d words differ, want 3", n)
	}
}
