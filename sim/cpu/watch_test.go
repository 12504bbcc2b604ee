package cpu

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// TestTouches compares the touches of a watch with their definition, cell by cell.
func TestTouches(t *testing.T) {
	if codegen.Fastest() == codegen.Portable {
		t.Skip("tiles are only used with machine code")
	}
	r, err := rule.Parse("Evoloop")
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(15, 4))
	for _, size := range [][2]int{{128, 96}, {1024, 64}, {333, 777}, {100, 90}} {
		torus, err := topology.New(topology.Torus, size[0], size[1])
		if err != nil {
			t.Fatal(err)
		}
		e, err := open(sim.Config{Rule: r, Topology: torus, Threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		a := e.(*adaptive)
		a.even = 10 // so that nothing is too much
		cells := a.NewSnapshot(mostCompared)
		for _, depth := range []int{4, 6} {
			cells.Take()
			across := (size[0] + 63) / 64 * 2
			changed := map[[3]int]bool{}
			for range random.IntN(40) {
				at := [3]int{random.IntN(size[0]), random.IntN(size[1]), random.IntN(a.Planes())}
				if changed[at] {
					continue // it would be as before
				}
				changed[at] = true
				var word [1]uint64
				grid.InMemory(a.ReadRow(word[:], at[2], at[0], at[1], 1))
				word[0] ^= 1
				grid.InMemory(a.WriteRow(word[:], at[2], at[0], at[1], 1))
			}
			want := make([]uint16, (size[1]+31)/32*across)
			for at := range changed {
				x, y := at[0], at[1]
				for d := range 9 {
					// Some cell of the block in this direction is within reach.
					dx, dy := d%3-1, d/3-1
					if bx, by := (x+depth*dx)>>5-x>>5, (y+depth*dy)>>5-y>>5; bx == dx && by == dy {
						want[y/32*across+x/32] |= 1 << d
					}
				}
			}
			got := a.compare(cells, depth)
			for i, touch := range want {
				if got.touches[i]&touch != touch || (got.touches[i] != 0) != (touch != 0) {
					t.Errorf("%v, depth %d: block %d touches %09b, want %09b", size, depth, i, got.touches[i], touch)
				}
			}
		}
	}
}
