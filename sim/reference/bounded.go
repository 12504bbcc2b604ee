package reference

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/topology"
)

// bounded is a universe of W×H cells, one byte each, row after row. A volume has d layers of h rows, one after
// the other.
//
// A step first stores the state weights of the universe and of a margin as wide as the rule's reach. Fold maps
// each cell of the margin into the universe. Then the step adds up every cell's neighbours from there.
type bounded struct {
	w, h, d     int // h is the rows of a layer
	reach, deep int // of the margin in columns and rows, and in layers
	cells, next []uint8
	source      []int // for each cell of universe and margin: index of the cell that it folds to, or -1 if it is dead
	weights     []int // state weights of the same cells
}

// newBounded lists, for each cell and for those up to reach beyond the edges, which cell it is. All
// that edges do is in this list.
func newBounded(t topology.Topology, reach int) (*bounded, error) {
	const word = 8
	b := &bounded{w: t.W, h: t.LayerRows(), d: 1, reach: reach}
	if t.Volume() {
		b.d, b.deep = t.D, reach
	}
	area := grid.Product(uint64(t.W), uint64(t.H))
	padded := grid.Product(uint64(b.w+2*reach), uint64(b.h+2*reach), uint64(b.d+2*b.deep), 2*word)
	if err := grid.Fits(max(padded, grid.Product(area, 2*word))); err != nil {
		return nil, fmt.Errorf("reference universe %s: %w", t.Size(), err)
	}
	b.cells, b.next = make([]uint8, area), make([]uint8, area)
	for z := -b.deep; z < b.d+b.deep; z++ {
		for y := -b.reach; y < b.h+b.reach; y++ {
			for x := -b.reach; x < b.w+b.reach; x++ {
				fx, fy, inside := 0, 0, false
				if t.Volume() {
					fx, fy, inside = t.FoldVolume(x, y, z)
				} else {
					fx, fy, inside = t.Fold(x, y)
				}
				index := -1
				if inside {
					index = fy*b.w + fx
				}
				b.source = append(b.source, index)
			}
		}
	}
	b.weights = make([]int, len(b.source))
	return b, nil
}

// padded is the index of a cell of the universe or of its margin.
func (b *bounded) padded(x, y, z int) int {
	return ((z+b.deep)*(b.h+2*b.reach)+y+b.reach)*(b.w+2*b.reach) + x + b.reach
}

// step computes every cell from the definition.
func (b *bounded) step(t *transition, generation uint64, _, _ uint8) {
	switch t.way {
	case byCount:
		b.stepCounts(t, generation)
	case byStates:
		b.stepLocal(t, generation)
	case byBlock:
		b.stepBlocks(t, generation)
	case byProposal:
		b.stepProposals(t, generation)
	case bySwap:
		b.stepSwaps(t, generation)
	}
	b.cells, b.next = b.next, b.cells
}

// stepCounts is step for rules that count neighbours: the weighted sum of the cells around each cell, then the rule.
func (b *bounded) stepCounts(t *transition, generation uint64) {
	for i, from := range b.source {
		state := uint8(0)
		if from >= 0 {
			state = b.cells[from]
		}
		b.weights[i] = t.stateWeight[state]
	}
	columns, rows := b.w+2*b.reach, b.h+2*b.reach
	for row := range b.h * b.d {
		y, z := row%b.h, row/b.h
		for x := range b.w {
			count, here := 0, b.padded(x, y, z)
			for _, o := range t.of(x, y) {
				count += o.Weight * b.weights[here+(o.DZ*rows+o.DY)*columns+o.DX]
			}
			state := b.cells[row*b.w+x]
			b.next[row*b.w+x] = t.decide(x, row, generation, state, t.next(state, count), count)
		}
	}
}

// stepLocal is step for functions of the states around.
func (b *bounded) stepLocal(t *transition, generation uint64) {
	for row := range b.h * b.d {
		for x := range b.w {
			next := t.nextOf(func(p local.Place) uint8 { return b.near(x+p.DX, row%b.h+p.DY, row/b.h+p.DZ) })
			b.next[row*b.w+x] = t.decide(x, row, generation, b.cells[row*b.w+x], next, 0)
		}
	}
}

// stepProposals is step for rules that propose states.
func (b *bounded) stepProposals(t *transition, generation uint64) {
	for row := range b.h * b.d {
		for x := range b.w {
			next := t.proposes(x, row, generation, func(dx, dy, dz int) uint8 {
				return b.near(x+dx, row%b.h+dy, row/b.h+dz)
			})
			b.next[row*b.w+x] = t.decide(x, row, generation, b.cells[row*b.w+x], next, 0)
		}
	}
}

// stepBlocks is step for rules of 2×2 blocks.
func (b *bounded) stepBlocks(t *transition, generation uint64) {
	for y := range b.h {
		for x := range b.w {
			next := t.nextOfBlock(x, y, generation, func(x, y int) uint8 { return b.near(x, y, 0) })
			b.next[y*b.w+x] = t.decide(x, y, generation, b.cells[y*b.w+x], next, 0)
		}
	}
}

// near is the state of a cell of the universe or of its margin.
func (b *bounded) near(x, y, z int) uint8 {
	from := b.source[b.padded(x, y, z)]
	if from < 0 {
		return 0
	}
	return b.cells[from]
}

func (b *bounded) readRow(dst []uint64, plane, x, y, n int) {
	for i := range n {
		setBit(dst, i, b.cell(x+i, y)>>plane)
	}
}

func (b *bounded) cell(x, y int) uint8 {
	if !b.bounds().Contains(x, y) {
		return 0
	}
	return b.cells[y*b.w+x]
}

func (b *bounded) setCell(x, y int, c uint8) {
	if b.bounds().Contains(x, y) {
		b.cells[y*b.w+x] = c
	}
}

func (b *bounded) bounds() grid.Rect { return grid.Rect{W: b.w, H: b.h * b.d} }

func (b *bounded) occupied() []grid.Rect { return []grid.Rect{b.bounds()} }

func (b *bounded) population() uint64 {
	var n uint64
	for _, c := range b.cells {
		if c != 0 {
			n++
		}
	}
	return n
}

func (b *bounded) bytes() uint64 { return uint64(2*len(b.cells) + 16*len(b.source)) }
