package run

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// written are flags of a run that writes files of every kind.
var written = []string{
	"run", "-q", "--checkpoint", "c.ckpt", "--series", "s.csv", "--frames", "frames", "--every", "10", "--out", "o.rle",
	"--out", "o.png",
	"--clusters", "8", "--cluster-sizes", "z.csv",
}

var universe = []string{"--size", "40", "--seed", "5"}

func flags(parts ...[]string) (all []string) {
	for _, p := range parts {
		all = append(all, p...)
	}
	return all
}

// mustEqual compares all files of two folders, apart from checkpoints, which name the folder.
func mustEqual(t *testing.T, dir, other string) {
	t.Helper()
	got, want := clitest.Listing(t, dir), clitest.Listing(t, other)
	for path, text := range want {
		if now, ok := got[path]; !ok || now != text && path != "c.ckpt" {
			t.Errorf("%s: %d bytes, want %d (there: %v)", path, len(now), len(text), ok)
		}
	}
	for path := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s is left", path)
		}
	}
}

// TestContinuedRunReplacesItsFiles continues a run whose files are all there, in every state that a killed run
// leaves. It needs no --force, and the files are those of a run that was not cut.
func TestContinuedRunReplacesItsFiles(t *testing.T) {
	t.Parallel()
	uncut := t.TempDir()
	clitest.MustRun(t, uncut, flags(written, universe, []string{"--to", "60"})...)
	resumed := flags(written, []string{"--resume", "c.ckpt", "--to", "60"})
	for name, change := range map[string]func(path func(name string) string) error{
		"as they are": func(func(string) string) error { return nil },
		"killed between link and unlink of the series": func(path func(string) string) error {
			return os.Link(path("s.csv"), path(".s.csv.gosper-part"))
		},
		"killed between link and unlink of a pattern": func(path func(string) string) error {
			return os.Link(path("o.rle"), path(".o.rle.gosper-part"))
		},
		"killed before the series got its name": func(path func(string) string) error {
			return os.Rename(path("s.csv"), path(".s.csv.gosper-part"))
		},
		"a pattern is gone": func(path func(string) string) error { return os.Remove(path("o.png")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clitest.MustRun(t, dir, flags(written, universe, []string{"--to", "35"})...)
			if err := change(func(name string) string { return filepath.Join(dir, name) }); err != nil {
				t.Skip(err)
			}
			clitest.MustRun(t, dir, resumed...)
			mustEqual(t, dir, uncut)
			clitest.MustRun(t, dir, resumed...) // there is nothing to do, and nothing is in the way
			mustEqual(t, dir, uncut)
			// A file of somebody else is refused.
			if err := os.WriteFile(filepath.Join(dir, "o.rle"), []byte("precious"), 0o666); err != nil {
				t.Fatal(err)
			}
			if o := clitest.Gosper(t, dir, resumed...); o.Code != console.InputError ||
				!strings.Contains(o.Stderr, "o.rle: file already exists") {
				t.Errorf("exit code %d: %s", o.Code, o.Stderr)
			}
		})
	}
}

// TestMissingSeries continues runs whose series is gone or shorter than it was: they are refused, and nothing changes.
func TestMissingSeries(t *testing.T) {
	t.Parallel()
	first := []string{"run", "-q", "--to", "300", "--checkpoint", "c.ckpt", "--series", "s.csv", "--every", "1"}
	for name, c := range map[string]struct {
		change  func(path string) error
		message string
	}{
		"gone":    {os.Remove, "there is no such file"},
		"shorter": {func(path string) error { return os.Truncate(path, 100) }, "it has only 100"},
		"another": {func(path string) error { return os.WriteFile(path, make([]byte, 1<<20), 0o666) }, "it has others"},
		"a shorter part": {func(path string) error {
			if err := os.Truncate(path, 50); err != nil {
				return err
			}
			return os.Rename(path, filepath.Join(filepath.Dir(path), ".s.csv.gosper-part"))
		}, "it has only 50"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clitest.MustRun(t, dir, flags(first, universe)...)
			if err := c.change(filepath.Join(dir, "s.csv")); err != nil {
				t.Fatal(err)
			}
			before := clitest.Listing(t, dir)
			resumed := []string{"run", "-q", "--resume", "c.ckpt", "--to", "320", "--checkpoint", "c.ckpt", "--every", "1"}
			for _, force := range [][]string{nil, {"--force"}} {
				o := clitest.Gosper(t, dir, flags(resumed, []string{"--series", "s.csv"}, force)...)
				if o.Code != console.InputError || !strings.Contains(o.Stderr,
					"s.csv: what is to be continued is missing: the first ") ||
					!strings.Contains(o.Stderr, c.message) || strings.Count(o.Stderr, "\n") != 1 {
					t.Errorf("%v: exit code %d: %s", force, o.Code, o.Stderr)
				}
			}
			after := clitest.Listing(t, dir)
			for path, text := range before {
				if after[path] != text {
					t.Errorf("%s was changed", path)
				}
			}
			if len(after) != len(before) {
				t.Errorf("%d files, want %d", len(after), len(before))
			}
			// A series with a name of its own begins where the checkpoint is.
			clitest.MustRun(t, dir, flags(resumed, []string{"--series", "t.csv"})...)
			if rows := rowsOf(t, filepath.Join(dir, "t.csv")); len(rows) != 21 || rows[0][0] != 300 {
				t.Errorf("%d rows, want 21 from generation 300 on", len(rows))
			}
		})
	}
}

// TestFramesOfAKilledRun kills a run as soon as it has a frame. It can be continued, because there is a
// checkpoint before.
func TestFramesOfAKilledRun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("a killed process leaves its files open for a while")
	}
	dir, uncut := t.TempDir(), t.TempDir()
	cmd := clitest.Command(t, dir, flags(written, universe, []string{"--to", "1e15"})...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	clitest.WaitFor(t, filepath.Join(dir, "frames", "frame-0000000000.png"))
	cmd.Process.Kill()
	cmd.Wait()
	if !output.Exists(filepath.Join(dir, "c.ckpt")) {
		t.Fatal("there is a frame and no checkpoint")
	}
	frames, err := filepath.Glob(filepath.Join(dir, "frames", "frame-*.png"))
	if err != nil {
		t.Fatal(err)
	}
	last, _ := frameGeneration(filepath.Base(frames[len(frames)-1]))
	to := []string{"--to", strconv.FormatUint(last+10, 10)} // the frame after the last one may have been begun
	clitest.MustRun(t, dir, flags(written, to, []string{"--resume", "c.ckpt"})...)
	clitest.MustRun(t, uncut, flags(written, to, universe)...)
	mustEqual(t, dir, uncut)
}
