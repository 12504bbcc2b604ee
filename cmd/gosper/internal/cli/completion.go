package cli

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule/catalogue"
	"github.com/gosper-life/gosper/sim"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Help is shown below the usage.
func (*completionCommand) Help() string {
	return `Examples:

    source <(gosper completion bash)
    gosper completion zsh > "${fpath[1]}/_gosper"
    gosper completion fish > ~/.config/fish/completions/gosper.fish`
}

// Run implements the command.
func (cmd *completionCommand) Run(c *console.Console, k *kong.Kong) error {
	write := map[string]func(io.Writer, []completion){"bash": writeBash, "zsh": writeZsh, "fish": writeFish}[cmd.Shell]
	write(c.Out, completions(k.Model.Node, ""))
	return nil
}

// completion lists the words that may follow one command.
type completion struct {
	path  string // the command's words: "", "run", "bench speed"
	help  string
	words []string // subcommands
	names string   // which list of completionLists the argument takes its names from; "" for none
	flags []completionFlag
}

type completionFlag struct {
	name   string // with its dashes
	help   string
	values []string // the values of an enum
	list   string   // which list of completionLists the value comes from
	takes  bool     // whether a value follows the flag
}

// completionLists returns the names that a flag or an argument takes, by its kind, in a form that needs no quotes.
var completionLists = sync.OnceValue(func() map[string][]string {
	var rules, patterns []string
	for _, n := range catalogue.All() {
		rules = append(rules, typable(n.Name))
	}
	for _, p := range builtin.All() {
		patterns = append(patterns, p.Name)
	}
	return map[string][]string{"pattern": patterns, "rule": rules, "engine": append([]string{sim.Auto}, sim.Names()...)}
})

// typable turns a name of the catalogue into one lower-case word: Brian's Brain is brians-brain.
func typable(name string) string {
	return strings.ToLower(strings.NewReplacer(" ", "-", "'", "", "’", "").Replace(name))
}

// completions collects the completions of a command and its subcommands.
func completions(node *kong.Node, path string) []completion {
	c := completion{path: path, help: node.Help}
	for _, flag := range node.Flags {
		if flag.Hidden {
			continue
		}
		f := completionFlag{name: "--" + flag.Name, help: flag.Help, takes: !flag.IsBool()}
		if _, ok := completionLists()[flag.Name]; ok {
			f.list = flag.Name
		}
		if flag.Enum != "" {
			f.values = slices.DeleteFunc(strings.Split(flag.Enum, ","), func(s string) bool { return s == "" })
		}
		c.flags = append(c.flags, f)
	}
	all := []completion{}
	for _, child := range node.Children {
		if child.Hidden {
			continue
		}
		c.words = append(c.words, child.Name)
		all = append(all, completions(child, strings.TrimSpace(path+" "+child.Name))...)
	}
	for _, positional := range node.Positional {
		if positional.Enum != "" {
			c.words = append(c.words, strings.Split(positional.Enum, ",")...)
		}
		if _, ok := completionLists()[positional.Name]; ok {
			c.names = positional.Name
		}
	}
	return append([]completion{c}, all...)
}

// writeBash writes a function that finds the longest known command in the words typed so far. The function also
// works in zsh, where path and words are reserved names, and where a length is an expression only in $(( )).
func writeBash(w io.Writer, all []completion) {
	fmt.Fprintln(w, "# bash completion for gosper")
	lists := completionLists()
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(w, "_gosper_%ss=%s\n", list, shell.Quote(strings.Join(lists[list], " ")))
	}
	fmt.Fprint(w, `_gosper() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb= word offer= names=
    for word in "${COMP_WORDS[@]:1:$((COMP_CWORD - 1))}"; do
        case "${verb:+$verb }$word" in
`)
	for _, c := range all[1:] {
		fmt.Fprintf(w, "            %s) verb=%s ;;\n", shell.Quote(c.path), shell.Quote(c.path))
	}
	fmt.Fprint(w, "        esac\n    done\n    case \"$verb $prev\" in\n")
	for _, c := range all {
		for _, f := range c.flags {
			if f.takes {
				fmt.Fprintf(w, "        %s) %s; return ;;\n", shell.Quote(c.path+" "+f.name), bashValues(f))
			}
		}
	}
	fmt.Fprint(w, "    esac\n    case $verb in\n")
	for _, c := range all {
		words := slices.Clone(c.words)
		for _, f := range c.flags {
			words = append(words, f.name)
		}
		path := `""`
		if c.path != "" {
			path = shell.Quote(c.path)
		}
		names := ""
		if c.names != "" {
			names = ` names=$_gosper_` + c.names + "s"
		}
		fmt.Fprintf(w, "        %s) offer=%s%s ;;\n", path, shell.Quote(strings.Join(words, " ")), names)
	}
	fmt.Fprint(w, `    esac
    COMPREPLY=($(compgen -W "$offer $names" -- "$cur"))
    if [[ $cur != -* ]]; then
        COMPREPLY+=($(compgen -f -- "$cur"))
    fi
}
complete -o filenames -F _gosper gosper
`)
}

// bashValues completes the value of a flag: one of an enum, else a file.
func bashValues(f completionFlag) string {
	if f.list != "" {
		return fmt.Sprintf(`COMPREPLY=($(compgen -W "$_gosper_%ss" -- "$cur"))`, f.list)
	}
	if len(f.values) > 0 {
		return fmt.Sprintf(`COMPREPLY=($(compgen -W %s -- "$cur"))`, shell.Quote(strings.Join(f.values, " ")))
	}
	return `COMPREPLY=($(compgen -f -- "$cur"))`
}

// writeZsh makes zsh use the bash function, through its bashcompinit.
func writeZsh(w io.Writer, all []completion) {
	fmt.Fprint(w, "#compdef gosper\nautoload -U +X bashcompinit && bashcompinit\n")
	writeBash(w, all)
}

// writeFish writes one line for each word and flag.
func writeFish(w io.Writer, all []completion) {
	fmt.Fprint(w, "# fish completion for gosper\n")
	lists := completionLists()
	for _, list := range slices.Sorted(maps.Keys(lists)) {
		fmt.Fprintf(w, "set -g _gosper_%ss %s\n", list, fishQuote(strings.Join(lists[list], " ")))
	}
	for _, c := range all {
		when := fishCondition(c)
		if c.names != "" {
			fmt.Fprintf(w, "complete -c gosper -n %s -a \"$_gosper_%ss\"\n", shell.Quote(when), c.names)
		}
		for _, word := range c.words {
			help := ""
			for _, child := range all {
				if child.path == strings.TrimSpace(c.path+" "+word) {
					help = child.help
				}
			}
			fmt.Fprintf(w, "complete -c gosper -n %s -a %s -d %s\n", shell.Quote(when), word, fishQuote(help))
		}
		for _, f := range c.flags {
			fmt.Fprintf(w, "complete -c gosper -n %s -l %s -d %s", shell.Quote(when), strings.TrimPrefix(f.name, "--"),
				fishQuote(f.help))
			switch {
			case f.list != "":
				fmt.Fprintf(w, " -x -a \"$_gosper_%ss\"", f.list)
			case len(f.values) > 0:
				fmt.Fprintf(w, " -x -a %s", fishQuote(strings.Join(f.values, " ")))
			case f.takes:
				fmt.Fprint(w, " -r")
			}
			fmt.Fprintln(w)
		}
	}
}

// fishCondition holds if the words of a command have been typed and none of its subcommands.
func fishCondition(c completion) string {
	if c.path == "" {
		return "__fish_use_subcommand"
	}
	var conditions []string
	for _, word := range strings.Fields(c.path) {
		conditions = append(conditions, "__fish_seen_subcommand_from "+word)
	}
	if len(c.words) > 0 {
		conditions = append(conditions, "not __fish_seen_subcommand_from "+strings.Join(c.words, " "))
	}
	return strings.Join(conditions, "; and ")
}

// fishQuote quotes for fish, where a backslash has a meaning within single quotes.
func fishQuote(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}
