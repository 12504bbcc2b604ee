package ensemble

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"runtime"
	"slices"
	"sync"
)

// Summary is the mean of a quantity over the universes of a place at one generation. Standard errors and intervals are of the mean,
// with the universe as the unit.
type Summary struct {
	Place
	Generation uint64   `parquet:"generation" json:"generation"`
	Quantity   string   `parquet:"quantity" json:"quantity"` // a column of samples, "percolating" (share of universes) or "correlation R" at distance R
	Universes  int      `parquet:"universes" json:"universes"`
	Mean       float64  `parquet:"mean" json:"mean"`
	Error      *float64 `parquet:"error" json:"error"` // standard error; null for one universe
	Low        float64  `parquet:"low" json:"low"`     // bounds of the 95 % bootstrap interval, by percentiles of 500 resamples
	High       float64  `parquet:"high" json:"high"`
}

// Survival is a step of the Kaplan–Meier estimate of how many universes have not settled yet: E. L. Kaplan and P. Meier,
// "Nonparametric estimation from incomplete observations", J. Am. Stat. Assoc. 53 (1958).
type Survival struct {
	Place
	Time     uint64  `parquet:"time" json:"time"`         // generation
	AtRisk   uint64  `parquet:"at_risk" json:"at_risk"`   // not settled before
	Settled  uint64  `parquet:"settled" json:"settled"`   // with this transient
	Censored uint64  `parquet:"censored" json:"censored"` // given up at this generation
	Share    float64 `parquet:"share" json:"share"`       // of universes with longer transients
	Error    float64 `parquet:"error" json:"error"`       // of the share, by Greenwood's formula
}

// Lifespan is the transients of the universes of a place. As all that did not settle are censored at the same generation, the area
// under the Kaplan–Meier curve up to there is the mean of the shorter of transient and cap: it is no mean of lifespans unless none is
// censored.
type Lifespan struct {
	Place
	Universes  uint64   `parquet:"universes" json:"universes"`
	Censored   uint64   `parquet:"censored" json:"censored"`
	Cap        uint64   `parquet:"cap" json:"cap"`
	Median     *uint64  `parquet:"median" json:"median"`         // null where more than half are censored
	Restricted float64  `parquet:"restricted" json:"restricted"` // mean up to the cap
	Error      *float64 `parquet:"error" json:"error"`           // standard error of it
	Low        float64  `parquet:"low" json:"low"`               // of its 95 % bootstrap interval
	High       float64  `parquet:"high" json:"high"`
}

// resamples is the number of bootstrap samples (B. Efron, "Bootstrap methods: another look at the jackknife", Ann. Stat. 7 (1979)).
const resamples = 500

// summarise fills in what is derived from the rows of universes and samples.
func (p *Plan) summarise(d *Data) {
	times := len(p.times)
	for at := 0; at < len(d.Universes); {
		place, end := d.Universes[at].Place, at
		for end < len(d.Universes) && d.Universes[end].Place == place {
			end++
		}
		weights := p.weights(place, end-at)
		samples := d.Samples[at*times : end*times]
		rows := make([][]Summary, times)
		parallel(times, func(t int) { rows[t] = p.summaryAt(place, samples, t, weights) })
		d.Summary = append(d.Summary, slices.Concat(rows...)...)
		if p.measures.settling {
			d.Survival = append(d.Survival, survival(d.Universes[at:end])...)
			d.Lifespans = append(d.Lifespans, lifespan(d.Universes[at:end], p.measures.limit, weights))
		}
		at = end
	}
}

// parallel calls do for 0 to n−1 on all cores.
func parallel(n int, do func(i int)) {
	var wg sync.WaitGroup
	next := make(chan int)
	for range min(n, runtime.GOMAXPROCS(0)) {
		wg.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	wg.Wait()
}

// summaryAt is the summary of one generation: sample t of each universe.
func (p *Plan) summaryAt(place Place, samples []Sample, t int, weights [][]uint16) []Summary {
	var rows []Summary
	add := func(quantity string, of func(s *Sample) (float64, bool)) {
		var values []float64
		for i := t; i < len(samples); i += len(p.times) {
			v, measured := of(&samples[i])
			if !measured {
				return
			}
			values = append(values, v)
		}
		row := Summary{Place: place, Generation: p.times[t], Quantity: quantity, Universes: len(values)}
		row.Mean, row.Error = meanOf(values)
		row.Low, row.High = interval(values, weights)
		rows = append(rows, row)
	}
	count := func(n *uint64) (float64, bool) {
		if n == nil {
			return 0, false
		}
		return float64(*n), true
	}
	share := func(x *float64) (float64, bool) {
		if x == nil {
			return 0, false
		}
		return *x, true
	}
	add("density", func(s *Sample) (float64, bool) { return s.Density, true })
	add("population", func(s *Sample) (float64, bool) { return float64(s.Population), true })
	add("births", func(s *Sample) (float64, bool) { return count(s.Births) })
	add("deaths", func(s *Sample) (float64, bool) { return count(s.Deaths) })
	add("activity", func(s *Sample) (float64, bool) { return share(s.Activity) })
	add("entropy", func(s *Sample) (float64, bool) { return share(s.Entropy) })
	add("clusters", func(s *Sample) (float64, bool) { return count(s.Clusters) })
	add("largest", func(s *Sample) (float64, bool) { return count(s.Largest) })
	add("percolating", func(s *Sample) (float64, bool) {
		if s.Span == nil {
			return 0, false
		}
		if *s.Span == "none" {
			return 0, true
		}
		return 1, true
	})
	if p.measures.correlation {
		for r := range p.measures.distance + 1 {
			places := p.pairPlaces(place, r)
			add(fmt.Sprintf("correlation %d", r), func(s *Sample) (float64, bool) {
				return float64(float64(s.Pairs[r])/places) - float64(s.Density*s.Density), true
			})
		}
	}
	return rows
}

// pairPlaces is the number of pairs of cells at a distance that pairs looks at.
func (p *Plan) pairPlaces(place Place, r int) float64 {
	for _, at := range p.points {
		if at.topology.String() == place.Topology && wraps(at.topology) {
			return 2 * float64(place.Width) * float64(place.Height)
		}
	}
	return float64(place.Width-r)*float64(place.Height) + float64(place.Width)*float64(place.Height-r)
}

// meanOf is the mean and its standard error, in an order of operations that is always the same.
func meanOf(values []float64) (mean float64, err *float64) {
	n := float64(len(values))
	for _, v := range values {
		mean += v
	}
	mean /= n
	if len(values) < 2 {
		return mean, nil
	}
	squares := 0.0
	for _, v := range values {
		squares += float64((v - mean) * (v - mean))
	}
	e := math.Sqrt(squares / (n - 1) / n)
	return mean, &e
}

// weights says for each bootstrap sample how often each of n universes is in it. The numbers come from the ensemble's hash and the
// place: SplitMix64 seeded with the first bytes of their SHA-256.
func (p *Plan) weights(place Place, n int) [][]uint16 {
	seed := sha256.Sum256(fmt.Appendf(nil, "bootstrap|%s|%s|%s|%v", p.Hash(), place.Rule, place.Topology, place.StartDensity))
	state := binary.BigEndian.Uint64(seed[:])
	weights := make([][]uint16, resamples)
	for b := range weights {
		weights[b] = make([]uint16, n)
		for range n {
			state += 0x9E3779B97F4A7C15
			z := state
			z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
			z = (z ^ z>>27) * 0x94D049BB133111EB
			i, _ := bits.Mul64(z^z>>31, uint64(n))
			weights[b][i]++
		}
	}
	return weights
}

// interval is the bootstrap interval of a mean that leaves out 2.5 % at both ends.
func interval(values []float64, weights [][]uint16) (low, high float64) {
	means := make([]float64, len(weights))
	for b, w := range weights {
		sum := 0.0
		for i, v := range values {
			sum += float64(float64(w[i]) * v)
		}
		means[b] = sum / float64(len(values))
	}
	slices.Sort(means)
	cut := len(means) / 40
	return means[cut], means[len(means)-1-cut]
}

// survival is the Kaplan–Meier steps of the universes of a place.
func survival(universes []Universe) []Survival {
	settled, censored := map[uint64]uint64{}, map[uint64]uint64{}
	var times []uint64
	for _, u := range universes {
		times = append(times, *u.Transient)
		if *u.Settled {
			settled[*u.Transient]++
		} else {
			censored[*u.Transient]++
		}
	}
	slices.Sort(times)
	var rows []Survival
	risk, share, greenwood := uint64(len(universes)), 1.0, 0.0
	for _, t := range slices.Compact(times) {
		n, d := float64(risk), float64(settled[t])
		share *= (n - d) / n
		if d < n {
			greenwood += d / (n * (n - d))
		}
		rows = append(rows, Survival{
			Place: universes[0].Place, Time: t, AtRisk: risk, Settled: settled[t], Censored: censored[t],
			Share: share, Error: share * math.Sqrt(greenwood),
		})
		risk -= settled[t] + censored[t]
	}
	return rows
}

func lifespan(universes []Universe, limit uint64, weights [][]uint16) Lifespan {
	l := Lifespan{Place: universes[0].Place, Universes: uint64(len(universes)), Cap: limit}
	var times []float64
	for _, u := range universes {
		times = append(times, float64(*u.Transient))
		if !*u.Settled {
			l.Censored++
		}
	}
	l.Restricted, l.Error = meanOf(times)
	l.Low, l.High = interval(times, weights)
	for _, s := range survival(universes) {
		if s.Share <= 0.5 {
			l.Median = &s.Time
			break
		}
	}
	return l
}
