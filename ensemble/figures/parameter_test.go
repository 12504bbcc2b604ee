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
			v, _ := scaling.ParameterOf(rule, "T")
			rows = append(rows, summaryOf(rule, 16, 0.5, generation, "density", v/10, 0.01))
		}
	}
	f := drawn(t, rows, View{Against: "T"})
	if len(f.Series) != 2 || f.X.Label != "T of Potts" || f.Title != "Density at generation 1, T16,16" || f.Series[0].Name != "Potts~q=2" || f.Series[1].Name != "Potts~q=3" ||
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
