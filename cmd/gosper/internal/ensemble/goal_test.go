package ensemble

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/folder"
	"github.com/gosper-life/gosper/ensemble/tables"
)

func TestGoalGoesOnByBatches(t *testing.T) {
	g := goal{"density", 0.1}
	for _, c := range []struct {
		worst                float64
		n, first, most, want int
	}{
		{0.1, 100, 100, 1000, 100},    // reached
		{0.2, 100, 100, 1000, 400},    // four times as many have half the error
		{0.21, 100, 100, 1000, 500},   // whole batches
		{0.1001, 100, 100, 1000, 200}, // one more at least
		{math.Inf(1), 1, 1, 50, 50},   // of one universe nothing is known
		{0.2, 1000, 100, 1000, 1000},  // the most
		{0.2, 900, 100, 1000, 1000},   // and no more
		{0.3, 7, 7, math.MaxInt, 63},  // 9 times
	} {
		if got := g.next(c.worst, c.n, c.first, c.most); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
}

// TestUntilError ends at the same number of universes on one thread, on several, after an interruption, and with
// results of other folders. The files are those of an ensemble with that number of universes. The error is as small
// as requested, and it was not so at the number before.
func TestUntilError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	until := append(slices.Clone(fewSoups), "--until-error", "density=0.008", "-n", "6")
	clitest.MustRun(t, dir, append(until, "--out", "a", "--threads", "1")...)
	clitest.MustRun(t, dir, append(until, "--out", "b", "--threads", "3")...)
	study, err := folder.Study(filepath.Join(dir, "a"))
	if err != nil {
		t.Fatal(err)
	}
	n := study.Spec.Universes
	clitest.MustRun(t, dir, append(slices.Clone(fewSoups), "-n", strconv.Itoa(n), "--out", "c")...)
	for _, other := range []string{"b", "c"} {
		sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, other))
	}
	keys := keysIn(t, filepath.Join(dir, "a"))
	clitest.MustRun(t, dir, append(until, "--out", "a")...) // goes on, and finds nothing to do
	sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, "c"))
	if again := keysIn(t, filepath.Join(dir, "a")); !slices.Equal(keys, again) {
		t.Errorf("a run that goes on did jobs again: %d, then %d", len(keys), len(again))
	}
	worst := func(dir string) float64 {
		data, err := tables.Read(dir)
		if err != nil {
			t.Fatal(err)
		}
		worst := 0.0
		for _, row := range data.Summary {
			if row.Quantity == "density" {
				worst = max(worst, *row.Error)
			}
		}
		return worst
	}
	if e := worst(filepath.Join(dir, "a")); n <= 6 || n%6 != 0 || e > 0.008 || e == 0 {
		t.Errorf("%d universes have an error of %v", n, e)
	}
	clitest.MustRun(t, dir, append(slices.Clone(fewSoups), "-n", "6", "--out", "first")...)
	if e := worst(filepath.Join(dir, "first")); e <= 0.008 {
		t.Errorf("the first universes have an error of %v already", e)
	}
	o := clitest.Gosper(t, dir, append(slices.Clone(fewSoups), "--until-error", "density=0.0001", "-n", "6",
		"--max-universes", "9", "--out", "d")...)
	if o.Code != 1 || !strings.HasPrefix(o.Stderr, "gosper: a standard error of density is still 0.0") ||
		!strings.HasSuffix(o.Stderr, " after 9 universes, the most allowed: raise --max-universes\n") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if _, err := os.Stat(filepath.Join(dir, "d", "summary.parquet")); err != nil {
		t.Error(err)
	}
}

func TestUntilErrorRefuses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ args, want string }{
		{"--until-error density", `goal "density": want QUANTITY=ERROR`},
		{"--until-error density=0", `goal "density=0": want QUANTITY=ERROR`},
		{"--until-error densty=1", `unknown quantity "densty"; these measures give density, population, clusters, largest`},
		{"--until-error density=1 --shard 1/2", "leave out --shard"},
		{"--until-error density=1 --max-universes 3", "--max-universes 3: want at least 6"},
		{"--max-universes 3", "--max-universes needs --until-error"},
	} {
		o := clitest.Gosper(t, t.TempDir(), append(append(slices.Clone(fewSoups), "-n", "6", "--out", "a"),
			strings.Fields(c.args)...)...)
		if o.Code != 2 || !strings.Contains(o.Stderr, c.want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, %q", c.args, o.Code, o.Stderr)
		}
	}
}
