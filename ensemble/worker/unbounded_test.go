package worker

import (
	"bytes"
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
)

// onlyJob is the job of a study that has one.
func onlyJob(t rapid.TB, spec ensemble.Spec) (*ensemble.Study, ensemble.Job) {
	t.Helper()
	study, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	var only ensemble.Job
	for j := range study.Jobs() {
		only = j
	}
	if only.Count != spec.Universes {
		t.Fatalf("%v is not all", only)
	}
	return study, only
}

// TestMethuselahs: the lifespans and final populations of well-known patterns are those that LifeWiki gives.
func TestMethuselahs(t *testing.T) {
	var w Worker
	defer w.Close()
	for _, c := range []struct {
		name                           string
		lifespan, population, censored uint64
	}{
		{"rpentomino", 1103, 116, 0},
		{"acorn", 5206, 633, 0},
		{"diehard", 130, 0, 0},
		{"pi-heptomino", 173, 55, 0},
		{"glider", 0, 5, 0}, // it only flies away
		{"rpentomino", 1103, 116, 1103},
		{"rpentomino", 1102, 0, 1102},
		{"gosper-gun", 300, 0, 300}, // not settled by the cap
	} {
		_, j := onlyJob(t, ensemble.Spec{
			Rules: []string{"life"}, Sizes: []string{"40"}, Topology: "unbounded",
			Starts: ensemble.Starts{"pattern~of=" + c.name}, Universes: 1,
			Measures: []string{"settling"}, Cap: c.censored, Times: []uint64{0},
		})
		r, err := w.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		u := r.Universes[0]
		if settled := c.censored != c.lifespan; *u.Transient != c.lifespan || r.Ends[0] != c.population ||
			*u.Settled != (settled || c.population > 0) {
			t.Errorf("%s: %d generations, population %d, settled %v; want %d, %d", c.name, *u.Transient, r.Ends[0], *u.Settled,
				c.lifespan, c.population)
		}
	}
}

// rulesOnThePlane are of every kind that runs there.
var rulesOnThePlane = []string{
	"B3/S23", "B36/S23", "B2/S/3", "B2/S345/4", "R2,C0,M1,S3..8,B5..8,NM", "B3/S23V",
	"B1e/S23", "B3/S23~async=0.7", "Contact~lambda=1,dt=0.2", "B02/S13",
}

// TestUnbounded compares samples of universes on the unbounded plane with those of the reference, whose cells
// are looked at one by one, and the bytes of results of several engines. Populations of universes that have
// settled come back, and for the first time.
func TestUnbounded(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		spec := ensemble.Spec{
			Rules: []string{rapid.SampledFrom(rulesOnThePlane).Draw(t, "rule")},
			Sizes: []string{rapid.SampledFrom([]string{"6", "5x9", "1"}).Draw(t, "size")}, Topology: "unbounded",
			Universes: rapid.IntRange(1, 3).Draw(t, "universes"), Generations: rapid.Uint64Range(0, 12).Draw(t, "generations"),
			Every:     rapid.Uint64Range(0, 5).Draw(t, "every"),
			Densities: ensemble.Densities{0.4}, Measures: []string{"clusters", "spreading"},
			Connectivity: rapid.SampledFrom([]int{4, 8}).Draw(t, "connectivity"),
			Root:         rapid.StringMatching("[a-z]{3}").Draw(t, "root"),
		}
		settles := spec.Rules[0] == "B3/S23" && rapid.Bool().Draw(t, "settling")
		if settles {
			spec.Measures, spec.Cap = append(spec.Measures, "settling"), 600
		}
		study, j := onlyJob(t, spec)
		var want []byte
		var result *ensemble.Result
		for _, engine := range []string{"reference", "cpu", "auto"} {
			w := Worker{Engine: engine}
			r, err := w.Run(ctx, j)
			w.Close()
			if engine == "cpu" && err != nil && study.Points[0].Rule.Chance != nil {
				continue // it has none there
			}
			if err != nil {
				t.Fatal(err)
			}
			data, err := r.Encode()
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want, result = data, r
			} else if !bytes.Equal(want, data) {
				t.Fatalf("%v: %s differs from the reference", j, engine)
			}
		}
		for i, u := range result.Universes {
			at := study.Points[0]
			e, err := reference.Open(ctx, sim.Config{Rule: at.Rule.WithSeed(u.Seed)})
			if err == nil {
				err = soup.Fill(ctx, e, at.Topology.W, at.Topology.H, u.Seed, at.Density, 1, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			for k, g := range study.Times {
				if _, err := e.Step(ctx, g-e.Generation()); err != nil {
					t.Fatal(err)
				}
				compareSample(t, result, i*len(study.Times)+k, e, at, study.Wanted.Connectivity)
			}
			if settles && *u.Settled {
				checkSettled(t, at, u, result.Ends[i])
			}
		}
	})
}

// compareSample compares sample i of a result with the cells of an engine.
func compareSample(t *rapid.T, r *ensemble.Result, i int, e sim.Engine, at ensemble.Point, c component.Connectivity) {
	t.Helper()
	cells, err := grid.TilesOf(context.Background(), e)
	if err != nil {
		t.Fatal(err)
	}
	population, err := e.Population()
	if err != nil {
		t.Fatal(err)
	}
	box, err := cells.Extent()
	if err != nil {
		t.Fatal(err)
	}
	var spread [4]float64
	for y := box.Y; y < box.Y+box.H; y++ {
		for x := box.X; x < box.X+box.W; x++ {
			state := 0
			for k := range cells.Planes() {
				var word [1]uint64
				if err := cells.ReadRow(word[:], k, x, y, 1); err != nil {
					t.Fatal(err)
				}
				state |= int(word[0]&1) << k
			}
			if state == 1 {
				dx, dy := float64(x-at.Topology.W/2), float64(y-at.Topology.H/2)
				spread[0], spread[1], spread[2], spread[3] = 1, spread[1]+1, spread[2]+dx*dx+dy*dy, max(spread[3], dx, -dx, dy, -dy)
			}
		}
	}
	found, err := component.Label(cells, at.Edges(), c)
	if err != nil {
		t.Fatal(err)
	}
	if r.Population[i] != population || r.BoxWidth[i] != uint64(box.W) || r.BoxHeight[i] != uint64(box.H) {
		t.Fatalf("%d cells in %d×%d, want %d in %d×%d", r.Population[i], r.BoxWidth[i], r.BoxHeight[i], population, box.W,
			box.H)
	}
	if got := [4]float64(r.ValuesOf("spreading", i)); got != spread {
		t.Fatalf("spreading %v, want %v", got, spread)
	}
	if r.ClusterCount[i] != found.Sizes.Count() || r.Largest[i] != found.Sizes.Largest() {
		t.Fatalf("%d clusters, the largest of %d, want %d, %d", r.ClusterCount[i], r.Largest[i], found.Sizes.Count(),
			found.Sizes.Largest())
	}
}

// checkSettled checks that the populations repeat with the period from the transient on, that no shorter period fits,
// and that the population before the transient differs.
func checkSettled(t *rapid.T, at ensemble.Point, u ensemble.Universe, end uint64) {
	t.Helper()
	ctx := context.Background()
	e, err := reference.Open(ctx, sim.Config{Rule: at.Rule})
	if err == nil {
		err = soup.Fill(ctx, e, at.Topology.W, at.Topology.H, u.Seed, at.Density, 1, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var populations []uint64
	for range *u.Transient + 4**u.Period + 60 {
		n, err := e.Population()
		if err == nil {
			_, err = e.Step(ctx, 1)
		}
		if err != nil {
			t.Fatal(err)
		}
		populations = append(populations, n)
	}
	comesBack := func(from, period uint64) bool {
		for g := from; g+period < uint64(len(populations)); g++ {
			if populations[g] != populations[g+period] {
				return false
			}
		}
		return true
	}
	for p := uint64(1); p <= *u.Period; p++ {
		if comesBack(*u.Transient, p) != (p == *u.Period) {
			t.Fatalf("transient %d, period %d: populations %v", *u.Transient, *u.Period, populations)
		}
	}
	if *u.Transient > 0 && comesBack(*u.Transient-1, *u.Period) || populations[*u.Transient] != end {
		t.Fatalf("transient %d, final population %d: populations %v", *u.Transient, end, populations)
	}
}
