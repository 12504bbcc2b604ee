package logic

import (
	"math/rand/v2"
	"testing"
)

func TestCountRows(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const w = 40
	for _, c := range []struct{ n, planes int }{{1, 1}, {2, 1}, {3, 2}, {7, 1}, {8, 3}, {32, 1}} {
		p := CountRows(c.n, c.planes)
		e := &evaluator{p: p, w: w, h: 1, cells: make([][][]bool, p.Planes)}
		var want [w]int
		for i := range c.n {
			var states [w]int
			for k := range c.planes {
				row := make([]bool, w)
				for x := range row {
					row[x] = x > 0 && (x == w-1 || random.IntN(2) == 0) // column 0 is dead, the last alive
					if row[x] {
						states[x] = 1
					}
				}
				e.cells[i*c.planes+k] = [][]bool{row}
			}
			for x, alive := range states {
				want[x] += alive
			}
		}
		digits := e.row(0)
		for x := range w {
			got := 0
			for k := range p.Out {
				if digits[k][x] {
					got |= 1 << k
				}
			}
			if got != want[x] {
				t.Errorf("%d rows of %d planes: column %d has %d live cells, counted %d\n%v", c.n, c.planes, x, want[x], got, p)
				break
			}
		}
	}
}
