package bands

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
	"github.com/gosper-life/gosper/topology"
)

func TestHaloIsTheCellsBeside(t *testing.T) {
	for _, w := range []int{1, 2, 63, 64, 65, 100, 128, 1000, 4097} {
		for _, shape := range []struct{ lanes, slabs int }{{1, 1}, {4, 1}, {4, 2}, {8, 1}, {8, 2}, {8, 8}} {
			for _, halo := range []int{1, 2, 7, 40} {
				for _, kind := range []topology.Kind{topology.Torus, topology.Plane} {
					top, err := topology.New(kind, w, 16)
					if err != nil {
						t.Fatal(err)
					}
					checkHalo(t, newUniverse(top, 1, layout.New(w, 16, shape.lanes, shape.slabs, halo), 0, 0))
				}
			}
		}
	}
}

func checkHalo(t *testing.T, u *universe) {
	t.Helper()
	row := u.row(0, 1)
	for s := range u.Slabs {
		cells := make([]uint64, (u.W+63)/64)
		for i := range cells {
			cells[i] = rand.Uint64()
		}
		cells[len(cells)-1] &= ^uint64(0) >> (uint(-u.W) & 63)
		u.Pack(row, s, cells)
		back := make([]uint64, len(cells))
		u.Unpack(back, row, s)
		for i := range cells {
			if cells[i] != back[i] {
				t.Fatalf("w=%d lanes=%d slabs=%d: slab %d comes back changed", u.W, u.Lanes, u.Slabs, s)
			}
		}
	}
	u.FillHalo(row, u.halo)
	for s := range u.Slabs {
		for b := range u.Strips {
			for j := -u.Halo; j < u.Vectors+u.Halo; j++ {
				x := b*u.Vectors + j
				if x < -u.Halo || x >= u.W+u.Halo {
					continue
				}
				var want uint64
				if xx, _, ok := u.topology.Fold(x, 0); ok {
					want = u.get(0, xx, s*u.Rows+1)
				}
				if got := u.Vector(row, j)[s*u.Wide()+b>>6] >> (b & 63) & 1; got != want {
					t.Fatalf("w=%d lanes=%d slabs=%d halo=%d %v: column %d of slab %d is %d in strip %d",
						u.W, u.Lanes, u.Slabs, u.Halo, u.topology, x, s, got, b)
				}
			}
		}
	}
}

// A few cells of a very wide row are read and written without a look at the others: who fills or reads a row in
// parts would take time with the square of its width.
func TestNarrowPartsOfWideRows(t *testing.T) {
	top, err := topology.New(topology.Torus, 1<<20, 2)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	chosen := plan.Plan{Code: codegen.Portable, Slabs: 1, Depth: 1, Threads: 1}
	e, err := New(top, chosen.Code.Program(compile.New(r)), chosen)
	if err != nil {
		t.Fatal(err)
	}
	const untouched = 0x123456789ABCDEF0
	for i := range e.cells {
		e.cells[i] = untouched // a whole row passes through here
	}
	for x := -100; x < 1<<20; x += 7001 {
		grid.InMemory(e.WriteRow([]uint64{3, 1 << 35}, 0, x, 1, 100))
		back := make([]uint64, 2)
		grid.InMemory(e.ReadRow(back, 0, x, 1, 100))
		if want := [2]uint64{3, 1 << 35}; x >= 0 && x < 1<<20-100 && [2]uint64(back) != want {
			t.Fatalf("cells from %d on come back as %x", x, back)
		}
	}
	for _, word := range e.cells {
		if word != untouched {
			t.Fatal("a whole row was unpacked for 100 cells")
		}
	}
	if got := gridtest.Population(t, e); got != 3*149 {
		t.Errorf("population %d", got)
	}
}
