package reference

import (
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// bounded is a universe of W×H cells, one byte each, row after row.
//
// A step first stores the state weights of the universe and of a margin as wide as the rule's reach. Fold maps
// each cell of the margin into the universe. Then the step adds up every cell's neighbours from there.
type bounded struct {
	w, h, reach int
	cells, next []uint8
	source      []int // for each cell of universe and margin: index of the cell that it folds to, or -1 if it is dead
	weights     []int // state weights of the same cells
}

func newBounded(t topology.Topology, reach int) (*bounded, error) {
	const word = 8
	area := grid.Product(uint64(t.W), uint64(t.H))
	padded := grid.Product(uint64(t.W+2*reach), uint64(t.H+2*reach), 2*word)
	if err := grid.Fits(max(padded, grid.Product(area, 2*word))); err != nil {
		return nil, fmt.Errorf("reference universe %d×%d: %w", t.W, t.H, err)
	}
	b := &bounded{w: t.W, h: t.H, reach: reach, cells: make([]uint8, area), next: make([]uint8, area)}
	for y := -b.reach; y < b.h+b.reach; y++ {
		for x := -b.reach; x < b.w+b.reach; x++ {
			index := -1
			if fx, fy, inside := t.Fold(x, y); inside {
				index = fy*b.w + fx
			}
			b.source = append(b.source, index)
		}
	}
	b.weights = make([]int, len(b.source))
	return b, nil
}

func (b *bounded) step(t *transition, generation uint64, _, _ uint8) {
	switch {
	case t.chance != nil && t.chance.Accept != nil:
		b.stepProposals(t, generation)
		return
	case t.isLocal():
		b.stepLocal(t, generation)
		return
	case t.isBlocks():
		b.stepBlocks(t, generation)
		return
	}
	for i, from := range b.source {
		state := uint8(0)
		if from >= 0 {
			state = b.cells[from]
		}
		b.weights[i] = t.stateWeight[state]
	}
	for y := range b.h {
		for x := range b.w {
			count := 0
			for _, o := range t.of(x, y) {
				count += o.Weight * b.weights[(y+b.reach+o.DY)*(b.w+2*b.reach)+x+b.reach+o.DX]
			}
			state := b.cells[y*b.w+x]
			b.next[y*b.w+x] = t.decide(x, y, generation, state, t.next(state, count), count)
		}
	}
	b.cells, b.next = b.next, b.cells
}

func (b *bounded) stepLocal(t *transition, generation uint64) {
	for y := range b.h {
		for x := range b.w {
			next := t.nextInBlock(func(dx, dy int) uint8 { return b.near(x+dx, y+dy) })
			b.next[y*b.w+x] = t.decide(x, y, generation, b.cells[y*b.w+x], next, 0)
		}
	}
	b.cells, b.next = b.next, b.cells
}

func (b *bounded) stepProposals(t *transition, generation uint64) {
	for y := range b.h {
		for x := range b.w {
			next := t.proposes(x, y, generation, func(dx, dy int) uint8 { return b.near(x+dx, y+dy) })
			b.next[y*b.w+x] = t.decide(x, y, generation, b.cells[y*b.w+x], next, 0)
		}
	}
	b.cells, b.next = b.next, b.cells
}

func (b *bounded) stepBlocks(t *transition, generation uint64) {
	for y := range b.h {
		for x := range b.w {
			b.next[y*b.w+x] = t.decide(x, y, generation, b.cells[y*b.w+x], t.nextOfBlock(x, y, generation, b.near), 0)
		}
	}
	b.cells, b.next = b.next, b.cells
}

// near is the state of a cell of the universe or of its margin.
func (b *bounded) near(x, y int) uint8 {
	from := b.source[(y+b.reach)*(b.w+2*b.reach)+x+b.reach]
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

func (b *bounded) bounds() grid.Rect { return grid.Rect{W: b.w, H: b.h} }

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
