package cli

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"pgregory.net/rapid"
)

// TestBriefly: the parser that knows few flags sets all fields as the one that knows all flags, and it is
// silent about lines that one refuses.
func TestBriefly(t *testing.T) {
	var nodes []*kong.Node
	leaves(t, func(node *kong.Node, path string) {
		if !strings.Contains(path, " ") && path != "completion" && path != "man" && len(node.Flags) > 0 {
			nodes = append(nodes, node)
		}
	})
	values := []string{
		"3", "1e3", "0.5", "-3,5", "x.rle", ".", "90s", "B3/S23", "64x32", "16K", "8", "red", "", "-", "--",
		"-q", "--json", "a=b", "none",
	}
	briefs, errors := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		node := rapid.SampledFrom(nodes).Draw(t, "command")
		args := []string{node.Name}
		for range rapid.IntRange(0, 5).Draw(t, "words") {
			value := rapid.SampledFrom(values).Draw(t, "value")
			flag := rapid.SampledFrom(node.Flags).Draw(t, "flag")
			switch rapid.IntRange(0, 5).Draw(t, "kind") {
			case 0:
				args = append(args, value)
			case 1:
				args = append(args, "--"+flag.Name+"="+value)
			case 2:
				args = append(args, "--"+flag.Name)
			case 3:
				args = append(args, "--"+flag.Name, value)
			case 4:
				args = append(args, "--rules", ".")
			default:
				if flag.Short != 0 {
					args = append(args, "-"+string(flag.Short), value)
				}
			}
		}
		if slices.Contains(args, "--help") || slices.Contains(args, "-h") || slices.ContainsFunc(args, func(s string) bool {
			return strings.HasPrefix(s, "--help=")
		}) {
			return // it would be printed, and end the test
		}
		grammar := grammarOf(args)
		parser, err := newParser(grammar.Interface())
		if err != nil {
			t.Fatal(err)
		}
		_, refused := parse(parser, args)
		if refused != nil {
			errors++
		}
		command, folders, ok := briefly(args)
		switch {
		case ok && refused != nil:
			t.Fatalf("%q: parsed briefly, else %v", args, refused)
		case !ok && refused == nil:
			t.Fatalf("%q: not parsed briefly", args)
		case !ok:
			return
		}
		briefs++
		field, _ := commandField(args[0])
		if want := grammar.Elem().FieldByName(field.Name).Addr().Interface(); !reflect.DeepEqual(command, want) {
			t.Fatalf("%q: %+v briefly, else %+v", args, command, want)
		}
		if want := grammar.Elem().FieldByName(foldersField().Name).Interface(); !reflect.DeepEqual(folders, want) {
			t.Fatalf("%q: folders %q briefly, else %q", args, folders, want)
		}
	})
	if briefs == 0 || errors == 0 {
		t.Errorf("%d lines parsed briefly, %d refused", briefs, errors)
	}
}

// TestBrieflyLeavesToTheWhole: lines that need the whole grammar, and one that does not.
func TestBrieflyLeavesToTheWhole(t *testing.T) {
	for line, want := range map[string]bool{
		"run glider -g 3 -q": true, "run glider --help": false, "run glider -qh": false, "run glider --nonsense": false,
		"run -g 3 --to 3": false, "rpc": true, "rpc 3": false, "run": true,
		"bench speed": false, "--rules . run": false, "man": false, "completion bash": false, "nonsense": false,
	} {
		if _, _, ok := briefly(strings.Fields(line)); ok != want {
			t.Errorf("%q: parsed briefly %v", line, ok)
		}
	}
}
