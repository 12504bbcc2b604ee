package layout

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestTurn checks that words of cells where Numbers says come to what Pack makes of them, and that the halo stays.
func TestTurn(t *testing.T) { withEachVector(t, turn) }

func turn(t *testing.T) {
	for _, lanes := range []int{1, 2, 4, 8} {
		turned := 0
		for slabs := 1; slabs <= lanes; slabs *= 2 {
			for _, w := range []int{64, 128, 200, 256, 500, 512, 1000, 1024, 1536, 2048, 3000, 4096, 8192, 12288, 16384} {
				l := New(w, 2*slabs, lanes, slabs, 2)
				numbers := l.Numbers()
				if numbers == nil {
					continue
				}
				turned++
				row, want := AlignedWords(l.Stride), AlignedWords(l.Stride)
				for i := range row {
					row[i] = rand.Uint64()
				}
				copy(want, row)
				for s := range slabs {
					cells := make([]uint64, (w+63)/64)
					for i := range cells {
						cells[i] = rand.Uint64()
					}
					cells[len(cells)-1] &= ^uint64(0) >> (uint(-w) & 63)
					l.Pack(want, s, cells)
					for i, n := range numbers {
						if lane := i % lanes; lane/l.Wide() == s {
							row[l.Halo*lanes+i] = 0
							if int(n) < len(cells) {
								row[l.Halo*lanes+i] = cells[n]
							}
						}
					}
				}
				if l.Turn(row); !slices.Equal(row, want) {
					t.Errorf("%+v: not what Pack makes", l)
				}
			}
		}
		if turned < 4 {
			t.Errorf("%d lanes: only %d layouts can be turned", lanes, turned)
		}
	}
}

func BenchmarkTurn(b *testing.B) {
	for _, c := range [][2]int{{2048, 4}, {4096, 4}, {4096, 8}, {16384, 4}, {16384, 8}} {
		w, lanes := c[0], c[1]
		l := New(w, 4096, lanes, lanes, 1)
		row := AlignedWords(l.Stride)
		b.Run(fmt.Sprintf("%d/lanes %d", w, lanes), func(b *testing.B) {
			b.SetBytes(int64(lanes * w / 8))
			for b.Loop() {
				l.Turn(row)
			}
		})
	}
}
