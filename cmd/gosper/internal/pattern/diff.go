package pattern

import (
	"context"
	"errors"
	"math/big"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
)

// DiffCommand is gosper diff.
type DiffCommand struct {
	A    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	B    string `arg:"" help:"The same."`
	JSON bool   `name:"json" help:"Print one JSON object."`

	start.ReadingFlags `embed:""`
}

// Help is shown below the usage.
func (*DiffCommand) Help() string {
	return `Example:

    gosper diff before.rle after.mc

Cells are compared at their coordinates. If one file gives no position, the upper left corners of the live cells are aligned. If neither file gives one, the corners of the files are aligned. Exit code 0: the cells are the same, 1: they differ.`
}

type difference struct {
	Same bool   `json:"same"`
	X    *int   `json:"x"` // of the first differing cell, row by row; null if there is none
	Y    *int   `json:"y"`
	A    *uint8 `json:"a"` // its state in each pattern
	B    *uint8 `json:"b"`
}

// Run implements the command.
func (cmd *DiffCommand) Run(ctx context.Context, c *console.Console) error {
	if cmd.A == "-" && cmd.B == "-" {
		return console.Bad(errors.New("only one of the two patterns can be standard input"))
	}
	a, cellsA, err := cmd.open(ctx, c, cmd.A)
	if err != nil {
		return err
	}
	b, cellsB, err := cmd.open(ctx, c, cmd.B)
	if err != nil {
		return err
	}
	if cellsA, cellsB, err = together(a, cellsA, b, cellsB); err != nil {
		return err
	}
	d, err := console.Await(ctx, func() (difference, error) {
		return compare(cellsA, cellsB)
	}) // far trees may have millions of different squares
	if err != nil {
		return err
	}
	switch {
	case cmd.JSON:
		err = c.PrintJSON(d)
	case d.Same:
		var n *big.Int
		if n, err = console.Await(ctx, func() (*big.Int, error) { return populationOf(cellsA) }); err == nil {
			c.Printf("the same %s cells\n", number.GroupedBig(n))
		}
	default:
		c.Printf("first difference at %d,%d: state %d in %s, %d in %s\n", *d.X, *d.Y, *d.A, cmd.A, *d.B, cmd.B)
	}
	if err == nil && !d.Same {
		return console.Failure
	}
	return err
}

// compare finds the first cell whose state differs, and its states.
func compare(a, b grid.Source) (difference, error) {
	x, y, found, err := firstDifference(a, b)
	if err != nil || !found {
		return difference{Same: true}, err
	}
	var states [2]uint8
	for i, src := range []grid.Source{a, b} {
		if states[i], err = stateAt(src, x, y); err != nil {
			return difference{}, err
		}
	}
	return difference{X: &x, Y: &y, A: &states[0], B: &states[1]}, nil
}

// open reads a pattern and its cells.
func (cmd *DiffCommand) open(ctx context.Context, c *console.Console, name string) (*pattern.Pattern, grid.Source,
	error,
) {
	reading := cmd.Options(2)
	reading.Squares = true
	p, err := start.OpenPattern(ctx, c, name, reading)
	if err != nil {
		return nil, nil, err
	}
	cells, err := p.Source()
	if err != nil {
		return nil, nil, console.Badf("%s: %w", name, err)
	}
	return p, cells, nil
}

// together returns the cells of both patterns where they are compared. Those of a tree stay in their place,
// because its file gives the position.
func together(a *pattern.Pattern, cellsA grid.Source, b *pattern.Pattern, cellsB grid.Source) (movedA,
	movedB grid.Source, err error,
) {
	byA, knownA := origin.FilePlace(a)
	byB, knownB := origin.FilePlace(b)
	boxA, errA := cellsA.Extent()
	boxB, errB := cellsB.Extent()
	switch {
	case knownA && !knownB:
		byB = origin.Point{X: byA.X + boxA.X - boxB.X, Y: byA.Y + boxA.Y - boxB.Y}
	case knownB && !knownA:
		byA = origin.Point{X: byB.X + boxB.X - boxA.X, Y: byB.Y + boxB.Y - boxA.Y}
	}
	return moved(cellsA, boxA, byA), moved(cellsB, boxB, byB), errors.Join(errA, errB)
}

// moved returns cells at another position.
func moved(cells grid.Source, box grid.Rect, by origin.Point) grid.Source {
	if by == (origin.Point{}) {
		return cells
	}
	return grid.Part{Source: cells, Bounds: box, DX: by.X, DY: by.Y}
}

// tree has the further methods of a pattern's Source that stores a quadtree. Its cells may lie too far apart to be
// read row by row.
type tree interface {
	Get(x, y int) uint8
	BigPopulation() *big.Int
	FirstDifference(other grid.Source) (x, y int, found bool, err error)
}

// firstDifference finds the first cell whose state differs.
func firstDifference(a, b grid.Source) (x, y int, found bool, err error) {
	if t, isTree := a.(tree); isTree {
		return t.FirstDifference(b)
	}
	if t, isTree := b.(tree); isTree {
		return t.FirstDifference(a)
	}
	return grid.FirstDifference(a, b)
}

// populationOf is the number of live cells.
func populationOf(src grid.Source) (*big.Int, error) {
	if t, isTree := src.(tree); isTree {
		return t.BigPopulation(), nil
	}
	n, err := grid.Population(src)
	return new(big.Int).SetUint64(n), err
}

// stateAt returns the state of a cell.
func stateAt(src grid.Source, x, y int) (state uint8, err error) {
	if t, isTree := src.(tree); isTree {
		return t.Get(x, y), nil // a row of it may have too many squares to read
	}
	for k := range src.Planes() {
		var word [1]uint64
		if err := src.ReadRow(word[:], k, x, y, 1); err != nil {
			return 0, err
		}
		state |= uint8(word[0]) << k
	}
	return state, nil
}
