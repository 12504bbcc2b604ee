package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/boris"
	"github.com/gosper-life/gosper/papers/cat"
	"github.com/gosper-life/gosper/papers/fujita"
	"github.com/gosper-life/gosper/papers/playne"
)

var (
	pageTable  = regexp.MustCompile(`(?m)^\*\*(.+)\*\*\n\n((?:\|.*\n)+)`)
	pageFigure = regexp.MustCompile(`\]\(([a-z0-9-]+)\.svg\)`)
)

// Every table and figure of the papers' pages is what the rows beside them give today.
func TestPaperPages(t *testing.T) {
	for _, p := range []paper{
		{name: fujita.Name, tables: fujita.Tables, figures: fujita.Figures},
		{name: boris.Name, tables: boris.Tables, figures: boris.Figures},
		{name: cat.Name, tables: cat.Tables, figures: cat.Figures},
		{name: playne.Name, tables: playne.Tables, figures: playne.Figures},
	} {
		t.Run(p.name, func(t *testing.T) {
			const folder = "../../docs/papers"
			page, err := os.ReadFile(filepath.Join(folder, p.name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			rows, err := readMeasurements([]string{filepath.Join(folder, "data", p.name+".jsonl")}, p.name)
			if err != nil {
				t.Fatal(err)
			}
			var made strings.Builder
			if err := writeTables(&made, p.tables(rows)); err != nil {
				t.Fatal(err)
			}
			tables := pageTable.FindAllString(string(page), -1)
			for _, table := range tables {
				if !strings.Contains(made.String(), table) {
					t.Errorf("the rows do not give the table\n%s", table)
				}
			}
			shown := map[string]bool{}
			for _, m := range pageFigure.FindAllStringSubmatch(string(page), -1) {
				shown[m[1]] = true
			}
			for _, d := range p.figures(rows) {
				if !shown[d.Name] {
					continue
				}
				delete(shown, d.Name)
				if runtime.GOARCH != "amd64" {
					continue // fused multiplications give other last digits
				}
				path := filepath.Join(t.TempDir(), d.Name+".svg")
				if err := d.Figure.Save(path); err != nil {
					t.Fatal(err)
				}
				got, err1 := os.ReadFile(path)
				want, err2 := os.ReadFile(filepath.Join(folder, d.Name+".svg"))
				if err1 != nil || err2 != nil || !bytes.Equal(got, want) {
					t.Errorf("%s.svg is not what the rows give (%v, %v)", d.Name, err1, err2)
				}
			}
			if len(shown) > 0 || len(tables) == 0 {
				t.Errorf("%d tables; figures that the rows do not give: %v", len(tables), shown)
			}
		})
	}
}
