package cli

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
)

// parse parses the arguments of a command line.
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	if err := refuseMissing(parser, args); err != nil {
		return nil, err
	}
	return parser.Parse(args)
}

// refuseMissing refuses a flag at the end whose value is missing. The parser would take it for one with an empty value, and an empty value for none
// given: gosper run big.rle --checkpoint would save nothing.
func refuseMissing(parser *kong.Kong, args []string) error {
	if len(args) == 0 || slices.Contains(args, "--") {
		return nil
	}
	node := parser.Model.Node
	for _, arg := range args {
		if i := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == arg }); i >= 0 {
			node = node.Children[i]
		}
	}
	last := args[len(args)-1]
	for _, flags := range node.AllFlags(false) {
		for _, flag := range flags {
			if named := last == "--"+flag.Name || flag.Short != 0 && last == "-"+string(flag.Short); named && !flag.IsBool() && !flag.IsCounter() {
				return fmt.Errorf("--%s: a value is missing", flag.Name)
			}
		}
	}
	return nil
}
