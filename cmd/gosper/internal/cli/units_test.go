package cli

import (
	"os/exec"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// leaves calls visit for each command.
func leaves(t *testing.T, visit func(node *kong.Node, path string)) *kong.Kong {
	t.Helper()
	parser, err := newParser(&commands{})
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range parser.Model.Leaves(false) {
		path, _, _ := strings.Cut(strings.TrimPrefix(node.FullPath(), "gosper "), " <")
		visit(node, path)
	}
	return parser
}

func TestEveryCommandHasAnExample(t *testing.T) {
	n := 0
	leaves(t, func(node *kong.Node, path string) {
		n++
		if !strings.Contains(node.Detail, "gosper "+path) {
			t.Errorf("the help of %q has no example", path)
		}
		if node.Help == "" {
			t.Errorf("%q has no help", path)
		}
		for _, flag := range node.Flags {
			if flag.Help == "" {
				t.Errorf("%s --%s has no help", path, flag.Name)
			}
		}
	})
	if n < 11 {
		t.Errorf("%d commands", n)
	}
}

// TestExamplesParse takes the examples of the help and of bare gosper at their word.
func TestExamplesParse(t *testing.T) {
	text := examples
	leaves(t, func(node *kong.Node, _ string) { text += "\n" + node.Detail })
	n := 0
	for line := range strings.Lines(text) {
		line, isExample := strings.CutPrefix(line, "  ")
		words, isCommand := strings.CutPrefix(strings.TrimSpace(line), "gosper ")
		if !isExample || !isCommand {
			continue
		}
		words, _, _ = strings.Cut(words, " >") // redirections
		words, _, _ = strings.Cut(words, " #") // remarks
		args, err := splitWords(strings.ReplaceAll(words, `"`, `'`))
		if err != nil {
			t.Fatal(err)
		}
		if args[0] == "--help" {
			continue
		}
		parser, err := newParser(&commands{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err != nil {
			t.Errorf("gosper %q: %v", args, err)
		}
		n++
	}
	if n < 15 {
		t.Errorf("%d examples found", n)
	}
}

// TestCompletion asks bash for completions, and looks for every command and flag in the scripts of the others.
func TestCompletion(t *testing.T) {
	scripts := map[string]string{}
	for _, shell := range []string{"bash", "zsh", "fish"} {
		scripts[shell] = clitest.Gosper(t, t.TempDir(), "completion", shell).Stdout
	}
	leaves(t, func(node *kong.Node, path string) {
		for _, flag := range node.Flags {
			for shell, word := range map[string]string{
				"bash": "--" + flag.Name, "zsh": "--" + flag.Name,
				"fish": "-l " + flag.Name,
			} {
				if !strings.Contains(scripts[shell], word) {
					t.Errorf("%s: %s lacks %s", shell, path, word)
				}
			}
		}
	})
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to ask")
	}
	for typed, want := range map[string]string{
		"'' ru":           "run rule rules",
		"run --hash ''":   "state bytes none",
		"bench ''":        "speed roofline ensemble hosts boris fujita playne cat",
		"bench speed --r": "--rule",
		"completion z":    "zsh",
	} {
		script := scripts["bash"] + "\ncd /; COMP_WORDS=(gosper " + strings.TrimPrefix(typed, "'' ") + ")\n" +
			"COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); compgen() { if [[ $1 != -f ]]; then builtin compgen \"$@\"; fi; }\n" +
			"_gosper; echo \"${COMPREPLY[@]}\""
		out, err := exec.Command(bash, "-c", script).CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("%s completes to %q (%v), want %q", typed, got, err, want)
		}
	}
}

func TestVersionAndEngines(t *testing.T) {
	t.Parallel()
	if o := clitest.Gosper(t, t.TempDir(), "version"); o.Code != 0 || !strings.HasPrefix(o.Stdout, "gosper ") {
		t.Errorf("exit code %d: %s", o.Code, o.Stdout)
	}
	o := clitest.Gosper(t, t.TempDir(), "engines")
	for _, name := range []string{"cpu", "cuda", "hashlife", "lookup", "reference", "sums"} {
		if o.Code != 0 || !strings.Contains(o.Stdout, "\n"+name+" ") {
			t.Errorf("exit code %d, %s is missing in\n%s", o.Code, name, o.Stdout)
		}
	}
}

// TestOneCommand compares the parser for one command with that for all: the manual of the command must be the same.
func TestOneCommand(t *testing.T) {
	pages := func(parser *kong.Kong, command string) (of []manualPage) {
		for _, page := range manual(parser.Model) {
			if page.name == "gosper "+command || strings.HasPrefix(page.name, "gosper "+command+" ") {
				of = append(of, page)
			}
		}
		return of
	}
	all := leaves(t, func(*kong.Node, string) {})
	alone := 0
	for _, node := range all.Model.Children {
		one, err := newParser(grammarOf([]string{node.Name}).Interface())
		if err != nil {
			t.Fatal(err)
		}
		if len(one.Model.Children) == 1 {
			alone++
		}
		if !slices.ContainsFunc(one.Model.Children, func(n *kong.Node) bool { return n.Name == node.Name }) {
			t.Errorf("%s is not a command of its own parser", node.Name)
		}
		if got, want := pages(one, node.Name), pages(all, node.Name); len(want) == 0 && !node.Hidden ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("%s alone: %v, with all: %v", node.Name, got, want)
		}
	}
	if alone < 15 {
		t.Errorf("%d commands have a parser of their own", alone)
	}
}
