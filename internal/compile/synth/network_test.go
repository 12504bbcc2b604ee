package synth

import (
	"math/bits"
	"testing"
)

// lifeTable returns the table of an outer-totalistic rule by counting. It is the oracle of the tests.
func lifeTable(birth, survival uint16) [8]uint64 {
	var table [8]uint64
	for block := range uint(512) {
		neighbours := bits.OnesCount(block &^ 16)
		set := birth
		if block&16 != 0 {
			set = survival
		}
		table[block>>6] |= uint64(set>>neighbours&1) << (block & 63)
	}
	return table
}

// checkNetwork compares a network with its rule on all 512 blocks, by both evaluators, and checks that operands
// are earlier gates.
func checkNetwork(t interface{ Fatalf(string, ...any) }, n Network, want [8]uint64) {
	for i, g := range n.Gates {
		for _, o := range []Operand{g.A, g.B, g.C} {
			limit := len(n.Columns)
			if o.Source == Inner {
				limit = i
			}
			if o.Index < 0 || o.Index >= limit {
				t.Fatalf("gate %d reads %v, which is not an earlier one:\n%v", i, o, n)
			}
		}
	}
	got := n.table()
	for block := range 512 {
		w := want[block>>6]>>(block&63)&1 == 1
		if n.Eval(uint16(block)) != w || truth(got).at(block) != w {
			t.Fatalf("block %03o: got %v (Eval), %v (Table), want %v\n%v", block, n.Eval(uint16(block)), truth(got).at(block), w,
				n)
		}
	}
}

// table returns the network's output for all 512 blocks: bit i&63 of word i>>6 is Eval(i).
func (n Network) table() [8]uint64 {
	var columns [3][]truth
	for x := range columns {
		columns[x] = make([]truth, len(n.Columns))
		for i, imm := range n.Columns {
			columns[x][i] = lookup(imm, cells[x], cells[x+3], cells[x+6])
		}
	}
	gates := make([]truth, len(n.Gates))
	value := func(o Operand) truth {
		if o.Source == Inner {
			return gates[o.Index]
		}
		return columns[o.Source][o.Index]
	}
	for i, g := range n.Gates {
		gates[i] = lookup(g.Imm, value(g.A), value(g.B), value(g.C))
	}
	return gates[len(gates)-1]
}

func TestEveryOuterTotalisticRule(t *testing.T) {
	costs := map[int]int{}
	for r := range 1 << 18 {
		birth, survival := uint16(r&0x1FF), uint16(r>>9)
		n := OuterTotalistic(birth, survival)
		if n.table() != lifeTable(birth, survival) {
			t.Fatalf("birth %09b survival %09b: wrong network\n%v", birth, survival, n)
		}
		costs[n.Cost()]++
	}
	t.Log("lookup tables: rules", costs)
	for cost := range costs {
		if cost > 11 {
			t.Errorf("%d rules take %d lookup tables, 11 should do for all", costs[cost], cost)
		}
	}
}

// TestNamedCosts checks that the networks of well-known rules do not become larger than the smallest known ones.
func TestNamedCosts(t *testing.T) {
	for name, want := range namedCosts {
		var birth, survival uint16
		set := &birth
		for _, c := range name {
			switch {
			case c == '/':
				set = &survival
			case c >= '0' && c <= '8':
				*set |= 1 << (c - '0')
			}
		}
		n := OuterTotalistic(birth, survival)
		checkNetwork(t, n, lifeTable(birth, survival))
		if n.Cost() != want {
			t.Errorf("%s: %d lookup tables, %d are known", name, n.Cost(), want)
		}
	}
}
