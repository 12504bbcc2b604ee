package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// countsIn returns the fields behind the usual ones of a series, without its header.
func countsIn(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for i, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		fields := strings.Split(line, ",")
		if i == 0 && !strings.HasPrefix(line, seriesHeader(false)+",pattern_1,isolated_1") {
			t.Fatalf("header %s", line)
		}
		if i > 0 {
			rows = append(rows, strings.Join(fields[8:], ","))
		}
	}
	return rows
}

// TestSeriesCounts counts in universes whose patterns are known: an R-pentomino leaves, among others, eight
// blocks, six gliders and four blinkers; three of the gliders have three
// cells in a row, too.
func TestSeriesCounts(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args []string
		want string // of the last row
	}{
		"unbounded": {[]string{
			"rpentomino", "-g", "1200", "--every", "1200", "--count", "xs4_33", "--count", "glider",
			"--count", "blinker", "--phases", "B3/S23",
		}, "8,8,6,6,7,4"},
		"torus": {[]string{
			"glider", "--size", "9x20", "-g", "33", "--every", "33", "--count", "glider", "--phases",
			"life",
		}, "1,1"},
		"plane": {[]string{
			"blinker", "--size", "9", "--topology", "plane", "-g", "3", "--every", "3", "--count", "3o!",
			"--count", "2o!",
		}, "1,1,2,0"},
		"dead":       {[]string{"block", "--rule", "B/S", "-g", "2", "--every", "2", "--count", "block"}, "0,0"},
		"background": {[]string{"block", "--rule", "B0123/S", "-g", "1", "--every", "1", "--count", "block"}, ","},
		"states": {[]string{
			"--rule", "brians-brain", "--size", "3x3", "--density", "0", "--every", "1", "-g", "1",
			"--count", "o!",
		}, "0,0"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			clitest.RunJSON(t, dir, append(test.args, "--series", "s.csv")...)
			if rows := countsIn(t, filepath.Join(dir, "s.csv")); rows[len(rows)-1] != test.want {
				t.Errorf("counts %q, want %s in the last row", rows, test.want)
			}
		})
	}
}

// TestCountsGoOn: a run that goes on from a checkpoint writes the same rows, and refuses other patterns.
func TestCountsGoOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) clitest.Outcome {
		t.Helper()
		return clitest.Gosper(t, dir, append([]string{"run", "--every", "5", "--force"}, args...)...)
	}
	soup := []string{"--size", "70x50", "--seed", "3"}
	whole := run(append(soup, "-g", "60", "--series", "whole.csv", "--count", "block")...)
	first := run(append(soup, "-g", "33", "--series", "s.csv", "--checkpoint", "c", "--count", "block")...)
	other := run("--resume", "c", "-g", "27", "--series", "s.csv", "--count", "glider")
	rest := run("--resume", "c", "-g", "27", "--series", "s.csv", "--count", "xs4_33")
	if whole.Code != 0 || first.Code != 0 || rest.Code != 0 {
		t.Fatalf("%+v, %+v, %+v", whole, first, rest)
	}
	if want := "with other patterns to count"; other.Code == 0 || !strings.Contains(other.Stderr, want) {
		t.Errorf("exit code %d, %q, want %s", other.Code, other.Stderr, want)
	}
	a, err := os.ReadFile(filepath.Join(dir, "whole.csv"))
	b, err2 := os.ReadFile(filepath.Join(dir, "s.csv"))
	if err != nil || err2 != nil || !bytes.Equal(a, b) {
		t.Errorf("%v, %v: the series of the run that went on differs:\n%s\n%s", err, err2, a, b)
	}
}

// TestSeriesOnStrips checks that a series without patterns to count runs on grids with one infinite direction.
func TestSeriesOnStrips(t *testing.T) {
	t.Parallel()
	for _, size := range []string{"T0,9", "T9,0"} {
		o := clitest.Gosper(t, t.TempDir(), "run", "glider", "--rule", "B3/S23:"+size, "-g", "4", "--every", "4", "--series",
			"s.csv")
		if o.Code != 0 {
			t.Errorf("%s: exit code %d, %q", size, o.Code, o.Stderr)
		}
	}
}

func TestCountRefuses(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"--count counts patterns in each row of --series": {"glider", "--count", "glider"},
		"under which rule all phases of the patterns": {
			"glider", "--series", "s.csv", "--every", "1", "--phases",
			"life",
		},
		"is too large for T3,3": {
			"--size", "3", "--series", "s.csv", "--every", "1", "--count",
			"glider",
		},
		"on tori and planes, not on K": {
			"--size", "9", "--topology", "klein", "--series", "s.csv",
			"--every", "1", "--count", "glider",
		},
		"on tori and planes, not on T0,9": {
			"glider", "--rule", "B3/S23:T0,9", "--series", "s.csv", "--every",
			"1", "--count", "glider",
		},
		`pattern "what": want the apgcode`: {
			"--size", "9", "--series", "s.csv", "--every", "1", "--count",
			"what",
		},
	} {
		o := clitest.Gosper(t, t.TempDir(), append([]string{"run", "-g", "1"}, args...)...)
		if o.Code != 2 || !strings.Contains(o.Stderr, want) {
			t.Errorf("%v: exit code %d, %q, want %s", args, o.Code, o.Stderr, want)
		}
	}
}
