package rule

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/names"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/rule/model"
	"github.com/gosper-life/gosper/rule/rulefile"
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

A name can be used in place of a rule: gosper run --rule brians-brain.`
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
	found := append(catalogue.Search(search), builtIn(cmd.Search)...)
	if cmd.JSON {
		list := make([]namedRule, len(found))
		for i, n := range found {
			list[i] = namedRule{n.Name, append([]string{}, n.Aliases...), n.Notation, n.Kind, n.Source, console.Known(n.Density)}
		}
		return c.PrintJSON(list)
	}
	if len(found) == 0 {
		return console.Badf("no named rule has %q in its name, notation, kind or source%s", search,
			names.DidYouMean(search, catalogue.Names()))
	}
	table := tabwriter.NewWriter(c.Out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tRULE\tKIND\tSOURCE")
	for _, n := range found {
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", n.Name, n.Notation, n.Kind, n.Source)
	}
	return table.Flush()
}

// builtIn returns the rules by table or code that are built in, and the models, that have all words in their
// name, kind or source.
func builtIn(words []string) (found []catalogue.Entry) {
	for _, name := range rulefile.BuiltIn() {
		f, err := rulefile.Find(name)
		if err != nil {
			continue // a file of the user's by this name, with a mistake that gosper rule NAME tells
		}
		short, _, _ := strings.Cut(strings.Join(strings.Fields(f.Description), " "), ":") // gosper rule NAME has all of it
		found = append(found, catalogue.Entry{
			Name: name, Notation: name, Kind: "table",
			Source: strings.TrimSuffix(short, "."),
		})
	}
	for _, m := range model.All() {
		e := catalogue.Entry{Name: m.Name, Notation: m.Name, Kind: "stochastic", Source: m.Source + "; " + m.Meaning}
		if options := m.Options(); options != "" {
			e.Notation += "~" + options
		}
		found = append(found, e)
	}
	return slices.DeleteFunc(found, func(r catalogue.Entry) bool {
		text := strings.ToLower(r.Name + " " + r.Kind + " " + r.Source)
		return slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(text, strings.ToLower(word)) })
	})
}
