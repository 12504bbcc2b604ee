package papertest

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
)

// Update is the flag that makes tests write their golden files.
var Update = flag.Bool("update", false, "write the golden files")

// Tables checks that tables are the same as in the package's testdata/tables.md. With -update it writes the file.
func Tables(t *testing.T, tables []experiment.Table) {
	t.Helper()
	var got bytes.Buffer
	for _, table := range tables {
		if err := table.Markdown(&got); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
	}
	path := filepath.Join("testdata", "tables.md")
	if *Update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("got\n%s", got.Bytes())
	}
}

// Figures checks that figures can be drawn.
func Figures(t *testing.T, drawings []experiment.Drawing) {
	t.Helper()
	dir := t.TempDir()
	for _, d := range drawings {
		if err := d.Figure.Save(filepath.Join(dir, d.Name+".svg")); err != nil {
			t.Errorf("%s: %v", d.Name, err)
		}
	}
}
