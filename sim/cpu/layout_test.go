package cpu

import (
	"math/rand/v2"
	"testing"
)

func TestPlacesAgreeWithGhosts(t *testing.T) {
	for _, w := range []int{1, 2, 63, 64, 65, 100, 128, 1000, 4097} {
		for _, ghost := range []int{1, 2, 7, 40} {
			l := newLayout(w, ghost)
			cells := make([]uint64, (w+63)/64)
			for i := range cells {
				cells[i] = rand.Uint64()
			}
			cells[len(cells)-1] &= ^uint64(0) >> (uint(-w) & 63)
			row := make([]uint64, l.stride)
			l.pack(row, cells)
			back := make([]uint64, len(cells))
			l.unpack(back, row)
			l.fillGhosts(row, nil, nil)
			for x := range w {
				bit := cells[x>>6] >> (x & 63) & 1
				if l.get(row, x) != bit || back[x>>6]>>(x&63)&1 != bit {
					t.Fatalf("w=%d: column %d is wrong after packing", w, x)
				}
				for _, p := range l.places(x) {
					if row[p.word]>>p.bit&1 != bit {
						t.Fatalf("w=%d ghost=%d: column %d is wrong at word %d bit %d", w, ghost, x, p.word-ghost, p.bit)
					}
				}
			}
		}
	}
}
