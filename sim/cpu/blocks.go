package cpu

import (
	"fmt"

	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
)

// Blocks advances small squares of cells of a two-state rule, several at once: the innermost step of the engine's tiles, for callers
// that keep cells in a way of their own, as a census of thousands of soups does. It is for one goroutine.
//
// A block is a row of 64 columns in each word, and height rows with Margin rows more above and below. Its cells are copied into a lane
// of Input; after Advance(n) the output holds the height rows n generations on, where they are n·radius columns or more away from
// both sides. What is nearer has seen cells that were not given.
type Blocks struct {
	batch   *batch
	stepper stepper
	depth   int
}

// NewBlocks makes blocks of a height that can be advanced by up to depth generations at once. The rule must have two states and no B0,
// depth must be 16 at most, and depth·radius less than 32.
func NewBlocks(r rule.Rule, height, depth int) (*Blocks, error) {
	switch {
	case r.States != 2:
		return nil, fmt.Errorf("blocks of a rule with %d states: 2 are allowed", r.States)
	case r.BirthOnEmpty():
		return nil, fmt.Errorf("blocks of a rule with B0: what is around them would not stay dead")
	case height < 1 || depth < 1 || depth > maxDepth || depth*r.Radius() >= 32:
		return nil, fmt.Errorf("blocks of %d rows, %d generations of radius %d at once: at most %d, that reach less than 32 columns, are allowed",
			height, depth, r.Radius(), maxDepth)
	}
	circuit := logic.Compile(r)
	plan := tilePlan(fastestCode(), logic.LowerColumns(circuit), 1)
	plan.Depth = depth
	p := logic.LowerColumns(circuit)
	if plan.Code == Portable {
		p = logic.Lower(circuit)
	}
	margin := depth * radius(p)
	b := &batch{
		tiles:  &tiles{planes: 1, core: height},
		layout: newLayout(64, plan.Slabs*(height+2*margin), plan.Slabs, plan.Slabs, margin/depth),
		margin: margin,
	}
	s, err := newStepper(plan, r, circuit, p, b)
	if err != nil {
		return nil, err
	}
	return &Blocks{b, s, depth}, nil
}

// Lanes is how many blocks are advanced at once.
func (b *Blocks) Lanes() int { return b.batch.lanes }

// Margin is the number of rows above and below a block that Input takes.
func (b *Blocks) Margin() int { return b.batch.margin }

// Input returns where cells go: row y of the block in a lane, -Margin ≤ y < height+Margin, is words[(y+Margin)·stride + lane].
func (b *Blocks) Input() (words []uint64, stride int) {
	p := b.stepper.plate()
	return p.words[p.at(0, -b.batch.margin):], p.row
}

// Advance computes n generations, at most the depth, of all lanes and returns where they are: row y of the block in a lane is
// words[y·stride + lane]. They are good until the next Advance; the input is as it was.
func (b *Blocks) Advance(n int) (words []uint64, stride int) {
	if n < 1 || n > b.depth {
		panic(fmt.Sprintf("cpu: blocks of depth %d cannot advance by %d", b.depth, n))
	}
	p := b.stepper.advance(n)
	return p.words[p.at(0, 0):], p.row
}
