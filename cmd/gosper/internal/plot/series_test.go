package plot

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/internal/result"
)

// TestSeriesOfCounts draws how often a pattern occurs, where that is known.
func TestSeriesOfCounts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.csv")
	text := "generation,population,births,deaths,x,y,width,height,pattern_1,isolated_1\n0,5,,,0,0,3,3,1,1\n10,9,1,1,0,0,3,3,,\n20,7,1,1,0,0,3,3,4,2\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for quantity, want := range map[string][]float64{"": {5, 9, 7}, "pattern_1": {1, 4}, "isolated_1": {1, 2}} {
		cmd := Command{File: path, Quantity: quantity}
		d, err := cmd.drawing(figures.View{})
		if err != nil || !slices.Equal(d.Figure.Series[0].Y, want) {
			t.Errorf("%q: %+v, %v, want %v", quantity, d.Figure.Series, err, want)
		}
	}
	cmd := Command{File: path, Quantity: "x"}
	if _, err := cmd.drawing(figures.View{}); err == nil ||
		!strings.Contains(err.Error(),
			`unknown quantity "x"; the series has population, births, deaths, width, height, isolated_1, pattern_1`) {
		t.Error(err)
	}
}

// TestNumberedQuantities: quantities that have a number are drawn against it, or one alone against time or size.
func TestNumberedQuantities(t *testing.T) {
	dir := t.TempDir()
	var summary []ensemble.Summary
	var averages, sizes []ensemble.Average
	for i, side := range []int{16, 32} {
		p := ensemble.Place{Rule: "Sandpile~p=0.001", Topology: "P16,16", Width: side, Height: side, StartDensity: 1}
		for k, quantity := range []string{"density", "avalanche_size_from 0", "avalanche_size_from 1"} {
			v := float64(10*i + k)
			if i == 0 {
				for g := range uint64(3) {
					summary = append(summary, ensemble.Summary{
						Place: p, Generation: g, Quantity: quantity, Universes: 2, Mean: v + 100*float64(g),
					})
				}
			}
			sizes = append(sizes, ensemble.Average{Place: p, Last: 2, Samples: 3, Quantity: quantity, Universes: 2, Mean: v})
			if i == 0 {
				averages = append(averages, sizes[len(sizes)-1])
			}
		}
	}
	for name, err := range map[string]error{
		"summary":  result.Write(filepath.Join(dir, "summary.csv"), summary),
		"averages": result.Write(filepath.Join(dir, "averages.csv"), averages),
		"sizes":    result.Write(filepath.Join(dir, "sizes.csv"), sizes),
	} {
		if err != nil {
			t.Fatal(name, err)
		}
	}
	for _, c := range []struct {
		file, quantity, want, refused string
	}{
		{"summary", "avalanche_size_from", "s, topplings [1 2] [201 202]", ""},
		{"summary", "avalanche_size_from 1", "generation [0 1 2] [2 102 202]", ""},
		{"averages", "avalanche_size_from", "s, topplings [1 2] [1 2]", ""},
		{"sizes", "avalanche_size_from 1", "size L, root of the number of cells [16 32] [2 12]", ""},
		{
			"averages", "avalanche_size_from 1", "",
			"averages of avalanche_size_from 1 are drawn against density, size or a parameter of the rules, and the file has one value of each",
		},
		{
			"averages", "", "",
			"averages of density are drawn against density, size or a parameter of the rules, and the file has one value of each",
		},
		{
			"summary", "avalanche_size_from 2", "",
			`unknown quantity "avalanche_size_from 2"; the file has density, avalanche_size_from`,
		},
	} {
		cmd := Command{File: filepath.Join(dir, c.file+".csv"), Quantity: c.quantity}
		d, err := cmd.drawing(figures.View{})
		got := ""
		if err == nil {
			got = fmt.Sprint(d.Figure.X.Label, " ", d.Figure.Series[0].X, " ", d.Figure.Series[0].Y)
		}
		if got != c.want || (err == nil) != (c.refused == "") || err != nil && !strings.Contains(err.Error(), c.refused) {
			t.Errorf("%s of %s: %s, %v, want %s%s", c.quantity, c.file, got, err, c.want, c.refused)
		}
	}
}

// TestAnyTable: any table of numbers is drawn against one of its columns, in the order of that column.
func TestAnyTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.csv")
	text := "name,temperature,heat,error,other\na,3,30,0.3,1\nb,1,10,0.1,\nc,2,20,,3\nd,,40,0.4,4\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := Command{File: path, X: "temperature", Quantity: "heat", Error: "error"}
	d, err := cmd.drawing(figures.View{})
	if err != nil {
		t.Fatal(err)
	}
	s, f := d.Figure.Series[0], d.Figure
	if len(f.Series) != 1 || f.X.Label != "temperature" || f.Y.Label != "heat" || !slices.Equal(s.X, []float64{1, 2, 3}) ||
		!slices.Equal(s.Y, []float64{10, 20, 30}) || s.Err[0] != 0.1 || s.Err[2] != 0.3 {
		t.Errorf("%+v", f)
	}
	cmd = Command{File: path, X: "temperature"}
	if d, err = cmd.drawing(figures.View{}); err != nil || len(d.Figure.Series) != 3 ||
		d.Figure.Series[2].Name != "other" || !slices.Equal(d.Figure.Series[2].Y, []float64{3, 1}) {
		t.Errorf("%+v, %v", d, err)
	}
	if !d.Figure.Series[0].Points || !d.Figure.Series[0].Line {
		t.Errorf("%+v", d.Figure.Series[0])
	}
	if err := os.WriteFile(path, []byte(text+"e,3,50,0.5,5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if d, err = cmd.drawing(figures.View{}); err != nil || d.Figure.Series[0].Line {
		t.Errorf("a line through several values at one x: %+v, %v", d, err)
	}
	for _, c := range []struct {
		cmd  Command
		want string
	}{
		{Command{X: "heat", Quantity: "name"}, `has no column "name" of numbers; it has temperature, heat, error, other`},
		{Command{X: "heat", Error: "error"}, "--error error: want one quantity, not temperature, other"},
		{Command{Error: "error"}, "--error names a column of a table that is drawn with --x"},
		{Command{X: "heat", viewFlags: viewFlags{Rule: []string{"life"}}}, "leave out --against, --rule and --generation"},
	} {
		c.cmd.File = path
		if _, err := c.cmd.drawing(figures.View{}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}
