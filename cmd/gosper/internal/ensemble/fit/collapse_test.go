package fit

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// TestGroups: sizes of one shape and kind of edges are grouped, in any order. Points far off, small sizes and points
// without errors are left out.
func TestGroups(t *testing.T) {
	some, none := 0.1, 0.0
	var d ensemble.Data
	for _, x := range []float64{2.1, 2.2, 2.3, 2.4} {
		for _, p := range []ensemble.Place{
			{Topology: "T16,16", Width: 16, Height: 16},
			{Topology: "T8,8", Width: 8, Height: 8},
			{Topology: "T4,4", Width: 4, Height: 4},
			{Topology: "T16,4", Width: 16, Height: 4},
			{Topology: "P8,8", Width: 8, Height: 8},
			{Topology: "T8+2,8", Width: 8, Height: 8},
		} {
			p.Rule, p.StartDensity = fmt.Sprintf("Ising~T=%v", x), 0.5
			e := &some
			if p.Width == 8 && x == 2.3 {
				e = &none
			}
			d.Summary = append(d.Summary, ensemble.Summary{Place: p, Quantity: "binder", Mean: x, Error: e})
		}
	}
	curves, axis, err := curvesOf(d, "binder", "")
	if err != nil {
		t.Fatal(err)
	}
	from := 2.15
	groups := (&CollapseCommand{LeastSize: 8, From: &from}).groups(curves, axis)
	names := ""
	for _, g := range groups {
		names += g.name + "; "
	}
	want := "Ising on torus of L×L cells; Ising on torus of L×L cells, 4:1; Ising on plane of L×L cells; Ising on T8+2,8 of L×L cells; "
	if names != want {
		t.Fatalf("groups are %q, want %q", names, want)
	}
	g := groups[0]
	if len(g.curves) != 2 || g.curves[0].Size != 8 || g.curves[1].Size != 16 || len(g.curves[0].Points) != 2 ||
		len(g.curves[1].Points) != 3 || g.leftOut != 1 {
		t.Errorf("%+v", g)
	}
	found := scaling.Collapse{At: [3]scaling.Number{{Value: 2.2}, {Value: 1}, {Value: 0.5}}, Quality: 1.5, Terms: 4}
	found.Residuals = []scaling.Residual{{Size: 16, X: 2.3, Scaled: 1.6, Value: -2}}
	r := g.report(&found)
	if r.Critical != 2.2 || r.InverseNu != 1 || r.BetaOverNu != 0.5 || r.Quality != 1.5 || r.Points != 5 ||
		r.Compared != 4 || r.LeftOut != 1 {
		t.Errorf("reported %+v", r)
	}
	if len(r.Residuals) != 1 || r.Residuals[0] != (residual{16, 2.3, 1.6, -2}) {
		t.Errorf("residuals %+v", r.Residuals)
	}
	if s := (&CollapseCommand{}).residuals(g, &found, axis).Series; len(s) != 2 || len(s[0].X) != 0 ||
		s[1].X[0] != 1.6 || s[1].Y[0] != -2 {
		t.Errorf("drawn residuals %+v", s)
	}
	// The figure has the scaled points: (2.3 − 2.2)·16 and 2.3·√16 with the error 0.1·√16.
	f := (&CollapseCommand{Quantity: "binder", BetaOverNu: new(float64)}).figure(g, &found, axis)
	s := f.Series[1]
	if math.Abs(s.X[1]-1.6) > 1e-9 || math.Abs(s.Y[1]-9.2) > 1e-9 || math.Abs(s.Err[1]-0.4) > 1e-9 {
		t.Errorf("drawn %+v", s)
	}
	if !strings.Contains(f.Note, "β/ν = 0, given;") {
		t.Errorf("the note does not tell what was given from what was fitted: %s", f.Note)
	}
}
