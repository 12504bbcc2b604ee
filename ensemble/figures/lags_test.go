package figures

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
)

// TestLags: a line for each waiting time, from lag 1 on.
func TestLags(t *testing.T) {
	place := ensemble.Place{Rule: "B3/S23", Topology: "T8,8", Width: 8, Height: 8, StartDensity: 0.5, Start: "soup"}
	var rows []ensemble.Summary
	e := 0.25
	for _, r := range []struct {
		generation uint64
		quantity   string
		mean       float64
	}{
		{10, "two_time_cells 10", 1},
		{12, "two_time_cells 10", 0.5},
		{100, "two_time_cells 10", 0.125},
		{100, "two_time_cells 100", 1},
		{104, "two_time_cells 10", 0.0625},
		{104, "two_time_cells 100", 0.75},
	} {
		rows = append(rows, ensemble.Summary{
			Place: place, Generation: r.generation, Quantity: r.quantity, Universes: 3, Mean: r.mean, Error: &e,
		})
	}
	drawings, err := Draw(ensemble.Data{Summary: rows}, View{})
	if err != nil || len(drawings) != 1 || drawings[0].Name != "two_time_cells" {
		t.Fatalf("%+v, %v", drawings, err)
	}
	f := drawings[0].Figure
	if len(f.Series) != 2 || f.Series[0].Name != "t_w = 10" || f.Series[1].Name != "t_w = 100" ||
		!slices.Equal(f.Series[0].X, []float64{2, 90, 94}) || !slices.Equal(f.Series[0].Y, []float64{0.5, 0.125, 0.0625}) ||
		!slices.Equal(f.Series[1].X, []float64{4}) || !slices.Equal(f.Series[1].Err, []float64{0.25}) {
		t.Errorf("%+v", f.Series)
	}
}
