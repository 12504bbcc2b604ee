package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/papers/playne"
)

// A small sweep goes all the way from soups to tables and figures, and can be drawn again from its rows.
func TestBenchPlayne(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	var out, again, errOut bytes.Buffer
	p := paper{name: "playne", tables: playne.Tables, figures: playne.Figures}
	p.measure = playneSweep{sides: []int{16, 20}, generations: 2, seeds: 2, density: 0.5}.run
	flags := paperFlags{Engine: "cpu", Out: dir}
	if err := flags.run(t.Context(), &console.Console{Out: &out, Err: &errOut}, p); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"about 2.1", "one core of", "Gosper on one core", "L = 20", "about 150²"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	for _, name := range []string{"playne.csv", "playne.parquet", "playne.md", "playne-single.svg", "playne-single-log.png", "playne-many.svg", "playne-ranking.png"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s is not there (%v)", name, err)
		}
	}
	flags = paperFlags{From: []string{filepath.Join(dir, "playne.jsonl")}}
	if err := flags.run(t.Context(), &console.Console{Out: &again, Err: &errOut}, p); err != nil || again.String() != out.String() {
		t.Errorf("drawn again (%v):\n%s", err, again.String())
	}
}
