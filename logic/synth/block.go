package synth

import (
	"math/rand/v2"
	"slices"
)

// Block returns a network of any rule of the 3×3 block: bit i&63 of table[i>>6] is the next state of the middle cell of block i
// (see Network.Eval for the index). Outer-totalistic rules come out as OuterTotalistic makes them; for others several plans are
// tried and the cheapest network is returned. The same table gives the same network every time.
func Block(table [8]uint64) Network {
	classes := classify(table)
	if classes.mixed == 0 {
		return OuterTotalistic(classes.most())
	}
	s := search{table: table, best: fallback(table)}
	s.run(plans(table, classes))
	return s.best
}

// Transpose exchanges rows and columns of a table, for callers whose networks run rows first.
func Transpose(table [8]uint64) [8]uint64 {
	var out [8]uint64
	for block := range 512 {
		turned := 0
		for i := range 9 {
			turned |= block >> (8 - i) & 1 << (8 - (i%3*3 + i/3))
		}
		out[turned>>6] |= table[block>>6] >> (block & 63) & 1 << (turned & 63)
	}
	return out
}

// fallback expands the table cell by cell, the last column in one lookup table: 127 of them or fewer.
func fallback(table truth) Network {
	b := newBuilder()
	return b.network(b.shannon(table, []int{1, 4, 7, 0, 3, 6, 2, 5, 8}))
}

// shannon expands t by the cells of order but the last three, which are one column.
func (b *builder) shannon(t truth, order []int) ref {
	if r, ok := b.find(t); ok {
		return r
	}
	if len(order) == 3 {
		var imm uint8
		for k := range 8 {
			block := k>>2&1<<(8-order[0]) | k>>1&1<<(8-order[1]) | k&1<<(8-order[2])
			if t.at(block) {
				imm |= 1 << k
			}
		}
		return b.lut(imm, b.cell[order[0]], b.cell[order[1]], b.cell[order[2]])
	}
	high, low := t.cofactors(order[0])
	if high == low {
		return b.shannon(low, order[1:])
	}
	return b.mux(b.cell[order[0]], b.shannon(high, order[1:]), b.shannon(low, order[1:]))
}

// search keeps the cheapest network of a table.
type search struct {
	table truth
	best  Network
	work  int
}

// effort bounds a search, in candidates looked at (about 0.3 µs each): a bound on time would give other networks on other machines.
const effort = 6000

// run tries every plan once as it is, then the two that did best with their splits in other orders, until the effort is spent, and
// reduces the cheapest network of each.
func (s *search) run(plans []plan) {
	type result struct {
		plan plan
		best Network
	}
	var results []result
	for _, p := range plans {
		results = append(results, result{p, s.try(p, nil)})
	}
	slices.SortStableFunc(results, func(x, y result) int { return x.best.Cost() - y.best.Cost() })
	results = results[:min(2, len(results))]
	rng := rand.New(rand.NewPCG(0, 0))
	for round := 0; s.work < effort; round++ {
		r := &results[round%len(results)]
		if n := s.try(r.plan, rng); n.Cost() < r.best.Cost() {
			r.best = n
		}
	}
	for _, r := range results {
		if n := r.best.reduce(); n.Cost() < s.best.Cost() {
			s.best = n
		}
	}
}

// try follows a plan, with its splits in the order that rng gives unless that is nil.
func (s *search) try(p plan, rng *rand.Rand) Network {
	b := newBuilder()
	e := &expander{b: b, splits: append(p(b), b.cell[:]...)}
	if rng != nil {
		rng.Shuffle(len(e.splits), func(i, j int) { e.splits[i], e.splits[j] = e.splits[j], e.splits[i] })
	}
	n := b.network(e.expand(s.table, truth{}.not()))
	s.work += e.work
	return n
}
