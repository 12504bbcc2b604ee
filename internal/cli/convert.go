package cli

import (
	"errors"
	"io/fs"

	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/universe"
	"github.com/gosper-life/gosper/pattern"
)

type convertCommand struct {
	In    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	Out   string `arg:"" help:"File to write; its suffix says the format: .rle .mc .cells .lif .life .png .npy, each also with .gz; - for RLE on standard output."`
	Force bool   `help:"Replace OUT if it exists."`
}

// Help is shown below the usage.
func (*convertCommand) Help() string {
	return `Examples:

    gosper convert pattern.cells pattern.rle.gz
    gosper convert huge.mc.gz - > huge.rle`
}

// Run implements the command.
func (cmd *convertCommand) Run(c *console) error {
	if cmd.Out != "-" {
		if _, _, err := pattern.FormatOf(cmd.Out); err != nil {
			return badInput{err}
		}
		if err := writable(cmd.Out, cmd.Force); err != nil {
			return badInput{err}
		}
	}
	p, err := universe.OpenPattern(cmd.In)
	if err != nil {
		return badInput{err}
	}
	cells := window{p.Cells, p.Bounds.Union(p.Cells.Bounds())}
	if cmd.Out == "-" {
		return pattern.Write(c.out, pattern.RLE, cells, p.Meta())
	}
	err = pattern.WriteFile(cmd.Out, cells, p.Meta(), cmd.Force)
	var system *fs.PathError
	switch {
	case errors.As(err, &system):
		return atomicfile.PathFirst(err)
	case err != nil:
		return badInputf("%s: %w", cmd.Out, err) // the format cannot hold it
	}
	return nil
}
