package worker

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/burning"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
)

// history is all states of a universe up to a generation, by the oracle.
func history(t *rapid.T, at ensemble.Point, seed, generations uint64) []*grid.Grid {
	ctx := context.Background()
	e, err := sim.Open(ctx, "reference", sim.Config{Rule: at.Rule, Topology: at.Topology})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(ctx, e, at.Topology.W, at.Topology.H, seed, at.Density, 1, nil); err != nil {
		t.Fatal(err)
	}
	var states []*grid.Grid
	for g := uint64(0); ; g++ {
		cells, err := grid.New(at.Topology.W, at.Topology.H, grid.PlanesOf(at.Rule.States))
		if err != nil {
			t.Fatal(err)
		}
		grid.InMemory(grid.Copy(cells, e, cells.Bounds(), 0, 0))
		states = append(states, cells)
		if g == generations {
			return states
		}
		if _, err := e.Step(ctx, 1); err != nil {
			t.Fatal(err)
		}
	}
}

// grassbergerByDefinition is ψ(n) + (−1)ⁿ/2 · (ψ((n+1)/2) − ψ(n/2)), where the last difference is
// 2 Σ (−1)^k/(n+k) over k ≥ 0. It is summed here without the recursion of the program.
func grassbergerByDefinition(n int) float64 {
	psi := -0.57721566490153286
	for k := 1; k < n; k++ {
		psi += 1 / float64(k)
	}
	const terms = 20000
	sum := 0.0
	for k := range terms {
		sum += math.Pow(-1, float64(k)) / float64(n+k)
	}
	sum += math.Pow(-1, terms) / float64(n+terms) / 2 // half of the next term, for an error of the order 1/terms²
	return psi + math.Pow(-1, float64(n))*sum
}

// expected measures a sample cell by cell.
func expected(t *rapid.T, m ensemble.Wanted, at ensemble.Point, states []*grid.Grid, g uint64) ensemble.Sample {
	w, h := at.Topology.W, at.Topology.H
	now := states[g]
	var s ensemble.Sample
	alive := func(x, y int) bool { return now.Get(x%w, y%h) == 1 }
	torus := at.Topology.WrapsStraight()
	inside := func(x, y int) bool { return torus || x < w && y < h }
	var ones, births, deaths, changed uint64
	blocks := map[string]int{}
	for y := range h {
		for x := range w {
			c := now.Get(x, y)
			if c > 0 {
				s.Population++
			}
			if c == 1 {
				ones++
			}
			if g > 0 {
				old := states[g-1].Get(x, y)
				if old == 0 && c > 0 {
					births++
				}
				if old > 0 && c == 0 {
					deaths++
				}
				if old != c {
					changed++
				}
			}
			if m.Block > 0 && inside(x+m.Block-1, y+m.Block-1) {
				var pattern []uint8
				for dy := range m.Block {
					for dx := range m.Block {
						pattern = append(pattern, now.Get((x+dx)%w, (y+dy)%h))
					}
				}
				blocks[fmt.Sprint(pattern)]++
			}
		}
	}
	s.Density = float64(ones) / float64(w*h)
	if m.Activity && g > 0 {
		share := float64(changed) / float64(w*h)
		s.Births, s.Deaths, s.Activity = &births, &deaths, &share
	}
	if m.Entropy {
		total, sum := 0, 0.0
		for _, n := range blocks {
			total += n
		}
		third := math.Log2(float64(total))
		for _, n := range blocks {
			p := float64(n) / float64(total)
			sum -= p * math.Log2(p)
			third -= p * grassbergerByDefinition(n) / math.Ln2
		}
		third /= float64(m.Block * m.Block)
		sum /= float64(m.Block * m.Block)
		places, patterns := uint64(total), uint64(len(blocks))
		corrected := sum + float64(patterns-1)/(2*float64(total)*math.Ln2)/float64(m.Block*m.Block)
		s.Entropy, s.EntropyMillerMadow, s.EntropyGrassberger, s.Blocks, s.Patterns = &sum, &corrected, &third, &places,
			&patterns
	}
	if m.Correlation {
		s.Pairs = make([]uint64, m.Distance+1)
		for r := range s.Pairs {
			for y := range h {
				for x := range w {
					for _, to := range [][2]int{{x + r, y}, {x, y + r}} {
						if inside(to[0], to[1]) && alive(x, y) && alive(to[0], to[1]) {
							s.Pairs[r]++
						}
					}
				}
			}
		}
	}
	if m.Clusters || m.Percolation {
		found, err := component.Label(now, at.Topology, m.Connectivity)
		if err != nil {
			t.Fatal(err)
		}
		count, largest, span := found.Sizes.Count(), found.Sizes.Largest(), found.Span.String()
		if m.Clusters {
			var moment, rest uint64
			for size, n := range found.Sizes.All() {
				moment += n * size * size
			}
			rest = moment - largest*largest
			s.Clusters, s.Largest, s.SecondMoment, s.SecondMomentRest = &count, &largest, &moment, &rest
		}
		if m.Percolation {
			s.Span = &span
		}
	}
	return s
}

// sizeAt is a row of cluster sizes.
type sizeAt struct{ generation, size uint64 }

// sizeWant is the sums of it: with squares of numbers without the largest cluster, which rows have as their difference.
type sizeWant struct{ clusters, squares, largest, squaresRest uint64 }

var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 2e-9 })

func TestRunMeasuresWhatTheOracleShows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var names []string
		for _, m := range ensemble.Measures {
			if m.Instrument == nil { // the others have tests of their own
				names = append(names, m.Name)
			}
		}
		spec := ensemble.Spec{
			Rules: []string{rapid.SampledFrom([]string{
				"B3/S23", "B2/S345/4", "B36/S125", "B0/S8",
				"R2,C3,M1,S3..8,B5..8,NM",
			}).Draw(t, "rule")},
			Sizes: []string{rapid.SampledFrom([]string{
				"8", "13x9", "64x3", "65x4", "P7,12", "K10*,6", "T9+2,8", "S6",
				"C8,5",
			}).Draw(t, "size")},
			Densities: ensemble.Densities{rapid.SampledFrom([]float64{0, 0.2, 0.5, 1}).Draw(t, "density")},
			Universes: rapid.IntRange(1, 3).Draw(t, "universes"), Generations: rapid.Uint64Range(0, 20).Draw(t, "generations"),
			Every: rapid.Uint64Range(0, 5).Draw(t, "every"),
			Measures: rapid.SliceOfDistinct(rapid.SampledFrom(slices.DeleteFunc(names, func(n string) bool {
				return n == "settling" || n == "census"
			})), func(s string) string { return s }).Draw(t, "measures"),
		}
		if slices.Contains(spec.Measures, "entropy") {
			spec.Block = rapid.IntRange(0, 4).Draw(t, "block")
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		at, m := study.Points[0], study.Wanted
		sizes := map[sizeAt]sizeWant{}
		var want []ensemble.Sample
		for i := range uint64(spec.Universes) {
			place := at.Place()
			seed := ensemble.Seed(study.Spec.Root, place, i, false)
			states := history(t, at, seed, spec.Generations)
			for _, g := range study.Times {
				s := expected(t, m, at, states, g)
				s.Place, s.Index, s.Seed, s.Generation = place, i, seed, g
				want = append(want, s)
				if !m.Clusters {
					continue
				}
				found, err := component.Label(states[g], at.Topology, m.Connectivity)
				if err != nil {
					t.Fatal(err)
				}
				for size, n := range found.Sizes.All() {
					c, rest := sizes[sizeAt{g, size}], n
					if size == found.Sizes.Largest() {
						c.largest++
						rest--
					}
					c.clusters, c.squares, c.squaresRest = c.clusters+n, c.squares+n*n, c.squaresRest+rest*rest
					sizes[sizeAt{g, size}] = c
				}
			}
		}
		var r Worker
		var got []ensemble.Sample
		gotSizes := map[sizeAt]sizeWant{}
		for j := range study.Jobs() {
			decoded, err := ensemble.DecodeJob(j.Encode())
			if err != nil {
				t.Fatal(err)
			}
			result, err := r.Run(context.Background(), decoded)
			if err != nil {
				t.Fatal(err)
			}
			if result.Job != j.Key() || len(result.Universes) != j.Count {
				t.Fatalf("result %s of %d universes for %v", result.Job, len(result.Universes), j)
			}
			got = append(got, result.Samples(1)...)
			for _, c := range result.Clusters {
				if c.Clusters == 0 { // there are some in the sample before: see TestKinetics
					continue
				}
				sum := gotSizes[sizeAt{c.Generation, c.Size}]
				gotSizes[sizeAt{c.Generation, c.Size}] = sizeWant{
					sum.clusters + c.Clusters, sum.squares + c.Squares, sum.largest + c.Largest,
					sum.squaresRest + c.Squares - 2*c.Ties + c.Largest,
				}
			}
		}
		if diff := cmp.Diff(want, got, nearly); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(sizes, gotSizes, cmp.AllowUnexported(sizeWant{})); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestEnginesAreKept: jobs of one kind share an engine, and their results are those of an engine of their own.
func TestEnginesAreKept(t *testing.T) {
	var shared Worker
	defer shared.Close()
	opened := map[simulated]bool{}
	for _, rule := range []string{"life", "B2/S345/4"} {
		spec := ensemble.Spec{
			Rules: []string{rule}, Sizes: []string{"20x12"}, Universes: 5, PerJob: 2, Generations: 9,
			Every: 3, Measures: []string{"clusters", "activity"},
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		for j := range study.Jobs() {
			got, err := shared.Run(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			opened[shared.kept[0].simulated] = true
			var own Worker
			want, err := own.Run(t.Context(), j)
			if err != nil {
				t.Fatal(err)
			}
			own.Close()
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v: %s", j, diff)
			}
		}
	}
	if len(opened) != 4 { // for two universes and for one, of each rule
		t.Errorf("%d engines for jobs of 4 kinds", len(opened))
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	study, err := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"16"}, Universes: 2, Generations: 30}.Check()
	if err != nil {
		t.Fatal(err)
	}
	for j := range study.Jobs() {
		if _, err := shared.Run(cancelled, j); err == nil || shared.kept[0].simulated != nil {
			t.Errorf("a job that failed left its engine: %v, %v", shared.kept[0], err)
		}
		break
	}
}

func TestSettlingIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := ensemble.Spec{
			Rules:     []string{rapid.SampledFrom([]string{"B3/S23", "B36/S23", "B1/S", "B0/S8", "B2/S345/4"}).Draw(t, "rule")},
			Sizes:     []string{rapid.SampledFrom([]string{"5", "6x4", "P8,8", "8", "K5*,4"}).Draw(t, "size")},
			Densities: ensemble.Densities{rapid.SampledFrom([]float64{0.1, 0.3, 0.5}).Draw(t, "density")},
			Universes: 2, Measures: []string{"settling"}, Root: fmt.Sprint(rapid.IntRange(0, 1000).Draw(t, "root")),
			Cap: rapid.SampledFrom([]uint64{100, 400}).Draw(t, "cap"),
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		var r Worker
		for j := range study.Jobs() {
			result, err := r.Run(context.Background(), j)
			if err != nil {
				t.Fatal(err)
			}
			for _, u := range result.Universes {
				states := history(t, study.Points[0], u.Seed, 3*horizon(&study.Wanted, study.Points[0].Topology))
				transient, period := cycle(states)
				switch {
				case period > 0 && transient <= spec.Cap && 60%period == 0 && !*u.Settled:
					t.Fatalf("universe %d settles at %d with period %d, and was not seen to", u.Index, transient, period)
				case *u.Settled && (*u.Transient != transient || *u.Period != period):
					t.Fatalf("universe %d: transient %d, period %d, want %d and %d", u.Index, *u.Transient, *u.Period, transient,
						period)
				case !*u.Settled && (*u.Transient != spec.Cap || u.Period != nil):
					t.Fatalf("universe %d: censored at %d, want %d", u.Index, *u.Transient, spec.Cap)
				}
			}
		}
	})
}

// cycle finds the least transient and period by comparing all states; zero where none repeats.
func cycle(states []*grid.Grid) (transient, period uint64) {
	first := map[string]int{}
	for i, g := range states {
		text := fmt.Sprint(stateHash(g))
		if k, ok := first[text]; ok {
			return uint64(k), uint64(i - k)
		}
		first[text] = i
	}
	return 0, 0
}

func TestGliderOnATorus(t *testing.T) {
	// A lone glider comes back after four generations a cell.
	m := &measurement{worker: &Worker{}, study: &ensemble.Study{Wanted: ensemble.Wanted{Cap: 1000}}, planes: 1}
	study, err := ensemble.Spec{
		Rules: []string{"B3/S23"}, Sizes: []string{"20x12"}, Universes: 1,
		Measures: []string{"settling"},
	}.Check()
	if err != nil {
		t.Fatal(err)
	}
	m.at, m.study = study.Points[0], study
	g, err := grid.New(20, 12, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, at := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
		g.Set(at[0], at[1], 1)
	}
	u := &universe{}
	defer m.close()
	// It moves one cell in 4 generations, and is home when 20 and 12 divide the cells: after 240 generations, 4 looks.
	if err := m.finder.find(t.Context(), m, u, g, 0, 4); err != nil {
		t.Fatal(err)
	}
	if s := u.settling; !s.settled || s.transient != 0 || s.period != ensemble.LeastCap(m.at.Topology) || s.period != 240 {
		t.Errorf("got %+v", s)
	}
}
