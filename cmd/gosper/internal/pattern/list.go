package pattern

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/pattern/builtin"
)

// ListCommand is gosper patterns.
type ListCommand struct {
	Search []string `arg:"" optional:"" help:"Words that must occur in the name, rule or comment."`
	JSON   bool     `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*ListCommand) Help() string {
	return `Example:

    gosper patterns spaceship period 5

A name can be used in place of a pattern file: gosper run gosper-gun.`
}

type namedPattern struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Rule    string   `json:"rule"`
	Comment string   `json:"comment"`
}

// Run implements the command.
func (cmd *ListCommand) Run(c *console.Console) error {
	found := []namedPattern{}
	search := strings.Join(cmd.Search, " ")
	for _, p := range builtin.Search(search) {
		found = append(found, namedPattern{p.Name, append([]string{}, p.Aliases...), p.Rule, p.Comment})
	}
	if cmd.JSON {
		return c.PrintJSON(found)
	}
	if len(found) == 0 {
		return console.Badf("no built-in pattern has %q in its name, rule or comment%s", search,
			names.DidYouMean(search, builtin.Names()))
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tRULE\tWHAT IT IS")
	for _, p := range found {
		fmt.Fprintf(table, "%s\t%s\t%s\n", p.Name, p.Rule, p.Comment)
	}
	return table.Flush()
}
