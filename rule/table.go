package rule

import (
	"fmt"

	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/topology"
)

// Table is a rule of the 3×3 block as 512 output bits. The index of a block is Σ cell_i << (8-i) with i = 0 NW, 1 N, 2
// NE, 3 W, 4 centre, 5 E, 6 SW, 7 S, 8 SE (Golly's MAP order); bit index&63 of word index>>6 is the next state.
//
//	256 128  64
//	 32  16   8
//	  4   2   1
type Table [8]uint64

const (
	centreBit = 16
	fullBlock = 511
)

// At returns the next state of the centre of a block: 0 or 1.
func (t *Table) At(block int) int { return int(t[block>>6] >> (block & 63) & 1) }

// Set sets the next state of the centre of a block to 1.
func (t *Table) Set(block int) { t[block>>6] |= 1 << (block & 63) }

// newTable returns the table with the bits that next returns.
func newTable(next func(block int) bool) *Table {
	t := new(Table)
	for block := range fullBlock + 1 {
		if next(block) {
			t.Set(block)
		}
	}
	return t
}

// Invariant reports whether applying the symmetry to any block leaves the next state of its centre unchanged.
func (t *Table) Invariant(s topology.Symmetry) bool {
	for block := range fullBlock + 1 {
		if t.At(block) != t.At(turn(block, s)) {
			return false
		}
	}
	return true
}

// dependsOnly reports whether cells outside the mask do not matter.
func (t *Table) dependsOnly(mask int) bool {
	for block := range fullBlock + 1 {
		if t.At(block) != t.At(block&mask) {
			return false
		}
	}
	return true
}

// turn applies the symmetry to the cells of a block.
func turn(block int, s topology.Symmetry) int {
	turned := 0
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if block&blockBit(dx, dy) != 0 {
				turned |= blockBit(s.Apply(dx, dy))
			}
		}
	}
	return turned
}

// blockBit is the bit in a block's index for the cell at the offset.
func blockBit(dx, dy int) int { return 1 << (8 - (3*(dy+1) + dx + 1)) }

// blockMask is the block that has a 1 in the centre and in every cell that the neighbourhood, of radius 1, counts.
func blockMask(n Neighbourhood) int {
	mask := centreBit
	for _, o := range n.Offsets() {
		mask |= blockBit(o.DX, o.DY)
	}
	return mask
}

// AsTable returns the rule as a table, which says for states 0 and 1 of the centre whether state 1 comes next.
// ok is false if the count reaches beyond the 3×3 block or distinguishes states other than 1.
func (r Rule) AsTable() (t *Table, ok bool) {
	switch r.Kind() {
	case KindTable:
		t := *r.Table
		return &t, true
	case KindCounting:
		if r.Neighbourhood.Triangles || !within3x3(r.Neighbourhood) {
			return nil, false
		}
	default:
		return nil, false
	}
	for s := 2; s < r.States; s++ {
		if r.StateWeight(uint8(s)) != r.StateWeight(0) {
			return nil, false
		}
	}
	offsets := r.Neighbourhood.Offsets()
	w0, w1 := r.StateWeight(0), r.StateWeight(1)
	return newTable(func(block int) bool {
		count := 0
		for _, o := range offsets {
			if max(o.DX, -o.DX, o.DY, -o.DY) > 1 {
				continue
			}
			if block&blockBit(o.DX, o.DY) != 0 {
				count += o.Weight * w1
			} else {
				count += o.Weight * w0
			}
		}
		if block&centreBit != 0 {
			return r.Survival.Has(count)
		}
		return r.Birth.Has(count)
	}), true
}

// AsFunction returns the rule as a function of the states of the 3×3 block. It is an error if the rule needs more than
// that.
func (r Rule) AsFunction() (*local.Function, error) {
	if r.Kind() == KindFunction && r.Local.Wide() == nil {
		return r.Local, nil
	}
	table, ok := r.AsTable()
	if !ok {
		return nil, fmt.Errorf("rule %v needs more than the states of the 3×3 block", r)
	}
	class := func(_ int, state uint8) int {
		if state == 1 {
			return 1
		}
		return 0
	}
	cells := []int{local.C, local.N, local.E, local.S, local.W, local.NE, local.SE, local.SW, local.NW}
	return local.Code(r.States, cells, class, func(b *local.Around) uint8 {
		block := 0
		for i, state := range b {
			block |= class(i, state) << (8 - i)
		}
		c := b[local.C]
		return r.next(c, c < 2 && table.At(block) == 1)
	}, nil)
}

// within3x3 reports whether no cell outside the 3×3 block counts.
func within3x3(n Neighbourhood) bool {
	if n.Volume || n.Radius > 1 && n.Letter != '@' && n.Letter != 'W' {
		return false
	}
	for _, o := range n.Offsets() {
		if max(o.DX, -o.DX, o.DY, -o.DY) > 1 {
			return false
		}
	}
	return true
}
