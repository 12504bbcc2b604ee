package pattern_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/pattern"
)

func mustRead(t *testing.T, path string) *pattern.Pattern {
	t.Helper()
	p, err := pattern.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Golly wrote the same universe as RLE and as macrocell. Place and population of the R-pentomino after 200 generations
// were counted apart from both, cell by cell.
func TestGollyFiles(t *testing.T) {
	for _, test := range []struct {
		name, rule string
		generation uint64
		box        grid.Rect // Golly's coordinates
		population uint64
	}{
		{"rpentomino-200", "B3/S23", 200, grid.Rect{X: -40, Y: -32, W: 75, H: 73}, 120},
		{"generations", "//256", 0, grid.Rect{X: 0, Y: 0, W: 5, H: 4}, 11},
	} {
		rle := mustRead(t, "testdata/golly/"+test.name+".rle")
		mc := mustRead(t, "testdata/golly/"+test.name+".mc")
		mustEqualCells(t, mc.Cells, moved{rle.Cells, test.box.X, test.box.Y})
		if got := mc.Cells.Bounds(); got != test.box {
			t.Errorf("%s: cells in %v, want %v", test.name, got, test.box)
		}
		if mc.Rule != test.rule || rle.Rule != test.rule || mc.Generation != test.generation {
			t.Errorf("%s: rules %q and %q at generation %d", test.name, mc.Rule, rle.Rule, mc.Generation)
		}
		if got := mc.Cells.Population(); got != test.population {
			t.Errorf("%s: population %d, want %d", test.name, got, test.population)
		}
		// The bytes are Golly's own, except for its name.
		var out bytes.Buffer
		if err := pattern.Write(&out, pattern.RLE, rle.Cells, pattern.Meta{Rule: rle.Rule, States: rle.States}); err != nil {
			t.Fatal(err)
		}
		want, err := os.ReadFile("testdata/golly/" + test.name + ".rle")
		if err != nil {
			t.Fatal(err)
		}
		if out.String() != string(want) {
			t.Errorf("%s: wrote\n%s\nGolly wrote\n%s", test.name, &out, want)
		}
	}
}

// Golly reads the files that are written here, and the files that it writes from them are read here.
func TestGollyReadsOurs(t *testing.T) {
	bgolly, err := exec.LookPath("bgolly")
	if err != nil {
		t.Skip("bgolly is not installed")
	}
	for _, test := range []struct {
		name string
		src  grid.Source
		meta pattern.Meta
		args []string
	}{
		{
			"soup", soup(t, 150, 90, 1),
			pattern.Meta{Rule: "B3/S23", HasPosition: true, X: -75, Y: -45},
			[]string{"-a", "HashLife"},
		},
		{
			"pentomino", mustRead(t, "testdata/golly/rpentomino-200.mc").Cells,
			pattern.Meta{Rule: "B3/S23", HasPosition: true},
			[]string{"-a", "HashLife"},
		},
		{
			"states", soup(t, 70, 33, 8),
			pattern.Meta{Rule: "//256", HasPosition: true, X: 7, Y: -9},
			[]string{"-a", "Generations", "-r", "//256"},
		},
	} {
		dir := t.TempDir()
		for _, in := range []string{".rle", ".mc", ".rle.gz"} {
			for _, out := range []string{".rle", ".mc"} {
				from, to := filepath.Join(dir, test.name+in), filepath.Join(dir, "golly"+out)
				if err := pattern.WriteFile(t.Context(), from, test.src, test.meta, true); err != nil {
					t.Fatal(err)
				}
				args := append(append([]string{"-q", "-q", "-m", "0", "-o", to}, test.args...), from)
				if log, err := exec.Command(bgolly, args...).CombinedOutput(); err != nil || strings.Contains(string(log), "rror") {
					t.Fatalf("%s%s: bgolly: %v\n%s", test.name, in, err, log)
				}
				got := mustRead(t, to)
				box := gridtest.Extent(t, test.src)
				if out == ".rle" {
					// bgolly writes no position.
					mustEqualCells(t, moved{got.Cells, box.X, box.Y}, test.src)
				} else {
					mustEqualCells(t, got.Cells, moved{test.src, test.meta.X, test.meta.Y})
				}
			}
		}
	}
}
