package cli

import (
	"runtime"
	"runtime/debug"
)

type versionCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Help is shown below the usage.
func (*versionCommand) Help() string { return "Example:\n\n    gosper version" }

type build struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the source, "+" where it was changed
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Run implements the command.
func (cmd *versionCommand) Run(c *console) error {
	b := build{Version: "(unknown)", Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
		b.Version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				b.Revision = s.Value[:min(12, len(s.Value))] + b.Revision
			case s.Key == "vcs.modified" && s.Value == "true":
				b.Revision += "+"
			}
		}
	}
	if cmd.JSON {
		return c.printJSON(b)
	}
	c.printf("gosper %s %s %s %s\n", b.Version, b.Revision, b.Go, b.Platform)
	return nil
}
