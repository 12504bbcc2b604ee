package cli

import (
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/universe"
	"github.com/gosper-life/gosper/pattern"
)

type convertCommand struct {
	In    string `arg:"" help:"Pattern file, name of a built-in pattern, or - for standard input."`
	Out   string `arg:"" help:"File to write; its suffix says the format: .rle .mc .cells .lif .life .png .npy, each also with .gz."`
	Force bool   `help:"Replace OUT if it exists."`
}

// Help is shown below the usage.
func (*convertCommand) Help() string {
	return `Example:

    gosper convert pattern.cells pattern.rle.gz`
}

// Run implements the command.
func (cmd *convertCommand) Run() error {
	if _, _, err := pattern.FormatOf(cmd.Out); err != nil {
		return badInput{err}
	}
	if err := writable(cmd.Out, cmd.Force); err != nil {
		return badInput{err}
	}
	p, err := universe.OpenPattern(cmd.In)
	if err != nil {
		return badInput{err}
	}
	meta := p.Meta()
	if err := pattern.WriteFile(cmd.Out, window{p.Cells, p.Bounds.Union(p.Cells.Bounds())}, meta, cmd.Force); err != nil {
		return atomicfile.PathFirst(err)
	}
	return nil
}
