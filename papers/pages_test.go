package papers_test

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/boris"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/protocol"
	"github.com/gosper-life/gosper/papers/internal/fujita"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	"github.com/gosper-life/gosper/papers/internal/playne"
)

var (
	pageTable  = regexp.MustCompile(`(?m)^\*\*(.+)\*\*\n\n((?:\|.*\n)+)`)
	pageFigure = regexp.MustCompile(`\]\(([a-z0-9-]+)\.svg\)`)
)

// renderPage renders a page's template with rows. It checks that every number in the template's own sentences is in
// its list of phrases.
func renderPage(t *testing.T, folder string, p experiment.Paper, rows []experiment.Measurement) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, p.Name+".md.tmpl"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.Open(filepath.Join(folder, "data", p.Name+"-phrases.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	phrases, err := ReadPhrases(list)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(string(text), phrases); err != nil {
		t.Errorf("%s.md.tmpl: %v", p.Name, err)
	}
	made, err := Render(string(text), p.Tables(rows))
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// updatePage renders a page from its template, and draws the figures that it shows.
func updatePage(t *testing.T, folder string, p experiment.Paper, rows []experiment.Measurement) {
	if _, err := os.Stat(filepath.Join(folder, p.Name+".md.tmpl")); err != nil {
		return
	}
	text := renderPage(t, folder, p, rows)
	if err := os.WriteFile(filepath.Join(folder, p.Name+".md"), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, d := range p.Figures(rows) {
		if strings.Contains(text, "]("+d.Name+".svg)") {
			if err := d.Figure.Save(filepath.Join(folder, d.Name+".svg")); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// A row that is not what was measured is found: each sort of row, changed alone, changes the page.
func TestChangedRowChangesPage(t *testing.T) {
	for _, p := range pages {
		t.Run(p.Name, func(t *testing.T) { changeRows(t, p) })
	}
}

func changeRows(t *testing.T, p experiment.Paper) {
	const folder = "../docs/papers"
	rows, err := experiment.Read([]string{filepath.Join(folder, "data", p.Name+".jsonl")}, p.Name)
	if err != nil {
		t.Fatal(err)
	}
	want := renderPage(t, folder, p, rows)
	tried := map[string]bool{}
	for i, m := range rows {
		sort, _, _ := strings.Cut(m.Parameters, "=")
		sort = m.Method + sort + m.Device + m.Revision
		if m.Parameter(cat.ParameterAt) != "" || tried[sort] ||
			m.Parameter(cat.ParameterRun) != "" && !slices.Contains(cat.Published, cat.Method(m.Method)) {
			// readings, and the runs for joules of methods that the table of Figure 12 does not have, are in figures
			// alone
			continue
		}
		tried[sort] = true
		rows[i].Seconds *= 3
		rows[i].CellsPerSec /= 3
		if rows[i].StdErr != nil {
			wild := rows[i].Seconds
			rows[i].StdErr = &wild
		}
		if renderPage(t, folder, p, rows) == want {
			t.Errorf("%s %s, %s on %d² cells, three times as slow: the page stays as it is", m.Method, m.Parameters, m.Rule,
				m.Width)
		}
		rows[i] = m
	}
	if len(tried) < least[p.Name] {
		t.Errorf("%d rows tried", len(tried))
	}
}

// least are the sorts of rows that a page has.
var least = map[string]int{fujita.Name: 5, boris.Name: 5, cat.Name: 20, playne.Name: 6}

// pages are the papers'.
var pages = []experiment.Paper{
	fujita.Paper(), boris.Paper(), protocol.Paper(protocol.Settings{}), playne.Paper(),
}

// Every table and figure of the papers' pages is what the rows beside them give today.
func TestPaperPages(t *testing.T) {
	for _, p := range pages {
		t.Run(p.Name, func(t *testing.T) {
			const folder = "../docs/papers"
			rows, err := experiment.Read([]string{filepath.Join(folder, "data", p.Name+".jsonl")}, p.Name)
			if err != nil {
				t.Fatal(err)
			}
			if *papertest.Update {
				updatePage(t, folder, p, rows)
			}
			text, err := os.ReadFile(filepath.Join(folder, p.Name+".md"))
			if err != nil {
				t.Fatal(err)
			}
			var made strings.Builder
			if err := experiment.WriteTables(&made, p.Tables(rows)); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(folder, p.Name+".md.tmpl")); err == nil {
				if made := renderPage(t, folder, p, rows); made != string(text) {
					t.Errorf(
						"%s.md is not what its template and the rows give: go test ./papers -run TestPaperPages -update",
						p.Name)
				}
			}
			tables := pageTable.FindAllString(string(text), -1)
			for _, table := range tables {
				if !strings.Contains(made.String(), table) {
					t.Errorf("the rows do not give the table\n%s", table)
				}
			}
			shown := map[string]bool{}
			for _, m := range pageFigure.FindAllStringSubmatch(string(text), -1) {
				shown[m[1]] = true
			}
			for _, d := range p.Figures(rows) {
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
