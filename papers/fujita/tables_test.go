package fujita

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/gosper-life/gosper/papers"
)

var update = flag.Bool("update", false, "write the golden file anew")

// paperRows are measurements that say what the paper printed, on a machine twice as fast, with Gosper's engine.
func paperRows(side int) []papers.Measurement {
	var rows []papers.Measurement
	add := func(row papers.Measurement, seconds float64, device string) {
		row.Paper, row.Seconds, row.Device, row.Machine = Name, seconds, device, "a computer"
		rows = append(rows, row)
	}
	for _, m := range Methods() {
		columns := m
		columns.Columns, columns.NotShifted, columns.WideBlocks = true, false, false
		seconds, ok := columns.Printed()
		if !ok {
			panic(m.String())
		}
		if m != columns {
			seconds *= 1.5
		}
		device := "a GPU"
		if m.Place == CPU {
			device = "a computer"
		}
		add(m.Measurement(side, side), seconds/2*float64(side*side)/(printedSide*printedSide), device)
	}
	gosper := papers.Measurement{Method: papers.MethodGosper, Parameters: "engine=cuda", Width: int64(side), Height: int64(side)}
	add(gosper, 1e-5*float64(side*side)/(printedSide*printedSide), "a GPU")
	return rows
}

func TestTables(t *testing.T) {
	var got bytes.Buffer
	for _, table := range Tables(paperRows(printedSide)) {
		if err := table.Markdown(&got); err != nil {
			t.Fatal(err)
		}
		got.WriteByte('\n')
	}
	path := filepath.Join("testdata", "tables.md")
	if *update {
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

// What was printed stands in rows of the paper's size only, and in its order only.
func TestPrintedValues(t *testing.T) {
	n := 0
	for _, m := range Methods() {
		if row := m.Measurement(printedSide, printedSide); row.Printed != nil {
			n++
		}
		if row := m.Measurement(printedSide, 512); row.Printed != nil {
			t.Errorf("%v has a printed time for another size", m)
		}
		row := m.Measurement(7, 9)
		if back, ok := methodOf(row); !ok || back != m || row.Width != 7 || row.Height != 9 {
			t.Errorf("%v comes back as %v", m, back)
		}
	}
	if n != 6+22 {
		t.Errorf("%d printed times, want 28", n)
	}
}

func TestFigures(t *testing.T) {
	dir := t.TempDir()
	drawings := Figures(paperRows(1024))
	if len(drawings) != 3 {
		t.Errorf("%d figures", len(drawings))
	}
	for _, d := range append(drawings, Figures(nil)...) {
		if err := d.Figure.Save(filepath.Join(dir, d.Name+".svg")); err != nil {
			t.Error(err)
		}
	}
}
