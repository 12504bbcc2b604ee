package figures

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// TestAgainstParameters: rules that differ only in a parameter are one line, and rules without it are left out.
func TestAgainstParameters(t *testing.T) {
	var rows []ensemble.Summary
	for _, rule := range []string{"Potts~q=2,T=1.2", "Potts~q=2,T=0.9", "Potts~q=3,T=0.9", "Potts~q=3,T=1.2", "B3/S23"} {
		for generation := range uint64(2) {
			v, _ := scaling.Notations{Rule: rule}.Parameter("T")
			rows = append(rows, summaryOf(rule, 16, 0.5, generation, "density", v/10, 0.01))
		}
	}
	f := drawn(t, rows, View{Against: "T"})
	if len(f.Series) != 2 || f.X.Label != "T of Potts" || f.Title != "Density at generation 1, T16,16" ||
		f.Series[0].Name != "Potts~q=2" || f.Series[1].Name != "Potts~q=3" ||
		!cmp.Equal(f.Series[0].X, []float64{0.9, 1.2}) || !cmp.Equal(f.Series[0].Y, []float64{0.09, 0.12}) {
		t.Errorf("against T: %+v", f)
	}
	f = drawn(t, rows, View{Against: "q", Rules: []string{"Potts~q=2,T=0.9", "Potts~q=3,T=0.9"}})
	if len(f.Series) != 1 || !cmp.Equal(f.Series[0].X, []float64{2, 3}) {
		t.Errorf("against q: %+v", f)
	}
	_, err := Draw(ensemble.Data{Summary: rows}, View{Against: "p"})
	if err == nil || err.Error() != `quantities against "p": want one of generation, density, size, q, T` {
		t.Errorf("got %v", err)
	}
}

// TestAgainstStarts: starts that differ only in a number are one line against it, and others are left out.
func TestAgainstStarts(t *testing.T) {
	var rows []ensemble.Summary
	for i, start := range []string{
		"gauss~length=4", "gauss~length=2", "soup", "gauss~length=2,flip=0.1",
		"gauss~length=4,flip=0.1",
	} {
		row := summaryOf("B3/S23", 16, 0.5, 0, "density", float64(i)/10, 0.01)
		row.Start = start
		rows = append(rows, row)
	}
	f := drawn(t, rows, View{Against: "start_length"})
	if len(f.Series) != 2 || f.X.Label != "length of gauss" || f.Series[0].Name != "gauss" ||
		f.Series[1].Name != "gauss~flip=0.1" ||
		!cmp.Equal(f.Series[0].X, []float64{2, 4}) || !cmp.Equal(f.Series[0].Y, []float64{0.1, 0}) {
		t.Errorf("against start_length: %+v", f)
	}
	f = drawn(t, rows[:2], View{})
	if len(f.Series) != 1 || f.X.Label != "length of gauss" || len(f.Series[0].X) != 2 {
		t.Errorf("against what differs: %+v", f)
	}
	if f = drawn(t, rows[:1], View{}); f.Title != "Density at generation 0, B3/S23 on T16,16 from gauss~length=4" {
		t.Errorf("title %q", f.Title)
	}
	maps, err := Draw(ensemble.Data{Summary: rows[3:]}, View{Against: "start_length,start_flip"})
	if err != nil || len(maps) != 1 || !cmp.Equal(maps[0].Map.Xs, []float64{2, 4}) ||
		!cmp.Equal(maps[0].Map.Ys, []float64{0.1}) {
		t.Errorf("heat map: %+v, %v", maps, err)
	}
	_, err = Draw(ensemble.Data{Summary: rows}, View{Against: "start_power"})
	if err == nil || err.Error() != `quantities against "start_power": want one of generation, density, size, start_length, start_flip` {
		t.Errorf("got %v", err)
	}
}
