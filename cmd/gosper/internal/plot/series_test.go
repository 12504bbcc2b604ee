package plot

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble/figures"
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
