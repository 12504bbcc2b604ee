package pattern

import (
	"context"
	"errors"

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
}

// Help is shown below the usage.
func (*DiffCommand) Help() string {
	return `Example:

    gosper diff before.rle after.mc

Cells are compared at their coordinates. If one file gives no position, the upper left corners of the live cells are
aligned; if neither does, the corners of the files. Exit code 0: the cells are the same, 1: they differ.`
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
	a, err := start.OpenPattern(ctx, c, cmd.A)
	if err != nil {
		return err
	}
	b, err := start.OpenPattern(ctx, c, cmd.B)
	if err != nil {
		return err
	}
	byA, byB := together(a, b)
	d := difference{Same: true}
	x, y, found, err := grid.FirstDifference(moved(a, byA), moved(b, byB))
	if err != nil {
		return err
	}
	if found {
		stateA, stateB := a.Cells.Get(x-byA.X, y-byA.Y), b.Cells.Get(x-byB.X, y-byB.Y)
		d = difference{X: &x, Y: &y, A: &stateA, B: &stateB}
	}
	switch {
	case cmd.JSON:
		err = c.PrintJSON(d)
	case d.Same:
		c.Printf("the same %s cells\n", number.Grouped(a.Cells.Population()))
	default:
		c.Printf("first difference at %d,%d: state %d in %s, %d in %s\n", *d.X, *d.Y, *d.A, cmd.A, *d.B, cmd.B)
	}
	if err == nil && !d.Same {
		return console.Failure
	}
	return err
}

// together returns how far to move the cells of each pattern for the comparison.
func together(a, b *pattern.Pattern) (byA, byB origin.Point) {
	placeA, knownA := origin.FilePlace(a)
	placeB, knownB := origin.FilePlace(b)
	if knownA == knownB {
		return placeA, placeB
	}
	boxA, boxB := a.Cells.Bounds(), b.Cells.Bounds()
	if knownA {
		return placeA, origin.Point{X: placeA.X + boxA.X - boxB.X, Y: placeA.Y + boxA.Y - boxB.Y}
	}
	return origin.Point{X: placeB.X + boxB.X - boxA.X, Y: placeB.Y + boxB.Y - boxA.Y}, placeB
}

// moved returns the cells of a pattern at another position.
func moved(p *pattern.Pattern, by origin.Point) grid.Window {
	return grid.Window{Source: p.Cells, Bounds: p.Cells.Bounds(), DX: by.X, DY: by.Y}
}
