package ensemble

import (
	"errors"
	"iter"
	"slices"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/result"
)

// Result holds the measurements of a job, in the form in which it is stored and sent.
type Result struct {
	Job       string     // its key
	Times     []uint64   // generations sampled in every universe, rising
	Universes []Universe // of one rule after the other
	Clusters  []SizeSum  // in the order of rules and times
	Objects   []ObjectSum
	Kept      []Kept // by rising number of the universe
	Last      *Last  // if the spec says keep
	// populations of universes on the unbounded plane that have settled at their transients; 0 of others
	Ends []uint64
	Columns
}

// Columns holds samples by quantity.
type Columns = columns

// Last is the states of universes at the last generation, from which they can go on: see Study.LastBytes.
type Last struct {
	Generation uint64
	Universes  [][]byte // in the order of the result, in the form of Kept
}

// NewColumns makes columns of n samples of a place for the measures of m. steps says whether there are steps that
// lead to samples.
func (m *Wanted) NewColumns(n int, at Point, steps bool) Columns {
	c := Columns{Population: make([]uint64, n), Ones: make([]uint64, n)}
	if m.Activity && steps {
		c.Births, c.Deaths, c.Changed = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	}
	if m.Entropy {
		for _, column := range c.Real() {
			*column = make([]float64, n)
		}
		c.Blocks, c.Patterns = make([]uint64, n), make([]uint64, n)
	}
	if m.Clusters {
		c.ClusterCount, c.Largest, c.SecondMoment = make([]uint64, n), make([]uint64, n), make([]uint64, n)
	}
	if m.Percolation {
		c.Span = make([]byte, n)
	}
	if m.Correlation {
		c.Pairs = make([]uint64, n*(m.Distance+1))
	}
	for _, i := range m.Instruments {
		if c.Values == nil {
			c.Values = map[string][]float64{}
		}
		c.Values[i.Name] = make([]float64, n*len(i.Instrument.Quantities(m.Setting(at))))
	}
	return c
}

// SampleBytes is about how many bytes a sample of a place takes in columns.
func (m *Wanted) SampleBytes(at Point) int {
	c := m.NewColumns(1, at, true)
	numbers := len(c.Population) + len(c.Ones) + len(c.Births) + len(c.Deaths) + len(c.Changed) +
		3*len(c.Entropy) + len(c.Blocks) + len(c.Patterns) +
		len(c.ClusterCount) + len(c.Largest) + len(c.SecondMoment) + len(c.Span) + len(c.Pairs)
	for _, values := range c.Values {
		numbers += len(values)
	}
	return 8 * numbers
}

// OfRule returns the part of a result that is about one rule of its job, by its number there. Each rule has
// count universes.
func (r *Result) OfRule(number, count int) *Result {
	part := *r
	first, end := number*count, (number+1)*count
	part.Universes = slices.Clone(r.Universes[first:end])
	before := func(number int) int {
		i, _ := slices.BinarySearchFunc(r.Clusters, number, func(s SizeSum, number int) int { return s.Rule - number })
		return i
	}
	part.Clusters = r.Clusters[before(number):before(number+1)]
	part.Kept, part.Last = nil, nil
	for _, k := range r.Kept {
		if k.Universe >= first && k.Universe < end {
			part.Kept = append(part.Kept, Kept{Universe: k.Universe - first, Cells: k.Cells})
		}
	}
	part.Columns = r.Part(first, end, len(r.Universes))
	return &part
}

// check refuses columns of a wrong length.
func (r *Result) check() error {
	n := len(r.Universes) * len(r.Times)
	for _, together := range [][]int{
		{len(r.Births), len(r.Deaths), len(r.Changed)},
		{len(r.Entropy), len(r.MillerMadow), len(r.Grassberger), len(r.Blocks), len(r.Patterns)},
		{len(r.ClusterCount), len(r.Largest), len(r.SecondMoment)},
		{len(r.Span)},
		{len(r.BoxWidth), len(r.BoxHeight)},
	} {
		if len(slices.Compact(together)) > 1 || together[0] != 0 && together[0] != n {
			return errors.New("not a result: columns of different lengths")
		}
	}
	if len(r.Population) != n || len(r.Ones) != n || n > 0 && len(r.Pairs)%n != 0 {
		return errors.New("not a result: columns of different lengths")
	}
	for _, values := range r.Values {
		if n == 0 || len(values)%n != 0 {
			return errors.New("not a result: columns of different lengths")
		}
	}
	if slices.ContainsFunc(r.Kept, func(k Kept) bool { return k.Universe < 0 || k.Universe >= len(r.Universes) }) {
		return errors.New("not a result: cells of an unknown universe")
	}
	if slices.ContainsFunc(r.Span, func(s byte) bool { return s > byte(component.SpanAll) }) {
		return errors.New("not a result: unknown span of a cluster")
	}
	return nil
}

// Pieces yields the result in pieces, universes with at most so many samples, but at least one universe. Pieces have
// universes and columns only, and share their memory.
func (r *Result) Pieces(samples int) iter.Seq[*Result] {
	return func(yield func(*Result) bool) {
		n := max(1, samples/len(r.Times))
		for first := 0; first < len(r.Universes); first += n {
			end := min(first+n, len(r.Universes))
			piece := &Result{
				Times: r.Times, Universes: r.Universes[first:end:end], Columns: r.Part(first, end, len(r.Universes)),
			}
			if !yield(piece) {
				return
			}
		}
	}
}

// Samples returns a row for each sample at the first time and at every every-th time after it. The rows share the
// memory of the columns.
func (r *Result) Samples(every int) []Sample {
	rows := make([]Sample, 0, len(r.Universes)*((len(r.Times)+every-1)/every))
	shares, rests := make([]float64, len(r.Changed)), make([]uint64, len(r.SecondMoment))
	spans := [component.SpanAll + 1]string{}
	for s := range spans {
		spans[s] = component.Span(s).String()
	}
	for number, u := range r.Universes {
		cells := float64(u.Width) * float64(u.Height)
		for t := 0; t < len(r.Times); t += every {
			generation, i := r.Times[t], number*len(r.Times)+t
			s := Sample{
				Place: u.Place, Index: u.Index, Seed: u.Seed, Generation: generation, Population: r.Population[i],
				Density: float64(r.Ones[i]) / cells,
			}
			if r.Births != nil && generation > 0 {
				shares[i] = float64(r.Changed[i]) / cells
				s.Births, s.Deaths, s.Activity = &r.Births[i], &r.Deaths[i], &shares[i]
			}
			if r.Entropy != nil {
				s.Entropy, s.EntropyMillerMadow, s.EntropyGrassberger = &r.Entropy[i], &r.MillerMadow[i], &r.Grassberger[i]
				s.Blocks, s.Patterns = &r.Blocks[i], &r.Patterns[i]
			}
			if r.ClusterCount != nil {
				rests[i] = r.MomentRest(i)
				s.Clusters, s.Largest, s.SecondMoment, s.SecondMomentRest = &r.ClusterCount[i], &r.Largest[i], &r.SecondMoment[i],
					&rests[i]
			}
			if r.Span != nil {
				s.Span = &spans[r.Span[i]]
			}
			if len(r.Pairs) > 0 {
				s.Pairs = r.PairsOf(i)
			}
			rows = append(rows, s)
		}
	}
	return rows
}

// SampleColumns is Samples as columns, and returns the number of rows. All universes are of one place.
func (r *Result) SampleColumns(every int) (rows int, columns map[string]result.Column) {
	times := len(r.Times)
	chosen := make([]int, 0, len(r.Population)/every+len(r.Universes)) // the samples that have rows
	for first := 0; first < len(r.Population); first += times {
		for t := 0; t < times; t += every {
			chosen = append(chosen, first+t)
		}
	}
	whole := func(of func(i int) uint64) result.Column {
		column := make([]uint64, len(chosen))
		for k, i := range chosen {
			column[k] = of(i)
		}
		return result.Column{Whole: column}
	}
	real := func(of func(i int) float64) result.Column {
		column := make([]float64, len(chosen))
		for k, i := range chosen {
			column[k] = of(i)
		}
		return result.Column{Real: column}
	}
	take := func(from []uint64) result.Column {
		if every == 1 || from == nil {
			return result.Column{Whole: from}
		}
		return whole(func(i int) uint64 { return from[i] })
	}
	takeReal := func(from []float64) result.Column {
		if every == 1 || from == nil {
			return result.Column{Real: from}
		}
		return real(func(i int) float64 { return from[i] })
	}
	place := r.Universes[0].Place
	cells := float64(place.Width) * float64(place.Height)
	columns = map[string]result.Column{
		"rule": {Same: place.Rule}, "topology": {Same: place.Topology}, "width": {Same: place.Width},
		"height": {Same: place.Height}, "depth": {Same: place.Depth}, "start_density": {Same: place.StartDensity},
		"start":      {Same: place.Start},
		"index":      whole(func(i int) uint64 { return r.Universes[i/times].Index }),
		"seed":       whole(func(i int) uint64 { return r.Universes[i/times].Seed }),
		"generation": whole(func(i int) uint64 { return r.Times[i%times] }),
		"population": take(r.Population),
		"density":    real(func(i int) float64 { return float64(r.Ones[i]) / cells }),
		"births":     take(r.Births), "deaths": take(r.Deaths), "activity": {},
		"entropy": takeReal(r.Entropy), "entropy_miller_madow": takeReal(r.MillerMadow),
		"entropy_grassberger": takeReal(r.Grassberger),
		"blocks":              take(r.Blocks), "patterns": take(r.Patterns),
		"clusters": take(r.ClusterCount), "largest": take(r.Largest), "second_moment": take(r.SecondMoment),
		"second_moment_rest": {}, "span": {}, "pairs": {},
	}
	if r.Births != nil {
		lacks := make([]bool, len(chosen)) // no step led to generation 0
		for k, i := range chosen {
			lacks[k] = r.Times[i%times] == 0
		}
		columns["activity"] = real(func(i int) float64 { return float64(r.Changed[i]) / cells })
		for _, name := range []string{"births", "deaths", "activity"} {
			column := columns[name]
			column.Lacks = lacks
			columns[name] = column
		}
	}
	if r.ClusterCount != nil {
		columns["second_moment_rest"] = whole(r.MomentRest)
	}
	if r.Span != nil {
		spans := make([]string, len(chosen))
		for k, i := range chosen {
			spans[k] = component.Span(r.Span[i]).String()
		}
		columns["span"] = result.Column{Text: spans}
	}
	if len(r.Pairs) > 0 {
		perSample := len(r.Pairs) / len(r.Population)
		lists := make([]uint64, 0, len(chosen)*perSample)
		for _, i := range chosen {
			lists = append(lists, r.PairsOf(i)...)
		}
		columns["pairs"] = result.Column{Lists: lists, PerRow: perSample}
	}
	return len(chosen), columns
}
