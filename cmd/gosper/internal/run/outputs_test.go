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

// TestStacks writes a volume as a PNG for each layer, and goes on from these files. A stack appears whole or not
// at all.
func TestStacks(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	gosper := func(code console.Status, arguments ...string) clitest.Outcome {
		o := clitest.Gosper(t, dir, arguments...)
		if o.Code != code {
			t.Fatalf("%v: exit code %d: %s", arguments, o.Code, o.Stderr)
		}
		return o
	}
	hash := func(o clitest.Outcome) string {
		_, text, _ := strings.Cut(o.Stdout, "hash")
		line, _, _ := strings.Cut(text, "\n")
		return line
	}
	begin := []string{
		"run", "--rule", "3D4,5/5", "--size", "20x10x9", "--topology", "plane", "--density", "0.3", "--seed", "1",
	}
	want := gosper(0, append(begin, "-g", "5", "--out", "slices/%02d.png", "--out", "all.npy")...)
	files, err := filepath.Glob(filepath.Join(dir, "slices", "0?.png"))
	if err != nil || len(files) != 9 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	gosper(0, "convert", "slices", "again/layer%d.png")
	for _, name := range []string{"slices", "slices/%02d.png", "again/layer%d.png", "again"} {
		if got := gosper(0, "run", name, "-g", "0"); hash(got) != hash(want) {
			t.Errorf("%s:\n%s\nwant\n%s", name, got.Stdout, want.Stdout)
		}
	}
	gosper(0, "convert", "slices", "again.npy")
	first, err := os.ReadFile(filepath.Join(dir, "again.npy"))
	second, failed := os.ReadFile(filepath.Join(dir, "all.npy"))
	if err != nil || failed != nil || !bytes.Equal(first, second) {
		t.Errorf("the array of a stack differs: %v, %v", err, failed)
	}
	// A layer that exists is replaced with --force only, and otherwise none of them is written.
	if err := os.Remove(files[0]); err != nil {
		t.Fatal(err)
	}
	o := gosper(console.InputError, append(begin, "-g", "6", "--out", "slices/%02d.png")...)
	if !strings.Contains(o.Stderr, "01.png: file already exists") || strings.Count(o.Stderr, "\n") != 1 {
		t.Error(o.Stderr)
	}
	if files, _ := os.ReadDir(filepath.Join(dir, "slices")); len(files) != 8 {
		t.Errorf("%d files are left of 8", len(files))
	}
	gosper(0, append(begin, "-g", "5", "--out", "slices/%02d.png", "--force")...)
	if got := gosper(0, "run", "slices", "-g", "0"); hash(got) != hash(want) {
		t.Error(got.Stdout)
	}
	gosper(console.InputError, append(begin, "-g", "5", "--out", "new/%d.png", "--out", "new/3.png")...)
	gosper(0, "run", "glider", "-g", "4", "--out", "%d.png")
	clitest.Leftovers(t, dir, "slices", "again", "again.npy", "all.npy", "%d.png")
}
