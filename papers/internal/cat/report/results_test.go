package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/cat"
	"github.com/gosper-life/gosper/papers/internal/cat/authors"
	"github.com/gosper-life/gosper/papers/internal/cat/report"
	"github.com/gosper-life/gosper/papers/internal/papertest"
)

// measurements returns invented rows of two devices. The second device is twice as fast, and four times for CAT.
func measurements() []experiment.Measurement {
	var rows []experiment.Measurement
	for i, device := range []string{"GPU One", "GPU Two"} {
		add := func(method, text, parameters string, side int64, speed float64) {
			if method == "CAT" {
				speed *= float64(1 + i)
			}
			m := experiment.Measurement{
				Paper: "cat", Method: method, Rule: text, Parameters: parameters, Width: side, Height: side, Generations: 25,
				Realisations: 4,
				CellsPerSec:  speed * float64(1+i), Device: device, Machine: "machine", Clock: "device",
			}
			m.Seconds = float64(side*side) / m.CellsPerSec
			if strings.HasSuffix(parameters, "run=power") {
				joules := m.Seconds * 500
				m.Joules = &joules
			}
			rows = append(rows, m)
		}
		for _, p := range cat.Instances() {
			n := float64((2*p.Radius + 1) * (2*p.Radius + 1))
			for _, parameters := range []string{"halo=refreshed", "halo=refreshed run=power"} {
				add("CAT", p.Notation, parameters, authors.Side, 2e11)
				add("BASE", p.Notation, parameters, authors.Side, 4e12/n)
			}
			add("gosper", p.Notation, "engine=cuda", authors.Side, 3e12)
			for _, halo := range []string{"halo=fixed", "halo=refreshed"} {
				add("CAT", p.Notation, halo, 16384, 2e11)
				add("CAT-INT8", p.Notation, halo, 16384, 1e12)
			}
		}
		for _, side := range []int64{1024, 3072, 5120, authors.ScalingSide} {
			for i, m := range []string{"CAT", "BASE", "SHARED", "COARSE", "MCELL", "PACK"} {
				if i < 2 || side == authors.ScalingSide {
					add(m, cat.Instances()[0].Notation, "halo=refreshed", side, 1e11*float64(1+i))
				}
			}
		}
		for a := 1; a <= 6; a++ {
			for b := 1; b <= 6; b++ {
				tile := "halo=refreshed tile=" + string(rune('0'+a)) + "x" + string(rune('0'+b))
				add("CAT", cat.Instances()[7].Notation, tile, authors.Side, 2e11-1e9*float64((a-1)*(a-1)+(b-5)*(b-5)))
			}
		}
		add("CAT", cat.Instances()[7].Notation, "halo=refreshed known=true tile=1x5", authors.Side, 4e11)
		add("BASE", cat.Instances()[15].Notation, "change=unrolled halo=refreshed", authors.Side, 1e9)
		add("BASE", cat.Instances()[15].Notation, "change=indices halo=refreshed", authors.Side, 2e9)
		add("CAT", cat.Instances()[15].Notation, "halo=refreshed run=power", authors.Side, 1e11)
		rows[len(rows)-1].Generations = authors.PowerGenerations
		add("CAT", cat.Instances()[7].Notation, "change=argument halo=refreshed", authors.ScalingSide, 1e11)
		for i, change := range cat.Changes[cat.CAT] {
			add("CAT", cat.Instances()[15].Notation, "change="+change+" halo=refreshed", authors.Side, 2e11*float64(1+i))
		}
		add("CAT-TEMPORAL", cat.Instances()[1].Notation, "generations=4 halo=refreshed", authors.Side, 5e12)
		add("CAT-TEMPORAL", cat.Instances()[1].Notation, "generations=8 halo=refreshed", authors.Side, 4e12)
		add("CAT-ROWS", "R3,C0,M0,S6..9,B7..9,NN", "halo=refreshed", 16384, 1e11)
		add("CAT-MMA", "R32,C0,M0,S1605..1901,B1520..1690,NM", "halo=refreshed", 16384, 1e11)
		add("CAT", "R7,C2,S9-15,B8-13,N+", "halo=refreshed", 16384, 1e11)
		for _, reading := range []string{"at=0.000 watts=512", "at=14.000 watts=530"} {
			add("CAT", cat.Instances()[0].Notation, reading, authors.Side, 1e11)
			rows[len(rows)-1].Generations = authors.PowerGenerations
		}
		add("CAT", cat.Instances()[4].Notation, "at=2.000 watts=530", authors.Side, 1e11) // of a run that was cut
		add("product", "B3/S23", "depth=16 type=FP16", 8, 1e12)
	}
	return rows
}

// Every table has what was measured in its place, beside what the authors published.
func TestTables(t *testing.T) {
	const launches = "CAT for several generations a launch: cells a second, 60416² cells, "
	tables := map[string]experiment.Table{}
	for _, table := range report.Tables(measurements()) {
		if _, twice := tables[table.Title]; twice {
			t.Errorf("two tables %q", table.Title)
		}
		for _, row := range table.Rows {
			if len(row) != len(table.Header) {
				t.Errorf("%s: a row of %d cells under %d headings", table.Title, len(row), len(table.Header))
			}
		}
		tables[table.Title] = table
	}
	for _, c := range []struct {
		title, row string
		cells      map[int]string // by column
	}{
		{"Table III: the rules", "5", map[int]string{1: "Bosco's Rule", 2: "R5,C0,M0,S35..59,B34..45,NM", 3: "0.21"}},
		{"Table I: the parameters of the model", "q_R, regular cores of a multiprocessor", map[int]string{1: "128"}},
		{"Table II: speed-up of CAT over REF that the model predicts", "GH100 Chip", map[int]string{1: "n/a", 8: "101"}},
		{"Table II: speed-up of CAT over REF that the model predicts", "Regular Tiles", map[int]string{1: "8×8 *"}},
		{
			"Figure 10: milliseconds a generation, 60416² cells, GPU One", "16",
			map[int]string{1: "994", 2: "1213", 3: "", 11: "18.3", 12: "12"},
		},
		{"Figure 10: speed-up over BASE, 60416² cells, GPU One", "16", map[int]string{2: "1", 11: "54.5", 12: "101"}},
		{"Cells a second, 60416² cells, GPU One", "1", map[int]string{1: "4.44e11", 2: "2e11", 3: "3e12"}},
		{"Figure 9: our time over the printed one, GPU One", "1", map[int]string{1: "4", 2: "0.30, 0.90, 1.01"}},
		{"Figure 12: cells per joule, 60416² cells, GPU One", "1", map[int]string{1: "8.89e08", 2: "4.54e08", 11: "4e08"}},
		{"Watts, 60416² cells, GPU Two", "16", map[int]string{1: "500", 2: "444", 12: "597"}},
		{"Figure 8: CAT by shape of tile, GPU One", "1×5", map[int]string{1: "9.13", 2: "1.00", 3: "18.3", 4: "1.00"}},
		{"Figure 8: CAT by shape of tile, GPU One", "1×14", map[int]string{1: "", 3: "", 6: "12.2", 7: "1.00", 8: "1.29"}},
		{
			"Figure 13: milliseconds a generation, 40960² cells", "1",
			map[int]string{1: "BASE", 2: "15.4", 4: "7.42", 6: "8.39", 7: "4.19"},
		},
		{
			"The step alone, the halo left as it was: cells a second, 16384² cells, GPU One", "3",
			map[int]string{1: "2e11", 2: "1e12"},
		},
		{"Cells a second of all methods, 16384² cells, GPU Two", "3", map[int]string{1: "8e11", 2: "2e12"}},
		{"Cells a second of the true von Neumann neighbourhood, GPU One", "3", map[int]string{1: "1e11"}},
		{"Cells a second of the simplified von Neumann neighbourhood, a cross, GPU One", "7", map[int]string{1: "1e11"}},
		{"Cells a second beyond radius 16, GPU One", "32", map[int]string{1: "1e11"}},
		{launches + "GPU One", "2", map[int]string{1: "2e11", 2: "not measured", 3: "not measured", 5: "5e12"}},
		{launches + "GPU One", "2", map[int]string{6: "4e12", 7: "3e12"}},
		{launches + "GPU Two", "4", map[int]string{1: "8e11", 5: "not measured", 6: "–", 7: "6e12", 8: "3.82e12"}},
		{
			"CAT's kernel with one change at a time: milliseconds a generation, 60416² cells, GPU One", "bands",
			map[int]string{1: "9.13"},
		},
		{
			"CAT's kernel with one change at a time: milliseconds a generation, 60416² cells, GPU One", "none",
			map[int]string{1: "18.3"},
		},
		{
			"BASE with one change at a time: milliseconds a generation, 60416² cells, GPU One", "16",
			map[int]string{1: "994", 2: "1825", 3: "3650", 4: "1213"},
		},
		{
			"Figure 11: mean watts of the readings of 1000 generations, 60416² cells, GPU One", "1",
			map[int]string{2: "429", 11: "521", 12: "561"},
		},
		{
			"Figure 11: joules a generation by these readings, 60416² cells, GPU One", "1",
			map[int]string{11: "7.29", 12: "7.99"},
		},
		{
			"1000 generations beside shorter runs, 60416² cells, GPU One", "16",
			map[int]string{1: "CAT", 2: "36.5", 3: "18.3", 4: "+100.0", 7: "25", 8: "-50.0"},
		},
		{"Products of the tensor cores by themselves, GPU One", "FP16, m16n8k16", map[int]string{1: "1.56e10", 2: "3.2e13"}},
	} {
		table, ok := tables[c.title]
		if !ok {
			t.Errorf("no table %q", c.title)
			continue
		}
		i := slices.IndexFunc(table.Rows, func(row []string) bool { return row[0] == c.row })
		if i < 0 {
			t.Errorf("%s: no row %s", c.title, c.row)
			continue
		}
		for column, want := range c.cells {
			if got := table.Rows[i][column]; got != want {
				t.Errorf("%s: row %s, column %d (%s): %q, want %q", c.title, c.row, column, table.Header[column], got, want)
			}
		}
	}
	model := tables["Equations 16, 19 and 20 and what was measured, 60416² cells, GPU One"]
	if len(model.Rows) != 16 || model.Rows[15][2] != "18.3" || model.Rows[15][4] != "994" || model.Rows[15][6] != "101" {
		t.Errorf("model against measurement: %v", model.Rows)
	}
}

// Without a GPU there is what a processor can show: which methods were checked, and Gosper's own rates.
func TestTablesOfAProcessor(t *testing.T) {
	rows := measurements()
	for i := range rows {
		rows[i].Device, rows[i].Compared = cat.OneCore+"a computer", 2
	}
	var titles []string
	for _, table := range report.Tables(rows) {
		title, _, _ := strings.Cut(table.Title, ",")
		titles = append(titles, title)
		for _, row := range table.Rows {
			if row[0] == "CAT" && row[2] != "2" {
				t.Errorf("%s: %v", table.Title, row)
			}
		}
	}
	want := []string{
		"Table III: the rules", "Methods whose arithmetic has the cells of Gosper's engine",
		"Gosper's own engine: cells a second",
		"Table I: the parameters of the model", "Table II: speed-up of CAT over REF that the model predicts",
		"CAT for several generations a launch: what a cell costs in a generation", "Where the rows are from",
	}
	if !slices.Equal(titles, want) {
		t.Errorf("tables %q, want %q", titles, want)
	}
	for _, d := range report.Figures(rows) {
		if !strings.HasPrefix(d.Name, "cat-printed-") && d.Name != "cat-scenarios" {
			t.Errorf("figure %s", d.Name)
		}
	}
}

func TestFigures(t *testing.T) {
	want := []string{
		"time-r1", "speedup-r1", "time", "speedup", "model", "energy", "tiles", "tiles-fitted", "power-r1",
	}
	var names []string
	var drawn []experiment.Drawing // one device's will do
	for _, d := range report.Figures(measurements()) {
		names = append(names, d.Name)
		if !strings.HasPrefix(d.Name, "cat-gpu-two-") {
			drawn = append(drawn, d)
		}
	}
	papertest.Figures(t, drawn)
	for _, name := range want {
		for _, device := range []string{"cat-gpu-one-", "cat-gpu-two-", "cat-printed-"} {
			if device == "cat-printed-" && (name == "model" || name == "tiles-fitted") {
				continue
			}
			if !slices.Contains(names, device+name) {
				t.Errorf("no figure %s%s in %v", device, name, names)
			}
		}
	}
	if !slices.Contains(names, "cat-devices-r1") {
		t.Errorf("figures %v", names)
	}
}

// The authors' published data agree with the statements of the paper.
func TestAuthors(t *testing.T) {
	at := func(m cat.Method, radius int) float64 { return authors.Time(string(m), radius, authors.Side) }
	if got := at(cat.Base, 16) / at(cat.CAT, 16); got < 100.5 || got > 101.5 {
		t.Errorf("CAT is %.4g times as fast as BASE at radius 16", got)
	}
	for radius := 1; radius <= 16; radius++ {
		for _, m := range cat.Published {
			if at(m, radius) <= 0 || authors.PowerOf(string(m), radius).Joules <= 0 {
				t.Errorf("nothing of %s at radius %d", m, radius)
			}
			for _, side := range cat.Sizes() {
				if authors.Time(string(m), radius, side) <= 0 {
					t.Errorf("no time of %s at radius %d on %d² cells", m, radius, side)
				}
			}
		}
		if pack := at(cat.Pack, radius) < at(cat.CAT, radius); pack != (radius <= 2) {
			t.Errorf("radius %d: PACK is faster than CAT: %v", radius, pack)
		}
	}
	for _, m := range cat.Published {
		for _, radius := range []int{1, 5, 10, 16} {
			if len(authors.Curve(string(m), radius)) < 20 {
				t.Errorf("no curve of %s at radius %d", m, radius)
			}
		}
		if authors.Scaling("V100", string(m), 16) <= authors.Scaling("H100", string(m), 16) {
			t.Errorf("%s is not faster on the H100 than on the V100", m)
		}
	}
}
