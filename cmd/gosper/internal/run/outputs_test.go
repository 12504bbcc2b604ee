package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestOutputsThatAreOneFile gives two outputs one file under two names. Each is refused, and what is there stays.
func TestOutputsThatAreOneFile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"there.csv", "there.rle"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("precious"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(dir, "there.csv"), filepath.Join(dir, "hard.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("there.csv", filepath.Join(dir, "soft.csv")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "here")); err != nil {
		t.Fatal(err)
	}
	for _, flags := range [][]string{
		{"--series", "q.csv", "--every", "1", "--clusters", "8", "--cluster-sizes", "./q.csv"},
		{"--series", "q.csv", "--every", "1", "--clusters", "8", "--cluster-sizes", "here/q.csv"},
		{"--series", "there.csv", "--every", "1", "--clusters", "8", "--cluster-sizes", "hard.csv", "--force"},
		{"--series", "there.csv", "--every", "1", "--clusters", "8", "--cluster-sizes", "soft.csv", "--force"},
		{"--out", "a.rle", "--out", filepath.Join(dir, "a.rle")},
		{"--out", "a.rle", "--out", "here/a.rle"},
		{"--out", "a.rle", "--checkpoint", "here/a.rle"},
		{"--out", "-", "--series", "/dev/stdout", "--every", "1"},
	} {
		o := clitest.Gosper(t, dir, append([]string{"run", "glider", "-g", "10"}, flags...)...)
		if o.Code != console.InputError || !strings.Contains(o.Stderr, "two outputs") || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d: %s", flags, o.Code, o.Stderr)
		}
	}
	clitest.Leftovers(t, dir, "there.csv", "there.rle", "hard.csv", "soft.csv", "here")
	if text, err := os.ReadFile(filepath.Join(dir, "hard.csv")); string(text) != "precious" {
		t.Errorf("a file was changed: %q %v", text, err)
	}
}

// TestLinkToNothing is refused before the run.
func TestLinkToNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"a.rle", "a.csv", "a.ckpt", "a.gif"} {
		if err := os.Symlink("nowhere", filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"run", "glider", "--out", "a.rle", "--force"},
		{"run", "glider", "--series", "a.csv", "--every", "1"},
		{"run", "glider", "--checkpoint", "a.ckpt"},
		{"render", "glider", "--out", "a.gif"},
	} {
		o := clitest.Gosper(t, dir, args...)
		if o.Code != console.InputError || !strings.Contains(o.Stderr, "symbolic link to nowhere, which does not exist") {
			t.Errorf("%v: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
}

// TestStandardOutput has outputs go to standard output, and the summary to standard error.
func TestStandardOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := clitest.Gosper(t, dir, "run", "glider", "-q", "-g", "4", "--out", "a.rle", "--out", "a.png", "--out",
		"a.npy.gz", "--series", "a.csv", "--every", "2",
		"--clusters", "8", "--cluster-sizes", "sizes.csv"); o.Code != 0 {
		t.Fatal(o.Stderr)
	}
	if o := clitest.Gosper(t, dir, "render", "glider", "-q", "-g", "4", "-o", "a.gif"); o.Code != 0 {
		t.Fatal(o.Stderr)
	}
	if o := clitest.Gosper(t, dir, "render", "glider", "-q", "-g", "4", "-o", "a.apng"); o.Code != 0 {
		t.Fatal(o.Stderr)
	}
	for _, c := range []struct {
		file string
		args []string
	}{
		{"a.rle", []string{"run", "glider", "-g", "4", "--out", "-"}},
		{"a.rle", []string{"run", "glider", "-g", "4", "--out", "/dev/stdout", "--json"}},
		{"a.png", []string{"run", "glider", "-g", "4", "--out", "-", "--format", "png"}},
		{"a.npy.gz", []string{"run", "glider", "-g", "4", "--out", "-", "--format", "npy.gz"}},
		{"a.csv", []string{"run", "glider", "-g", "4", "--series", "-", "--every", "2"}},
		{"sizes.csv", []string{"run", "glider", "-g", "4", "--clusters", "8", "--cluster-sizes", "-"}},
		{"a.gif", []string{"render", "glider", "-g", "4", "--out", "-"}},
		{"a.apng", []string{"render", "glider", "-g", "4", "--out", "/dev/stdout", "--format", "apng"}},
	} {
		want, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			t.Fatal(err)
		}
		o := clitest.Gosper(t, dir, c.args...)
		if o.Code != 0 || o.Stdout != string(want) || !strings.Contains(o.Stderr, "lider") &&
			!strings.Contains(o.Stderr, "generation") {
			t.Errorf("%v: exit code %d, %d bytes on standard output, want the %d of %s\n%s", c.args, o.Code, len(o.Stdout),
				len(want), c.file, o.Stderr)
		}
	}
	// A pattern comes through a pipe and goes through one.
	cmd := clitest.Command(t, dir, "run", "-", "-g", "4", "--out", "-")
	cmd.Stdin = bytes.NewReader([]byte("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"))
	if o := clitest.Finish(t, cmd); o.Code != 0 || !strings.Contains(o.Stdout, "bo$2bo$3o!") {
		t.Errorf("exit code %d: %s%s", o.Code, o.Stdout, o.Stderr)
	}
	for want, args := range map[string][]string{
		"--format needs":                 {"run", "glider", "--out", "b.rle", "--format", "png"},
		"want the suffix":                {"run", "glider", "--out", "-", "--format", "bmp"},
		"--format says it":               {"run", "glider", "--out", "b"},
		"want png, apng or gif":          {"render", "glider", "--out", "-", "--format", "rle"},
		"want a file":                    {"run", "glider", "--checkpoint", "-"},
		"two outputs go to standard out": {"run", "glider", "--out", "-", "--out", "/dev/stdout"},
	} {
		if o := clitest.Gosper(t, dir, args...); o.Code != console.InputError || !strings.Contains(o.Stderr, want) {
			t.Errorf("%v: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
	if o := clitest.Gosper(t, dir, "run", "glider", "-g", "4", "-q", "--out", "c", "--format", "rle"); o.Code != 0 {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
}
