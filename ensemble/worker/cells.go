package worker

import (
	"math/bits"

	"github.com/gosper-life/gosper/grid"
)

// turnover counts the cells that left state 0, went to state 0, and changed in any way between two generations.
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

// onesOf returns a grid of only the cells in state 1; for two states that is g itself.
func onesOf(g *grid.Grid) *grid.Grid {
	if g.Planes() == 1 {
		return g
	}
	ones, err := grid.New(g.W(), g.H(), 1)
	if err != nil {
		return &grid.Grid{} // a grid with more planes of this size fits in memory, so this one does
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
