package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/figures"
	"github.com/gosper-life/gosper/ensemble/internal/ensembletest"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
)

// TestMergedFilesDoNotDependOnHowJobsAreCut checks the property that makes results citable.
func TestMergedFilesDoNotDependOnHowJobsAreCut(t *testing.T) {
	for _, ext := range []string{".parquet", ".csv", ".jsonl"} {
		var first map[string][]byte
		for _, perJob := range []int{1, 3, 7} {
			spec := ensembletest.Everything()
			spec.PerJob = perJob
			p, err := spec.Check()
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			merged, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ext})
			if err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{}
			for _, name := range merged.Files {
				if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
					t.Fatal(err)
				}
			}
			if first == nil {
				first = files
			}
			if len(files) != 6 || len(first) != 6 {
				t.Errorf("files %v", merged.Files)
			}
			for name := range first {
				if !bytes.Equal(first[name], files[name]) {
					t.Errorf("%s differs with %d universes a job", name, perJob)
				}
			}
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	spec := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 4, PerJob: 1}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	all := ensembletest.RunAll(t, p)
	var hashes []string
	for j := range p.Jobs() {
		hashes = append(hashes, j.Key())
	}
	lost := all[hashes[1]]
	delete(all, hashes[1])
	dir := t.TempDir()
	var lacks *Incomplete
	_, err = Merge(t.Context(), p, all, false, Output{Dir: dir, Ext: ".csv"})
	if !errors.As(
		err, &lacks) || err.Error() != "1 of 4 jobs have no result yet; the first is B3/S23:T8,8 density 0.5, universes 1 to 1" {
		t.Errorf("got %v", err)
	}
	if m, err := Merge(t.Context(), p, all, true, Output{Dir: dir, Ext: ".csv"}); err != nil || m.Universes != 3 ||
		m.Jobs != 3 || ensembletest.Rows[ensemble.Summary](t, dir, "summary.csv")[0].Universes != 3 {
		t.Errorf("got %+v, %v", m, err)
	}
	dir = t.TempDir()
	for _, c := range []struct {
		result []byte
		want   string
	}{{all[hashes[2]], "it is the result of another job"}, {lost[:len(lost)/2], "not a result"}} {
		all[hashes[1]] = c.result
		if _, err := Merge(t.Context(), p, all, false, Output{Dir: dir, Ext: ".csv"}); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Merge(cancelled, p, all, true, Output{Dir: dir, Ext: ".csv"}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if left, err := os.ReadDir(dir); len(left) > 0 || err != nil {
		t.Errorf("merges that failed left %v behind, %v", left, err)
	}
}

// TestManyTimes merges a number of times that is large enough for the sums to be added up in portions, and compares
// the result with the samples.
func TestManyTimes(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"5"}, Densities: ensemble.Densities{0.4}, Universes: 3,
		PerJob: 2, Generations: 8_400, Every: 1, Measures: []string{"clusters"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Times)*len(quantitiesOf(p, p.Points[0]))*resamples < 2*mostSums {
		t.Fatal("these are few times")
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".parquet"}); err != nil {
		t.Fatal(err)
	}
	type at struct {
		generation uint64
		quantity   string
	}
	want := map[at]float64{} // sums over universes
	for _, s := range ensembletest.Rows[ensemble.Sample](t, dir, "samples.parquet") {
		want[at{s.Generation, "density"}] += s.Density
		want[at{s.Generation, "population"}] += float64(s.Population)
		want[at{s.Generation, "clusters"}] += float64(*s.Clusters)
		want[at{s.Generation, "largest"}] += float64(*s.Largest)
		want[at{s.Generation, "second_moment"}] += float64(*s.SecondMoment)
		want[at{s.Generation, "second_moment_rest"}] += float64(*s.SecondMomentRest)
	}
	last := uint64(0)
	for _, s := range ensembletest.Rows[ensemble.Summary](t, dir, "summary.parquet") {
		if s.Generation < last || s.Universes != 3 || math.Abs(3*s.Mean-want[at{s.Generation, s.Quantity}]) > 1e-9 {
			t.Fatalf("after generation %d: %+v, want a sum of %v", last, s, want[at{s.Generation, s.Quantity}])
		}
		last = s.Generation
		if s.Quantity != "clusters" { // which the table of sizes must make up as well
			delete(want, at{s.Generation, s.Quantity})
		}
	}
	for _, c := range ensembletest.Rows[ensemble.ClusterSize](t, dir, "clusters.parquet") {
		want[at{c.Generation, "clusters"}] -= float64(c.Clusters)
	}
	if len(want) != len(p.Times) {
		t.Errorf("%d times are left, want %d", len(want), len(p.Times))
	}
	for k, rest := range want {
		if rest != 0 {
			t.Fatalf("%v: %v clusters more than in the table of sizes", k, rest)
		}
	}
}

func TestSamplesAreLeftOut(t *testing.T) {
	spec := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 2}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	m, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: t.TempDir(), Ext: ".csv", Samples: -1})
	if diff := cmp.Diff([]string{"universes.csv", "summary.csv"}, m.Files); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// TestSamplesOfEveryKthTime writes samples of each third time, and compares them with those of all times.
func TestSamplesOfEveryKthTime(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"8"}, Universes: 3, Generations: 10, Every: 1,
		Measures: []string{"activity", "spectrum"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	all := ensembletest.RunAll(t, p)
	var samples [2][]ensemble.Sample
	var values [2][]ensemble.Value
	for i, every := range []int{1, 3} {
		dir := t.TempDir()
		if _, err := Merge(t.Context(), p, all, false, Output{Dir: dir, Ext: ".jsonl", Samples: every}); err != nil {
			t.Fatal(err)
		}
		samples[i] = ensembletest.Rows[ensemble.Sample](t, dir, "samples.jsonl")
		values[i] = ensembletest.Rows[ensemble.Value](t, dir, "values.jsonl")
	}
	third := slices.DeleteFunc(samples[0], func(s ensemble.Sample) bool { return s.Generation%3 != 0 })
	if diff := cmp.Diff(third, samples[1]); diff != "" || len(third) != 3*4 {
		t.Errorf("%d samples: %s", len(third), diff)
	}
	thirds := slices.DeleteFunc(values[0], func(v ensemble.Value) bool { return v.Generation%3 != 0 })
	if diff := cmp.Diff(thirds, values[1]); diff != "" || len(thirds) == 0 {
		t.Errorf("%d values: %s", len(thirds), diff)
	}
}

// TestManySamplesAreLeftOut checks that samples of over a million rows are written only on request.
func TestManySamplesAreLeftOut(t *testing.T) {
	for universes, want := range map[int]int{1_000_000: 0, 1_000_001: 1_000_001} {
		p, err := ensemble.Spec{Rules: []string{"life"}, Sizes: []string{"8"}, Universes: universes}.Check()
		if err != nil {
			t.Fatal(err)
		}
		var out Output
		if got := (&merger{study: p}).choose(&out); got != want || (out.Samples == 1) != (want == 0) {
			t.Errorf("%d universes: %d rows left out, %d", universes, got, out.Samples)
		}
	}
}

// TestNothingFound: a table that was measured is there, though nothing was found.
func TestNothingFound(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"8"}, Densities: ensemble.Densities{0}, Universes: 2,
		Measures: []string{"clusters", "census", "settling"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	m, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"})
	if err != nil || len(m.Files) != 7 {
		t.Fatalf("%+v, %v", m, err)
	}
	d, err := Read(dir)
	if err != nil || len(d.Clusters) != 0 || len(d.Census) != 0 || *d.Lifespans[0].Median != 0 {
		t.Errorf("%+v, %v", d, err)
	}
	drawings, err := figures.Draw(d, figures.View{})
	if err != nil {
		t.Fatal(err)
	}
	for _, drawn := range drawings {
		if err := drawn.Figure.Save(filepath.Join(t.TempDir(), drawn.Name+".svg")); err != nil {
			t.Error(err)
		}
	}
}

func meanAndDeviation(values []float64) (middle, deviation float64) {
	var sum, squares float64
	for _, v := range values {
		sum, squares = sum+v, squares+v*v
	}
	n := float64(len(values))
	return sum / n, math.Sqrt(max(0, squares-sum*sum/n) / (n - 1))
}

// TestMean works a mean, its error and its bootstrap samples out in another way, in pieces of all lengths and
// with groups of all sizes.
func TestMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-10, 10), 1, 40).Draw(t, "values")
		g := divide(len(values), rapid.IntRange(1, 7).Draw(t, "size"), rapid.Uint64().Draw(t, "seed"))
		var m mean
		for first := 0; first < len(values); {
			n := rapid.IntRange(1, len(values)-first).Draw(t, "piece")
			m.add(values[first:first+n], first, g)
			first += n
		}
		finish([]*mean{&m}, g)
		middle, deviation := meanAndDeviation(values)
		if math.Abs(m.value()-middle) > 1e-9 || len(values) > 1 &&
			math.Abs(*m.err()-deviation/math.Sqrt(float64(len(values)))) > 1e-9 {
			t.Errorf("%v ± %v, want %v ± %v", m.value(), m.err(), middle, deviation)
		}
		for b := range resamples {
			drawn, universes, sum := 0, 0, 0.0
			for u, v := range values {
				n := g.weights().times(b, u/g.size)
				universes, sum = universes+n, sum+float64(n)*v
			}
			for i := range g.n {
				drawn += g.weights().times(b, i)
			}
			if want := sum / float64(universes); drawn != g.n || math.Abs(want-m.sample(b)) > 1e-9 {
				t.Fatalf("bootstrap sample %d has %d of %d groups, mean %v, want %v", b, drawn, g.n, m.sample(b), want)
			}
		}
		if g.n > 1 {
			var rest []float64
			for u, v := range values {
				if u/g.size != 1 {
					rest = append(rest, v)
				}
			}
			if want, _ := meanAndDeviation(rest); math.Abs(m.without(1, g)-want) > 1e-9 {
				t.Errorf("%v without the second group, want %v", m.without(1, g), want)
			}
		}
	})
}

// TestEqualValuesHaveNoError checks sums of equal numbers, which are rounded. They must not show a spread, nor a mean
// outside its interval.
func TestEqualValuesHaveNoError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.OneOf(rapid.Float64Range(-10, 10), rapid.Map(rapid.IntRange(-1<<40, 1<<40), func(i int) float64 {
			return float64(i)
		})).Draw(t, "value")
		values := slices.Repeat([]float64{v}, rapid.IntRange(2, 40).Draw(t, "universes"))
		g := divide(len(values), rapid.IntRange(1, 7).Draw(t, "size"), 1)
		var m mean
		m.add(values, 0, g)
		finish([]*mean{&m}, g)
		if low, high := m.interval(); m.value() != v || *m.err() != 0 || low != v || high != v {
			t.Errorf("%d times %v: %v ± %v from %v to %v", len(values), v, m.value(), *m.err(), low, high)
		}
		value, err, low, high := connected(&m, &m, len(values))
		if want := v - v*v; value != want || *err != 0 || low != want || high != want {
			t.Errorf("%d times %v: connected %v ± %v from %v to %v, want %v", len(values), v, value, *err, low, high, want)
		}
	})
}

// TestGroupSizes checks how many groups there are: a universe each up to 4,096, and then more than 1,024 of equal size.
func TestGroupSizes(t *testing.T) {
	for universes, want := range map[int]int{1: 1, 4096: 4096, 4097: 1025, 8192: 2048, 8193: 1025, 1_000_000: 1954} {
		g := newGroups("", ensemble.Place{}, universes)
		total := 0
		for k := range g.n {
			total += g.count(k)
		}
		if g.n != want || total != universes {
			t.Errorf("%d universes: %d groups with %d universes, want %d", universes, g.n, total, want)
		}
	}
}

// TestGroupsCover counts how often intervals from groups contain the true mean, for values with a skewed distribution.
func TestGroupsCover(t *testing.T) {
	const (
		studies   = 400
		universes = 5000
	)
	random := rand.New(rand.NewPCG(1, 2))
	inside := 0
	for k := range studies {
		g := divide(universes, 4, uint64(k))
		values := make([]float64, universes)
		for i := range values {
			values[i] = random.ExpFloat64()
		}
		var m mean
		m.add(values, 0, g)
		finish([]*mean{&m}, g)
		if low, high := m.interval(); low <= 1 && high >= 1 {
			inside++
		}
	}
	// 380 are expected, with a standard deviation of 4.4.
	if inside < 362 || inside > 396 {
		t.Errorf("%d of %d intervals of 95 %% contain the mean", inside, studies)
	}
}

// TestErrorOfMean compares with fractions, also of numbers whose squares 64 bits hardly hold.
func TestErrorOfMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]uint64{1, 10, 1 << 29}).Draw(t, "most")
		numbers := rapid.SliceOfN(rapid.Uint64Range(most/2, most), 1, 30).Draw(t, "numbers")
		var sum, squares uint64
		for _, v := range numbers {
			sum, squares = sum+v, squares+v*v
		}
		n := int64(len(numbers))
		got := errorOfMean(uint64(n), sum, squares)
		if n == 1 {
			if got != nil {
				t.Errorf("the error of one number is %v", *got)
			}
			return
		}
		middle, variance := big.NewRat(int64(sum), n), new(big.Rat)
		for _, v := range numbers {
			d := new(big.Rat).Sub(big.NewRat(int64(v), 1), middle)
			variance.Add(variance, d.Mul(d, d))
		}
		exact, _ := variance.Quo(variance, big.NewRat(n*(n-1), 1)).Float64()
		if want := math.Sqrt(exact); math.Abs(*got-want) > 1e-14*want {
			t.Errorf("error %v, want %v", *got, want)
		}
	})
}

// TestVectorsResample compares the sums of bootstrap samples by vectors with those by plain Go, to the last bit.
func TestVectorsResample(t *testing.T) {
	for _, n := range []int{2, 3, 64, 1000} {
		w, random := draw(uint64(n), n), rand.New(rand.NewPCG(1, uint64(n)))
		var sums [atOnce][]float64
		for k := range sums {
			for range n {
				sums[k] = append(sums[k], random.NormFloat64()*math.Exp2(random.Float64()*60-30))
			}
		}
		for first := 0; first < resamples; first += side {
			var got, want [atOnce][side]float64
			weigh(w.tile(first/side), &sums, &got)
			products(w.tile(first/side), &sums, &want)
			if got != want {
				t.Fatalf("%d groups, samples from %d on: %v, want %v", n, first, got, want)
			}
		}
	}
}

// TestDraws checks that each bootstrap sample has the right number of groups, each about as often as Poisson's
// distribution says: k(k−1) of the times that it is drawn is 1 on average.
func TestDraws(t *testing.T) {
	const n = 2000
	var repeated float64
	w := draw(1, n)
	for b := range resamples {
		total := 0
		for i := range n {
			k := w.times(b, i)
			total += k
			repeated += float64(k * (k - min(k, 1)))
		}
		if total != n {
			t.Fatalf("sample %d has %d groups, want %d", b, total, n)
		}
	}
	if mean := repeated / resamples / n; math.Abs(mean-1) > 0.01 {
		t.Errorf("k(k−1) is %v on average, want 1", mean)
	}
}

func TestSummary(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"10"}, Universes: 4, PerJob: 3, Generations: 5,
		Every: 5, Measures: []string{"activity"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".jsonl"}); err != nil {
		t.Fatal(err)
	}
	values := map[string][]float64{}
	for _, s := range ensembletest.Rows[ensemble.Sample](t, dir, "samples.jsonl") {
		if s.Generation == 5 {
			values["density"], values["births"] = append(values["density"], s.Density),
				append(values["births"], float64(*s.Births))
		}
	}
	seen := map[string]int{}
	for _, s := range ensembletest.Rows[ensemble.Summary](t, dir, "summary.jsonl") {
		seen[s.Quantity]++
		if v := values[s.Quantity]; s.Generation == 5 && v != nil {
			middle, deviation := meanAndDeviation(v)
			if s.Universes != 4 || math.Abs(s.Mean-middle) > 1e-12 || math.Abs(*s.Error-deviation/2) > 1e-12 {
				t.Errorf("%s: got %+v, want %v ± %v", s.Quantity, s, middle, deviation/2)
			}
			if s.Low < slices.Min(v) || s.Low >= s.Mean || s.High <= s.Mean || s.High > slices.Max(v) {
				t.Errorf("%s: interval %v to %v of %v", s.Quantity, s.Low, s.High, v)
			}
		}
	}
	// Births are of the step that led to a sample: there was none to generation 0.
	if seen["density"] != 2 || seen["population"] != 2 || seen["births"] != 1 || seen["activity"] != 1 || len(seen) != 5 {
		t.Errorf("rows of the summary: %v", seen)
	}
}

// TestSurvival compares with the estimate worked out by hand.
func TestSurvival(t *testing.T) {
	at := func(time uint64, settled bool) ensemble.Universe {
		return ensemble.Universe{Settled: &settled, Transient: &time}
	}
	universes := []ensemble.Universe{at(3, true), at(10, false), at(1, true), at(3, true), at(10, false)}
	got, median := survival(universes)
	want := []ensemble.Survival{
		{Time: 1, AtRisk: 5, Settled: 1, Share: 0.8, Error: 0.8 * math.Sqrt(1.0/20)},
		{Time: 3, AtRisk: 4, Settled: 2, Share: 0.4, Error: 0.4 * math.Sqrt(1.0/20+2.0/8)},
		{Time: 10, AtRisk: 2, Censored: 2, Share: 0.4, Error: 0.4 * math.Sqrt(1.0/20+2.0/8)},
	}
	if diff := cmp.Diff(want, got, nearly); diff != "" {
		t.Error(diff)
	}
	l := lifespan(universes, 10, divide(5, 1, 1), median)
	if l.Censored != 2 || *l.Median != 3 || math.Abs(l.Restricted-5.4) > 1e-12 || !(l.Low < 5.4 && l.High > 5.4) {
		t.Errorf("got %+v", l)
	}
}

// product is the Kaplan–Meier estimate at every time, with exact fractions and nothing simplified.
func product(universes []ensemble.Universe) (times []uint64, shares []*big.Rat) {
	for _, u := range universes {
		times = append(times, *u.Transient)
	}
	slices.Sort(times)
	times = slices.Compact(times)
	share := big.NewRat(1, 1)
	for _, t := range times {
		risk, settled := int64(0), int64(0)
		for _, u := range universes {
			if *u.Transient >= t {
				risk++
			}
			if *u.Transient == t && *u.Settled {
				settled++
			}
		}
		share = new(big.Rat).Mul(share, big.NewRat(risk-settled, risk))
		shares = append(shares, share)
	}
	return times, shares
}

// TestMedianIsExact compares medians and shares with exact fractions for every number of universes, censored
// and not. A product of rounded ratios finds another median for 78 of these 300 numbers.
func TestMedianIsExact(t *testing.T) {
	settled := []bool{false, true}
	for k := range 600 {
		n, together := k/2+1, k%2+1                   // so many settle at the same time
		for _, every := range []int{math.MaxInt, 7} { // one in so many is censored
			universes := make([]ensemble.Universe, n)
			for i := range universes {
				time := uint64(10 + i/together)
				universes[i] = ensemble.Universe{Settled: &settled[1], Transient: &time}
				if i%every == every-1 {
					universes[i].Settled = &settled[0]
				}
			}
			times, shares := product(universes)
			var want uint64
			if k := slices.IndexFunc(shares, func(s *big.Rat) bool { return s.Cmp(big.NewRat(1, 2)) <= 0 }); k >= 0 {
				want = times[k]
			}
			if every > n && want != *universes[(n+1)/2-1].Transient {
				t.Fatalf("the test itself finds the median %d of %d universes, want that of number %d", want, n, (n+1)/2)
			}
			rows, median := survival(universes)
			var got uint64
			if median != nil {
				got = *median
			}
			if got != want {
				t.Errorf("%d universes, one of %d censored: median %d, want %d", n, every, got, want)
			}
			for i, row := range rows {
				if share, _ := shares[i].Float64(); row.Share != share || row.Time != times[i] {
					t.Fatalf("%d universes, one of %d censored: share %v at %d, want %v at %d", n, every, row.Share, row.Time, share,
						times[i])
				}
			}
		}
	}
}

// TestBiases: cells of soups are independent, with a known density, so that the entropy of blocks and all
// correlations are known. Biased estimates miss the true values by their documented bias. The other estimates do not.
func TestBiases(t *testing.T) {
	const (
		w, h    = 16, 12
		density = 0.5
	)
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"16x12"}, Densities: ensemble.Densities{density}, Universes: 2000,
		Measures: []string{"entropy", "correlation"}, Distance: 3,
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".jsonl"}); err != nil {
		t.Fatal(err)
	}
	const (
		ownDensity = density * (1 - density) / (w * h)     // the variance of a universe's density
		ofEntropy  = (16 - 1) / (2 * w * h * math.Ln2) / 4 // of 16 patterns, to first order
	)
	for quantity, want := range map[string]float64{
		"correlation 0": density*(1-density) - ownDensity, "correlation 3": -ownDensity,
		"connected 0": density * (1 - density), "connected 3": 0,
		"entropy": 1 - ofEntropy, "entropy_miller_madow": 1,
	} {
		found := false
		for _, s := range ensembletest.Rows[ensemble.Summary](t, dir, "summary.jsonl") {
			if s.Quantity != quantity {
				continue
			}
			found = true
			if math.Abs(s.Mean-want) > 4**s.Error+2e-4 || s.Low > s.Mean || s.High < s.Mean {
				t.Errorf("%s: %v ± %v from %v to %v, want %v", quantity, s.Mean, *s.Error, s.Low, s.High, want)
			}
			if quantity == "entropy" && 1-s.Mean < 10**s.Error {
				t.Errorf("the test does not see the bias of %v ± %v", s.Mean, *s.Error)
			}
		}
		if !found {
			t.Errorf("no %s", quantity)
		}
	}
}

// TestConnected compares the connected correlation with one worked out from samples, and its error with that by
// the delta method.
func TestConnected(t *testing.T) {
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"16"}, Densities: ensemble.Densities{0.4}, Universes: 300, Generations: 40,
		Measures: []string{"correlation"}, Distance: 2,
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	samples := ensembletest.Rows[ensemble.Sample](t, dir, "samples.csv")
	for distance := range 3 {
		var densities, products []float64
		for _, s := range samples {
			densities, products = append(densities, s.Density), append(products, float64(s.Pairs[distance])/(2*16*16))
		}
		density, _ := meanAndDeviation(densities)
		product, _ := meanAndDeviation(products)
		for i := range products {
			products[i] -= 2 * density * densities[i]
		}
		_, deviation := meanAndDeviation(products)
		want, wantError := product-density*density, deviation/math.Sqrt(300)
		for _, s := range ensembletest.Rows[ensemble.Summary](t, dir, "summary.csv") {
			if s.Quantity == fmt.Sprintf("connected %d", distance) &&
				(math.Abs(s.Mean-want) > 1e-12 || math.Abs(*s.Error-wantError) > 0.15*wantError) {
				t.Errorf("%s: %v ± %v, want %v ± about %v", s.Quantity, s.Mean, *s.Error, want, wantError)
			}
		}
	}
}

// TestClusterErrors compares the rows of sizes with the clusters of every universe, labelled one by one.
func TestClusterErrors(t *testing.T) {
	const universes = 12
	spec := ensemble.Spec{
		Rules: []string{"life"}, Sizes: []string{"12"}, Densities: ensemble.Densities{0.2},
		Universes: universes, PerJob: 5, Measures: []string{"clusters"},
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if _, err := Merge(t.Context(), p, ensembletest.RunAll(t, p), false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	at := p.Points[0]
	all, rest := map[uint64][]float64{}, map[uint64][]float64{}
	for i := range universes {
		g, err := grid.New(12, 12, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := soup.Fill(t.Context(), g, 12, 12, ensemble.Seed("1", at.Place(), uint64(i), false), at.Density, 1,
			nil); err != nil {
			t.Fatal(err)
		}
		found, err := component.Label(g, at.Topology, component.Eight)
		if err != nil {
			t.Fatal(err)
		}
		for size, n := range found.Sizes.All() {
			if all[size] == nil {
				all[size], rest[size] = make([]float64, universes), make([]float64, universes)
			}
			all[size][i], rest[size][i] = float64(n), float64(n)
			if size == found.Sizes.Largest() {
				rest[size][i]--
			}
		}
	}
	rows := ensembletest.Rows[ensemble.ClusterSize](t, dir, "clusters.csv")
	if len(rows) != len(all) || len(rows) < 5 {
		t.Errorf("%d sizes, want %d", len(rows), len(all))
	}
	const scale = 12 * 12
	for _, c := range rows {
		for _, part := range []struct {
			of       string
			got, err float64
			numbers  []float64
		}{{"all", c.PerCell, *c.Error, all[c.Size]}, {"rest", c.PerCellRest, *c.ErrorRest, rest[c.Size]}} {
			middle, deviation := meanAndDeviation(part.numbers)
			if math.Abs(part.got-middle/scale) > 1e-15 || math.Abs(part.err-deviation/math.Sqrt(universes)/scale) > 1e-12 {
				t.Errorf("size %d, %s: %v ± %v, want %v ± %v", c.Size, part.of, part.got, part.err, middle/scale,
					deviation/math.Sqrt(universes)/scale)
			}
		}
	}
}

var nearly = cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 2e-9 })
