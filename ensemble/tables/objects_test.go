package tables

import (
	"math"
	"testing"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/soup"
)

// TestCensusCountsTheObjectsOfEachSoup works shares and errors out from the objects of single soups.
func TestCensusCountsTheObjectsOfEachSoup(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 30, PerJob: 7,
		Measures: []string{"census"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".parquet"}); err != nil {
		t.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	counter, err := census.NewCounter(life, census.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	const block = "xs4_33"
	var blocks, totals []float64
	var count, all float64
	for _, u := range ensembletest.Rows[ensemble.Universe](t, dir, "universes.parquet") {
		g, err := grid.New(16, 16, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), g, 16, 16, u.Seed, 0.5, 1, nil); err != nil {
			t.Fatal(err)
		}
		total := 0
		cells, err := census.CellsOf(g)
		if err != nil {
			t.Fatal(err)
		}
		tally := counter.Count(cells)
		for _, n := range tally.Objects {
			total += n
		}
		if uint64(total) != *u.Objects {
			t.Errorf("universe %d: %d objects, want %d", u.Index, *u.Objects, total)
		}
		blocks, totals = append(blocks, float64(tally.Objects[block])), append(totals, float64(total))
		count, all = count+float64(tally.Objects[block]), all+float64(total)
	}
	squares := 0.0
	for i := range blocks {
		residual := blocks[i] - count/all*totals[i]
		squares += residual * residual
	}
	want := math.Sqrt(squares/29*30) / all
	for _, o := range ensembletest.Rows[ensemble.Object](t, dir, "census.parquet") {
		if o.Code == block {
			if o.Name != "block" || float64(o.Count) != count || o.Share != count/all || o.Error == nil ||
				math.Abs(*o.Error-want) > 1e-9 || o.Universes != 30 {
				t.Errorf("got %+v, want %v of %v ± %v", o, count, all, want)
			}
			return
		}
	}
	t.Error("no blocks")
}

// TestOneSoup has no errors: nothing says how soups differ.
func TestOneSoup(t *testing.T) {
	p, err := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 1, Generations: 10,
		Measures: []string{"census"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".parquet"}); err != nil {
		t.Fatal(err)
	}
	rows := ensembletest.Rows[ensemble.Object](t, dir, "census.parquet")
	if len(rows) == 0 {
		t.Fatal("no objects")
	}
	for _, o := range rows {
		if o.Error != nil {
			t.Errorf("the share %v of %s has the error %v", o.Share, o.Code, *o.Error)
		}
	}
}
