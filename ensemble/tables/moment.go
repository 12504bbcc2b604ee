package tables

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
)

// moment is the means of all quantities at one time, or of their averages over several times.
type moment struct {
	times   []int   // by their numbers in the study
	means   []*mean // by quantity; nil for those that are derived or not there
	derived []*derivation
}

// momentOf prepares the means at some times.
func (p *placeMerge) momentOf(times []int) *moment {
	m := &moment{times: times, means: make([]*mean, len(p.quantities)), derived: make([]*derivation, len(p.quantities))}
	for k, q := range p.quantities {
		switch {
		case q.derived != nil:
			if slices.ContainsFunc(q.from, func(from int) bool { return m.means[from] == nil }) {
				continue
			}
			m.derived[k] = &derivation{of: q.derived}
			for _, from := range q.from {
				m.derived[k].from = append(m.derived[k].from, m.means[from])
			}
		case p.study.Times[times[0]] >= q.since:
			m.means[k] = &mean{}
		}
	}
	return m
}

// timesTogether is the number of times that addTimes handles together: the samples of that many times fill a
// cache line.
const timesTogether = 8

// addTimes adds the values of all quantities in a result to moments of one time each: from, from+1 and so on. The first
// universe has number first in the place. A result has the samples of a universe one after the other. All moments
// therefore read a quantity of one universe before they go on to the next universe.
func addTimes(moments []*moment, from int, quantities []quantity, r *ensemble.Result, first int, g *groups) {
	times, n := len(r.Times), len(r.Universes)
	values := make([]float64, len(moments)*n)
	for k, q := range quantities {
		least := slices.IndexFunc(moments, func(m *moment) bool { return m.means[k] != nil }) // later ones have it, too
		if least < 0 {
			continue
		}
		for u := range n {
			low, high := u*times+from+least, u*times+from+len(moments)
			if q.count != nil {
				for i, c := range q.count(&r.Columns)[low:high] {
					values[(least+i)*n+u] = float64(c)
				}
				continue
			}
			for i := range high - low {
				values[(least+i)*n+u] = q.of(r, low+i)
			}
		}
		for i, m := range moments[least:] {
			m.means[k].add(values[(least+i)*n:][:n], first, g)
		}
	}
}

// addAverages adds the averages of all quantities in a result over the times of a moment.
func (m *moment) addAverages(quantities []quantity, r *ensemble.Result, first int, g *groups) {
	values := make([]float64, len(r.Universes))
	for k, mean := range m.means {
		if mean == nil {
			continue
		}
		for u := range values {
			sum := 0.0
			for _, t := range m.times {
				sum += quantities[k].value(r, u*len(r.Times)+t)
			}
			values[u] = sum / float64(len(m.times))
		}
		mean.add(values, first, g)
	}
}

// finishAll computes means, their errors and derived quantities. Means come first, because derived quantities are
// functions of them.
func finishAll(moments []*moment, g *groups) {
	var means []*mean
	for _, m := range moments {
		for _, mean := range m.means {
			if mean != nil && mean.n > 0 {
				means = append(means, mean)
			}
		}
	}
	finish(means, g)
	parallel(len(moments), func(i int) {
		for _, d := range moments[i].derived {
			if d != nil {
				d.leaveOut(g)
			}
		}
	})
}

// each calls row for every quantity that is there, in order.
func (m *moment) each(quantities []quantity, g *groups,
	row func(name string, n int, value float64, err *float64, low, high float64),
) {
	for k, q := range quantities {
		switch mean := m.means[k]; {
		case q.derived != nil && m.derived[k] == nil:
		case q.derived != nil:
			value, err, low, high := m.derived[k].result()
			if !math.IsNaN(value) && !math.IsInf(value, 0) {
				row(q.name, m.derived[k].from[0].n, value, err, low, high)
			}
		case mean == nil || mean.n == 0:
		case q.connected:
			const density = 0 // its number among the quantities
			value, err, low, high := connected(mean, m.means[density], g.n)
			row(q.name, mean.n, value, err, low, high)
		default:
			low, high := mean.interval()
			row(q.name, mean.n, mean.value(), mean.err(), low, high)
		}
	}
}
