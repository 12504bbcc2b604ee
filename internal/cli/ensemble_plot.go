package cli

import (
	"fmt"
	"path/filepath"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/result"
)

type ensemblePlotCommand struct {
	Dir    string `arg:"" help:"Folder of a merged ensemble."`
	Out    string `placeholder:"DIR" help:"Folder for the figures. Default: the same."`
	Format string `enum:"png,svg" default:"png" placeholder:"F" help:"png or svg. Default: png."`
	Log    string `enum:",x,y,xy" default:"" placeholder:"AXES" help:"Logarithmic axes: x, y or xy. Default: as suits the quantity."`
	JSON   bool   `name:"json" help:"Print the names of the figures as a JSON array."`
}

// Help is shown below the usage.
func (*ensemblePlotCommand) Help() string {
	return `Example:

    gosper ensemble plot soups

Draws every quantity against time (against the density of the soups where one generation was sampled), the correlation and the cluster
sizes at the last generation, the census, the share of universes that have not settled, and lifespans against density.`
}

// Run implements the command.
func (cmd *ensemblePlotCommand) Run(c *console) error {
	var data ensemble.Data
	var err error
	if data.Summary, err = readTable[ensemble.Summary](cmd.Dir, "summary"); err == nil && data.Summary == nil {
		err = fmt.Errorf("%s holds no merged ensemble: gosper ensemble merge makes one", cmd.Dir)
	}
	if err == nil {
		data.Clusters, err = readTable[ensemble.ClusterSize](cmd.Dir, "clusters")
	}
	if err == nil {
		data.Census, err = readTable[ensemble.Object](cmd.Dir, "census")
	}
	if err == nil {
		data.Survival, err = readTable[ensemble.Survival](cmd.Dir, "survival")
	}
	if err == nil {
		data.Lifespans, err = readTable[ensemble.Lifespan](cmd.Dir, "lifespans")
	}
	if err != nil {
		return badInput{err}
	}
	out := cmd.Out
	if out == "" {
		out = cmd.Dir
	}
	names := []string{}
	for _, d := range data.Draw() {
		axesFlags{Log: cmd.Log}.apply(&d.Figure)
		path := filepath.Join(out, d.Name+"."+cmd.Format)
		if err := d.Figure.Save(path); err != nil {
			return err
		}
		names = append(names, path)
	}
	if cmd.JSON {
		return c.printJSON(names)
	}
	for _, name := range names {
		c.printf("%s\n", name)
	}
	return nil
}

// readTable is the rows of a table of an ensemble, in whatever format it is; none where it is not there.
func readTable[T any](dir, name string) ([]T, error) {
	for _, ext := range result.Formats {
		if path := filepath.Join(dir, name+ext); exists(path) {
			return result.Read[T](path)
		}
	}
	return nil, nil
}
