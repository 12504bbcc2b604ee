package rule

import (
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/rule/block"
	"github.com/gosper-life/gosper/topology"
)

// Next returns the next state of a cell whose neighbourhood has the given count. It is for rules that count.
func (r Rule) Next(state uint8, count int) uint8 {
	switch state {
	case 0:
		return r.next(state, r.Birth.Has(count))
	case 1:
		return r.next(state, r.Survival.Has(count))
	default:
		return r.next(state, false)
	}
}

// NextInBlock returns the next state of the middle cell of the 3×3 block of state-1 cells with the given index
// (see Table). It is for rules with a Table. The block's own centre bit is ignored.
func (r Rule) NextInBlock(state uint8, block int) uint8 {
	switch state {
	case 0:
		return r.next(state, r.Table.At(block&^centreBit) == 1)
	case 1:
		return r.next(state, r.Table.At(block|centreBit) == 1)
	default:
		return r.next(state, false)
	}
}

// next returns the state after this one. alive says whether states 0 and 1 become 1.
func (r Rule) next(state uint8, alive bool) uint8 {
	switch {
	case alive:
		return 1
	case state == 0 || int(state) >= r.States-1:
		return 0
	default:
		return state + 1
	}
}

// StateWeight is the weight of a neighbour in this state, before the weight of its offset.
func (r Rule) StateWeight(state uint8) int {
	switch {
	case r.StateWeights != nil:
		return r.StateWeights[state]
	case state == 1:
		return 1
	default:
		return 0
	}
}

// Radius is the distance, along rows or columns, to the farthest cell in the neighbourhood's square.
func (r Rule) Radius() int { return r.Neighbourhood.Radius }

// Planes is the number of bit planes for a state: 1 for two states, ⌈log2 states⌉ otherwise.
func (r Rule) Planes() int { return bits.Len(uint(r.States - 1)) }

// CountRange returns the smallest and the largest possible count of a neighbourhood.
func (r Rule) CountRange() (lo, hi int) {
	least, most := r.StateWeight(0), r.StateWeight(0)
	for s := 1; s < r.States; s++ {
		least = min(least, r.StateWeight(uint8(s)))
		most = max(most, r.StateWeight(uint8(s)))
	}
	negative, positive := r.Neighbourhood.WeightSums()
	return negative*most + positive*least, negative*least + positive*most
}

// BirthOnEmpty reports whether a dead cell among dead cells is born (B0), so that the unbounded plane does not
// stay dead.
func (r Rule) BirthOnEmpty() bool {
	switch kind := r.Kind(); kind {
	case KindStochastic:
		return r.Chance.Births() || slices.ContainsFunc(r.Parts(), Rule.BirthOnEmpty)
	case KindAlternating:
		return slices.ContainsFunc(r.Phases, Rule.BirthOnEmpty)
	case KindBlocks:
		return r.Block[0] != 0
	case KindSwaps:
		return false
	case KindFunction:
		return r.Local.Uniform(0) != 0
	case KindTable:
		return r.Table.At(0) == 1
	case KindCounting:
		if r.StateWeight(0) == 0 { // a wide neighbourhood has a million weights, which need not be added up
			return r.Birth.Has(0)
		}
		return r.Birth.Has(r.StateWeight(0) * r.Neighbourhood.TotalWeight())
	default:
		panic(kind.unknown())
	}
}

// SurvivesFull reports whether a cell in state 1 among cells in state 1 stays (Smax).
func (r Rule) SurvivesFull() bool {
	switch kind := r.Kind(); kind {
	case KindStochastic:
		return false // at least not known
	case KindAlternating:
		return !slices.ContainsFunc(r.Phases, func(p Rule) bool { return !p.SurvivesFull() })
	case KindBlocks:
		return r.Block[block.Full] == block.Full
	case KindSwaps:
		return true
	case KindFunction:
		return r.Local.Uniform(1) == 1
	case KindTable:
		return r.Table.At(fullBlock) == 1
	case KindCounting:
		return r.Survival.Has(r.StateWeight(1) * r.Neighbourhood.TotalWeight())
	default:
		panic(kind.unknown())
	}
}

// Equal reports whether both rules have the same meaning: the same states, topology, neighbours and
// transitions, in any notation. Counts that no neighbourhood can have are ignored. Weighted rules beyond radius
// 1 whose sums are scaled differently count as different.
func (r Rule) Equal(q Rule) bool {
	if r.States != q.States || r.Bounded != q.Bounded || r.Topology != q.Topology {
		return false
	}
	rt, rok := r.AsTable()
	qt, qok := q.AsTable()
	if rok || qok { // counting rules of the 3×3 block have tables, too
		return rok && qok && *rt == *qt
	}
	kind := r.Kind()
	if kind != q.Kind() {
		return false
	}
	switch kind {
	case KindStochastic:
		return r.equalChance(q)
	case KindAlternating:
		return slices.EqualFunc(r.Phases, q.Phases, Rule.Equal)
	case KindBlocks:
		return *r.Block == *q.Block
	case KindSwaps:
		return r.Swaps == q.Swaps
	case KindFunction:
		return r.Local.Equal(q.Local)
	case KindCounting:
		return r.equalCounts(q)
	default:
		panic(kind.unknown())
	}
}

// equalCounts compares rules that count neighbours. Counts that cannot occur do not matter.
func (r Rule) equalCounts(q Rule) bool {
	for s := range r.States {
		if r.StateWeight(uint8(s)) != q.StateWeight(uint8(s)) {
			return false
		}
	}
	lo, hi := r.CountRange()
	return r.Neighbourhood.Equal(q.Neighbourhood) &&
		r.Birth.Clip(lo, hi).Equal(q.Birth.Clip(lo, hi)) &&
		r.Survival.Clip(lo, hi).Equal(q.Survival.Clip(lo, hi))
}

// Invariant reports whether applying the symmetry to a universe and then advancing it is the same as advancing
// it and then applying the symmetry. It may return false for a rule beyond radius 1 whose neighbourhood is
// asymmetric but hardly matters.
func (r Rule) Invariant(s topology.Symmetry) bool {
	switch kind := r.Kind(); kind {
	case KindStochastic, KindSwaps:
		return s == topology.Identity // random numbers belong to places, and swaps to planes in turn
	case KindAlternating:
		return !slices.ContainsFunc(r.Phases, func(p Rule) bool { return !p.Invariant(s) })
	case KindBlocks:
		return r.Block.Invariant(s)
	case KindFunction:
		return r.Local.Invariant(s)
	case KindTable, KindCounting:
		if t, ok := r.AsTable(); ok {
			return t.Invariant(s)
		}
		return r.Neighbourhood.Invariant(s)
	default:
		panic(kind.unknown())
	}
}
