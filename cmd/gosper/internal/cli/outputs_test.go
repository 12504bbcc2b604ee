package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

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
		o := gosper(t, dir, append([]string{"run", "glider", "-g", "10"}, flags...)...)
		if o.code != console.InputError || !strings.Contains(o.stderr, "two outputs") || strings.Count(o.stderr, "\n") != 1 {
			t.Errorf("%v: exit code %d: %s", flags, o.code, o.stderr)
		}
	}
	leftovers(t, dir, "there.csv", "there.rle", "hard.csv", "soft.csv", "here")
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
		o := gosper(t, dir, args...)
		if o.code != console.InputError || !strings.Contains(o.stderr, "symbolic link to nowhere, which does not exist") {
			t.Errorf("%v: exit code %d: %s", args, o.code, o.stderr)
		}
	}
}

// TestStandardOutput has outputs go to standard output, and the summary to standard error.
func TestStandardOutput(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if o := gosper(t, dir, "run", "glider", "-q", "-g", "4", "--out", "a.rle", "--out", "a.png", "--out", "a.npy.gz", "--series", "a.csv", "--every", "2",
		"--clusters", "8", "--cluster-sizes", "sizes.csv"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	if o := gosper(t, dir, "render", "glider", "-q", "-g", "4", "-o", "a.gif"); o.code != 0 {
		t.Fatal(o.stderr)
	}
	if o := gosper(t, dir, "render", "glider", "-q", "-g", "4", "-o", "a.apng"); o.code != 0 {
		t.Fatal(o.stderr)
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
		o := gosper(t, dir, c.args...)
		if o.code != 0 || o.stdout != string(want) || !strings.Contains(o.stderr, "lider") && !strings.Contains(o.stderr, "generation") {
			t.Errorf("%v: exit code %d, %d bytes on standard output, want the %d of %s\n%s", c.args, o.code, len(o.stdout), len(want), c.file, o.stderr)
		}
	}
	// A pattern comes through a pipe and goes through one.
	cmd := command(t, dir, "run", "-", "-g", "4", "--out", "-")
	cmd.Stdin = bytes.NewReader([]byte("x = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n"))
	if o := finish(t, cmd); o.code != 0 || !strings.Contains(o.stdout, "bo$2bo$3o!") {
		t.Errorf("exit code %d: %s%s", o.code, o.stdout, o.stderr)
	}
	for want, args := range map[string][]string{
		"--format is for":                {"run", "glider", "--out", "b.rle", "--format", "png"},
		"want the suffix":                {"run", "glider", "--out", "-", "--format", "bmp"},
		"--format says it":               {"run", "glider", "--out", "b"},
		"want png, apng or gif":          {"render", "glider", "--out", "-", "--format", "rle"},
		"want a file":                    {"run", "glider", "--checkpoint", "-"},
		"two outputs go to standard out": {"run", "glider", "--out", "-", "--out", "/dev/stdout"},
	} {
		if o := gosper(t, dir, args...); o.code != console.InputError || !strings.Contains(o.stderr, want) {
			t.Errorf("%v: exit code %d: %s", args, o.code, o.stderr)
		}
	}
	if o := gosper(t, dir, "run", "glider", "-g", "4", "-q", "--out", "c", "--format", "rle"); o.code != 0 {
		t.Errorf("exit code %d: %s", o.code, o.stderr)
	}
}
