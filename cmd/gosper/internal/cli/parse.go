package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/internal/names"
)

// parse parses the arguments of a command line.
func parse(parser *kong.Kong, args []string) (*kong.Context, error) {
	if err := refuseMissing(parser, args); err != nil {
		return nil, err
	}
	parsed, err := parser.Parse(args)
	return parsed, withForm(err)
}

// refuseMissing refuses a flag whose value is missing: at the end, or before another flag. The parser would
// take the next flag for the value, or none for an empty one, and an empty value for none given: gosper run
// big.rle --checkpoint would save nothing, and --checkpoint --json into a file "--json".
func refuseMissing(parser *kong.Kong, args []string) error {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end] // what follows is no flag
	}
	node := parser.Model.Node
	for _, arg := range args {
		if i := slices.IndexFunc(node.Children, func(child *kong.Node) bool { return child.Name == arg }); i >= 0 {
			node = node.Children[i]
		}
	}
	flags := slices.Concat(node.AllFlags(false)...)
	for i, arg := range args {
		at := slices.IndexFunc(flags, func(f *kong.Flag) bool {
			return (arg == "--"+f.Name || f.Short != 0 && arg == "-"+string(f.Short)) && !f.IsBool() && !f.IsCounter()
		})
		switch {
		case at < 0:
		case i == len(args)-1:
			return fmt.Errorf("--%s: a value is missing", flags[at].Name)
		case strings.HasPrefix(args[i+1], "--"):
			return fmt.Errorf("--%s: a value is missing before %s (one that begins so is given as --%s=VALUE)", flags[at].Name,
				args[i+1], flags[at].Name)
		}
	}
	return nil
}

// withForm adds to an error about an argument that is missing, or that is given as a flag, how the command is
// called. The parser names only the argument, or a flag of a similar name.
func withForm(err error) error {
	var unparsed *kong.ParseError
	if !errors.As(err, &unparsed) {
		return err
	}
	command := unparsed.Context.Selected()
	if command == nil {
		command = unparsed.Context.Model.Node
	}
	missing, some := strings.CutPrefix(err.Error(), `expected "`)
	extra, unexpected := strings.CutPrefix(err.Error(), "unexpected argument ")
	extra, _, _ = strings.Cut(extra, ",") // before commands of similar names
	flag, unknown := strings.CutPrefix(err.Error(), "unknown flag --")
	flag, _, _ = strings.Cut(flag, ",") // before flags of similar names
	switch {
	case unknown && slices.ContainsFunc(command.Positional, func(p *kong.Positional) bool { return p.Name == flag }):
		return fmt.Errorf("unknown flag --%s: <%s> is an argument; the command is gosper %s", flag, flag,
			strings.TrimSpace(command.Summary()))
	case unexpected && len(command.Children) > 0:
		return noCommand(command, extra)
	case some:
		return fmt.Errorf("missing: %s; the command is gosper %s", strings.TrimSuffix(missing, `"`),
			strings.TrimSpace(command.Summary()))
	case strings.HasPrefix(missing, "expected one of "):
		return fmt.Errorf("missing: a command; %s --help lists them", command.FullPath())
	}
	return err
}

// noCommand says that a group of commands, or the program, has no command of this name, and which has a similar one.
func noCommand(group *kong.Node, name string) error {
	var visible []string
	for _, child := range group.Children {
		if !child.Hidden {
			visible = append(visible, child.Name)
		}
	}
	full := strings.TrimPrefix(group.FullPath()+" "+name, "gosper ")
	if similar := names.Closest(name, slices.Values(visible)); similar != "" {
		return fmt.Errorf("no command %q: did you mean %s %s?", full, group.FullPath(), similar)
	}
	return fmt.Errorf("no command %q: %s --help lists them", full, group.FullPath())
}
