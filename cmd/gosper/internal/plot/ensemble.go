package plot

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/ensemble/tables"
)

// EnsembleCommand is gosper ensemble plot.
type EnsembleCommand struct {
	Dirs      []string `arg:"" name:"dir" help:"Folders of merged ensembles with different rules, sizes, starts or densities."`
	Out       string   `placeholder:"DIR" help:"Folder for the figures. Default: the first one."`
	Format    string   `enum:"png,svg,pdf" default:"png" placeholder:"F" help:"png, svg or pdf. Default: png."`
	viewFlags `embed:""`
	Log       string `enum:",x,y,xy,none" default:"" placeholder:"AXES" help:"Logarithmic axes: x, y, xy or none. Default: depends on the quantity."`
	output.StyleFlags
	Quiet bool `short:"q" help:"Do not print the names of the figures."`
	JSON  bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*EnsembleCommand) Help() string {
	return `Example:

    gosper ensemble plot soups

The command draws every quantity against time. If only one generation was sampled, it draws them against the density of the soups, the size or a parameter of the rules. It draws averages over time against the same. It also draws the correlation and
the cluster sizes at the last generation, the kinetics of cluster sizes, the census, the share of universes that have not settled, and lifespans. Errors are standard errors
over universes. The folder is created if it does not exist.

    gosper ensemble plot soups --against size --out sizes
    gosper ensemble plot ising closer --against T --out both
    gosper ensemble plot many --rule B3/S23 --rule B36/S23 --log none
    gosper ensemble plot soups --format pdf --width 86 --style journal.toml`
}

// Run implements the command.
func (cmd *EnsembleCommand) Run(c *console.Console) error {
	data, err := tables.Read(cmd.Dirs...)
	if err != nil {
		return console.Bad(err)
	}
	out := cmd.Out
	if out == "" {
		out = cmd.Dirs[0]
	}
	view, err := cmd.view()
	if err != nil {
		return console.Bad(err)
	}
	style, err := cmd.Read()
	if err != nil {
		return console.Bad(err)
	}
	drawings, err := figures.Draw(data, view)
	if err != nil {
		return console.Bad(fmt.Errorf("%s: %w", strings.Join(cmd.Dirs, ", "), err))
	}
	if err := output.Folder(out); err != nil {
		return console.Bad(err)
	}
	names := []string{}
	for _, d := range drawings {
		axesFlags{Log: cmd.Log}.apply(&d)
		path := filepath.Join(out, d.Name+"."+cmd.Format)
		if err := d.SaveAs(path, style); err != nil {
			return err
		}
		names = append(names, path)
	}
	switch {
	case cmd.JSON:
		return c.PrintJSON(drawn{names})
	case cmd.Quiet:
		return nil
	}
	for _, name := range names {
		c.Printf("%s\n", name)
	}
	return nil
}
