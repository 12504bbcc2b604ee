package ensemble

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/topology"
)

// Summary is the mean of a quantity over the universes of a place at one generation. Standard errors and intervals are of the mean,
// with the universe as the unit.
type Summary struct {
	Place
	Generation uint64   `parquet:"generation" json:"generation" unit:"generations"`
	Quantity   string   `parquet:"quantity" json:"quantity"` // see the dictionary in docs/ensembles.md
	Universes  int      `parquet:"universes" json:"universes" unit:"universes"`
	Mean       float64  `parquet:"mean" json:"mean" unit:"of the quantity"`
	Error      *float64 `parquet:"error" json:"error" unit:"of the quantity"` // standard error; null for one universe
	Low        float64  `parquet:"low" json:"low" unit:"of the quantity"`     // bounds of the 95 % bootstrap interval, by percentiles of 500 resamples
	High       float64  `parquet:"high" json:"high" unit:"of the quantity"`
}

// Survival is a step of the Kaplan–Meier estimate of how many universes have not settled yet: E. L. Kaplan and P. Meier,
// "Nonparametric estimation from incomplete observations", J. Am. Stat. Assoc. 53 (1958).
type Survival struct {
	Place
	Time     uint64  `parquet:"time" json:"time" unit:"generations"`       // generation
	AtRisk   uint64  `parquet:"at_risk" json:"at_risk" unit:"universes"`   // not settled before
	Settled  uint64  `parquet:"settled" json:"settled" unit:"universes"`   // with this transient
	Censored uint64  `parquet:"censored" json:"censored" unit:"universes"` // given up at this generation
	Share    float64 `parquet:"share" json:"share" unit:"1"`               // of universes with longer transients
	Error    float64 `parquet:"error" json:"error" unit:"1"`               // of the share, by Greenwood's formula
}

// Lifespan is the transients of the universes of a place. As all that did not settle are censored at the same generation, the area
// under the Kaplan–Meier curve up to there is the mean of the shorter of transient and cap: it is no mean of lifespans unless none is
// censored.
type Lifespan struct {
	Place
	Universes  uint64   `parquet:"universes" json:"universes" unit:"universes"`
	Censored   uint64   `parquet:"censored" json:"censored" unit:"universes"`
	Cap        uint64   `parquet:"cap" json:"cap" unit:"generations"`
	Median     *uint64  `parquet:"median" json:"median" unit:"generations"`         // first generation by which at least half have settled; null: by none
	Restricted float64  `parquet:"restricted" json:"restricted" unit:"generations"` // mean up to the cap
	Error      *float64 `parquet:"error" json:"error" unit:"generations"`           // standard error of it
	Low        float64  `parquet:"low" json:"low" unit:"generations"`               // of its 95 % bootstrap interval
	High       float64  `parquet:"high" json:"high" unit:"generations"`
}

// quantity is what the summary gives the mean of.
type quantity struct {
	name string
	of   func(r *Result, i int) float64 // sample i
	// change says that it is of the step that led to a sample, so that generation 0 has none.
	change bool
	// connected says that the square of the mean density is subtracted from the mean.
	connected bool
}

// quantities is those of a place, in the order of the summary.
func (p *Plan) quantities(at point) []quantity {
	cells := float64(at.topology.W) * float64(at.topology.H)
	var list []quantity
	add := func(measured bool, more ...quantity) {
		if measured {
			list = append(list, more...)
		}
	}
	count := func(column func(c *Columns) []uint64) func(r *Result, i int) float64 {
		return func(r *Result, i int) float64 { return float64(column(&r.Columns)[i]) }
	}
	density := func(r *Result, i int) float64 { return float64(r.Ones[i]) / cells }
	add(true,
		quantity{name: "density", of: density},
		quantity{name: "population", of: count(func(c *Columns) []uint64 { return c.Population })})
	add(p.measures.activity,
		quantity{name: "births", of: count(func(c *Columns) []uint64 { return c.Births }), change: true},
		quantity{name: "deaths", of: count(func(c *Columns) []uint64 { return c.Deaths }), change: true},
		quantity{name: "activity", of: func(r *Result, i int) float64 { return float64(r.Changed[i]) / cells }, change: true})
	add(p.measures.entropy,
		quantity{name: "entropy", of: func(r *Result, i int) float64 { return r.Entropy[i] }},
		quantity{name: "entropy_miller_madow", of: func(r *Result, i int) float64 { return r.MillerMadow[i] }})
	add(p.measures.clusters,
		quantity{name: "clusters", of: count(func(c *Columns) []uint64 { return c.ClusterCount })},
		quantity{name: "largest", of: count(func(c *Columns) []uint64 { return c.Largest })},
		quantity{name: "second_moment", of: count(func(c *Columns) []uint64 { return c.SecondMoment })},
		quantity{name: "second_moment_rest", of: func(r *Result, i int) float64 { return float64(r.momentRest(i)) }})
	spanning := func(test func(s component.Span) bool) func(r *Result, i int) float64 {
		return func(r *Result, i int) float64 {
			if test(component.Span(r.Span[i])) {
				return 1
			}
			return 0
		}
	}
	add(p.measures.percolation,
		quantity{name: "percolating", of: spanning(func(s component.Span) bool { return s != component.SpanNone })},
		quantity{name: "percolating_x", of: spanning(func(s component.Span) bool { return s&component.SpanX != 0 })},
		quantity{name: "percolating_y", of: spanning(func(s component.Span) bool { return s&component.SpanY != 0 })},
		quantity{name: "percolating_both", of: spanning(func(s component.Span) bool { return s == component.SpanBoth })})
	if p.measures.correlation {
		product := func(distance int) func(r *Result, i int) float64 {
			places := pairPlaces(at.topology, distance)
			return func(r *Result, i int) float64 { return float64(r.pairs(i)[distance]) / places }
		}
		for distance := range p.measures.distance + 1 {
			product := product(distance)
			add(true, quantity{name: fmt.Sprintf("correlation %d", distance), of: func(r *Result, i int) float64 {
				d := density(r, i)
				return product(r, i) - float64(d*d)
			}})
		}
		for distance := range p.measures.distance + 1 {
			add(true, quantity{name: fmt.Sprintf("connected %d", distance), of: product(distance), connected: true})
		}
	}
	return list
}

// pairPlaces is the number of pairs of cells at a distance that countPairs looks at.
func pairPlaces(t topology.Topology, r int) float64 {
	if wraps(t) {
		return 2 * float64(t.W) * float64(t.H)
	}
	return float64(t.W-r)*float64(t.H) + float64(t.W)*float64(t.H-r)
}

// survival is the Kaplan–Meier steps of universes of a place, of which there is at least one, and the median: the first generation by
// which at least half have settled, nil where there is none.
//
// The estimate is a product of ratios of counts, and is computed as such: it is compared with one half, and a product of rounded ratios
// may lie on the wrong side. Between generations at which universes are censored the product telescopes to one ratio.
func survival(universes []Universe) (rows []Survival, median *uint64) {
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
	half := big.NewRat(1, 2)
	risk := uint64(len(universes))
	before, start := big.NewRat(1, 1), risk // share and count of universes at risk after the last that were censored
	greenwood := 0.0
	for _, t := range slices.Compact(times) {
		left := risk - settled[t]
		exact := new(big.Rat).Mul(before, big.NewRat(int64(left), int64(start)))
		share, _ := exact.Float64()
		n, d := float64(risk), float64(settled[t])
		if left > 0 {
			greenwood += d / (n * (n - d))
		}
		rows = append(rows, Survival{
			Place: universes[0].Place, Time: t, AtRisk: risk, Settled: settled[t], Censored: censored[t],
			Share: share, Error: share * math.Sqrt(greenwood),
		})
		if median == nil && exact.Cmp(half) <= 0 {
			median = &t
		}
		if risk = left - censored[t]; censored[t] > 0 {
			before, start = exact, risk
		}
	}
	return rows, median
}

// lifespan is the lifespans of universes of a place, whose median is known.
func lifespan(universes []Universe, limit uint64, d *draws, median *uint64) Lifespan {
	l := Lifespan{Place: universes[0].Place, Universes: uint64(len(universes)), Cap: limit, Median: median}
	var m mean
	times := make([]float64, len(universes))
	for i, u := range universes {
		times[i] = float64(*u.Transient)
		if !*u.Settled {
			l.Censored++
		}
	}
	for from := 0; from < len(times); from = d.end {
		d.move(from)
		m.add(times[from:d.end], d, 0)
	}
	m.spread(times)
	l.Restricted, l.Error = m.value(), m.err()
	l.Low, l.High = m.interval()
	return l
}
