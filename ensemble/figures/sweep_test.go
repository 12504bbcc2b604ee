package figures

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
)

// average is summaryOf for averages over generations 10 to 20.
func average(rule string, size int, density float64, quantity string, value, err float64) ensemble.Average {
	s := summaryOf(rule, size, density, 20, quantity, value, err)
	return ensemble.Average{
		Place: s.Place, First: 10, Last: 20, Samples: 11, Quantity: quantity, Universes: s.Universes, Mean: value,
		Error: s.Error, Low: s.Low, High: s.High,
	}
}

// TestAverages: averages are drawn against what the places differ in, a parameter without being asked.
func TestAverages(t *testing.T) {
	var rows []ensemble.Average
	for _, T := range []float64{2.2, 2.25, 2.3} {
		for _, size := range []int{16, 32} {
			rows = append(rows, average(fmt.Sprintf("Ising~T=%v", T), size, 0.5, "binder", 0.61-float64(size)/16*(T-2.26),
				0.001))
		}
	}
	for _, against := range []string{"", "T"} {
		drawings, err := Draw(ensemble.Data{Averages: rows}, View{Against: against})
		if err != nil || len(drawings) != 1 || drawings[0].Name != "average-binder" {
			t.Fatalf("%+v, %v", drawings, err)
		}
		f := drawings[0].Figure
		if f.Title != "Binder cumulant averaged over generations 10 to 20" || len(f.Series) != 2 || f.X.Label != "T of Ising" ||
			f.Series[1].Name != "32×32" {
			t.Errorf("%+v", f)
		}
	}
	one := rows[:0:0]
	for _, r := range rows {
		if r.Width == 16 {
			one = append(one, r)
		}
	}
	drawings, err := Draw(ensemble.Data{Averages: one}, View{})
	if err != nil || len(drawings) != 1 || drawings[0].Figure.X.Label != "T of Ising" ||
		len(drawings[0].Figure.Series) != 1 {
		t.Errorf("the only parameter that differs: %+v, %v", drawings, err)
	}
	if drawings, err := Draw(ensemble.Data{Averages: one[:1]}, View{}); err != nil || len(drawings) != 0 {
		t.Errorf("one place: %+v, %v", drawings, err)
	}
}

// TestMaps: two axes make a heat map, with gaps for missing places.
func TestMaps(t *testing.T) {
	var rows []ensemble.Summary
	for i, rule := range []string{"B3/S23~flip=0.1,async=0.5", "B3/S23~flip=0.1,async=1", "B3/S23~flip=0.2,async=0.5"} {
		rows = append(rows, summaryOf(rule, 16, 0.5, 7, "density", float64(i)/10, 0.01),
			summaryOf(rule, 16, 0.5, 3, "density", 9, 0.01))
	}
	drawings, err := Draw(ensemble.Data{Summary: rows}, View{Against: "async,flip"})
	if err != nil || len(drawings) != 1 {
		t.Fatal(err)
	}
	m := drawings[0].Map
	if m.Title != "Density at generation 7, T16,16" || m.X.Label != "async of B3/S23" ||
		fmt.Sprint(m.Xs, m.Ys, m.Values) != "[0.5 1] [0.1 0.2] [[0 0.1] [0.2 NaN]]" ||
		!strings.Contains(m.Note, "their standard errors are at most 0.01") {
		t.Errorf("%+v", m)
	}
	if err := drawings[0].SaveAs(filepath.Join(t.TempDir(), "map.svg"), figure.Style{}); err != nil {
		t.Error(err)
	}
	for against, want := range map[string]string{
		"async,async":      "want one axis, or two different ones",
		"generation,flip":  "want one axis, or two different ones",
		"async,flip,async": "want one axis, or two different ones",
		"async,T":          `quantities against "T": want one of`,
		"async,density":    "a heat map against async,density has one place for each pair of values, and the data have",
	} {
		if _, err := Draw(ensemble.Data{Summary: rows}, View{Against: against}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("against %s: %v, want %s", against, err, want)
		}
	}
	if _, err := Draw(ensemble.Data{}, View{Against: "density,size"}); err == nil {
		t.Error("a map of nothing")
	}
}
