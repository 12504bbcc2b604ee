package cli

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

type diffCommand struct {
	A    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	B    string `arg:"" help:"The same."`
	JSON bool   `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*diffCommand) Help() string {
	return `Example:

    gosper diff before.rle after.mc

Cells are compared at their places in the files' coordinates. Where one of the files gives none, the upper left corners of what lives are
put together; where both give none, those of the files. Exit code 0: the same cells, 1: different ones.`
}

type difference struct {
	Same bool   `json:"same"`
	X    *int   `json:"x"` // of the first cell, row by row, that differs; null: none
	Y    *int   `json:"y"`
	A    *uint8 `json:"a"` // its states
	B    *uint8 `json:"b"`
}

// Run implements the command.
func (cmd *diffCommand) Run(ctx context.Context, c *console.Console) error {
	if cmd.A == "-" && cmd.B == "-" {
		return console.Bad(errors.New("standard input can be only one of the two patterns"))
	}
	a, err := start.OpenPattern(ctx, c, cmd.A)
	if err != nil {
		return err
	}
	b, err := start.OpenPattern(ctx, c, cmd.B)
	if err != nil {
		return err
	}
	sources := [2]tiles{{Tiles: a.Cells}, {Tiles: b.Cells}}
	sources[0].by, sources[1].by = together(a, b)
	d := difference{Same: true}
	x, y, found, err := grid.FirstDifference(sources[0], sources[1])
	if err != nil {
		return err
	}
	if found {
		stateA, stateB := sources[0].state(x, y), sources[1].state(x, y)
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

// together is how far the cells of two patterns are to be moved to be compared.
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

// tiles are the cells of a pattern at the places its file gives them.
type tiles struct {
	*grid.Tiles
	by origin.Point
}

// Extent implements grid.Source.
func (t tiles) Extent() (grid.Rect, error) { return t.move(t.Bounds()), nil }

// Occupied is what grid.FirstDifference looks at instead of the extent, which may be vast.
func (t tiles) Occupied() []grid.Rect {
	parts := t.Tiles.Occupied()
	for i, part := range parts {
		parts[i] = t.move(part)
	}
	return parts
}

// ReadRow implements grid.Source.
func (t tiles) ReadRow(dst []uint64, plane, x, y, n int) error {
	return t.Tiles.ReadRow(dst, plane, x-t.by.X, y-t.by.Y, n)
}

func (t tiles) state(x, y int) uint8 { return t.Get(x-t.by.X, y-t.by.Y) }

func (t tiles) move(r grid.Rect) grid.Rect {
	if !r.Empty() {
		r.X, r.Y = r.X+t.by.X, r.Y+t.by.Y
	}
	return r
}
