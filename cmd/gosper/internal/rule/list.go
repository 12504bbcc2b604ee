package rule

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// ListCommand is gosper rules.
type ListCommand struct {
	Search []string `arg:"" optional:"" help:"Words that must occur in the name, notation, kind or source."`
	JSON   bool     `name:"json" help:"Print one JSON array."`
}

// Help is shown below the usage.
func (*ListCommand) Help() string {
	return `Example:

    gosper rules generations brain

A name works wherever a rule does: gosper run --rule brians-brain.`
}

type namedRule struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
	Rule    string   `json:"rule"`
	Kind    string   `json:"kind"`
	Source  string   `json:"source"`
	Density *float64 `json:"density"` // of soups that suit it; null for any
}

// Run implements the command.
func (cmd *ListCommand) Run(c *console.Console) error {
	search := strings.Join(cmd.Search, " ")
	found := catalogue.Search(search)
	if cmd.JSON {
		list := make([]namedRule, len(found))
		for i, n := range found {
			list[i] = namedRule{n.Name, append([]string{}, n.Aliases...), n.Notation, n.Kind, n.Source, console.Known(n.Density)}
		}
		return c.PrintJSON(list)
	}
	if len(found) == 0 {
		return console.Badf("no named rule has %q in its name, notation, kind or source%s", search, names.DidYouMean(search, catalogue.Names()))
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tRULE\tKIND\tSOURCE")
	for _, n := range found {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", n.Name, n.Notation, n.Kind, n.Source)
	}
	return table.Flush()
}
