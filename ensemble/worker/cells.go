package worker

import (
	"math"
	"math/bits"

	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
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

// blockEntropy holds estimates of the Shannon entropy of the patterns of blocks, in bits per cell (the block's
// entropy divided by the number of its cells). They are rounded to nine decimals, which is more than any number
// of universes can resolve.
type blockEntropy struct {
	// plugIn is the entropy of the shares of patterns. To first order it is too low by (patterns that can
	// occur − 1) / (2·blocks) nats for each block, because rare patterns are likely to be missing.
	plugIn float64
	// millerMadow corrects that with the number of patterns that did occur (G. A. Miller, "Note on the bias of
	// information estimates", in H. Quastler (ed.), Information Theory in Psychology, 1955). If there are only a
	// few blocks for each pattern, the correction is still too small.
	millerMadow      float64
	blocks, patterns uint64 // number of blocks, and of different patterns
}

// volumeEntropy is entropyOf in a volume: of all blocks of side×side×side cells. side is 1 or 2.
func volumeEntropy(ones *grid.Grid, t topology.Topology, side int) blockEntropy {
	w, h, d := t.W, t.LayerRows(), t.D
	columns, rows, layers := w, h, d
	if t.Kind != topology.Torus {
		columns, rows, layers = w-side+1, h-side+1, d-side+1
	}
	face := side * side // cells of a block in one column
	counts := make([]uint64, 1<<(face*side))
	column := make([]int, w) // for each column: the cells of a block there
	for z := range layers {
		for y := range rows {
			clear(column)
			for k := range face {
				row := ones.Row(0, (y+k%side)%h+(z+k/side)%d*h)
				for x := range column {
					column[x] |= int(row[x>>6]>>(uint(x)&63)&1) << k
				}
			}
			for x := range columns {
				pattern := 0
				for k := range side {
					pattern = pattern<<face | column[(x+k)%w]
				}
				counts[pattern]++
			}
		}
	}
	return entropyOfPatterns(counts, face*side)
}

// entropyOf estimates the entropy of the patterns of all side×side blocks of cells, including overlapping ones.
// Blocks cross the edges of a torus without a shift. In all other universes they lie inside, and at least one
// must fit.
func entropyOf(ones *grid.Grid, t topology.Topology, side int) blockEntropy {
	if t.Volume() {
		return volumeEntropy(ones, t, side)
	}
	w, h := t.W, t.H
	counts := make([]uint64, 1<<(side*side))
	columns, rows := w, h
	if !t.WrapsStraight() {
		columns, rows = w-side+1, h-side+1
	}
	tall := make([]uint16, w) // for each column: side cells downwards, the lowest in bit 0
	enter := func(y int) {    // the row that enters at the bottom
		row := ones.Row(0, y%h)
		for x := range tall {
			tall[x] = (tall[x]<<1 | uint16(row[x>>6]>>(uint(x)&63)&1)) & (1<<side - 1)
		}
	}
	for y := range side - 1 {
		enter(y)
	}
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
			if x++; x == w {
				x = 0
			}
		}
	}
	return entropyOfPatterns(counts, side*side)
}

// entropyOfPatterns estimates the entropy of the patterns of blocks of some cells from how often each occurred.
func entropyOfPatterns(counts []uint64, cells int) blockEntropy {
	total := uint64(0)
	for _, n := range counts {
		total += n
	}
	e := blockEntropy{blocks: total}
	sum := 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(total)
			sum -= float64(p * measure.Log2(p))
			e.patterns++
		}
	}
	perCell := func(bits float64) float64 { return math.Round(bits/float64(cells)*1e9) / 1e9 }
	e.plugIn = perCell(sum)
	e.millerMadow = perCell(sum + float64(e.patterns-1)/float64(float64(2*total)*math.Ln2))
	return e
}
