package fujita

import (
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// paperRows are measurements that say what the paper printed, on a machine twice as fast, with Gosper's engine.
func paperRows(side int) []experiment.Measurement {
	var rows []experiment.Measurement
	add := func(row experiment.Measurement, seconds float64, device string) {
		row.Paper, row.Seconds, row.Device, row.Machine = Name, seconds, device, "a computer"
		if device == "a GPU" {
			joules := 600 * seconds
			row.Joules, row.CellsPerSec = &joules, float64(side*side)/seconds
		}
		rows = append(rows, row)
	}
	for _, m := range Methods() {
		columns := m
		columns.Columns, columns.NotShifted, columns.WideBlocks, columns.Bits = true, false, false, false
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
	gosper := experiment.Measurement{
		Method: experiment.MethodGosper, Parameters: "engine=cuda", Width: int64(side),
		Height: int64(side),
	}
	add(gosper, 1e-5*float64(side*side)/(printedSide*printedSide), "a GPU")
	return rows
}

func TestTables(t *testing.T) {
	papertest.Tables(t, Tables(paperRows(printedSide)))
}

// Printed numbers appear only in rows of the paper's size, in the paper's order.
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
	drawings := Figures(paperRows(1024))
	if len(drawings) != 3 {
		t.Errorf("%d figures", len(drawings))
	}
	papertest.Figures(t, append(drawings, Figures(nil)...))
}
