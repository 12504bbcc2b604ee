package blocks

import (
	"fmt"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/plan"
)

// Words is blocks with one word for each row of a plane, on the fastest code of this machine. It is for callers
// that store cells in a way of their own, as a census does.
//
// A block is a row of 64 columns in each word, with height rows and Margin rows above and below. The caller
// copies its cells into a lane of Input. After Advance(g, n, height) Output holds the height rows n generations
// later. Cells that are less than n·radius columns away from either side are wrong, because they depend on
// cells outside the block.
type Words struct {
	blocks *Blocks
	depth  int
	planes int
	after  *Plate // the result of the last Advance
}

// NewWords makes blocks of a height that can be advanced by up to depth generations at once. The rule must have
// no B0, and be the same everywhere. depth must be at most 16, and depth·radius less than 32.
func NewWords(r rule.Rule, height, depth int) (*Words, error) {
	switch {
	case r.DependsOnPlace() || r.Random():
		return nil, fmt.Errorf("blocks of a rule that does not do the same everywhere")
	case r.BirthOnEmpty():
		return nil, fmt.Errorf("blocks of a rule with B0: cells around them would not stay dead")
	case height < 1 || depth < 1 || depth > plan.MaxDepth || depth*r.Radius() >= 32:
		return nil, fmt.Errorf(
			"blocks of %d rows, %d generations of radius %d at once: at most %d, that reach less than 32 columns, are allowed",
			height, depth, r.Radius(), plan.MaxDepth)
	}
	return newWords(codegen.Fastest(), r, height, depth)
}

// newWords makes blocks of a code.
func newWords(code codegen.Code, r rule.Rule, height, depth int) (*Words, error) {
	chosen := plan.ForTiles(code, r.Radius(), 1)
	b, err := New(Config{
		Rule: compile.New(r), Code: chosen.Code, Lanes: chosen.Slabs, Columns: 64, Height: height,
		Depth: depth,
	})
	if err != nil {
		return nil, err
	}
	return &Words{blocks: b, depth: depth, planes: r.Planes()}, nil
}

// Lanes is the number of blocks that are advanced at once.
func (w *Words) Lanes() int { return w.blocks.Lanes }

// Margin is the number of rows above and below a block that Input takes.
func (w *Words) Margin() int { return w.blocks.Margin }

// Planes is the number of bit planes of the states.
func (w *Words) Planes() int { return w.planes }

// Input returns where the cells of a plane go: row y of the block in a lane, -Margin ≤ y < height+Margin, is
// words[(y+Margin)·stride + lane].
func (w *Words) Input(plane int) (words []uint64, stride int) {
	p := w.blocks.Input()
	return p.Words[p.At(plane, -w.blocks.Margin):], p.Row
}

// Advance computes n generations, at most the depth, of the first rows of the block in every lane, at most the
// height. It reads these rows of the input and Margin rows above and below them. The input stays unchanged. Rules that
// take turns do so from the given generation on.
func (w *Words) Advance(from uint64, n, rows int) {
	switch {
	case n < 1 || n > w.depth:
		panic(fmt.Sprintf("blocks: %d generations at once, at most %d are allowed", n, w.depth))
	case rows < 1 || rows > w.blocks.Height:
		panic(fmt.Sprintf("blocks: %d rows of blocks that have %d", rows, w.blocks.Height))
	}
	w.after = w.blocks.stepper.advance(from, n, rows)
}

// Output is a plane of what the last Advance computed: row y of the block in a lane is words[y·stride + lane].
// It is valid until the next Advance.
func (w *Words) Output(plane int) (words []uint64, stride int) {
	return w.after.Words[w.after.At(plane, 0):], w.after.Row
}
