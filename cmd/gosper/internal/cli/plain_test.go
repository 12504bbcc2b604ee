package cli

import (
	"archive/zip"
	"bytes"
	"context"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// evil changes a terminal's title and clears its screen.
const evil = "evil\x1b]0;title\a\x1b[2J\u009b31m\u202e"

// mustBePlain fails if a terminal would obey the output of a command. It returns whether evil was printed at all.
func mustBePlain(t *testing.T, o clitest.Outcome, args []string) bool {
	t.Helper()
	if strings.ContainsAny(o.Stdout+o.Stderr, "\x1b\a\u009b\u202e") {
		t.Errorf("%q prints control characters: %q", args, o.Stdout+o.Stderr)
	}
	return strings.Contains(o.Stdout+o.Stderr, `evil\x1b]`)
}

// TestArgumentsArePlain gives every command a terminal's commands in each argument and flag. The context is
// done, so that no command goes further than its input.
func TestArgumentsArePlain(t *testing.T) {
	t.Chdir(t.TempDir())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	tried, printed := 0, 0
	try := func(args ...string) {
		var stdout, stderr bytes.Buffer
		c := &console.Console{Out: &stdout, Err: console.Messages(&stderr)}
		code := end(c, dispatch(ctx, c, args))
		tried++
		if mustBePlain(t, clitest.Outcome{Code: code, Stdout: stdout.String(), Stderr: stderr.String()}, args) {
			printed++
		}
	}
	try(evil)
	try("--" + evil)
	leaves(t, func(node *kong.Node, path string) {
		words := strings.Fields(path)
		try(append(words, "--"+evil)...)
		var positional []string
		for range node.Positional {
			positional = append(positional, evil)
		}
		try(append(words, positional...)...)
		for _, flag := range node.AllFlags(false) {
			for _, f := range flag {
				if f.Target.Kind() != reflect.Bool {
					try(append(words, "--"+f.Name+"="+evil)...)
				}
			}
		}
	})
	if tried < 300 || printed < tried/3 {
		t.Errorf("of %d command lines, %d printed what they were given", tried, printed)
	}
}

// TestFilesArePlain has a terminal's commands in the names of files, of entries of archives, and in the files
// themselves.
func TestFilesArePlain(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	archive := func(name string, entries ...string) {
		t.Helper()
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, entry := range entries {
			w, err := z.Create(entry)
			if err == nil {
				_, err = w.Write([]byte("nonsense " + evil))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		write(name, b.String())
	}
	archive("two.zip", evil+"1.rle", evil+"2.rle")
	archive("one.zip", evil+".rle")
	archive("rule.zip", evil+".rule", "a.rle")
	write(evil+".rle", "x = 3, y = 1, rule = "+strings.ReplaceAll(evil, " ", "")+"\n3o!\n")
	write("words.rle", "#N "+evil+"\n#O "+evil+"\n#C "+evil+"\nx = 3, y = 1, rule = B3/S23\n3o!\n")
	write("words.cells", "!Name: "+evil+"\n!"+evil+"\nOOO\n")
	const table = "@TABLE\nn_states:3\nneighborhood:Moore\nsymmetries:none\n"
	write("names.rule", "@RULE names\n"+evil+"\n"+table+"@NAMES\n1 "+evil+"\n")
	write(evil+".rule", "@RULE "+evil+"\n@TABLE\nn_states:3\n")
	write(evil+".csv", evil+"\n1,2\n")
	write("x.csv", "a,"+evil+"\n1,2\n")
	printed := 0
	for _, args := range [][]string{
		{"info", "two.zip"},
		{"info", "one.zip"},
		{"info", "rule.zip"},
		{"info", evil + ".rle"},
		{"info", "words.rle"},
		{"info", "words.cells"},
		{"info", "two.zip/" + evil + "3.rle"},
		{"run", evil + ".rle", "-g", "1"},
		{"run", "words.rle", "-g", "1"},
		{"run", "words.rle", "-g", "1", "--out", evil},
		{"run", "words.rle", "-g", "1", "--out", evil + "/a.rle"},
		{"convert", evil + ".rle", evil + ".xyz"},
		{"convert", "words.rle", "-", "--format", evil},
		{"convert", "words.rle", evil + ".life"},
		{"diff", evil + ".rle", "words.rle"},
		{"identify", evil + ".rle"},
		{"rule", "names", "--rules", "."},
		{"rule", evil, "--rules", "."},
		{"plot", evil + ".csv"},
		{"plot", "x.csv"},
		{"render", evil + ".rle", evil + ".gif"},
		{"ensemble", "report", evil},
		{"run", "--resume", evil + ".rle"},
		{"info", "missing" + evil},
	} {
		o := clitest.Gosper(t, dir, args...)
		if mustBePlain(t, o, args) {
			printed++
		}
	}
	if printed < 15 {
		t.Errorf("only %d commands print what they were given", printed)
	}
}
