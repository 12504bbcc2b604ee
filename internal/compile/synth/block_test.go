package synth

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Turns and reflections of a block by its index.
func turn(block int) (out int) {
	for i := range 9 {
		out |= block >> (8 - i) & 1 << (8 - (i%3*3 + 2 - i/3))
	}
	return out
}

func mirror(block int) (out int) {
	for i := range 9 {
		out |= block >> (8 - i) & 1 << (8 - (i/3*3 + 2 - i%3))
	}
	return out
}

// least returns the smallest index of a block's orbit under the symmetries of the square.
func least(block int) int {
	out := block
	for range 4 {
		out = min(out, block, mirror(block))
		block = turn(block)
	}
	return out
}

// tableOf returns the table of a rule given block by block.
func tableOf(alive func(block int) bool) (table [8]uint64) {
	for block := range 512 {
		if alive(block) {
			table[block>>6] |= 1 << (block & 63)
		}
	}
	return table
}

// isotropic returns the table of a rule that chooses once for each orbit, the orbits in rising order of their
// least block.
func isotropic(choose func() bool) [8]uint64 {
	value := map[int]bool{}
	return tableOf(func(block int) bool {
		orbit := least(block)
		if _, ok := value[orbit]; !ok {
			value[orbit] = choose()
		}
		return value[orbit]
	})
}

// hensel returns the table of a rule given by a count and a test of the neighbours' shape: is(representative)
// reports whether the neighbours are in the orbit of that block.
func hensel(alive func(live bool, neighbours int, is func(representative int) bool) bool) [8]uint64 {
	return tableOf(func(block int) bool {
		ring := block &^ 16
		return alive(block&16 != 0, bits.OnesCount(uint(ring)), func(r int) bool { return least(ring) == least(r) })
	})
}

// Representatives of Hensel's classes, by Golly's letters.
const (
	shape2a, shape2i, shape2n = 3, 40, 68
	shape3q                   = 70
	shape4q, shape4r          = 102, 43
)

func TestNamedIsotropicRules(t *testing.T) {
	for _, c := range []struct {
		name  string
		table [8]uint64
		most  int
	}{
		{"B2n3/S23-q", hensel(func(live bool, n int, is func(int) bool) bool {
			return !live && (n == 3 || is(shape2n)) || live && (n == 2 || n == 3 && !is(shape3q))
		}), 15},
		{"B2-a/S12", hensel(func(live bool, n int, is func(int) bool) bool {
			return !live && n == 2 && !is(shape2a) || live && (n == 1 || n == 2)
		}), 15},
		{"B3/S2-i34q", hensel(func(live bool, n int, is func(int) bool) bool {
			return !live && n == 3 || live && (n == 2 && !is(shape2i) || n == 3 || is(shape4q))
		}), 20},
		{"B34r/S23", hensel(func(live bool, n int, is func(int) bool) bool {
			return !live && (n == 3 || is(shape4r)) || live && (n == 2 || n == 3)
		}), 19},
		{"B2/S34H", tableOf(func(block int) bool { // all but NE and SW count
			n := bits.OnesCount(uint(block &^ (16 | 64 | 4)))
			return block&16 == 0 && n == 2 || block&16 != 0 && (n == 3 || n == 4)
		}), 10},
		{"B2/S013V", tableOf(func(block int) bool { // N, W, E, S count
			n := bits.OnesCount(uint(block & (128 | 32 | 8 | 2)))
			return block&16 == 0 && n == 2 || block&16 != 0 && (n == 0 || n == 1 || n == 3)
		}), 5},
		{"elementary rule 22, whose live cells stay", tableOf(func(block int) bool {
			return block&16 != 0 || 22>>(block>>6)&1 == 1
		}), 2},
		{"majority of a row", tableOf(func(block int) bool { return bits.OnesCount(uint(block&0o070)) >= 2 }), 1},
		{"the cell above", tableOf(func(block int) bool { return block&128 != 0 }), 1},
		{"nothing", [8]uint64{}, 1},
	} {
		n := Block(c.table)
		checkNetwork(t, n, c.table)
		if n.Cost() > c.most {
			t.Errorf("%s: %d lookup tables, %d are known", c.name, n.Cost(), c.most)
		}
		t.Log(c.name, n.Cost())
	}
}

func TestBlockOfIsotropicTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := isotropic(func() bool { return rapid.Bool().Draw(t, "alive") })
		checkNetwork(t, Block(table), table)
	})
}

func TestBlockOfAnyTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table [8]uint64
		for i := range table {
			table[i] = rapid.Uint64().Draw(t, "word")
		}
		n := Block(table)
		checkNetwork(t, n, table)
		if n.Cost() > 127 {
			t.Fatalf("%d lookup tables, at most 127 allowed", n.Cost())
		}
	})
}

// TestRandomIsotropicCosts limits the number of tables for rules that have no structure but their symmetry.
func TestRandomIsotropicCosts(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var costs []int
	for range 100 {
		table := isotropic(func() bool { return rng.IntN(2) == 1 })
		n := Block(table)
		checkNetwork(t, n, table)
		costs = append(costs, n.Cost())
	}
	slices.Sort(costs)
	t.Log("median, 90th percentile, largest:", costs[50], costs[90], costs[99])
	if costs[50] > 53 || costs[90] > 58 {
		t.Errorf("median %d, 90th percentile %d; they were 50 and 55", costs[50], costs[90])
	}
}

func TestBlockFindsOuterTotalisticRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		birth, survival := rapid.Uint16Range(0, 511).Draw(t, "birth"), rapid.Uint16Range(0, 511).Draw(t, "survival")
		table := lifeTable(birth, survival)
		n := Block(table)
		checkNetwork(t, n, table)
		if want := OuterTotalistic(birth, survival).Cost(); n.Cost() != want {
			t.Fatalf("%d lookup tables, OuterTotalistic has %d", n.Cost(), want)
		}
	})
}

func BenchmarkBlockIsotropic(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		Block(isotropic(func() bool { return rng.IntN(2) == 1 }))
	}
}

func BenchmarkBlockAny(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		var table [8]uint64
		for i := range table {
			table[i] = rng.Uint64()
		}
		Block(table)
	}
}
