package growth

import "testing"

func TestCode(t *testing.T) {
	const sum = "_313041cb5f5f8f2c458d904aba708c2e" // of "9#27"
	for _, c := range []struct {
		name       string
		population func(t int) int
		code       string
		period     int
	}{
		{"three cells every ten generations", func(t int) int { return 7 + t/10*3 }, "yl10_1_3" + sum, 10},
		{"a period without growth", func(t int) int { return 7 + t%10 }, "", 0},
		{"no period", func(t int) int { return t * t }, "", 0},
	} {
		n := make([]int, Generations)
		for i := range n {
			n[i] = c.population(i)
		}
		if code, period, ok := Code(n); code != c.code || period != c.period || ok != (c.code != "") {
			t.Errorf("%s: %q, period %d, %v; want %q, period %d", c.name, code, period, ok, c.code, c.period)
		}
	}
}
