package square

import (
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

// TestRows compares the middle of blocks, which depends on nothing outside them, with the reference.
func TestRows(t *testing.T) {
	for _, c := range []struct {
		rule        string
		side, depth int
	}{
		{"B3/S23", 64, 16},
		{"345/2/4", 64, 5},
		{"R2,C0,M1,S3..8,B5..9,NM", 64, 8},
		{"R2,C4,M0,S3..8,B5..9,NN", 64, 8},
		{"R7,C0,M1,S65..114,B65..95,NM", 64, 2},
		{"R17,C0,M1,S400..700,B400..600,NM", 128, 1},
	} {
		r := parsed(t, c.rule)
		s, err := NewRows(compile.New(r), c.side, c.depth)
		if err != nil {
			t.Fatal(err)
		}
		random := rand.New(rand.NewPCG(1, 2))
		for _, n := range []int{c.depth, 1} {
			e, err := reference.Open(t.Context(), sim.Config{
				Rule:     r,
				Topology: topology.Topology{Kind: topology.Plane, W: c.side, H: c.side},
			})
			if err != nil {
				t.Fatal(err)
			}
			row := make([]uint64, c.side/64)
			for y := range c.side {
				for k := range s.planes {
					for i := range row {
						row[i] = random.Uint64() & random.Uint64()
						if k > 0 { // one bit a state
							clear(row)
						}
					}
					s.SetRow(k, y, row)
					grid.InMemory(e.WriteRow(row, k, 0, y, c.side))
				}
			}
			if _, err := e.Step(t.Context(), uint64(n)); err != nil {
				t.Fatal(err)
			}
			rows := 0
			s.Advance(0, n, func(plane, y int, cells []uint64) {
				rows++
				for x := c.side / 4; x < c.side*3/4; x++ {
					e.ReadRow(row[:1], plane, x, y, 1)
					if got := cells[x>>6] >> (x & 63) & 1; got != row[0] {
						t.Fatalf("%s: cell (%d, %d) of plane %d after %d generations: %d, want %d", c.rule, x, y, plane, n, got, row[0])
					}
				}
			})
			if want := (c.side - 2*c.depth*r.Radius()) * s.planes; rows != want {
				t.Errorf("%s: %d rows, want %d", c.rule, rows, want)
			}
		}
	}
}
