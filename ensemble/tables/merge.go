package tables

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
)

// Store is where the results of jobs lie.
type Store interface {
	// Has reports whether there is the result of the job with a key.
	Has(key string) bool
	// Load is that result as Encode made it.
	Load(key string) ([]byte, error)
}

// Incomplete is the error of a merge that lacks results.
type Incomplete struct {
	Missing, Jobs int
	First         string // in words
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("%d of %d jobs have no result yet, the first %s", e.Missing, e.Jobs, e.First)
}

// Output says what files a merge makes.
type Output struct {
	Dir       string
	Ext       string // of result.Formats
	NoSamples bool   // leave out the table of samples, which is longer than all others together
}

// Merged is what a merge has made.
type Merged struct {
	Files     []string // names
	Jobs      int      // whose results are in them
	Universes int
}

// Merge puts the results of all jobs together in tables, one file each. Results that are missing are an error, *Incomplete, unless partial is set: then the rest is merged.
//
// It holds the result of one job at a time, and sums: one number for each time, quantity and bootstrap sample. If these are too many, the times are dealt
// with in portions, and results are read again for each. They are also read again for the errors of means, which need the means first.
func Merge(ctx context.Context, p *ensemble.Study, from Store, partial bool, out Output) (Merged, error) {
	shares, err := sharesOf(p, from, partial)
	if err != nil {
		return Merged{}, err
	}
	m := &merger{study: p, from: from}
	defer m.tables.abort()
	if err := m.tables.create(p, out); err != nil {
		return Merged{}, err
	}
	var merged Merged
	for _, s := range shares {
		if err := m.place(ctx, s); err != nil {
			return Merged{}, err
		}
		merged.Jobs, merged.Universes = merged.Jobs+len(s.jobs), merged.Universes+s.universes
	}
	merged.Files, err = m.tables.close()
	return merged, err
}

// share is the jobs of one combination of rule, size and density that have results.
type share struct {
	at        ensemble.Point
	jobs      []ensemble.Job
	universes int
}

// sharesOf lists the jobs to merge; places none of whose jobs has a result are left out.
func sharesOf(p *ensemble.Study, from Store, partial bool) ([]share, error) {
	var lacks Incomplete
	var shares []share
	for _, at := range p.Points {
		s := share{at: at}
		for j := range p.JobsAt(at) {
			lacks.Jobs++
			if from.Has(j.Key()) {
				s.jobs, s.universes = append(s.jobs, j), s.universes+j.Count
			} else if lacks.Missing++; lacks.Missing == 1 {
				lacks.First = j.String()
			}
		}
		if len(s.jobs) > 0 {
			shares = append(shares, s)
		}
	}
	if lacks.Missing > 0 && !partial {
		return nil, &lacks
	}
	return shares, nil
}

// merger is a merge under way.
type merger struct {
	study  *ensemble.Study
	from   Store
	tables tables
	held   *ensemble.Result // read last
}

// mostSums is the sums of bootstrap samples to hold at once: 64 MiB.
const mostSums = 1 << 23

// place merges the results of one place.
func (m *merger) place(ctx context.Context, s share) error {
	p := &placeMerge{
		merger: m, share: s, place: s.at.Place(), quantities: quantitiesOf(m.study, s.at), draws: newDraws(m.study.Hash(), s.at.Place(), s.universes),
		objects: sums.Objects{},
	}
	times := len(m.study.Times)
	portion := max(1, mostSums/(resamples*len(p.quantities)))
	for from := 0; from < times; from += portion {
		if err := p.portion(ctx, from, min(from+portion, times)); err != nil {
			return err
		}
	}
	return p.end()
}

// placeMerge is the merge of a place under way.
type placeMerge struct {
	*merger
	share
	place      ensemble.Place
	quantities []quantity
	draws      *draws
	settled    []ensemble.Universe // where settling is measured
	objects    sums.Objects
}

// portion merges what was measured at the times from number `from` to end-1, and with the first ones what is of no time.
func (p *placeMerge) portion(ctx context.Context, from, end int) error {
	means := make([][]mean, end-from)
	for t := range means {
		means[t] = make([]mean, len(p.quantities))
	}
	sizes := make([]sums.Sizes, end-from)
	number := map[uint64]int{} // of a generation in sizes
	for t := range sizes {
		number[p.study.Times[from+t]] = t
	}
	err := p.eachResult(ctx, func(r *ensemble.Result, first int) error {
		if from == 0 {
			if err := p.rows(r); err != nil {
				return err
			}
		}
		for i := range r.Clusters {
			if t, mine := number[r.Clusters[i].Generation]; mine {
				if err := sizes[t].Add(&r.Clusters[i]); err != nil {
					return err
				}
			}
		}
		// As many universes at a time as their draws are known.
		for n := 0; n < len(r.Universes); {
			p.draws.move(first + n)
			end := min(len(r.Universes), p.draws.end-first)
			p.eachValues(r, n, end, means, from, func(m *mean, values []float64) { m.add(values, p.draws, first+n-p.draws.from) })
			n = end
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = p.eachResult(ctx, func(r *ensemble.Result, _ int) error {
		p.eachValues(r, 0, len(r.Universes), means, from, (*mean).spread)
		return nil
	})
	if err != nil {
		return err
	}
	for t := range means {
		if err := p.tables.summary.write(p.summaryAt(p.study.Times[from+t], means[t])...); err != nil {
			return err
		}
		if err := p.tables.clusters.write(clusterSizes(&sizes[t], p.place, p.study.Times[from+t], p.universes)...); err != nil {
			return err
		}
	}
	return nil
}

// rows writes the rows of a result, and notes what is of no time.
func (p *placeMerge) rows(r *ensemble.Result) error {
	if p.study.Wanted.Settling {
		p.settled = append(p.settled, r.Universes...)
	}
	p.objects.Merge(r.Objects)
	if err := p.tables.universes.write(r.Universes...); err != nil {
		return err
	}
	if p.tables.samples == nil {
		return nil
	}
	return p.tables.samples.write(r.Samples()...)
}

// eachResult does something for the result of each job, whose universes are those of the place from number first on.
func (p *placeMerge) eachResult(ctx context.Context, do func(r *ensemble.Result, first int) error) error {
	first := 0
	for _, j := range p.jobs {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, err := p.load(j, p.place)
		if err == nil {
			err = do(r, first)
		}
		if err != nil {
			return err
		}
		first += j.Count
	}
	return nil
}

// eachValues does something with the values of universes from..end-1 of a result, for every quantity at every time of means, the first
// of which has number `first`.
func (p *placeMerge) eachValues(r *ensemble.Result, from, end int, means [][]mean, first int, do func(m *mean, values []float64)) {
	parallel(len(means), func(t int) {
		values := make([]float64, end-from)
		for k, q := range p.quantities {
			if q.change && p.study.Times[first+t] == 0 {
				continue
			}
			for i := range values {
				values[i] = q.of(r, (from+i)*len(p.study.Times)+first+t)
			}
			do(&means[t][k], values)
		}
	})
}

// summaryAt is the summary of one generation.
func (p *placeMerge) summaryAt(generation uint64, means []mean) []ensemble.Summary {
	var rows []ensemble.Summary
	for k, q := range p.quantities {
		m := &means[k]
		if m.n == 0 {
			continue
		}
		row := ensemble.Summary{Place: p.place, Generation: generation, Quantity: q.name, Universes: m.n, Mean: m.value(), Error: m.err()}
		if row.Low, row.High = m.interval(); q.connected {
			const density = 0 // its number among the quantities
			row.Mean, row.Error, row.Low, row.High = connected(m, &means[density])
		}
		rows = append(rows, row)
	}
	return rows
}

// end writes what is of no time.
func (p *placeMerge) end() error {
	if p.study.Wanted.Settling {
		steps, median := survival(p.settled)
		if err := p.tables.survival.write(steps...); err != nil {
			return err
		}
		if err := p.tables.lifespans.write(lifespan(p.settled, p.study.Wanted.Cap, p.draws, median)); err != nil {
			return err
		}
	}
	return p.tables.census.write(objectsOf(p.objects, p.place, p.universes)...)
}

// load reads the result of a job of a place.
func (m *merger) load(j ensemble.Job, place ensemble.Place) (*ensemble.Result, error) {
	key := j.Key()
	if m.held != nil && m.held.Job == key {
		return m.held, nil
	}
	encoded, err := m.from.Load(key)
	if err != nil {
		return nil, err
	}
	r, err := ensemble.DecodeResult(encoded)
	if err == nil && (r.Job != key || len(r.Universes) != j.Count || len(r.Times) != len(m.study.Times)) {
		err = errors.New("not the result of this job")
	}
	if err != nil {
		return nil, fmt.Errorf("result %s of %v: %w", key, j, err)
	}
	before := m.study.Before(j.Spec.Root)
	for i := range r.Universes {
		r.Universes[i].Place = place // all with the same text in memory
		r.Universes[i].Index += before
	}
	m.held = r
	return r, nil
}

// Time is how long merging the result of one job takes, without what is done once however many jobs there are. It writes to the folder of
// out, and leaves nothing there.
func Time(ctx context.Context, j ensemble.Job, result []byte, out Output) (time.Duration, error) {
	spec := j.Spec
	spec.Universes, spec.PerJob = j.Count, j.Count
	study, err := spec.Check()
	if err != nil {
		return 0, err
	}
	m := &merger{study: study, from: single{j.Key(), result}}
	defer m.tables.abort() // naming the files takes the same time however many rows they have, so it is left out
	if err := m.tables.create(study, out); err != nil {
		return 0, err
	}
	shares, err := sharesOf(study, m.from, false)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	for _, s := range shares {
		if err := m.place(ctx, s); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

// single is the result of one job.
type single struct {
	key    string
	result []byte
}

// Has implements Store.
func (s single) Has(key string) bool { return key == s.key }

// Load implements Store.
func (s single) Load(string) ([]byte, error) { return s.result, nil }
