package random

import (
	"math/rand/v2"
	"testing"
)

// Words drawn eight at a time are those of their rows and sequences, for one probability and for several.
func TestEights(t *testing.T) { everyLanes(t, makeEights) }

func makeEights(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	numbers := make([]uint32, 96)
	for i := range numbers {
		numbers[i] = uint32(random.IntN(20))
	}
	var e Eights
	for range 10 {
		seed, generation, use := random.Uint64(), random.Uint64(), uint8(random.IntN(Uses))
		rows := [8]int{int(random.Int64()), -3, 5, random.IntN(1000), 0, -1, 7, int(random.Int64())}
		for _, top := range someThresholds(random, 20) {
			if top <= Rare {
				continue
			}
			sorted := []uint64{random.Uint64N(top + 1), 0, top}
			sorted[1] = sorted[0] + random.Uint64N(top-sorted[0]+1)
			for from := range sorted {
				ts := sorted[from:]
				dst := make([][]uint64, len(ts))
				for k := range dst {
					dst[k] = make([]uint64, len(numbers))
				}
				e.Begin(seed, generation, use, numbers)
				if drawn := e.Draw(dst, rows, ts); drawn != (lanes > 0 && ts[0] > 0 && top < One) {
					t.Fatalf("probabilities %d: drawn %v", ts, drawn)
				} else if !drawn {
					continue
				}
				for i, n := range numbers {
					s := At(seed, generation).Row(rows[i%8], use)
					for k, threshold := range ts {
						if want := s.below(n, threshold); dst[k][i] != want {
							t.Fatalf("probability %d of %d, word %d: %#x, want %#x", k, ts, i, dst[k][i], want)
						}
					}
				}
			}
		}
	}
}

// below is a word of the cells of a sequence that are picked, by the definition.
func (s Stream) below(number uint32, threshold uint64) (word uint64) {
	b := s.sequence(number)
	var u [64]uint64
	for range 32 {
		w := b.word()
		for x := range u {
			u[x] = u[x]<<1 | w>>x&1
		}
	}
	for x := range u {
		if u[x] < threshold {
			word |= 1 << x
		}
	}
	return word
}

func BenchmarkEights(b *testing.B) {
	everyLanes(b, func(b *testing.B) {
		if !HasEights() {
			b.Skip("no vectors")
		}
		numbers := make([]uint32, 512)
		for i := range numbers {
			numbers[i] = uint32(i / 8)
		}
		for name, ts := range map[string][]uint64{
			"half": {One / 2}, "twelve": {0x555 << 20}, "one": {1 << 31},
			"third": {One / 3}, "ising": {126285044, 736000000},
		} {
			b.Run(name, func(b *testing.B) {
				var e Eights
				dst := [][]uint64{make([]uint64, len(numbers)), make([]uint64, len(numbers))}
				e.Begin(1, 2, 3, numbers)
				for i := 0; b.Loop(); i++ {
					e.Draw(dst[:len(ts)], [8]int{i, i + 1, i + 2, i + 3, i + 4, i + 5, i + 6, i + 7}, ts)
				}
				b.ReportMetric(float64(b.N)*64*float64(len(numbers))/b.Elapsed().Seconds()/1e9, "Gcells/s")
			})
		}
	})
}
