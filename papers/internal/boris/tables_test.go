package boris

import (
	"maps"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// rows are measurements whose times follow from the share of a block that is written.
func rows(side int) []experiment.Measurement {
	var list []experiment.Measurement
	cells := float64(side * side)
	for _, m := range Sweep() {
		row := m.Measurement(side, side)
		share := 1.0
		if m.Variant != OneGeneration {
			share = float64(blockWords-2) / blockWords * float64(m.blockRows()-2*m.Generations) / float64(m.blockRows())
		}
		row.Device, row.Seconds = "a GPU", cells/1e13/share*(1+1/float64(m.Generations))
		stderr := row.Seconds / 50
		joules := 600 * row.Seconds
		row.StdErr, row.Joules, row.CellsPerSec = &stderr, &joules, cells/row.Seconds
		list = append(list, row)
	}
	return append(list, experiment.Measurement{
		Method: experiment.MethodGosper, Parameters: "engine=cuda", Device: "a GPU", Width: int64(side), Height: int64(side),
		Seconds: cells / 4e13, CellsPerSec: 4e13,
	})
}

func TestTables(t *testing.T) {
	papertest.Tables(t, append(Tables(rows(PrintedSide)), Tables(rows(1024)[0:1])...))
}

// Without a GPU there are no numbers of the articles' kernels, printed ones neither.
func TestTablesOfAProcessor(t *testing.T) {
	row := rows(1024)
	tables := Tables(row[len(row)-1:])
	if tables[0].Title != "Gosper's own engine" || len(tables[0].Rows) != 1 || tables[0].Rows[0][4] != "4e13" {
		t.Errorf("got %+v", tables[0])
	}
	if got := Figures(row[len(row)-1:]); len(got) > 0 {
		t.Errorf("figures %+v", got)
	}
}

func TestFigures(t *testing.T) {
	papertest.Figures(t, Figures(rows(4096)))
}

// Every method of the sweep can run, and the kernels of the second article are all there.
func TestSweep(t *testing.T) {
	kernels, depths, rectangles := map[Variant]int{}, map[[2]int]bool{}, map[int]bool{}
	for _, m := range Sweep() {
		if err := m.Valid(); err != nil {
			t.Error(err)
		}
		kernels[m.Variant]++
		if m.Variant == Registers {
			depths[[2]int{m.Rows, m.Inner}] = true
		}
		if m.Variant != OneGeneration {
			rectangles[m.blockRows()] = true
		}
	}
	if want := map[Variant]int{OneGeneration: 3, Shared: 41, Unrolled: 35, Registers: 51}; !maps.Equal(kernels, want) {
		t.Errorf("got %v, want %v", kernels, want)
	}
	if len(depths) != 6 || len(rectangles) != 6 {
		t.Errorf("depths of register arrays by rows %v, heights of rectangles %v", depths, rectangles)
	}
}

// The printed number is that of an A40 at 8 generations a launch.
func TestPrintedValues(t *testing.T) {
	n := 0
	for _, m := range Sweep() {
		if m.Measurement(PrintedSide, PrintedSide).Printed != nil {
			n++
		}
		if m.Measurement(PrintedSide, 64).Printed != nil {
			t.Errorf("%v has a printed time for another size", m)
		}
	}
	if n != 2 { // with row groups of 4 and of 8, which the article does not tell
		t.Errorf("%d printed times", n)
	}
}
