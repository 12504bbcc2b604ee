package figures

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/internal/figure"
	"github.com/gosper-life/gosper/topology"
)

func TestDrawingsOfEverything(t *testing.T) {
	spec := ensembletest.Everything()
	spec.Rules, spec.Sizes = []string{"life"}, []string{"16", "20"}
	spec.Measures = append(spec.Measures, "census")
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := tables.Merge(t.Context(), p, ensembletest.RunAll(t, p), false,
		tables.Output{Dir: dir, Ext: ".jsonl"}); err != nil {
		t.Fatal(err)
	}
	d, err := tables.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	drawings, err := Draw(d, View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, drawn := range drawings {
		names = append(names, drawn.Name)
		if err := drawn.Figure.Save(filepath.Join(t.TempDir(), drawn.Name+".svg")); err != nil {
			t.Error(err)
		}
		if drawn.Name == "density" {
			s := drawn.Figure.Series
			if len(s) != 4 || s[0].Name != "16×16, density 0.2" || len(s[0].X) != 3 || drawn.Figure.Title != "Density, B3/S23" {
				t.Errorf("density: %q, %d series, the first %+v", drawn.Figure.Title, len(s), s[0])
			}
		}
		if drawn.Name == "lifespan" {
			s := drawn.Figure.Series
			if len(s) != 2 || s[1].Name != "20×20" || !cmp.Equal(s[1].X, []float64{0.2, 0.4}) ||
				s[1].Y[0] != d.Lifespans[2].Restricted {
				t.Errorf("lifespan: %+v", s)
			}
		}
	}
	want := []string{
		"density", "population", "entropy", "entropy_miller_madow", "entropy_grassberger", "clusters", "largest",
		"second_moment",
		"second_moment_rest",
		"percolating", "percolating_x", "percolating_y", "percolating_both",
		"percolating_given", "percolating_one", "correlation", "connected",
		"births", "deaths", "activity", "cluster-sizes", "census", "survival", "lifespan",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestClusterBins(t *testing.T) {
	place := ensemble.Place{Topology: "T10,10", Width: 10, Height: 10}
	row := func(size, clusters, squares, largest uint64) ensemble.ClusterSize {
		err := func(sum, squares uint64) *float64 { // standard error of the mean over four universes, a cell
			e := math.Sqrt(float64(4*squares-sum*sum)/3) / 4 / 100
			return &e
		}
		rest := squares - 2*largest + largest // each largest cluster has no other of its size beside it
		return ensemble.ClusterSize{
			Place: place, Size: size, Universes: 4, Clusters: clusters, Squares: squares, Largest: largest, SquaresRest: rest,
			Error: err(clusters, squares), ErrorRest: err(clusters-largest, rest),
		}
	}
	drawn := drawClusters([]ensemble.ClusterSize{row(1, 8, 16, 0), row(11, 3, 3, 1), row(12, 5, 9, 3)}).Figure.Series
	s, rest := drawn[0], drawn[1]
	if rest.Y[0] != 8.0/400 || math.Abs(rest.Y[1]-4.0/400/3) > 1e-12 ||
		math.Abs(rest.Err[1]-math.Sqrt((2-1)*4.0/3+(6-1)*4.0/3)/400/3) > 1e-12 { // squares 3−1 and 9−3, sums 2 and 2
		t.Errorf("without the largest: %+v", rest)
	}
	// Sizes 11 to 13 are one bin; each size of 4 universes of 100 cells counts.
	want := []float64{8.0 / 400, 8.0 / 400 / 3}
	at := []float64{1, math.Sqrt(11 * 13)}
	if diff := cmp.Diff(want, s.Y, nearly); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(at, s.X, nearly); diff != "" {
		t.Error(diff)
	}
	// 8 clusters as 2 in each universe have no spread; the others have sums of variances (3−9/4)·4/3 and (9−25/4)·4/3.
	if e := math.Sqrt(1+11.0/3) / 400 / 3; s.Err[0] != 0 || math.Abs(s.Err[1]-e) > 1e-12 {
		t.Errorf("errors %v, want 0 and %v", s.Err, e)
	}
}

// TestWordings: figures have words for every quantity.
func TestWordings(t *testing.T) {
	p, err := ensembletest.Everything().Check()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range tables.Quantities(p) {
		if name, _, _ := strings.Cut(q, " "); wordings[name].axis == "" {
			t.Errorf("figures have no words for %s", name)
		}
	}
}

// TestOwnGenerations: places that were run to other generations are drawn at their own last ones, values over several
// orders of magnitude on a logarithmic axis, and occurrences of patterns for a million cells.
func TestOwnGenerations(t *testing.T) {
	var rows []ensemble.Summary
	var averages []ensemble.Average
	for i, size := range []int{10, 20} {
		for k := range 3 {
			s := summaryOf(fmt.Sprintf("Ising~T=2.%d", k), size, 0.5, uint64(10*(i+1)), "isolated_glider", float64(1+k), 0.5)
			rows = append(rows, s)
			averages = append(averages, ensemble.Average{
				Place: s.Place, First: 5, Last: s.Generation, Samples: 2, Quantity: "susceptibility", Universes: 3,
				Mean: math.Pow(20, float64(k)),
			})
		}
	}
	drawings, err := Draw(ensemble.Data{Summary: rows, Averages: averages}, View{})
	if err != nil || len(drawings) != 2 {
		t.Fatal(drawings, err)
	}
	f := drawings[0].Figure
	if f.Title != "Isolated pattern glider at the last generations, 10 to 20" || f.X.Label != "T of Ising" ||
		f.Y.Label != "isolated pattern glider, per million cells" || f.Y.Log ||
		!cmp.Equal(f.Series[0].Y, []float64{1e4, 2e4, 3e4}, nearly) || !cmp.Equal(f.Series[1].Err[2], 1250.0, nearly) {
		t.Errorf("%+v", f)
	}
	f = drawings[1].Figure
	if f.Title != "Susceptibility averaged over time" || !f.Y.Log || f.Y.Label != "N × (mean m² − squared mean |m|)" ||
		!cmp.Equal(f.Series[1].Y, []float64{1, 20, 400}, nearly) {
		t.Errorf("%+v", f)
	}
}

// TestNumberedQuantities: the axis of a figure describes the number of a quantity, for the quantities of all
// measures.
func TestNumberedQuantities(t *testing.T) {
	s := ensemble.Setting{Topology: topology.Topology{Kind: topology.Torus, W: 8, H: 8}, RuleStates: 3, Distance: 2}
	for _, m := range ensemble.Measures {
		if m.Instrument == nil {
			continue
		}
		for _, q := range m.Instrument.Quantities(s) {
			name, _, numbered := strings.Cut(q, " ")
			if numbered && alongs[name] == "" {
				t.Errorf("figures do not say what the number of %q is", q)
			}
			if m.Name != "call" && wordings[name].axis == "" {
				t.Errorf("figures have no words for %s", name)
			}
		}
		if of, ok := m.Instrument.(interface {
			Derived(ensemble.Setting) []ensemble.Derived
		}); ok {
			for _, d := range of.Derived(s) {
				if name, _, _ := strings.Cut(d.Name, " "); wordings[name].axis == "" {
					t.Errorf("figures have no words for %s", d.Name)
				}
			}
		}
	}
	for quantity, want := range map[string]string{
		"connected 3": "distance along the axes, cells", "state 2": "state", "fire_size_from 4": "s, cells",
		"mine 1": "number",
	} {
		if f := drawn(t, []ensemble.Summary{summaryOf("life", 8, 0.5, 9, quantity, 1, 0.1)}, View{}); f.X.Label != want {
			t.Errorf("%s is drawn along %q, want %q", quantity, f.X.Label, want)
		}
	}
}

var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 2e-9 })

// summaryOf is a row of a quantity.
func summaryOf(rule string, size int, density float64, generation uint64, quantity string, value,
	err float64,
) ensemble.Summary {
	p := ensemble.Place{
		Rule: rule, Topology: fmt.Sprintf("T%d,%d", size, size), Width: size, Height: size,
		StartDensity: density,
	}
	return ensemble.Summary{Place: p, Generation: generation, Quantity: quantity, Universes: 9, Mean: value, Error: &err}
}

func drawn(t *testing.T, rows []ensemble.Summary, v View) figure.Figure {
	t.Helper()
	drawings, err := Draw(ensemble.Data{Summary: rows}, v)
	if err != nil || len(drawings) != 1 {
		t.Fatalf("%d drawings, %v", len(drawings), err)
	}
	return drawings[0].Figure
}

// TestWhatQuantitiesStandAgainst draws clusters, which are shown by the number of cells.
func TestWhatQuantitiesStandAgainst(t *testing.T) {
	var rows []ensemble.Summary
	for _, size := range []int{40, 10, 20} { // not in order
		for _, density := range []float64{0.5, 0.2} {
			for _, generation := range []uint64{0, 100} {
				cells := float64(size * size)
				rows = append(rows, summaryOf("B3/S23", size, density, generation, "clusters", float64(generation)*density*cells,
					3*cells))
			}
		}
	}
	f := drawn(t, rows, View{})
	if len(f.Series) != 6 || f.X != (figure.Axis{Label: "generation"}) || f.Series[0].Name != "40×40, density 0.5" ||
		f.Series[0].Y[1] != 50 ||
		f.Series[0].Err[1] != 3 || f.Title != "Clusters, B3/S23" || f.Note != "± 1 standard error over 9 universes (bands)." {
		t.Errorf("against time: %+v", f)
	}
	f = drawn(t, rows, View{Against: "size"})
	if len(f.Series) != 2 || !f.X.Log || !cmp.Equal(f.Series[0].X, []float64{10, 20, 40}) ||
		f.Series[1].Name != "density 0.2" ||
		!cmp.Equal(f.Series[1].Y, []float64{20, 20, 20}) || f.Title != "Clusters at generation 100, B3/S23" {
		t.Errorf("against size: %+v", f)
	}
	f = drawn(t, rows, View{Against: "density"})
	if len(f.Series) != 3 || f.X.Log || !cmp.Equal(f.Series[2].X, []float64{0.2, 0.5}) || f.Series[2].Name != "20×20" {
		t.Errorf("against density: %+v", f)
	}
	var once []ensemble.Summary // sizes only, at one time
	for _, r := range rows {
		if r.StartDensity == 0.5 && r.Generation == 100 {
			once = append(once, r)
		}
	}
	if f = drawn(t, once, View{}); len(f.Series) != 1 || !cmp.Equal(f.Series[0].X, []float64{10, 20, 40}) ||
		f.Series[0].Name != "" {
		t.Errorf("sizes at one time: %+v", f)
	}
	if f = drawn(t, once, View{Against: "generation"}); len(f.Series) != 3 || !f.Series[0].Points {
		t.Errorf("one time: %+v", f)
	}
	if _, err := Draw(ensemble.Data{Summary: rows}, View{Against: "rule"}); err == nil ||
		err.Error() != `quantities against "rule": want one of generation, density, size` {
		t.Errorf("got %v", err)
	}
}

func TestTimesThatGrow(t *testing.T) {
	for _, c := range []struct {
		times []uint64
		log   bool
	}{
		{[]uint64{0, 100, 200, 300, 400, 500}, false},
		{[]uint64{0, 1, 2, 5, 10, 100}, true},
		{[]uint64{1, 2, 4, 8, 16, 32, 64, 128, 256}, true},
		{[]uint64{0, 1000}, false},
	} {
		var rows []ensemble.Summary
		for _, g := range c.times {
			rows = append(rows, summaryOf("B3/S23", 8, 0.5, g, "density", 0.5, 0.1))
		}
		if f := drawn(t, rows, View{}); f.X.Log != c.log {
			t.Errorf("times %v: logarithmic %v", c.times, f.X.Log)
		}
	}
}

// TestChosenRules: rules are chosen by name, many densities have colours from a scale.
func TestChosenRules(t *testing.T) {
	var rows []ensemble.Summary
	for i := range 30 {
		for _, g := range []uint64{0, 1} {
			rows = append(rows, summaryOf(fmt.Sprintf("rule %d", i), 8, 0.5, g, "density", 0.5, 0.1))
		}
	}
	f := drawn(t, rows, View{Rules: []string{"rule 3", "rule 20"}})
	if len(f.Series) != 2 || f.Series[1].Name != "rule 20" {
		t.Errorf("two rules of many: %+v", f)
	}
	if _, err := Draw(ensemble.Data{Summary: rows}, View{Rules: []string{"rule 3", "rule 30"}}); err == nil ||
		err.Error() != "rule rule 30 is not in the data" {
		t.Errorf("got %v", err)
	}
	rows = nil
	for i := range 19 {
		for _, g := range []uint64{0, 1} {
			rows = append(rows, summaryOf("life", 8, float64(i)/20, g, "density", 0.5, 0.1))
		}
	}
	f = drawn(t, rows, View{})
	if len(f.Series) != 19 || f.Scale.Label != "density of the soups" || f.Series[3].Value == nil ||
		*f.Series[3].Value != 0.15 || f.Series[3].Name != "" {
		t.Errorf("many densities: %+v", f)
	}
}
