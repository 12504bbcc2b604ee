package gosper_test

import (
	"math/bits"
	"testing"

	"github.com/gosper-life/gosper"
)

// TestCountsOfSequences compares populations that grow from one cell with sequences of the OEIS: Fredkin's replicator with A160239, by Sloane's
// recurrence ("On the number of ON cells in cellular automata", arXiv:1503.01168), and the births of the Ulam–Warburton automaton with A147582,
// 4·3^(ones of n−1, less one).
func TestCountsOfSequences(t *testing.T) {
	var fredkin func(n uint64) uint64
	fredkin = func(n uint64) uint64 {
		switch {
		case n == 0:
			return 1
		case n%2 == 0:
			return fredkin(n / 2)
		case n%4 == 1:
			return 8 * fredkin(n/4)
		}
		return 2*fredkin(n/2) + 8*fredkin(n/4)
	}
	ulam := func(n uint64) uint64 { // cells born in generations 1 to n, A147562 less the first
		var sum uint64
		for i := range n {
			if i == 0 {
				sum += 4
			} else {
				sum += 4 * power(3, bits.OnesCount64(i+1)-1)
			}
		}
		return sum
	}
	for n, want := range []uint64{1, 8, 8, 24, 8, 64, 24, 112, 8, 64, 64, 192, 24, 192, 112, 416, 8} { // as printed
		if got := fredkin(uint64(n)); got != want {
			t.Fatalf("the recurrence gives %d in generation %d, A160239 has %d", got, n, want)
		}
	}
	for n, want := range []uint64{0, 4, 8, 20, 24, 36, 48, 84, 88} { // A147562 less one
		if got := ulam(uint64(n)); got != want {
			t.Fatalf("the formula gives %d in generation %d, A147562 has %d", got, n, want)
		}
	}
	for _, test := range []struct {
		rule string
		want func(n uint64) uint64
	}{
		{"B1357/S1357", fredkin},
		{"B1/S01234V", func(n uint64) uint64 { return 1 + ulam(n) }},
	} {
		u := single(t, test.rule)
		for n := range uint64(200) {
			if got, err := u.Population(); err != nil || got != test.want(n) {
				t.Fatalf("%s: %d cells in generation %d (%v), want %d", test.rule, got, n, err, test.want(n))
			}
			if err := u.Step(t.Context(), 1); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func power(base uint64, n int) uint64 {
	p := uint64(1)
	for range n {
		p *= base
	}
	return p
}

// single opens the unbounded plane with one live cell.
func single(t *testing.T, rule string) *gosper.Universe {
	t.Helper()
	u, err := gosper.Open(rule)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { u.Close() })
	if err := u.SetCell(0, 0, 1); err != nil {
		t.Fatal(err)
	}
	return u
}
