package census

import "testing"

func TestInTheEnd(t *testing.T) {
	const sum = "_313041cb5f5f8f2c458d904aba708c2e" // of "9#27"
	for _, c := range []struct {
		name        string
		generations int
		population  func(t int) int
		want        linearGrowth // none if the order is 0
	}{
		{"three cells every ten generations", growthGenerations, func(t int) int {
			return 7 + t/10*3
		}, linearGrowth{"yl10_1_3" + sum, 1, 10, 3, 0, growthGenerations - 1}},
		{"the same, later", growthGenerations + 500, func(t int) int {
			return 7 + max(t, 400)/10*3
		}, linearGrowth{"yl10_1_3" + sum, 1, 10, 3, 400, growthGenerations + 499}},
		{"the same, too short for a name", 1000, func(t int) int { return 7 + t/10*3 }, linearGrowth{"", 1, 10, 3, 0, 999}},
		{"ships of 5 and 8 cells in turn, one every four generations", growthGenerations, func(t int) int {
			return (t/4 + 1) * []int{5, 8}[t%2]
		}, linearGrowth{"yl4_2_13_08bccc0409432c63c6ed01e5cc2efafe", 1, 4, 6.5, 0, growthGenerations - 1}}, // of "89#637"
		{"a period without growth", growthGenerations, func(t int) int { return 7 + t%10 }, linearGrowth{}},
		{"a fuse that burns", growthGenerations, func(t int) int { return 99999 - t }, linearGrowth{}},
		{"a breeder", 2000, func(t int) int { return (t / 20) * (t/20 - 1) }, linearGrowth{"", 2, 20, 2, 0, 1999}},
		{"a breeder that begins later", 2600, func(t int) int {
			t = max(t, 200)
			return (t / 20) * (t/20 - 1)
		}, linearGrowth{"", 2, 20, 2, 200, 2599}},
		{"cubes", 2000, func(t int) int { return t * t * t }, linearGrowth{}},
		{"too short for anything", 800, func(t int) int { return t }, linearGrowth{}},
	} {
		n := make([]int, c.generations)
		for i := range n {
			n[i] = c.population(i)
		}
		g, ok := growthInTheEnd(n, leastWindow, 1)
		if g != c.want || ok != (c.want.Order > 0) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, g, ok, c.want)
		}
	}
}

// TestGrowthInTurns compares the growth under two rules that take turns, for which only even generations count, with
// the growth by populations that are 0 at odd generations: apgsearch takes those for its name.
func TestGrowthInTurns(t *testing.T) {
	const last = growthGenerations + 398
	for _, c := range []struct {
		name       string
		population func(t int) int
		want       linearGrowth
	}{
		{"three cells every ten generations", func(t int) int {
			return 7 + t/10*3 + t%2
		}, linearGrowth{Order: 1, Period: 10, Cells: 3, To: last}},
		{"an odd period", func(t int) int {
			return 7 + t/5*3
		}, linearGrowth{Order: 1, Period: 10, Cells: 6, To: last}},
		{"another at odd generations", func(t int) int {
			return 9 + t/12*5*(1-t%2) + t*t%7*(t%2)
		}, linearGrowth{Order: 1, Period: 12, Cells: 5, To: last}},
		{"later", func(t int) int {
			return 9 + max(t, 301)/12*5
		}, linearGrowth{Order: 1, Period: 12, Cells: 5, From: 300, To: last}},
		{"a breeder", func(t int) int {
			return t / 20 * (t/20 - 1) * (1 - t%2)
		}, linearGrowth{Order: 2, Period: 20, Cells: 2, To: last}},
	} {
		n, even := make([]int, last+2), make([]int, last+2)
		for i := range n {
			n[i] = c.population(i)
			even[i] = n[i] * (1 - i%2)
		}
		g, ok := growthInTheEnd(n, leastWindow, 2)
		published, _ := growthInTheEnd(even, leastWindow, 1)
		if published.Code != g.Code || (g.Code == "") != (g.Order == 2) {
			t.Errorf("%s: code %q, want %q", c.name, g.Code, published.Code)
		}
		if g.Code = ""; g != c.want || !ok {
			t.Errorf("%s: %+v, %v; want %+v", c.name, g, ok, c.want)
		}
	}
}
