package tables

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
	"github.com/gosper-life/gosper/sim/batch"
)

// TestKineticsOf has two universes of ten cells, whose clusters change in four generations as written.
func TestKineticsOf(t *testing.T) {
	universes := [2][2][]batch.Count{ // before and after
		{{{Size: 1, Count: 3}, {Size: 2, Count: 1}}, {{Size: 1, Count: 1}, {Size: 4, Count: 1}}},
		{{{Size: 1, Count: 1}}, {{Size: 1, Count: 1}, {Size: 2, Count: 1}}},
	}
	var before, now sums.Sizes
	for _, u := range universes {
		for i, table := range []*sums.Sizes{&before, &now} {
			for _, c := range u[i] {
				s := table.At(uint64(c.Size))
				s.Clusters, s.Squares = s.Clusters+uint64(c.Count), s.Squares+uint64(c.Count*c.Count)
			}
		}
		before.Follow(u[0], nil)
		now.Follow(u[1], u[0])
	}
	place := ensemble.Place{Width: 5, Height: 2}
	// For each universe: the changes of the numbers of this size, and of those of more cells.
	for i, want := range []struct {
		size            uint64
		changes, larger [2]float64
	}{
		{1, [2]float64{-2, 0}, [2]float64{0, 1}},
		{2, [2]float64{-1, 1}, [2]float64{1, 0}},
		{4, [2]float64{1, 0}, [2]float64{0, 0}},
	} {
		got := kineticsOf(&before, &now, place, 16, 20, 2)
		if len(got) != 3 {
			t.Fatalf("%d rows, want 3", len(got))
		}
		mean := func(x [2]float64) float64 { return (x[0] + x[1]) / 2 / 40 }      // ten cells, four generations
		err := func(x [2]float64) float64 { return math.Abs(x[0]-x[1]) / 2 / 40 } // √(Σd²/(n−1)/n)
		row := got[i]
		if row.Size != want.size || row.Since != 16 || row.Generation != 20 || row.Universes != 2 ||
			row.Rate != mean(want.changes) || *row.RateError != err(want.changes) ||
			row.Flux != mean(want.larger) || *row.FluxError != err(want.larger) {
			t.Errorf("got %+v (errors %v, %v), want %+v", row, *row.RateError, *row.FluxError, want)
		}
	}
	rows := kineticsOf(&before, &now, place, 16, 20, 2)
	// Size 1: 4 clusters become 2, and n/⟨n⟩ − n′/⟨n′⟩ is 1/1 − 3/2 and 1/1 − 1/2. Size 4 is new.
	if g := rows[0].Growth; math.Abs(*g-math.Log(0.5)/4) > 1e-15 || math.Abs(*rows[0].GrowthError-0.5/4) > 1e-15 {
		t.Errorf("growth %v ± %v", *g, *rows[0].GrowthError)
	}
	if rows[2].Growth != nil || rows[2].GrowthError != nil {
		t.Errorf("size 4 has a growth: %v", *rows[2].Growth)
	}
	if row := kineticsOf(&before, &now, place, 16, 20, 1)[0]; row.RateError != nil || row.FluxError != nil ||
		row.GrowthError != nil {
		t.Error("one universe has errors")
	}
}

// TestKineticsMerged compares the table with that of clusters. Rates are the differences between samples, and the
// flux is the gain of all larger sizes. Times may be merged in any portions.
func TestKineticsMerged(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life", "highlife"}, Sizes: []string{"16"}, Universes: 9, PerJob: 4, Generations: 30,
		Times: ensemble.Times{0, 1, 3, 10, 30}, Measures: []string{"kinetics"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	type at struct {
		place            ensemble.Place
		generation, size uint64
	}
	numbers := map[at]float64{}
	sizes := map[at]uint64{} // the largest, for size 0
	for _, c := range ensembletest.Rows[ensemble.ClusterSize](t, dir, "clusters.csv") {
		numbers[at{c.Place, c.Generation, c.Size}] = float64(c.Clusters)
		sizes[at{c.Place, c.Generation, 0}] = c.Size
	}
	rows := ensembletest.Rows[ensemble.Kinetics](t, dir, "kinetics.csv")
	seen := map[at]bool{}
	for _, row := range rows {
		seen[at{row.Place, row.Generation, row.Size}] = true
		per := 256 * 9 * float64(row.Generation-row.Since)
		change := func(size uint64) float64 {
			return numbers[at{row.Place, row.Generation, size}] - numbers[at{row.Place, row.Since, size}]
		}
		larger := 0.0
		for s := row.Size + 1; s <= max(sizes[at{row.Place, row.Since, 0}], sizes[at{row.Place, row.Generation, 0}]); s++ {
			larger += change(s)
		}
		if math.Abs(row.Rate-change(row.Size)/per) > 1e-15 || math.Abs(row.Flux-larger/per) > 1e-15 {
			t.Errorf("%+v: want rate %v, flux %v", row, change(row.Size)/per, larger/per)
		}
	}
	for of := range numbers {
		if of.generation > 0 && !seen[of] {
			t.Errorf("no row for %+v", of)
		}
	}
}
