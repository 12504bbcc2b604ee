package fit

import (
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// TestCurvesOf: rows become one curve for each size, against the parameter that differs; averages come before
// the last generation.
func TestCurvesOf(t *testing.T) {
	e := 0.1
	var d ensemble.Data
	for _, rule := range []string{"Ising~T=2.3", "Ising~T=2.2"} {
		for _, side := range []string{"T8,8", "T16,16"} {
			for g := range uint64(2) {
				d.Summary = append(d.Summary, ensemble.Summary{
					Place:      ensemble.Place{Rule: rule, Topology: side, StartDensity: 0.5},
					Generation: g, Quantity: "binder", Mean: float64(g), Error: &e,
				})
			}
		}
	}
	curves, axis, err := curvesOf(d, "binder", "")
	if err != nil || axis != "T" || len(curves) != 2 || curves[1].Name != "Ising on T16,16" ||
		len(curves[0].Points) != 2 ||
		curves[0].Points[0] != (scaling.Point{X: 2.2, Y: scaling.Number{Value: 1, Error: 0.1}}) ||
		curves[0].Points[1].X != 2.3 {
		t.Errorf("%+v against %q, %v", curves, axis, err)
	}
	d.Averages = []ensemble.Average{{Place: d.Summary[0].Place, Quantity: "binder", Mean: 7, Error: &e}}
	if curves, _, err = curvesOf(d, "binder", "T"); err != nil || len(curves) != 1 || curves[0].Points[0].Y.Value != 7 {
		t.Errorf("averages: %+v, %v", curves, err)
	}
	var starts ensemble.Data
	for _, start := range []string{"exact~1=20", "exact~1=10"} {
		starts.Summary = append(starts.Summary,
			ensemble.Summary{
				Place: ensemble.Place{Rule: "Contact~lambda=2", Topology: "T8,8", Start: start}, Quantity: "live",
				Mean: 1, Error: &e,
			})
	}
	if curves, axis, err = curvesOf(starts, "live", ""); err != nil || axis != "start_1" || len(curves) != 1 ||
		curves[0].Name != "Contact~lambda=2 on T8,8 from exact" ||
		curves[0].Points[0].X != 10 || curves[0].Points[1].X != 20 {
		t.Errorf("starts: %+v against %q, %v", curves, axis, err)
	}
	if _, _, err = curvesOf(starts, "live", "start_length"); err == nil ||
		err.Error() != `start exact~1=20 has no parameter "length"` {
		t.Errorf("got %v", err)
	}
	for quantity, against := range map[string]string{"energy": "", "binder": "q"} {
		if _, _, err := curvesOf(d, quantity, against); err == nil {
			t.Errorf("%s against %s: no error", quantity, against)
		}
	}
	d.Averages = nil
	for i := range d.Summary {
		d.Summary[i].StartDensity = 0.1 * float64(i)
	}
	if _, _, err = curvesOf(d, "binder", ""); err == nil ||
		err.Error() != "several parameters differ: name one of density, T" {
		t.Errorf("two axes: %v", err)
	}
}
