package cli

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/rule/catalogue"
)

// TestCompletionInShells asks the shells' own completion what may follow some words.
func TestCompletionInShells(t *testing.T) {
	ask := map[string]string{
		"bash": `source <("$0" completion bash); COMP_WORDS=("${@}"); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _gosper; printf '%s\n' "${COMPREPLY[@]}"`,
		"fish": `$argv[1] completion fish | source; complete -C (string join " " -- $argv[2..]) | string replace -r '\t.*' ''; or true`,
		// As bashcompinit calls it. Outside of its line editor, zsh offers all completions, independently of the typed
		// word.
		"zsh": `autoload -U compinit && compinit -D; source <("$0" completion zsh); COMP_WORDS=("${@}"); COMP_CWORD=$(($# - 1));
				emulate sh; setopt kshglob braceexpand; _gosper; printf '%s\n' "${COMPREPLY[@]}"`,
	}
	for shell, script := range ask {
		t.Run(shell, func(t *testing.T) {
			if _, err := exec.LookPath(shell); err != nil {
				t.Skipf("%s is not installed: its completion is not tried", shell)
			}
			for _, c := range []struct {
				words []string
				want  []string // among the answers
				not   string   // and this is none
			}{
				{[]string{"gosper", "ru"}, []string{"run", "rule", "rules"}, "view"},
				{[]string{"gosper", "run", "gosp"}, []string{"gosper-gun"}, "glider"},
				{[]string{"gosper", "view", "--engine", ""}, []string{"auto", "cpu", "hashlife"}, "glider"},
				{[]string{"gosper", "run", "--rule", "bri"}, []string{"brians-brain"}, "life"},
				{[]string{"gosper", "rule", "high"}, []string{"highlife"}, "life"},
				{[]string{"gosper", "serve", "glid"}, []string{"glider"}, "gosper-gun"},
				{[]string{"gosper", "view", "--theme", "gr"}, nil, "glider"},
				{[]string{"gosper", "identify", "loaf"}, []string{"loaf", "loafer"}, "glider"},
				{[]string{"gosper", "run", "--den"}, []string{"--density"}, "--seed"},
			} {
				args := append([]string{"-c", script, clitest.Program(t)}, c.words...)
				out, err := exec.CommandContext(t.Context(), shell, args...).Output()
				if err != nil {
					t.Fatalf("%v: %v", c.words, err)
				}
				got := strings.Fields(string(out))
				for _, want := range c.want {
					if !slices.Contains(got, want) {
						t.Errorf("after %q: %q, want %q among them", c.words, got, want)
					}
				}
				if slices.Contains(got, c.not) && shell != "zsh" {
					t.Errorf("after %q: %q, want no %q", c.words, got, c.not)
				}
			}
		})
	}
}

// TestCompletedRulesAreKnown: what is completed for a rule is the name of one.
func TestCompletedRulesAreKnown(t *testing.T) {
	for _, name := range completionLists()["rule"] {
		if _, ok := catalogue.Lookup(name); !ok || strings.ContainsAny(name, " '\"$") {
			t.Errorf("no rule is called %s", name)
		}
	}
}
