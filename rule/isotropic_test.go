package rule

import (
	"math/bits"
	"testing"
)

// TestHexagonalClasses compares the letters with distances on the ring NW, N, E, SE, S, W, whose bits the test
// lists itself.
func TestHexagonalClasses(t *testing.T) {
	ring := []int{256, 128, 8, 1, 2, 32}
	sizes := map[string]int{}
	for cells := range 64 {
		block, gaps := 0, [4]int{} // gaps[d]: pairs of live cells at distance d
		for i := range 6 {
			if cells>>i&1 == 0 {
				continue
			}
			block |= ring[i]
			for j := range i {
				if cells>>j&1 == 1 {
					gaps[min(i-j, 6-i+j)]++
				}
			}
		}
		n := bits.OnesCount(uint(cells))
		want := ""
		switch {
		case n == 2:
			want = map[[4]int]string{{0, 1}: "o", {0, 0, 1}: "m", {0, 0, 0, 1}: "p"}[gaps]
		case n == 3:
			want = map[[4]int]string{{0, 2, 1}: "o", {0, 1, 1, 1}: "m", {0, 0, 3}: "p"}[gaps]
		case n == 4: // of the two dead ones
			want = map[[4]int]string{{0, 3, 2, 1}: "o", {0, 2, 3, 1}: "m", {0, 2, 2, 2}: "p"}[gaps]
		}
		var s isotropicSet
		for _, rest := range []int{0, centre, 64, 4} { // which do not matter
			hexagonalLetters().Add(&s, block|rest)
		}
		if got := hexagonalLetters().String(s); got != string(rune('0'+n))+want {
			t.Errorf("%06b is %s, want %d%s", cells, got, n, want)
		}
		sizes[hexagonalLetters().String(s)]++
	}
	for class, want := range map[string]int{
		"0": 1, "1": 6, "2o": 6, "2m": 6, "2p": 3, "3o": 6, "3m": 12, "3p": 2, "4o": 6, "4m": 6, "4p": 3, "5": 6, "6": 1,
	} {
		if sizes[class] != want {
			t.Errorf("class %s has %d blocks, want %d", class, sizes[class], want)
		}
	}
}
