package layout

import (
	"math/rand/v2"
	"testing"
)

// Whatever transposes here does what its name says, as the portable code does.
func TestTranspose(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		var a [64]uint64
		for i := range a {
			a[i] = random.Uint64()
		}
		b, c := a, a
		transpose(&b)
		exchange(&c)
		for i := range a {
			for j := range a {
				if a[i]>>j&1 != b[j]>>i&1 || b[j] != c[j] {
					t.Fatalf("bit %d of word %d", j, i)
				}
			}
		}
	}
}

func BenchmarkPack(b *testing.B) {
	l := New(4096, 4096, 8, 4, 1)
	row, cells := AlignedWords(l.Stride), make([]uint64, 64)
	for b.Loop() {
		l.Pack(row, 1, cells)
	}
}
