package random

import (
	"math/rand/v2"
	"testing"
)

// Words drawn four at a time are those of their rows and blocks, for one probability and for several.
func TestQuads(t *testing.T) {
	if !HasQuads() {
		t.Skip("no vectors")
	}
	random := rand.New(rand.NewPCG(7, 8))
	const vectors = 6
	numbers := make([]uint32, 4*vectors)
	for i := range numbers {
		numbers[i] = uint32(random.IntN(20))
	}
	var q Quads
	for range 30 {
		seed, generation, use := random.Uint64(), random.Uint64(), uint8(random.IntN(Uses))
		rows := [4]int{int(random.Int64()), -3, 5, random.IntN(1000)}
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
				q.Begin(seed, generation, use, numbers)
				if drawn := q.Draw(dst, rows, ts); drawn != (ts[0] > 0 && top < One) {
					t.Fatalf("probabilities %d: drawn %v", ts, drawn)
				} else if !drawn {
					continue
				}
				for i, n := range numbers {
					s := At(seed, generation).Row(rows[i%4], use)
					for k, threshold := range ts {
						var want uint64
						for x := range 64 {
							if s.Below(int(n)<<6+x, threshold, top) {
								want |= 1 << x
							}
						}
						if dst[k][i] != want {
							t.Fatalf("probability %d of %d, word %d: %#x, want %#x", k, ts, i, dst[k][i], want)
						}
					}
				}
			}
		}
	}
}

func BenchmarkQuads(b *testing.B) {
	if !HasQuads() {
		b.Skip("no vectors")
	}
	const vectors = 64
	numbers := make([]uint32, 4*vectors)
	for i := range numbers {
		numbers[i] = uint32(i / 4)
	}
	for name, ts := range map[string][]uint64{"half": {One / 2}, "third": {One / 3}, "ising": {126285044, 736000000}} {
		b.Run(name, func(b *testing.B) {
			var q Quads
			dst := [][]uint64{make([]uint64, 4*vectors), make([]uint64, 4*vectors)}
			q.Begin(1, 2, 3, numbers)
			for i := 0; b.Loop(); i++ {
				q.Draw(dst[:len(ts)], [4]int{i, i + 1, i + 2, i + 3}, ts)
			}
			b.ReportMetric(float64(b.N)*vectors*256/b.Elapsed().Seconds()/1e9, "Gcells/s")
		})
	}
}
