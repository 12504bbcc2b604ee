package tables

import (
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
)

// quantity is one quantity of the summary.
type quantity struct {
	name string
	of   func(r *ensemble.Result, i int) float64 // of sample i
	// count replaces of if the values are numbers of a column.
	count func(c *ensemble.Columns) []uint64
	// since is the first generation that has the quantity: 1 if it belongs to the step before a sample.
	since uint64
	// connected says that the square of the mean density is subtracted from the mean.
	connected bool
	// derived is a function of the means of other quantities, by their numbers; such a quantity has no values of its own.
	derived func(means []float64) float64
	from    []int
}

// value is the quantity of sample i.
func (q *quantity) value(r *ensemble.Result, i int) float64 {
	if q.count != nil {
		return float64(q.count(&r.Columns)[i])
	}
	return q.of(r, i)
}

// Quantities returns the names of the quantities in the summary of an ensemble.
func Quantities(p *ensemble.Study) []string {
	var names []string
	for _, q := range quantitiesOf(p, p.Points[0]) {
		names = append(names, q.name)
	}
	return names
}

// quantitiesOf returns the quantities of a place, in the order of the summary.
func quantitiesOf(p *ensemble.Study, at ensemble.Point) []quantity {
	cells := float64(at.Topology.W) * float64(at.Topology.H)
	var list []quantity
	add := func(measured bool, more ...quantity) {
		if measured {
			list = append(list, more...)
		}
	}
	density := func(r *ensemble.Result, i int) float64 { return float64(r.Ones[i]) / cells }
	add(!at.Unbounded, quantity{name: "density", of: density})
	add(true, quantity{name: "population", count: func(c *ensemble.Columns) []uint64 { return c.Population }})
	add(at.Unbounded,
		quantity{name: "box_width", count: func(c *ensemble.Columns) []uint64 { return c.BoxWidth }},
		quantity{name: "box_height", count: func(c *ensemble.Columns) []uint64 { return c.BoxHeight }})
	add(p.Wanted.Activity,
		quantity{name: "births", count: func(c *ensemble.Columns) []uint64 { return c.Births }, since: 1},
		quantity{name: "deaths", count: func(c *ensemble.Columns) []uint64 { return c.Deaths }, since: 1},
		quantity{name: "activity", of: func(r *ensemble.Result, i int) float64 {
			return float64(r.Changed[i]) / cells
		}, since: 1})
	add(p.Wanted.Entropy,
		quantity{name: "entropy", of: func(r *ensemble.Result, i int) float64 { return r.Entropy[i] }},
		quantity{name: "entropy_miller_madow", of: func(r *ensemble.Result, i int) float64 { return r.MillerMadow[i] }},
		quantity{name: "entropy_grassberger", of: func(r *ensemble.Result, i int) float64 { return r.Grassberger[i] }})
	add(p.Wanted.Clusters,
		quantity{name: "clusters", count: func(c *ensemble.Columns) []uint64 { return c.ClusterCount }},
		quantity{name: "largest", count: func(c *ensemble.Columns) []uint64 { return c.Largest }},
		quantity{name: "second_moment", count: func(c *ensemble.Columns) []uint64 { return c.SecondMoment }},
		quantity{name: "second_moment_rest", of: func(r *ensemble.Result, i int) float64 { return float64(r.MomentRest(i)) }})
	spanning := func(test func(s component.Span) bool) func(r *ensemble.Result, i int) float64 {
		return func(r *ensemble.Result, i int) float64 {
			if test(component.Span(r.Span[i])) {
				return 1
			}
			return 0
		}
	}
	volume := at.Topology.Volume()
	axes := 2.0
	if volume {
		axes = 3
	}
	share := func(r *ensemble.Result, i int) float64 { return float64(bits.OnesCount8(r.Span[i])) / axes }
	add(p.Wanted.Percolation,
		quantity{name: "percolating", of: spanning(func(s component.Span) bool { return s != component.SpanNone })},
		quantity{name: "percolating_x", of: spanning(func(s component.Span) bool { return s&component.SpanX != 0 })},
		quantity{name: "percolating_y", of: spanning(func(s component.Span) bool { return s&component.SpanY != 0 })})
	add(p.Wanted.Percolation && volume,
		quantity{name: "percolating_z", of: spanning(func(s component.Span) bool { return s&component.SpanZ != 0 })},
		quantity{name: "percolating_all", of: spanning(func(s component.Span) bool { return s == component.SpanAll })},
		quantity{name: "percolating_given", of: share})
	add(p.Wanted.Percolation && !volume,
		quantity{name: "percolating_both", of: spanning(func(s component.Span) bool { return s == component.SpanBoth })},
		quantity{name: "percolating_given", of: share},
		quantity{name: "percolating_one", of: func(r *ensemble.Result, i int) float64 {
			return [...]float64{0, 0.5, 0.5, 0}[r.Span[i]&byte(component.SpanBoth)]
		}})
	if p.Wanted.Correlation {
		product := func(distance int) func(r *ensemble.Result, i int) float64 {
			places := measure.PairPlaces(at.Topology, distance)
			return func(r *ensemble.Result, i int) float64 { return float64(r.PairsOf(i)[distance]) / places }
		}
		for distance := range p.Wanted.Distance + 1 {
			product := product(distance)
			add(true, quantity{name: fmt.Sprintf("correlation %d", distance), of: func(r *ensemble.Result, i int) float64 {
				d := density(r, i)
				return product(r, i) - float64(d*d)
			}})
		}
		for distance := range p.Wanted.Distance + 1 {
			add(true, quantity{name: fmt.Sprintf("connected %d", distance), of: product(distance), connected: true})
		}
	}
	for _, m := range p.Wanted.Instruments {
		list = append(list, ofInstrument(m, p.Wanted.Setting(at), len(list))...)
	}
	return list
}

// ofInstrument returns the quantities of an instrument, the first of which has number first.
func ofInstrument(m ensemble.Measure, s ensemble.Setting, first int) []quantity {
	var list []quantity
	names := m.Instrument.Quantities(s)
	for k, name := range names {
		list = append(list, quantity{name: name, since: sinceOf(m, s, k), of: func(r *ensemble.Result, i int) float64 {
			return r.ValuesOf(m.Name, i)[k]
		}})
	}
	if d, ok := m.Instrument.(ensemble.Deriver); ok {
		for _, derived := range d.Derived(s) {
			q := quantity{name: derived.Name, derived: derived.Of}
			for _, name := range derived.From {
				q.from = append(q.from, first+slices.Index(names, name))
			}
			list = append(list, q)
		}
	}
	return list
}

// sinceOf is the first generation that has a quantity of an instrument, by its number.
func sinceOf(m ensemble.Measure, s ensemble.Setting, quantity int) uint64 {
	if l, ok := m.Instrument.(ensemble.Later); ok {
		return l.From(s, quantity)
	}
	return 0
}

// survival returns the Kaplan–Meier steps of the universes of a place, at least one, and the median: the first
// generation by which at least half have settled, nil if there is none.
//
// The estimate is a product of ratios of counts, and is computed exactly. It is compared with one half, and a
// product of rounded ratios might be on the wrong side. Between generations at which universes are censored the
// product reduces to one ratio.
func survival(universes []ensemble.Universe) (rows []ensemble.Survival, median *uint64) {
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
	before, start := big.NewRat(1, 1), risk // share and number of universes at risk after the last censored ones
	greenwood := 0.0
	for _, t := range slices.Compact(times) {
		left := risk - settled[t]
		exact := new(big.Rat).Mul(before, big.NewRat(int64(left), int64(start)))
		share, _ := exact.Float64()
		n, d := float64(risk), float64(settled[t])
		if left > 0 {
			greenwood += d / (n * (n - d))
		}
		rows = append(rows, ensemble.Survival{
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

// lifespan returns the lifespan row of universes of a place whose median is known.
func lifespan(universes []ensemble.Universe, limit uint64, g *groups, median *uint64) ensemble.Lifespan {
	l := ensemble.Lifespan{Place: universes[0].Place, Universes: uint64(len(universes)), Cap: limit, Median: median}
	var m mean
	times := make([]float64, len(universes))
	for i, u := range universes {
		times[i] = float64(*u.Transient)
		if !*u.Settled {
			l.Censored++
		}
	}
	m.add(times, 0, g)
	finish([]*mean{&m}, g)
	l.Restricted, l.Error = m.value(), m.err()
	l.Low, l.High = m.interval()
	return l
}
