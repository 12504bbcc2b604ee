package gosper_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// coverage is how often intervals of nominally 95 % contain the number that is known.
type coverage struct{ inside, all int }

func (c *coverage) add(low, high, known float64) {
	c.all++
	if low <= known && known <= high {
		c.inside++
	}
}

// within adds the interval of a standard error.
func (c *coverage) within(value, err, known float64) {
	const normal = 1.959964
	c.add(value-normal*err, value+normal*err, known)
}

// hold holds the share to what such intervals should have, from low to high, within 3.5 of its own standard errors.
func (c coverage) hold(t *testing.T, what string, low, high float64) {
	t.Helper()
	share, n := float64(c.inside)/float64(c.all), float64(c.all)
	err := math.Sqrt(share * (1 - share) / n)
	t.Logf("%s: %.1f ± %.1f %% of %d intervals contain the known number", what, 100*share, 100*err, c.all)
	spread := func(p float64) float64 { return 3.5 * math.Sqrt(p*(1-p)/n) }
	if share < low-spread(low) || share > high+spread(high) {
		t.Errorf("%s: the share is %.3f of %d, want %v to %v", what, share, c.all, low, high)
	}
}

// TestIntervalsOfEnsembles counts how often the intervals of ensembles contain what is exactly known: of soups, in which cells are independent, and of
// the Ising model, by Kaufman's energy. With n universes, 1.96 standard errors of a mean are exceeded as by Student's t: 94.1 % lie within for 32, 93.1 % for 16.
// Percentiles of the bootstrap are narrower by √((n−1)/n). Quantities with skewed distributions, and ratios of moments, which are biased by 1/n, need more
// universes: Binder's cumulant of cells in disorder is the kurtosis of a normal distribution, whose estimates are known for that.
func TestIntervalsOfEnsembles(t *testing.T) {
	const cells = 64
	half := 1.0 / cells // of the second moment of the magnetisation of a half-full soup
	abs := 0.0
	for k := range cells + 1 {
		chance, _ := math.Lgamma(cells + 1)
		a, _ := math.Lgamma(float64(k + 1))
		b, _ := math.Lgamma(float64(cells - k + 1))
		abs += math.Exp(chance-a-b-cells*math.Ln2) * math.Abs(2*float64(k)-cells) / cells
	}
	known := map[string]float64{
		"density": 0.5, "magnetisation": 0, "magnetisation_2": half, "abs_magnetisation": abs, "binder": 2.0 / (3 * cells), "susceptibility": cells * (half - abs*abs),
	}
	least := map[string]float64{"magnetisation_2": 0.88, "abs_magnetisation": 0.91, "susceptibility": 0.82, "binder": 0.76} // of others 0.925
	universes := 32
	if os.Getenv("GOSPER_PHYSICS") != "" {
		least = map[string]float64{"magnetisation_2": 0.925, "abs_magnetisation": 0.925, "susceptibility": 0.92, "binder": 0.90}
		universes = 512
	}
	data, err := gosper.Ensemble(t.Context(), ensemble.Spec{
		Rules: []string{"B3/S..B3/S012345678"}, Sizes: []string{"8"}, Densities: ensemble.Densities{0.5}, Universes: universes, Measures: []string{"magnetisation"},
	}, "auto", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	errors, bootstraps := map[string]*coverage{}, map[string]*coverage{}
	for quantity := range known {
		errors[quantity], bootstraps[quantity] = &coverage{}, &coverage{}
	}
	for _, row := range data.Summary {
		if want, exact := known[row.Quantity]; exact {
			errors[row.Quantity].within(row.Mean, *row.Error, want)
			bootstraps[row.Quantity].add(row.Low, row.High, want)
		}
	}
	for quantity := range known {
		low, high := cmp.Or(least[quantity], 0.925), 0.96
		errors[quantity].hold(t, "standard error of "+quantity, low, high)
		bootstraps[quantity].hold(t, "bootstrap of "+quantity, low-0.01, high)
	}

	if os.Getenv("GOSPER_PHYSICS") == "" {
		return
	}
	warmup := uint64(100)
	data, err = gosper.Ensemble(t.Context(), ensemble.Spec{
		Rules: []string{"Ising~T=2.4..3.39/0.01"}, Sizes: []string{"8"}, Densities: ensemble.Densities{0.4, 0.45, 0.5, 0.55, 0.6}, Universes: 16,
		Generations: 600, Every: 20, Warmup: &warmup, Measures: []string{"energy"},
	}, "auto", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var standard, bootstrap coverage
	for _, row := range data.Averages {
		if row.Quantity == "energy" {
			temperature, _ := scaling.Notations{Rule: row.Rule}.Parameter("T")
			exact := kaufman(8, temperature)
			standard.within(row.Mean, *row.Error, exact)
			bootstrap.add(row.Low, row.High, exact)
		}
	}
	standard.hold(t, "standard error of the energy of the Ising model", 0.91, 0.96)
	bootstrap.hold(t, "bootstrap of the energy of the Ising model", 0.89, 0.96)
}

// TestIntervalsOfFits does the same with synthetic data for powers of time, whose values in a universe depend on each other, for powers of sizes, and for
// crossings.
func TestIntervalsOfFits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	experiments := times(400, 10)
	var power, tail, crossing coverage
	for range experiments {
		const theta, tau, critical = -0.46, 2.05, 0.5927
		s := scaling.Series{X: []float64{10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 448}}
		for range 24 {
			noise, row := random.NormFloat64(), make([]float64, len(s.X))
			for i, x := range s.X {
				noise = 0.8*noise + 0.6*random.NormFloat64() // of variance 1 at all times
				row[i] = math.Pow(x, theta) * math.Exp(0.3*noise-0.045)
			}
			s.Over = append(s.Over, row)
		}
		slope, err := s.Power()
		if err != nil {
			t.Fatal(err)
		}
		power.within(slope.Value, slope.Error, theta)

		counts := make([]scaling.Count, 0, 512)
		for size := 1.0; size <= 512; size++ {
			if n := poisson(random, 4000*math.Pow(size, -tau)); n > 0 {
				counts = append(counts, scaling.Count{Size: size, Number: n, Variance: n})
			}
		}
		exponent, err := scaling.Tail(counts, 4, 512)
		if err != nil {
			t.Fatal(err)
		}
		tail.within(exponent.Value, exponent.Error, tau)

		var curves []scaling.Curve
		for k, steepness := range []float64{3, 6} {
			c := scaling.Curve{Name: fmt.Sprint(k)}
			for i := range 9 {
				x := 0.5727 + 0.005*float64(i)
				c.Points = append(c.Points, scaling.Point{X: x, Y: scaling.Number{Value: 0.69 + steepness*(x-critical) + 0.01*random.NormFloat64(), Error: 0.01}})
			}
			curves = append(curves, c)
		}
		found, err := scaling.Crossings(curves, 1, nil)
		if err != nil {
			t.Fatal(err)
		}
		crossing.within(found[0].X.Value, found[0].X.Error, critical)
	}
	power.hold(t, "jackknife of a power of time", 0.92, 0.96)
	tail.hold(t, "power of sizes", 0.92, 0.97)
	crossing.hold(t, "crossing of curves", 0.93, 0.97)
}

// poisson draws a number with a mean.
func poisson(random *rand.Rand, mean float64) float64 {
	if mean > 30 {
		return math.Max(0, math.Round(mean+math.Sqrt(mean)*random.NormFloat64()))
	}
	n := 0.0
	product := random.Float64()
	for product > math.Exp(-mean) {
		n, product = n+1, product*random.Float64()
	}
	return n
}
