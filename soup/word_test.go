package soup

import (
	"testing"

	"pgregory.net/rapid"
)

// makers are the ways to make words on this machine, by their names.
var makers = map[string]func(dst []uint64, z, limit uint64){"words": words, "portable": portable}

// Every way to make words makes the cells that Alive describes.
func TestWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Soup{rapid.Uint64().Draw(t, "seed"), rapid.OneOf(rapid.Uint64Range(0, 1<<53-1),
			rapid.SampledFrom([]uint64{0, 1, 1 << 52, 1<<53 - 1, 5 << 22, 5<<22 + 1, 1 << 21})).Draw(t, "threshold")}
		n := rapid.IntRange(0, 5).Draw(t, "words")
		for name, make64 := range makers {
			made := make([]uint64, n)
			make64(made, s.seed, s.threshold<<11)
			for i := range 64 * n {
				if alive := made[i>>6]>>(i&63)&1 == 1; alive != s.Alive(uint64(i)) {
					t.Fatalf("%s: cell %d is alive: %v", name, i, alive)
				}
			}
		}
	})
}

func BenchmarkRow(b *testing.B) {
	s, row := Soup{1, 1 << 52}, make([]uint64, 1<<10)
	b.SetBytes(1 << 16) // cells
	for b.Loop() {
		s.Row(row, 0, 1<<16)
	}
}
