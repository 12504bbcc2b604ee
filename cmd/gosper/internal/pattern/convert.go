package pattern

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/hashlife"
	"github.com/gosper-life/gosper/topology"
)

// ConvertCommand is gosper convert.
type ConvertCommand struct {
	In     string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	Out    string `arg:"" help:"File to write. The suffix gives the format: .rle .mc .cells .lif .life .png .pbm .pgm .npy, each also with .gz. Use - for standard output."`
	Format string `placeholder:"F" help:"Format of OUT if its suffix does not give one: rle, mc, png, npy.gz, … Default: rle."`
	Force  bool   `help:"Replace OUT if it exists."`

	start.ReadingFlags `embed:""`
}

// Help is shown below the usage.
func (*ConvertCommand) Help() string {
	return `Examples:

    gosper convert pattern.cells pattern.rle.gz
    gosper convert huge.mc.gz - > huge.rle
    gosper convert huge.rle - --format mc.gz > huge.mc.gz`
}

// Run implements the command.
func (cmd *ConvertCommand) Run(ctx context.Context, c *console.Console) error {
	name := output.FormatName(cmd.Out, cmd.Format)
	format, _, err := pattern.FormatOf(name)
	switch {
	case cmd.Format != "" && !output.IsNameless(cmd.Out):
		err = fmt.Errorf("--format is not needed, because the name %s gives the format", cmd.Out)
	case cmd.Format != "":
		err = output.CheckFormat(cmd.Format)
	}
	if err != nil {
		return console.Bad(err)
	}
	var to *output.Destination
	if !pattern.IsStack(cmd.Out) { // a stack has as many files as layers are read
		if to, err = output.Open(cmd.Out, cmd.Force); err != nil {
			return console.Bad(err)
		}
		defer to.Abort()
	}
	reading := cmd.Options(1)
	reading.Squares = true
	p, err := start.OpenPattern(ctx, c, cmd.In, reading)
	if err != nil {
		return err
	}
	var cells grid.Source
	var meta pattern.Meta
	switch {
	case p.Squares != nil && format == pattern.Macrocell:
		tree, err := treeOf(ctx, p)
		if err != nil {
			return err
		}
		defer tree.Close()
		cells, meta = tree, p.Meta()
	case p.Squares != nil:
		if cells, err = p.Source(); err != nil {
			return err
		}
		meta = p.Meta()
	default:
		box := p.Cells.Bounds()
		bounds := p.Bounds.Union(box)
		if cells = p.Cells; bounds != box { // a part does not know where its cells are
			cells = grid.Part{Source: p.Cells, Bounds: bounds}
		}
		meta = placed(p, bounds, format)
	}
	if to == nil {
		none := func(string) []atomicfile.Sum { return nil }
		if to, err = output.OpenPattern(cmd.Out, p.Depth, cmd.Force, none); err != nil {
			return console.Bad(err)
		}
		defer to.Abort()
	}
	err = to.WritePattern(ctx, c, name, cells, meta)
	var system *fs.PathError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &system):
		return atomicfile.PathFirst(err)
	case err != nil:
		return console.Badf("%s: %w", cmd.Out, err) // the format cannot hold it
	}
	output.NoteLostRule(c, cmd.Out, format, meta.Rule)
	return nil
}

// treeOf holds the tree of a macrocell file, so that a universe of any width is written as a tree again. No
// generation is computed: any rule of as many states will do.
func treeOf(ctx context.Context, p *pattern.Pattern) (sim.Engine, error) {
	r, err := rule.Parse(fmt.Sprintf("/2/%d", max(p.States, 2)))
	if err != nil {
		return nil, err
	}
	e, err := sim.Open(ctx, hashlife.Name, sim.Config{
		Rule: r, Topology: topology.Topology{Kind: topology.Unbounded},
		Threads: 1,
	})
	if err != nil {
		return nil, err
	}
	if err := e.(grid.QuadtreeSink).SetSquares(p.Squares); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// placed returns the facts about a pattern, besides its cells, that a file of a format states. A pattern without a
// position lies in the middle of the bounded grid that its rule names. The position must be written if the format keeps
// positions rather than sizes, or if the size changes.
func placed(p *pattern.Pattern, bounds grid.Rect, format pattern.Format) pattern.Meta {
	meta := p.Meta()
	sizeSays := bounds == p.Bounds && format != pattern.Macrocell && format != pattern.Life105 && format != pattern.Life106
	if at, known := origin.FilePlace(p); known && !sizeSays {
		meta.X, meta.Y, meta.HasPosition = at.X, at.Y, true
	}
	return meta
}
