package layout

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Every way of transposing on this processor is correct.
func TestTranspose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for name, transpose := range transposes {
		for range 100 {
			var a [64]uint64
			for i := range a {
				a[i] = random.Uint64()
			}
			b := a
			transpose(&b)
			for i := range a {
				for j := range a {
					if a[i]>>j&1 != b[j]>>i&1 {
						t.Fatalf("%s: bit %d of word %d", name, j, i)
					}
				}
			}
		}
	}
}

// transposes are those that this machine has, by their names.
var transposes = map[string]func(*[64]uint64){"Transpose": Transpose, "exchange": exchange}

func BenchmarkRows(b *testing.B) {
	for _, c := range []struct{ w, slabs int }{{128, 4}, {256, 4}, {1000, 4}, {4096, 4}, {16384, 1}, {100_001, 1}} {
		l := New(c.w, 4096, 4, c.slabs, 1)
		row, cells := AlignedWords(l.Stride), make([]uint64, (c.w+63)/64)
		for name, do := range map[string]func(){
			"pack":   func() { l.Pack(row, 0, cells) },
			"unpack": func() { l.Unpack(cells, row, 0) },
		} {
			b.Run(fmt.Sprintf("%s/%d", name, c.w), func(b *testing.B) {
				b.SetBytes(int64(c.w / 8))
				for b.Loop() {
					do()
				}
			})
		}
	}
}
