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
		g, ok := growthInTheEnd(n, leastWindow)
		if g != c.want || ok != (c.want.Order > 0) {
			t.Errorf("%s: %+v, %v; want %+v", c.name, g, ok, c.want)
		}
	}
}
