package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/shell"
)

var update = flag.Bool("update", false, "write what the program prints into the transcripts")

// measured lists the parts of output that differ from run to run and from machine to machine.
var measured = []struct {
	pattern     *regexp.Regexp
	replacement string
}{
	{regexp.MustCompile(`(?m)^(  engine      )\S+, .*$`), "$1(here)"},
	{regexp.MustCompile(`(?m)^(  time        ).* for (.*) (generations?|soups?), .*$`), "$1(measured) for $2 $3"},
	{regexp.MustCompile(`"(seconds|cells_per_second|soups_per_second)": [0-9.e+-]+`), `"$1": 0`},
	{regexp.MustCompile(`"(engine|device|plan)": "[^"]+"`), `"$1": "(here)"`},
	{regexp.MustCompile(`[0-9,]+ tables?, [0-9,]+ loads?, [0-9,]+ stores?`), "(few) tables, loads, stores"},
	{regexp.MustCompile(`"(tables|loads|stores)": [0-9]+`), `"$1": 0`},
	{regexp.MustCompile(`[0-9]+ bytes \([^)]*\) available`), "(too few) available"},
	{regexp.MustCompile(`needs [0-9]+ bytes \([^)]*\)`), "needs (many) bytes"},
}

// TestTranscripts runs the commands in testdata/transcripts and compares their output. Each file runs in its own
// folder with a copy of testdata/files:
//
//	$ gosper run blinker -g 1        a command line
//	| …                              its standard output
//	! …                              its standard error
//	= 0                              its exit code
//
// A command that exits with 2 must not have changed any file.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			t.Parallel()
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := replay(t, string(want))
			if *update {
				if err := os.WriteFile(path, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
				t.Errorf("%s (-want +got; go test -update rewrites it):\n%s", path, diff)
			}
		})
	}
}

// replay runs the commands of a transcript and returns the transcript that came out.
func replay(t *testing.T, transcript string) string {
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS("testdata/files")); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	for line := range strings.Lines(transcript) {
		line = strings.TrimSuffix(line, "\n")
		words, isCommand := strings.CutPrefix(line, "$ gosper")
		if !isCommand {
			if line == "" || strings.HasPrefix(line, "#") {
				fmt.Fprintln(&got, line)
			}
			continue
		}
		words, input, _ := strings.Cut(words, " < ")
		args, err := splitWords(words)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		cmd := clitest.Command(t, dir, args...)
		if input != "" {
			data, err := os.ReadFile(filepath.Join(dir, input))
			if err != nil {
				t.Fatal(err)
			}
			cmd.Stdin = bytes.NewReader(data)
		}
		before := clitest.Listing(t, dir)
		o := clitest.Finish(t, cmd)
		if diff := cmp.Diff(before, clitest.Listing(t, dir)); o.Code == console.InputError && diff != "" {
			t.Errorf("%s: exit code 2, but files changed:\n%s", line, diff)
		}
		if o.Code == console.InputError && (strings.Count(o.Stderr, "\n") != 1 || !strings.HasPrefix(o.Stderr, "gosper: ") ||
			o.Stdout != "") {
			t.Errorf("%s: want one line of error, got\n%s%s", line, o.Stdout, o.Stderr)
		}
		fmt.Fprintln(&got, line)
		prefix(&got, "|", o.Stdout)
		prefix(&got, "!", o.Stderr)
		fmt.Fprintf(&got, "= %d\n", o.Code)
	}
	return got.String()
}

// prefix writes the lines of a text, each after a mark, without what is measured.
func prefix(w *bytes.Buffer, mark, text string) {
	for _, m := range measured {
		text = m.pattern.ReplaceAllString(text, m.replacement)
	}
	for line := range strings.Lines(text) {
		fmt.Fprintln(w, strings.TrimRight(mark+" "+line, " \n"))
	}
}

// splitWords splits a command line as a POSIX shell does, as far as spaces, single quotes and backslashes go.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted, started := false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted, started = !quoted, true
		case c == '\\' && !quoted && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			started = true
		case c == ' ' && !quoted:
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteByte(c)
			started = true
		}
	}
	if quoted {
		return nil, fmt.Errorf("quote without an end")
	}
	if started {
		words = append(words, word.String())
	}
	return words, nil
}

func TestCommandLineSplitsIntoItsArguments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		args := rapid.SliceOfN(rapid.StringOf(rapid.RuneFrom([]rune(`ab 'é"\$*;:~#-`))), 1, 5).Draw(t, "args")
		got, err := splitWords(shell.Join(args))
		if err != nil || !slices.Equal(got, args) {
			t.Fatalf("%q became %q (%v)", args, got, err)
		}
	})
}
