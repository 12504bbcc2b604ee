package gosper_test

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gosper-life/gosper"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/scaling"
)

// coverage is the number of times that intervals of nominally 95 % contain the number that is known.
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

// TestIntervalsOfEnsembles counts how often the intervals of ensembles contain what is exactly known: of soups,
// in which cells are independent, and of the Ising model, by Kaufman's energy. With n universes, 1.96 standard
// errors of a mean are exceeded as by Student's t: 94.1 % lie within for 32, 93.1 % for 16. Percentiles of the
// bootstrap, the intervals of means, are narrower by √((n−1)/n). Intervals of what follows from means allow for
// skewness and for errors that are not well known; 1.96 standard errors do not. Binder's cumulant of one sample
// of cells in disorder is the kurtosis of a normal distribution, to which rare values add most: where some tens
// of universes have none of these, no estimate of its error can know. Averages over time have enough of them.
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
		"density": 0.5, "magnetisation": 0, "magnetisation_2": half, "abs_magnetisation": abs, "binder": 2.0 / (3 * cells),
		"susceptibility": cells * (half - abs*abs),
	}
	universes := 32
	least := map[string][2]float64{ // of 1.96 standard errors, of intervals
		"density": {0.925, 0.915}, "magnetisation": {0.925, 0.915}, "magnetisation_2": {0.88, 0.87},
		"abs_magnetisation": {0.91, 0.90}, "susceptibility": {0.84, 0.925}, "binder": {0.77, 0.79},
	}
	if os.Getenv("GOSPER_PHYSICS") != "" {
		universes = 512
		least = map[string][2]float64{
			"density": {0.925, 0.915}, "magnetisation": {0.925, 0.915}, "magnetisation_2": {0.925, 0.915},
			"abs_magnetisation": {0.925, 0.915}, "susceptibility": {0.93, 0.935}, "binder": {0.91, 0.925},
		}
	}
	data, err := gosper.Ensemble(t.Context(), ensemble.Spec{
		Rules: []string{"B3/S..B3/S012345678"}, Sizes: []string{"8"}, Densities: ensemble.Densities{0.5},
		Universes: universes, Measures: []string{"magnetisation"},
	}, "auto", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	errors, intervals := map[string]*coverage{}, map[string]*coverage{}
	for quantity := range known {
		errors[quantity], intervals[quantity] = &coverage{}, &coverage{}
	}
	for _, row := range data.Summary {
		if want, exact := known[row.Quantity]; exact {
			errors[row.Quantity].within(row.Mean, *row.Error, want)
			intervals[row.Quantity].add(row.Low, row.High, want)
		}
	}
	for quantity := range known {
		errors[quantity].hold(t, "standard error of "+quantity, least[quantity][0], 0.96)
		intervals[quantity].hold(t, "interval of "+quantity, least[quantity][1], 0.96)
	}

	warmup := uint64(100)
	ising := func(rule string, size string, densities ensemble.Densities, universes int,
		generations uint64,
	) []ensemble.Average {
		t.Helper()
		data, err := gosper.Ensemble(t.Context(), ensemble.Spec{
			Rules: []string{rule}, Sizes: []string{size}, Densities: densities, Universes: universes,
			Generations: generations, Every: 20, Warmup: &warmup, Measures: []string{"magnetisation", "energy"},
		}, "auto", t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		return data.Averages
	}
	var many ensemble.Densities // which the Ising model forgets
	for i := range times(50, 5) {
		many = append(many, 0.4+0.0008*float64(i))
	}
	exactly := boltzmann()
	clear(errors)
	clear(intervals)
	for _, row := range ising("Ising~T=2.4..2.9/0.5", "4", many, 32, 200) {
		temperature, _ := scaling.Notations{Rule: row.Rule}.Parameter("T")
		if want, exact := exactly(temperature)[row.Quantity]; exact {
			if errors[row.Quantity] == nil {
				errors[row.Quantity], intervals[row.Quantity] = &coverage{}, &coverage{}
			}
			errors[row.Quantity].within(row.Mean, *row.Error, want)
			intervals[row.Quantity].add(row.Low, row.High, want)
		}
	}
	for quantity := range errors {
		errors[quantity].hold(t, "standard error of "+quantity+" of the Ising model on 4×4 spins", 0.92, 0.96)
		intervals[quantity].hold(t, "interval of "+quantity+" of the Ising model on 4×4 spins", 0.92, 0.96)
	}

	if os.Getenv("GOSPER_PHYSICS") == "" {
		return
	}
	var standard, bootstrap coverage
	for _, row := range ising("Ising~T=2.4..3.39/0.01", "8", ensemble.Densities{0.4, 0.45, 0.5, 0.55, 0.6}, 16, 600) {
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

// boltzmann returns what follows exactly from the weights of all states of the Ising model on a torus of 4×4 spins.
func boltzmann() func(temperature float64) map[string]float64 {
	const side, spins = 4, 16
	states := map[[2]int]float64{} // by energy and spins up
	for state := range 1 << spins {
		spin := func(x, y int) int { return state >> (x%side + y%side*side) & 1 }
		energy := 0
		for i := range spins {
			x, y := i%side, i/side
			energy += 2*(spin(x, y)^spin(x+1, y)+spin(x, y)^spin(x, y+1)) - 2
		}
		states[[2]int{energy, bits.OnesCount(uint(state))}]++
	}
	return func(temperature float64) map[string]float64 {
		var weights, energy, energy2, abs, two, four float64
		for state, number := range states {
			w := number * math.Exp(-float64(state[0])/temperature)
			e, m := float64(state[0])/spins, float64(2*state[1]-spins)/spins
			weights += w
			energy, energy2 = energy+w*e, energy2+w*e*e
			abs, two, four = abs+w*math.Abs(m), two+w*m*m, four+w*m*m*m*m
		}
		energy, energy2, abs, two, four = energy/weights, energy2/weights, abs/weights, two/weights, four/weights
		return map[string]float64{
			"energy": energy, "energy_variance": spins * (energy2 - energy*energy),
			"abs_magnetisation": abs, "magnetisation_2": two, "magnetisation_4": four,
			"susceptibility": spins * (two - abs*abs), "binder": 1 - four/(3*two*two),
		}
	}
}

// TestIntervalsOfFits does the same with synthetic data for powers of time, whose values in a universe depend
// on each other, for powers of sizes, and for crossings.
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
				c.Points = append(c.Points, scaling.Point{
					X: x,
					Y: scaling.Number{Value: 0.69 + steepness*(x-critical) + 0.01*random.NormFloat64(), Error: 0.01},
				})
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
