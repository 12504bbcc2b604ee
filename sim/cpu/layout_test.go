package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/topology"
)

func TestGhostsAreTheCellsBeside(t *testing.T) {
	for _, w := range []int{1, 2, 63, 64, 65, 100, 128, 1000, 4097} {
		for _, shape := range []struct{ lanes, slabs int }{{1, 1}, {4, 1}, {4, 2}, {8, 1}, {8, 2}, {8, 8}} {
			for _, ghost := range []int{1, 2, 7, 40} {
				for _, kind := range []topology.Kind{topology.Torus, topology.Plane} {
					top, err := topology.New(kind, w, 16)
					if err != nil {
						t.Fatal(err)
					}
					checkGhosts(t, newUniverse(top, 1, newLayout(w, 16, shape.lanes, shape.slabs, ghost), 0))
				}
			}
		}
	}
}

func checkGhosts(t *testing.T, u *universe) {
	t.Helper()
	row := u.row(0, 1)
	for s := range u.slabs {
		cells := make([]uint64, (u.w+63)/64)
		for i := range cells {
			cells[i] = rand.Uint64()
		}
		cells[len(cells)-1] &= ^uint64(0) >> (uint(-u.w) & 63)
		u.pack(row, s, cells)
		back := make([]uint64, len(cells))
		u.unpack(back, row, s)
		for i := range cells {
			if cells[i] != back[i] {
				t.Fatalf("w=%d lanes=%d slabs=%d: slab %d comes back changed", u.w, u.lanes, u.slabs, s)
			}
		}
	}
	u.mend(row, u.ghosts)
	for s := range u.slabs {
		for b := range u.strips {
			for j := -u.ghost; j < u.nv+u.ghost; j++ {
				x := b*u.nv + j
				if x < -u.ghost || x >= u.w+u.ghost {
					continue
				}
				var want uint64
				if xx, _, ok := u.topology.Fold(x, 0); ok {
					want = u.get(0, xx, s*u.nh+1)
				}
				if got := u.vector(row, j)[s*u.wide()+b>>6] >> (b & 63) & 1; got != want {
					t.Fatalf("w=%d lanes=%d slabs=%d ghost=%d %v: column %d of slab %d is %d in strip %d",
						u.w, u.lanes, u.slabs, u.ghost, u.topology, x, s, got, b)
				}
			}
		}
	}
}
