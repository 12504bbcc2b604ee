package worker

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
)

// historyFrom is all states of a universe up to a generation, by the oracle, from a soup or one cell, with or
// without the differences of its twin.
func historyFrom(t *rapid.T, p *ensemble.Study, at ensemble.Point, seed uint64, twin bool) []*grid.Grid {
	ctx := context.Background()
	w, h := at.Topology.W, at.Topology.H
	e, err := sim.Open(ctx, "reference", sim.Config{Rule: at.Rule, Topology: at.Topology})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	sim.Reseed(e, at.Rule, seed)
	cells, err := grid.New(w, h, e.Planes())
	if err != nil {
		t.Fatal(err)
	}
	switch at.Place().Start {
	case "cell":
		cells.Set(w/2, h/2, 1)
	case "soup":
		err = soup.Fill(ctx, cells, w, h, seed, at.Density, 1, nil)
	default:
		in := soup.Setting{W: w, H: h, States: at.Rule.States, Seed: seed, Density: at.Density}
		if at.Start.HasPattern() { // of 2×2 cells, in the middle
			mine, err := grid.New(2, 2, 1)
			if err != nil {
				t.Fatal(err)
			}
			mine.Set(1, 0, 1)
			mine.Set(0, 1, 1)
			mine.Set(1, 1, 1)
			in.Pattern, in.X, in.Y = mine, w/2-1, h/2-1
		}
		err = at.Start.Fill(ctx, cells, in, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	differ, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	differ.Set(w/2, h/2, 1)
	if p.Spec.Damage > 0 {
		if err := soup.Fill(ctx, differ, w, h, ^seed, p.Spec.Damage, 1, nil); err != nil {
			t.Fatal(err)
		}
	}
	grid.InMemory(grid.Copy(e, cells, cells.Bounds(), 0, 0))
	var states []*grid.Grid
	for g := uint64(0); ; g++ {
		if twin && g == p.Spec.DamageAt {
			grid.InMemory(grid.Copy(cells, e, cells.Bounds(), 0, 0))
			for y := range h {
				for x := range w {
					if was := cells.Get(x, y); differ.Get(x, y) == 1 {
						cells.Set(x, y, 0)
						if was == 0 {
							cells.Set(x, y, 1)
						}
					}
				}
			}
			grid.InMemory(grid.Copy(e, cells, cells.Bounds(), 0, 0))
		}
		now, err := cells.Copy()
		if err != nil {
			t.Fatal(err)
		}
		grid.InMemory(grid.Copy(now, e, now.Bounds(), 0, 0))
		states = append(states, now)
		if g == p.Spec.Generations {
			return states
		}
		if _, err := e.Step(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// TestInstrumentsSeeTheOraclesCells: on every engine, with batches and without, instruments see the oracle's cells,
// first cells and twin.
func TestInstrumentsSeeTheOraclesCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := ensemble.Spec{
			Rules: []string{rapid.SampledFrom([]string{
				"B3/S23", "B2/S345/4", "B3/S23~flip=0.01", "Ising~T=3", "BondDP",
				"InstantForestFire~f=0.1", "Potts~q=3,T=1",
			}).Draw(t, "rule")},
			Sizes:       []string{rapid.SampledFrom([]string{"8", "14x10", "64x4", "P8,12", "66x6"}).Draw(t, "size")},
			Universes:   rapid.IntRange(1, 3).Draw(t, "universes"),
			Generations: rapid.Uint64Range(0, 12).Draw(t, "generations"), Every: rapid.Uint64Range(0, 5).Draw(t, "every"),
			Measures: []string{"magnetisation", "energy", "autocorrelation", "spreading", "damage", "fires", "states", "potts"},
			Damage:   rapid.SampledFrom([]float64{0, 0.1, 1}).Draw(t, "damage"),
		}
		if spec.Sizes[0] == "P8,12" && rapid.Bool().Draw(t, "pile") {
			spec.Rules, spec.Measures = []string{"Sandpile~p=0.3"}, append(spec.Measures, "avalanches")
		}
		some := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
			"soup", "cell", "exact", "exact~1=13,set1=0.1",
			"shares~1=0.4", "blocks~side=3", "gauss~length=2", "bonds", "pattern~of=mine,set1=0.1", "repeat~of=mine,x=3",
		}), 1, 2,
			rapid.ID)
		spec.Starts, spec.Patterns = some.Draw(t, "starts"), map[string]string{"mine": "bo$2o!"}
		spec.DamageAt = rapid.Uint64Range(0, spec.Generations).Draw(t, "damage at")
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		w := Worker{Engine: rapid.SampledFrom([]string{"", "reference", "cpu"}).Draw(t, "engine")}
		defer w.Close()
		for j := range study.Jobs() {
			for range 2 { // the second time with the engines of the first
				r, err := w.Run(context.Background(), j)
				if err != nil {
					t.Fatal(err)
				}
				at := study.Points[slices.IndexFunc(study.Points, func(at ensemble.Point) bool {
					return at.Place() == r.Universes[0].Place
				})]
				for u, row := range r.Universes {
					states, twins := historyFrom(t, study, at, row.Seed, false), historyFrom(t, study, at, row.Seed, true)
					for k, g := range study.Times {
						ones := onesOf(states[g])
						v := ensemble.View{
							Setting: study.Wanted.Setting(at), Generation: g,
							Cells: ones, First: onesOf(states[study.Times[0]]), Twin: onesOf(twins[g]), States: states[g], Seed: row.Seed,
						}
						counts, err := grid.StateCounts(ones, 2)
						if err != nil {
							t.Fatal(err)
						}
						v.Ones = counts[1]
						if !at.Topology.Volume() {
							v.Bonds = measure.BondsOf(ones, at.Topology)
						}
						for _, m := range study.Wanted.Instruments {
							got := r.ValuesOf(m.Name, u*len(study.Times)+k)
							want := make([]float64, len(got))
							m.Instrument.Measure(want, v)
							if diff := cmp.Diff(want, got); diff != "" {
								t.Fatalf("%s of universe %d at generation %d: %s", m.Name, u, g, diff)
							}
						}
					}
				}
			}
		}
	})
}
