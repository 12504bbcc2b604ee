package worker

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

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
	millerMadow float64
	// grassberger is almost without bias if patterns occur about twice on average, or more often. If all counts were
	// Poisson's with mean n, it would be too low by E1(2n) nats a block: 0.0038 for n = 2 (P. Grassberger, "Entropy
	// estimates from insufficient samplings", arXiv:physics/0307138, 2003, equations 26 to 35).
	grassberger      float64
	blocks, patterns uint64 // number of blocks, and of different patterns
}

// noteEntropy records the entropy of a sample.
func (l *life) noteEntropy(at int, e blockEntropy) {
	c := &l.columns
	c.Entropy[at], c.MillerMadow[at], c.Grassberger[at] = e.plugIn, e.millerMadow, e.grassberger
	c.Blocks[at], c.Patterns[at] = e.blocks, e.patterns
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
func entropyOf(g *grid.Grid, t topology.Topology, side int) blockEntropy {
	switch {
	case g.Planes() > 1:
		return statesEntropy(g, t, side)
	case t.Volume():
		return volumeEntropy(g, t, side)
	}
	return planeEntropy(g, t, side)
}

// blockPattern is the states of the cells of a block, at most 16.
type blockPattern [16]uint8

// statesEntropy is entropyOf for cells of more than two states.
func statesEntropy(g *grid.Grid, t topology.Topology, side int) blockEntropy {
	w, h, d := t.W, t.LayerRows(), max(t.D, 1)
	columns, rows, layers, deep := w, h, d, 1
	if t.Volume() {
		deep = side
	}
	if t.Kind != topology.Torus || !t.Volume() && !t.WrapsStraight() {
		columns, rows, layers = w-side+1, h-side+1, d-deep+1
	}
	lines := make([][]uint8, t.H)
	for y := range lines {
		lines[y] = measure.StatesOf(make([]uint8, w), g, y)
	}
	found := map[blockPattern]uint64{}
	for z := range layers {
		for y := range rows {
			for x := range columns {
				var b blockPattern
				k := 0
				for dz := range deep {
					for dy := range side {
						line := lines[(z+dz)%d*h+(y+dy)%h]
						for dx := range side {
							b[k] = line[(x+dx)%w]
							k++
						}
					}
				}
				found[b]++
			}
		}
	}
	counts := make([]uint64, 0, len(found))
	for _, n := range found {
		counts = append(counts, n)
	}
	slices.Sort(counts) // for the same sum on each occasion
	return entropyOfPatterns(counts, side*side*deep)
}

// planeEntropy is entropyOf in two dimensions, for cells of two states. It goes down the rows and, in
// each, along the columns. Both times it moves by one cell and keeps the rest. With blocks of 2×2:
//
//	tall[x]    a column of a block:    row y-1, row y
//	pattern    both columns:           tall[x-1], tall[x]      four bits
//
// The next pattern drops tall[x-1] and takes tall[x+1].
func planeEntropy(ones *grid.Grid, t topology.Topology, side int) blockEntropy {
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
	sum, digamma := 0.0, 0.0
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(total)
			sum -= float64(p * measure.Log2(p))
			digamma += float64(p * grassbergerLog2(n))
			e.patterns++
		}
	}
	perCell := func(bits float64) float64 { return math.Round(bits/float64(cells)*1e9) / 1e9 }
	e.plugIn = perCell(sum)
	e.millerMadow = perCell(sum + float64(e.patterns-1)/float64(float64(2*total)*math.Ln2))
	e.grassberger = perCell(measure.Log2(float64(total)) - digamma)
	return e
}

// grassbergerLog2 takes the place of the binary logarithm of a count in an estimate of entropy: G(n)/ln 2, where G(1) =
// -γ - ln 2, G(2) = 2 - γ - ln 2, G(2m+1) = G(2m) and G(2m+2) = G(2m) + 2/(2m+1). G(2m) is ψ(m+½) + ln 2, whose
// asymptotic series is exact to 1e-14 from m = 32 on.
func grassbergerLog2(n uint64) float64 {
	const eulerGamma = 0.57721566490153286060651209008240243
	m := n / 2
	if m >= 32 {
		square := 1 / float64(m) / float64(m)
		series := 1./24 - float64(square*(7./960-float64(square*(31./8064))))
		return measure.Log2(float64(2*m)) + float64(square*series)/math.Ln2
	}
	g := -eulerGamma - math.Ln2
	for k := range m {
		g += 2 / float64(2*k+1)
	}
	return g / math.Ln2
}
