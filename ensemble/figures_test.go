package ensemble

import (
	"math"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestDrawingsOfEverything(t *testing.T) {
	spec := everything()
	spec.Rules, spec.Sizes = []string{"life"}, []string{"16", "20"}
	spec.Measures = append(spec.Measures, "census")
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := p.Merge(t.Context(), runAll(t, p), false, Output{Dir: dir, Ext: ".jsonl"}); err != nil {
		t.Fatal(err)
	}
	d, err := ReadData(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, drawn := range d.Draw() {
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
			if len(s) != 2 || s[1].Name != "20×20" || !cmp.Equal(s[1].X, []float64{0.2, 0.4}) || s[1].Y[0] != d.Lifespans[2].Restricted {
				t.Errorf("lifespan: %+v", s)
			}
		}
	}
	want := []string{
		"density", "population", "entropy", "entropy_miller_madow", "clusters", "largest", "second_moment", "second_moment_rest",
		"percolating", "percolating_x", "percolating_y", "percolating_both", "correlation", "connected",
		"births", "deaths", "activity", "cluster-sizes", "census", "survival", "lifespan",
	}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

func TestClusterBins(t *testing.T) {
	place := Place{Topology: "T10,10", Width: 10, Height: 10}
	row := func(size, clusters, squares, largest uint64) ClusterSize {
		return clusterSize(place, 0, size, 4, SizeSums{Clusters: clusters, Squares: squares, Largest: largest, Ties: largest})
	}
	drawn := DrawClusters([]ClusterSize{row(1, 8, 16, 0), row(11, 3, 3, 1), row(12, 5, 9, 3)}).Figure.Series
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
