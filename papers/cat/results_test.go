package cat_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers"
	"github.com/gosper-life/gosper/papers/cat"
	"github.com/gosper-life/gosper/papers/papertest"
)

// measurements are what two devices might have given, the second one twice as fast, for CAT four times.
func measurements() []papers.Measurement {
	var rows []papers.Measurement
	for i, device := range []string{"GPU One", "GPU Two"} {
		add := func(method, text, parameters string, side int64, speed float64) {
			if method == "CAT" {
				speed *= float64(1 + i)
			}
			m := papers.Measurement{
				Paper: "cat", Method: method, Rule: text, Parameters: parameters, Width: side, Height: side, Generations: 25, Realisations: 4,
				CellsPerSec: speed * float64(1+i), Device: device, Machine: "machine", Clock: "device",
			}
			m.Seconds = float64(side*side) / m.CellsPerSec
			if parameters == "halo=refreshed" {
				joules := m.Seconds * 500
				m.Joules = &joules
			}
			rows = append(rows, m)
		}
		for _, p := range cat.Instances() {
			n := float64((2*p.Radius + 1) * (2*p.Radius + 1))
			for _, halo := range []string{"halo=fixed", "halo=refreshed"} {
				add("CAT", p.Notation, halo, 16384, 2e11)
				add("BASE", p.Notation, halo, 16384, 4e12/n)
			}
			add("gosper", p.Notation, "engine=cuda", 16384, 3e12)
		}
		for _, side := range []int64{1024, 3072, 5120} {
			add("CAT", cat.Instances()[0].Notation, "halo=fixed", side, 1e11)
			add("BASE", cat.Instances()[0].Notation, "halo=fixed", side, 2e11)
		}
		for a := 1; a <= 6; a++ {
			for b := 1; b <= 6; b++ {
				tile := "halo=fixed tile=" + string(rune('0'+a)) + "x" + string(rune('0'+b))
				add("CAT", cat.Instances()[7].Notation, tile, 16384, 2e11-1e9*float64((a-1)*(a-1)+(b-5)*(b-5)))
			}
		}
		add("CAT-ROWS", diamonds[0], "halo=refreshed", 16384, 1e11)
		add("CAT", wideRule(32), "halo=refreshed", 16384, 1e11)
		add("CAT", "R7,C2,S9-15,B8-13,N+", "halo=refreshed", 16384, 1e11)
		add("CAT", cat.Instances()[0].Notation, "at=0.020 watts=512", 16384, 1e11)
		add("CAT", cat.Instances()[0].Notation, "at=0.040 watts=530", 16384, 1e11)
		add("product", "B3/S23", "depth=16 type=FP16", 8, 1e12)
	}
	return rows
}

func TestTables(t *testing.T) {
	tables := map[string]papers.Table{}
	for _, table := range cat.Tables(measurements()) {
		if tables[table.Title].Title != "" {
			t.Errorf("two tables %q", table.Title)
		}
		tables[table.Title] = table
	}
	for _, c := range []struct {
		title string
		row   []string
	}{
		{"Cells a second, the step alone, 16384² cells, GPU One", []string{"16", "3.67e09", "2e11", "3e12"}},
		{"Speed-up over BASE, the step alone, 16384² cells, GPU Two", []string{"16", "1", "109", "817"}},
		{"Cells per joule, 16384² cells, GPU One", []string{"1", "8.89e08", "4e08"}},
		{"How methods scale from device to device, r = 16, the step alone", []string{"CAT", "1", "4"}},
		{"Cells a second of the true von Neumann neighbourhood, GPU One", []string{"3", "1e11"}},
		{"Cells a second of the simplified von Neumann neighbourhood, a cross, GPU One", []string{"7", "1e11"}},
		{"Cells a second beyond radius 16, GPU One", []string{"32", "1e11"}},
		{"Products of the tensor cores by themselves, GPU One", []string{"FP16, m16n8k16", "1.56e10", "3.2e13"}},
	} {
		table, ok := tables[c.title]
		if !ok {
			t.Errorf("no table %q", c.title)
			continue
		}
		if !slices.ContainsFunc(table.Rows, func(row []string) bool { return slices.Equal(row, c.row) }) {
			t.Errorf("%s: no row %v in %v", c.title, c.row, table.Rows)
		}
	}
	model := tables["The model and what was measured, GPU One"]
	if len(model.Rows) != 16 || model.Rows[15][3] != "54.5" || model.Rows[15][5] != "5" || model.Rows[15][7] != "272" {
		t.Errorf("model against measurement: %v", model.Rows)
	}
	if scenarios := tables["Speed-up of CAT over REF that the extended PRAM model predicts (put together again from the paper's words), E from GPU One"]; len(scenarios.Rows) != 6 ||
		!strings.Contains(scenarios.Note, "fitted to 36 shapes") {
		t.Errorf("scenarios: %+v", scenarios)
	}
}

func TestFigures(t *testing.T) {
	want := []string{
		"time-r1", "speedup-r1", "speed", "speedup", "model", "speed-halo", "energy", "joules", "tiles", "tiles-fitted", "power-r1",
	}
	var names []string
	var drawn []papers.Drawing // one device's will do
	for _, d := range cat.Figures(measurements()) {
		names = append(names, d.Name)
		if !strings.HasPrefix(d.Name, "cat-gpu-two-") {
			drawn = append(drawn, d)
		}
	}
	papertest.Figures(t, drawn)
	for _, name := range want {
		for _, device := range []string{"cat-gpu-one-", "cat-gpu-two-"} {
			if !slices.Contains(names, device+name) {
				t.Errorf("no figure %s%s in %v", device, name, names)
			}
		}
	}
	if !slices.Contains(names, "cat-devices-r16") || len(names) != 2*len(want)+4 {
		t.Errorf("figures %v", names)
	}
}
