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
