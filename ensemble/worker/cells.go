package worker

import (
	"errors"
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// turnover counts the cells that left state 0, went to it, and changed at all between two generations.
func turnover(before, now *grid.Grid) (births, deaths, changed uint64) {
	for y := range now.H() {
		for i := range now.Row(0, y) {
			var was, is, differ uint64
			for k := range now.Planes() {
				a, b := before.Row(k, y)[i], now.Row(k, y)[i]
				was, is, differ = was|a, is|b, differ|(a^b)
			}
			births += uint64(bits.OnesCount64(is &^ was))
			deaths += uint64(bits.OnesCount64(was &^ is))
			changed += uint64(bits.OnesCount64(differ))
		}
	}
	return births, deaths, changed
}

// onesOf is a grid of the cells in state 1 alone: g itself where there are two states.
func onesOf(g *grid.Grid) *grid.Grid {
	if g.Planes() == 1 {
		return g
	}
	ones, err := grid.New(g.W(), g.H(), 1)
	if err != nil {
		return &grid.Grid{} // there is room for a grid with more planes of this size, so there is for this
	}
	for y := range g.H() {
		row := ones.Row(0, y)
		copy(row, g.Row(0, y))
		for k := 1; k < g.Planes(); k++ {
			for i, word := range g.Row(k, y) {
				row[i] &^= word
			}
		}
	}
	return ones
}

// blockEntropy is estimates of the Shannon entropy of the patterns of blocks, in bits a cell (the block's entropy by side²), to nine
// decimals, which hold more than any number of universes tells.
type blockEntropy struct {
	// plugIn is the entropy of the shares of patterns. It is too low, by (patterns that can occur − 1) / (2·blocks) nats a block to first
	// order: the rarer a pattern the likelier it is missing.
	plugIn float64
	// millerMadow has that taken off with the patterns that did occur for those that can (G. A. Miller, "Note on the bias of information
	// estimates", in H. Quastler (ed.), Information Theory in Psychology, 1955). Where there are only a few blocks for each pattern that is
	// too little still.
	millerMadow      float64
	blocks, patterns uint64 // looked at, and different ones among them
}

// entropyOf estimates the entropy of the patterns of all side×side blocks of cells, each place a block can lie at once. Blocks reach
// across the edges of an unshifted torus and lie inside all other universes, in which at least one has room.
func entropyOf(ones *grid.Grid, t topology.Topology, side int) blockEntropy {
	w, h := t.W, t.H
	counts := make([]uint64, 1<<(side*side))
	columns, rows := w, h
	if !t.WrapsStraight() {
		columns, rows = w-side+1, h-side+1
	}
	tall := make([]uint16, w) // by column: side cells downwards, the lowest in bit 0
	enter := func(y int) {    // the row that comes in below
		row := ones.Row(0, y%h)
		for x := range tall {
			tall[x] = (tall[x]<<1 | uint16(row[x>>6]>>(uint(x)&63)&1)) & (1<<side - 1)
		}
	}
	for y := range side - 1 {
		enter(y)
	}
	total := 0
	for y := range rows {
		enter(y + side - 1)
		pattern := 0
		for x := range side - 1 {
			pattern = pattern<<side | int(tall[x%w])
		}
		x := (side - 1) % w
		for range columns {
			pattern = (pattern<<side | int(tall[x])) & (len(counts) - 1)
			counts[pattern]++
			total++
			if x++; x == w {
				x = 0
			}
		}
	}
	e := blockEntropy{blocks: uint64(total)}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(total)
			sum -= float64(p * log2(p))
			e.patterns++
		}
	}
	perCell := func(bits float64) float64 { return math.Round(bits/float64(side*side)*1e9) / 1e9 }
	e.plugIn = perCell(sum)
	e.millerMadow = perCell(sum + float64(e.patterns-1)/float64(float64(2*total)*math.Ln2))
	return e
}

// log2 is the binary logarithm of a positive number, to within a few units of its last place, and the same on every processor:
// that of package math is another program on some, and the conversions keep others from fusing two operations into one. It is
// 2·artanh((m−1)/(m+1))/ln 2 for the mantissa m, between √½ and √2.
func log2(x float64) float64 {
	m, exponent := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, exponent = 2*m, exponent-1
	}
	s := (m - 1) / (m + 1)
	square := float64(s * s) // at most 0.0295
	sum := 0.0
	for k := 23; k >= 1; k -= 2 { // s + s³/3 + s⁵/5 + …
		sum = float64(sum*square) + 1/float64(k)
	}
	return float64(exponent) + float64(float64(s*sum)*(2/math.Ln2))
}

// countPairs counts, for each distance from 0 to len(counts)-1, the cells in state 1 that have a cell in state 1 so far to the right, and
// those that have one so far below, added up. Pairs reach across the edges of an unshifted torus and lie inside all other universes.
// The mean product of two cells at distance r is pairs/places, where places are 2·W·H on such a torus and (W−r)·H + W·(H−r) elsewhere.
func countPairs(counts []uint64, ones *grid.Grid, t topology.Topology) {
	a, b := make([]uint64, (t.W+63)/64), make([]uint64, (t.W+63)/64)
	across := func(y, x, to, n int) (both uint64) { // n cells from x on, and from `to` on
		grid.InMemory(errors.Join(ones.ReadRow(a, 0, x, y, n), ones.ReadRow(b, 0, to, y, n)))
		for i := range (n + 63) / 64 {
			both += uint64(bits.OnesCount64(a[i] & b[i]))
		}
		return both
	}
	for r := range counts {
		for y := range t.H {
			counts[r] += across(y, 0, r, t.W-r)
			if t.WrapsStraight() && r > 0 {
				counts[r] += across(y, t.W-r, 0, r)
			}
			below := y + r
			if below >= t.H {
				if !t.WrapsStraight() {
					continue
				}
				below -= t.H
			}
			other := ones.Row(0, below)
			for i, word := range ones.Row(0, y) {
				counts[r] += uint64(bits.OnesCount64(word & other[i]))
			}
		}
	}
}
