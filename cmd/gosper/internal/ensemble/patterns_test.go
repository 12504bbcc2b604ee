package ensemble_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestPatterns: patterns of ensembles are files, inline or built in, and the spec in the folder has their cells.
func TestPatterns(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) clitest.Outcome {
		t.Helper()
		return clitest.Finish(t, clitest.Command(t, dir,
			append([]string{"ensemble", "run", "--rule", "life", "--size", "32", "-n", "2", "-g", "0", "--format", "csv", "-q"},
				args...)...))
	}
	write("seeds/line.rle", "x = 5, y = 1\n5o!\n")
	write("seeds/row.cells", "OOOO\n")
	write(
		"specs/soups.toml", "start = ['pattern~of=inline', 'pattern~of=file', 'pattern~of=block']\n[patterns]\ninline = '2o!'\nfile = '../seeds/line.rle'\n")
	for _, c := range []struct {
		args []string
		want map[string]int // live cells by start
	}{
		{[]string{
			"--start", "pattern~of=seeds/line.rle,set0=1..1/1", "--start", "repeat~of=seeds/row.cells,x=8,y=8",
			"--start", "pattern~of=glider", "--out", "a",
		}, map[string]int{
			"pattern~of=line,set0=1": 0, "repeat~of=row,x=8,y=8": 64, "pattern~of=glider": 5,
		}},
		{[]string{"specs/soups.toml", "--out", "b"}, map[string]int{
			"pattern~of=inline": 2, "pattern~of=file": 5,
			"pattern~of=block": 4,
		}},
	} {
		if got := run(c.args...); got.Code != 0 {
			t.Fatalf("%v: %s", c.args, got.Stderr)
		}
		out := c.args[len(c.args)-1]
		var spec struct {
			Patterns map[string]string `json:"patterns"`
		}
		text, err := os.ReadFile(filepath.Join(dir, out, "spec.json"))
		if err == nil {
			err = json.Unmarshal(text, &spec)
		}
		if err != nil || len(spec.Patterns) != 3 {
			t.Errorf("%s: %s, %v", out, text, err)
		}
		rows, err := os.ReadFile(filepath.Join(dir, out, "summary.csv"))
		if err != nil {
			t.Fatal(err)
		}
		for start, n := range c.want {
			quoted := start
			if strings.Contains(start, ",") {
				quoted = `"` + start + `"`
			}
			if row := quoted + ",0,population,2," + number(n) + ","; !strings.Contains(string(rows), row) {
				t.Errorf("%s has no row %s:\n%s", out, row, rows)
			}
		}
	}
	write("other/line.rle", "3o!")
	for want, args := range map[string][]string{
		"other/none.rle: there is no such file": {"--start", "pattern~of=other/none.rle"},
		"there is another pattern line": {
			"--start", "pattern~of=seeds/line.rle", "--start",
			"pattern~of=other/line.rle",
		},
		"name its pattern, as in": {"--start", "pattern~flip=0.1"},
	} {
		if got := run(append(args, "--out", "c")...); got.Code != 2 || !strings.Contains(got.Stderr, want) ||
			strings.Count(got.Stderr, "\n") != 1 {
			t.Errorf("%v: code %d, %s", args, got.Code, got.Stderr)
		}
	}
}

func number(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}

// TestNamedCounts: a count is called as the pattern's name says, in ensembles and in series.
func TestNamedCounts(t *testing.T) {
	dir := t.TempDir()
	count := "ship = count(bo$2bo$3o!)"
	clitest.MustRun(t, dir, "ensemble", "run", "--rule", "life", "--size", "32", "-n", "2", "-g", "0", "--start",
		"pattern~of=glider", "--measure", "patterns", "--count", count, "--format", "csv", "--out", "a", "-q")
	text, err := os.ReadFile(filepath.Join(dir, "a", "summary.csv"))
	if err != nil || !strings.Contains(string(text), ",pattern_ship,2,1,0,") ||
		!strings.Contains(string(text), ",isolated_ship,2,1,0,") {
		t.Errorf("%s, %v", text, err)
	}
	clitest.MustRun(t, dir, "run", "glider", "-g", "4", "--series", "s.csv", "--every", "4", "--count", count, "-q")
	text, err = os.ReadFile(filepath.Join(dir, "s.csv"))
	if header, _, _ := strings.Cut(string(text), "\n"); err != nil ||
		!strings.HasSuffix(header, ",pattern_ship,isolated_ship") {
		t.Errorf("%s, %v", text, err)
	}
}
