package synth

import (
	"math/rand/v2"
	"slices"
)

// Block returns a network of any rule of the 3×3 block: bit i&63 of table[i>>6] is the next state of the middle
// cell of block i (see Network.Eval for the index). For an outer-totalistic rule it is the network of
// OuterTotalistic. For other rules Block tries several bases and returns the cheapest network. The same table
// always gives the same network.
func Block(table [8]uint64) Network {
	classes := classify(table)
	if classes.mixed == 0 {
		return OuterTotalistic(classes.most())
	}
	s := search{table: table, best: fallback(table)}
	bases, shuffle := basesFor(table, classes)
	s.shuffle = shuffle
	s.run(bases)
	return s.best
}

// fallback expands the table cell by cell, and the last column in one lookup table. It takes at most 127 lookup tables.
func fallback(table truth) Network {
	b := newBuilder()
	return b.network(b.shannon(table, []int{1, 4, 7, 0, 3, 6, 2, 5, 8}))
}

// shannon expands t by all cells of order but the last three, which are one column.
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

	shuffle bool // draw new orders of splits instead of changing the best order a little
}

// effort limits a search, in candidates that it tries (about 0.5 µs each). A limit in time would give different
// networks on different machines.
const effort = 5000

// attempt is the best network of a basis, and the order of splits that gave it.
type attempt struct {
	basis basis
	order []int
	best  Network
}

// run tries every basis once, with its own order of splits. Then it changes the orders of the better bases a
// little at a time, and keeps a change that makes the network no larger. When the effort is spent it reduces
// the cheapest network. It ends at once with a network that cannot be smaller.
func (s *search) run(bases []basis) {
	least := 1
	if s.table.cells() > 3 {
		least = 2
	}
	attempts := make([]attempt, len(bases))
	for i, p := range bases {
		attempts[i] = attempt{basis: p}
		attempts[i].best = s.try(p, &attempts[i].order)
		if attempts[i].best.Cost() <= least {
			s.best = attempts[i].best
			return
		}
	}
	rng := rand.New(rand.NewPCG(0, 0))
	for round := 0; s.work < effort; round++ {
		if round%8 == 0 && round > 0 && len(attempts) > 1 { // give up the worst basis
			slices.SortStableFunc(attempts, func(x, y attempt) int { return x.best.Cost() - y.best.Cost() })
			attempts = attempts[:len(attempts)-1]
		}
		a := &attempts[round%len(attempts)]
		order := slices.Clone(a.order)
		swap := func(i, j int) { order[i], order[j] = order[j], order[i] }
		if s.shuffle {
			rng.Shuffle(len(order), swap)
		} else {
			for range 1 + rng.IntN(2) {
				swap(rng.IntN(len(order)), rng.IntN(len(order)))
			}
		}
		if n := s.try(a.basis, &order); n.Cost() <= a.best.Cost() {
			a.best, a.order = n, order
		}
	}
	best := slices.MinFunc(attempts, func(x, y attempt) int { return x.best.Cost() - y.best.Cost() }).best
	if best.Cost() < s.best.Cost() {
		s.best = best
	}
	s.best = s.best.reduce()
}

// try expands the table over a basis. It splits in the given order, or in the order of the basis if none is given.
func (s *search) try(p basis, order *[]int) Network {
	b := newBuilder()
	splits := p(b)
	e := &expander{b: b}
	for i := range splits {
		if len(*order) <= i {
			*order = append(*order, i)
		}
		e.splits = append(e.splits, splits[(*order)[i]])
	}
	e.splits = append(e.splits, b.cell[:]...)
	n := b.network(e.expand(s.table, truth{}.not()))
	s.work += e.work
	return n
}
