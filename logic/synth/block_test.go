package synth

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// symmetric returns the rule of the 3×3 block that choose gives for the least block of each orbit under the symmetries of the square.
func isotropic(choose func(block int) bool) (table [8]uint64) {
	turn := func(block int) (out int) {
		for y := range 3 {
			for x := range 3 {
				out |= block >> (8 - 3*y - x) & 1 << (8 - 3*x - (2 - y))
			}
		}
		return out
	}
	mirror := func(block int) (out int) {
		for i := range 9 {
			out |= block >> (8 - i) & 1 << (8 - (i/3*3 + 2 - i%3))
		}
		return out
	}
	value := map[int]bool{}
	for block := range 512 {
		least := block
		for x, i := block, 0; i < 4; i++ {
			least = min(least, x, mirror(x))
			x = turn(x)
		}
		if _, ok := value[least]; !ok {
			value[least] = choose(least)
		}
		if value[least] {
			table[block>>6] |= 1 << (block & 63)
		}
	}
	return table
}

func TestCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	var costs []int
	start := time.Now()
	for range 100 {
		table := isotropic(func(int) bool { return rng.IntN(2) == 1 })
		n := Block(table)
		if n.Table() != table {
			t.Fatal("wrong")
		}
		costs = append(costs, n.Cost())
	}
	slices.Sort(costs)
	t.Log("isotropic", costs[0], costs[50], costs[90], costs[99], time.Since(start)/100)
	costs = nil
	start = time.Now()
	for range 30 {
		var table [8]uint64
		for i := range table {
			table[i] = rng.Uint64()
		}
		n := Block(table)
		if n.Table() != table {
			t.Fatal("wrong")
		}
		costs = append(costs, n.Cost())
	}
	slices.Sort(costs)
	t.Log("any", costs, time.Since(start)/30)
}
