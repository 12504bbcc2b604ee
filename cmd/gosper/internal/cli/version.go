package cli

import (
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/result"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*versionCommand) Help() string { return "Example:\n\n    gosper version" }

// Run implements the command.
func (cmd *versionCommand) Run(c *console.Console) error {
	b := result.ThisBuild()
	if cmd.JSON {
		return c.PrintJSON(b)
	}
	c.Printf("gosper %s %s %s %s\n", b.Version, b.Source(), b.Go, b.Platform)
	return nil
}
