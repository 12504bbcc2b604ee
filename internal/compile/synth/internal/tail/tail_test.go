package tail

import "testing"

func TestOrbitsPartitionTheRules(t *testing.T) {
	for number := range Orbits {
		if got, output, cells := Representative(number).Orbit(); got != number || output || cells {
			t.Fatalf("representative of %d is in orbit %d (%v, %v)", number, got, output, cells)
		}
	}
	sizes := map[int]int{}
	for r := range Rule(1 << 18) {
		number, _, _ := r.Orbit()
		if number < 0 || number >= Orbits {
			t.Fatalf("rule %05x: orbit %d", r, number)
		}
		sizes[number]++
	}
	if len(sizes) != Orbits {
		t.Fatalf("%d orbits, want %d", len(sizes), Orbits)
	}
}
