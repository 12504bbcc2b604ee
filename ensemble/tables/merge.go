package tables

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
)

// Store holds the results of jobs.
type Store interface {
	// Has reports whether it holds the result of the job with a key.
	Has(key string) bool
	// Load returns that result in the form that Encode made. It may wait for it, until ctx is done.
	Load(ctx context.Context, key string) ([]byte, error)
}

// Incomplete is the error of a merge for which results are missing.
type Incomplete struct {
	Missing, Jobs int
	First         string // description of the first job without a result
}

func (e *Incomplete) Error() string {
	return fmt.Sprintf("%d of %d jobs have no result yet; the first is %s", e.Missing, e.Jobs, e.First)
}

// Output says which files a merge writes.
type Output struct {
	Dir string
	Ext string // of result.Formats
	// Samples is K to give each K-th time rows in the tables of samples and values, from the first time on. A
	// negative number leaves these tables out, and 0 does so if the table of samples would have more than a
	// million rows.
	Samples int
	NoCells bool // leave out the files of cells
}

// mostSamples is the number of rows up to which samples are written unasked: about 30 MB as Parquet.
const mostSamples = 1_000_000

// Merged lists what a merge has written.
type Merged struct {
	Files     []string // names
	Jobs      int      // jobs whose results are in the files
	Universes int
	LeftOut   int // rows of the table of samples that would be too many, and were left out
}

// Merge merges the results of all jobs into tables, one file each. If results are missing, it returns
// *Incomplete, unless partial is set; then it merges the rest.
//
// It holds the results of a few jobs at a time, and sums: one number for each time, quantity and group of universes. If
// these are too many, it handles the times in portions and reads the results again for each.
func Merge(ctx context.Context, p *ensemble.Study, from Store, partial bool, out Output) (Merged, error) {
	shares, err := sharesOf(p, from, partial)
	if err != nil {
		return Merged{}, err
	}
	m := &merger{study: p, hash: p.Hash(), from: from, dir: out.Dir}
	var merged Merged
	merged.LeftOut = m.choose(&out)
	defer m.tables.abort()
	if err := m.tables.create(p, out); err != nil {
		return Merged{}, err
	}
	for _, s := range shares {
		m.study = s.row
		if err := m.place(ctx, s); err != nil {
			return Merged{}, err
		}
		merged.Universes += s.universes
		if s.rule == 0 {
			merged.Jobs += len(s.jobs)
		}
	}
	merged.Files, err = m.tables.close()
	merged.Files = append(merged.Files, m.arrays...)
	return merged, err
}

// choose decides which samples have rows, and returns how many rows are left out because they are too many.
func (m *merger) choose(out *Output) (leftOut int) {
	rows, _ := m.study.Samples()
	switch {
	case out.Samples != 0:
	case rows <= mostSamples:
		out.Samples = 1
	default:
		out.Samples, leftOut = -1, rows
	}
	m.every = out.Samples
	return leftOut
}

// share is the jobs of one place that have results.
type share struct {
	row       *ensemble.Study // without rows itself
	at        ensemble.Point
	number    int // of the place among all
	rule      int // its number in the jobs
	jobs      []job
	universes int
}

// job is a job with its key, which takes time to find.
type job struct {
	ensemble.Job
	key string
}

// sharesOf lists the jobs to merge by their points, in the order of the study. It leaves out places without any result.
func sharesOf(p *ensemble.Study, from Store, partial bool) ([]share, error) {
	var lacks Incomplete
	shares := make([]share, len(p.Points))
	first := 0 // of the row
	for _, row := range p.Rows() {
		for g := range row.Groups() {
			var jobs []job
			universes := 0
			for j := range row.JobsOf(g) {
				lacks.Jobs++
				if key := j.Key(); from.Has(key) {
					jobs, universes = append(jobs, job{j, key}), universes+j.Count
				} else if lacks.Missing++; lacks.Missing == 1 {
					lacks.First = j.String()
				}
			}
			for k, at := range g.Points {
				number := first + g.First + k*g.Stride
				shares[number] = share{row, at, number, k, jobs, universes}
			}
		}
		first += len(row.Points)
	}
	if lacks.Missing > 0 && !partial {
		return nil, &lacks
	}
	return slices.DeleteFunc(shares, func(s share) bool { return len(s.jobs) == 0 }), nil
}

// merger is a merge in progress.
type merger struct {
	study  *ensemble.Study // the row of the place in progress
	hash   string          // of the whole study, which takes time to find if it has many rules
	from   Store
	tables tables
	dir    string
	arrays []string // names of the files of cells
	every  int      // of how many times one is in the table of samples
	held   []held   // results that were read last, the last one at the end
}

// mostSums is the number of sums of groups, or of bootstrap samples, that are held at once: 64 MiB.
const mostSums = 1 << 23

// held is a result that the next places may need, because its job has several rules.
type held struct {
	key    string
	result *ensemble.Result
	bytes  int // the approximate memory that it takes
}

// mostAhead is the number of results that are decoded or held at once.
const mostAhead = 4

// mostHeld is the number of bytes that results of several rules take while they are held.
const mostHeld = 256 << 20

// place merges the results of one place.
func (m *merger) place(ctx context.Context, s share) error {
	p := &placeMerge{
		merger: m, share: s, place: s.at.Place(), quantities: quantitiesOf(m.study, s.at),
		groups:  newGroups(m.hash, s.at.Place(), s.universes),
		objects: sums.Objects{},
	}
	if m.tables.cells != nil {
		if err := p.createArray(); err != nil {
			return err
		}
		defer p.array.abort()
	}
	times := len(m.study.Times)
	portion := max(1, mostSums/(max(resamples, p.groups.n)*len(p.quantities)))
	for from := 0; from < times; from += portion {
		if err := p.portion(ctx, from, min(from+portion, times)); err != nil {
			return err
		}
	}
	return p.end()
}

// placeMerge is the merge of one place in progress.
type placeMerge struct {
	*merger
	share
	place      ensemble.Place
	quantities []quantity
	groups     *groups
	settled    []ensemble.Universe // if settling is measured
	objects    sums.Objects
	array      *array     // of cells, if they are dumped
	before     sums.Sizes // of the last time of the portion before, for kinetics
}

// portion merges the measurements at times number from to end-1. With the first times, it also merges
// measurements that belong to no time.
//
//	results of jobs, in order ─┬─▶ sums of each time and quantity ─▶ summary
//	                           ├─▶ clusters by size ───────────────▶ clusters, kinetics
//	                           └─▶ rows (first portion only) ──────▶ universes, samples, values, cells
func (p *placeMerge) portion(ctx context.Context, from, end int) error {
	var all []*moment
	for t := from; t < end; t++ {
		all = append(all, p.momentOf([]int{t}))
	}
	if late := p.study.Late(); from == 0 && len(late) > 0 {
		all = append(all, p.momentOf(late))
	}
	sizes := make([]sums.Sizes, end-from)
	number := map[uint64]int{} // of a generation in sizes
	for t := range sizes {
		number[p.study.Times[from+t]] = t
	}
	err := p.eachResult(ctx, func(r *ensemble.Result, first int) error {
		var failed error
		var wg sync.WaitGroup
		wg.Go(func() { // beside the means
			if from == 0 {
				failed = p.rows(r)
			}
			for i := range r.Clusters {
				if t, mine := number[r.Clusters[i].Generation]; mine && failed == nil {
					failed = sizes[t].Add(&r.Clusters[i])
				}
			}
		})
		parts := slices.Collect(slices.Chunk(all[:len(sizes)], timesTogether))
		parallel(len(parts)+len(all)-len(sizes), func(i int) {
			if i == len(parts) {
				all[len(sizes)].addAverages(p.quantities, r, first, p.groups)
				return
			}
			addTimes(parts[i], from+i*timesTogether, p.quantities, r, first, p.groups)
		})
		wg.Wait()
		return failed
	})
	if err != nil {
		return err
	}
	finishAll(all, p.groups)
	for t := range sizes {
		if err := p.tables.summary.write(p.summaryAt(p.study.Times[from+t], all[t])...); err != nil {
			return err
		}
		if err := p.tables.clusters.write(clusterSizes(&sizes[t], p.place, p.study.Times[from+t],
			p.universes)...); err != nil {
			return err
		}
		if p.study.Wanted.Kinetics {
			if at := from + t; at > 0 {
				if err := p.tables.kinetics.write(kineticsOf(&p.before, &sizes[t], p.place, p.study.Times[at-1],
					p.study.Times[at], uint64(p.universes))...); err != nil {
					return err
				}
			}
			p.before = sizes[t]
		}
	}
	if len(all) > len(sizes) {
		return p.tables.averages.write(p.averages(all[len(sizes)])...)
	}
	return nil
}

// rows writes the rows of a result, and collects the values that belong to no time.
func (p *placeMerge) rows(r *ensemble.Result) error {
	if p.study.Wanted.Settling {
		p.settled = append(p.settled, r.Universes...)
	}
	p.objects.Merge(r.Objects)
	if err := p.tables.universes.write(r.Universes...); err != nil {
		return err
	}
	if p.array != nil {
		if err := p.cells(r); err != nil {
			return err
		}
	}
	if p.tables.samples != nil {
		const samples = 1 << 14 // at once
		for piece := range r.Pieces(samples) {
			rows, columns := piece.SampleColumns(p.every)
			done, err := p.tables.samples.WriteColumns(rows, columns)
			if err == nil && !done {
				err = p.tables.samples.write(piece.Samples(p.every)...)
			}
			if err != nil {
				return err
			}
		}
	}
	if p.tables.values == nil {
		return nil
	}
	if p.study.Unbounded() {
		return p.tables.values.write(p.valuesUnbounded(r)...)
	}
	return p.tables.values.write(p.valuesOf(r)...)
}

// valuesUnbounded returns the rows of all that was found in universes on the unbounded plane: at each sample,
// and how they settled.
func (p *placeMerge) valuesUnbounded(r *ensemble.Result) []ensemble.Value {
	var rows []ensemble.Value
	for i, u := range r.Universes {
		add := func(generation uint64, name string, value float64) {
			rows = append(rows, ensemble.Value{
				Place: p.place, Index: u.Index, Seed: u.Seed, Generation: generation,
				Quantity: name, Value: value,
			})
		}
		for t := 0; t < len(r.Times); t += p.every {
			generation := r.Times[t]
			for _, q := range p.quantities {
				if q.derived == nil {
					add(generation, q.name, q.value(r, i*len(r.Times)+t))
				}
			}
		}
		if len(r.Ends) > 0 && *u.Settled {
			add(*u.Transient, "final_population", float64(r.Ends[i]))
		}
	}
	return rows
}

// valuesOf returns the rows of instruments.
func (p *placeMerge) valuesOf(r *ensemble.Result) []ensemble.Value {
	var rows []ensemble.Value
	setting := p.study.Wanted.Setting(p.at)
	for u := range r.Universes {
		for t := 0; t < len(r.Times); t += p.every {
			generation := r.Times[t]
			for _, m := range p.study.Wanted.Instruments {
				values := r.ValuesOf(m.Name, u*len(r.Times)+t)
				for k, name := range m.Instrument.Quantities(setting) {
					if generation < sinceOf(m, setting, k) {
						continue
					}
					rows = append(rows, ensemble.Value{
						Place: p.place, Index: r.Universes[u].Index, Seed: r.Universes[u].Seed, Generation: generation, Quantity: name,
						Value: values[k],
					})
				}
			}
		}
	}
	return rows
}

// eachResult calls do for the result of each job, in order. The first universe of the result has
// number first in the place. The next results are decoded meanwhile, unless their jobs have several
// rules, whose results are held.
//
// Results are decoded side by side, but must be used in order. The channel results therefore has a
// channel for each job, in order. Each of those gets one result when it is decoded. The capacity of
// results limits how many results are decoded at the same time.
func (p *placeMerge) eachResult(ctx context.Context, do func(r *ensemble.Result, first int) error) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait() // nothing reads the store any more
	defer cancel()
	type loaded struct {
		r   *ensemble.Result
		err error
	}
	ahead := 1
	if len(p.jobs) > 0 && len(p.jobs[0].Spec.Rules) == 1 {
		ahead = mostAhead
	}
	results := make(chan chan loaded, ahead-1)
	wg.Go(func() {
		defer close(results)
		for _, j := range p.jobs {
			one := make(chan loaded, 1)
			select {
			case <-ctx.Done():
				return
			case results <- one:
			}
			load := func() {
				r, err := p.load(ctx, j, p.rule, p.place)
				one <- loaded{r, err}
			}
			if ahead == 1 {
				load()
			} else {
				wg.Go(load)
			}
		}
	})
	first := 0
	for one := range results {
		l := <-one
		if l.err == nil {
			l.err = ctx.Err()
		}
		if l.err == nil {
			l.err = do(l.r, first)
		}
		if l.err != nil {
			return l.err
		}
		first += len(l.r.Universes)
	}
	return ctx.Err()
}

// summaryAt returns the summary of one generation.
func (p *placeMerge) summaryAt(generation uint64, m *moment) []ensemble.Summary {
	var rows []ensemble.Summary
	m.each(p.quantities, p.groups, func(name string, n int, value float64, err *float64, low, high float64) {
		rows = append(rows, ensemble.Summary{
			Place: p.place, Generation: generation, Quantity: name, Universes: n, Mean: value, Error: err, Low: low, High: high,
		})
	})
	return rows
}

// averages returns the averages over time.
func (p *placeMerge) averages(m *moment) []ensemble.Average {
	var rows []ensemble.Average
	times := p.study.Times
	m.each(p.quantities, p.groups, func(name string, n int, value float64, err *float64, low, high float64) {
		rows = append(rows, ensemble.Average{
			Place: p.place, First: times[m.times[0]], Last: times[len(times)-1], Samples: len(m.times), Quantity: name,
			Universes: n,
			Mean:      value, Error: err, Low: low, High: high,
		})
	})
	return rows
}

// end writes the tables that belong to no time.
func (p *placeMerge) end() error {
	if p.array != nil {
		if err := p.array.close(); err != nil {
			return err
		}
		p.arrays = append(p.arrays, p.array.name)
	}
	if p.study.Wanted.Settling {
		steps, median := survival(p.settled)
		if err := p.tables.survival.write(steps...); err != nil {
			return err
		}
		if err := p.tables.lifespans.write(lifespan(p.settled, p.study.Wanted.Cap, p.groups, median)); err != nil {
			return err
		}
	}
	return p.tables.census.write(objectsOf(p.objects, p.place, p.universes)...)
}

// load returns what the result of a job has of a place.
func (m *merger) load(ctx context.Context, j job, number int, place ensemble.Place) (*ensemble.Result, error) {
	whole, err := m.read(ctx, j)
	if err != nil {
		return nil, err
	}
	r := whole.OfRule(number, j.Count)
	before := m.study.Before(j.Spec.Root)
	for i := range r.Universes {
		r.Universes[i].Place = place // so that all share one text in memory
		r.Universes[i].Index += before
	}
	return r, nil
}

// read reads the result of a job.
func (m *merger) read(ctx context.Context, j job) (*ensemble.Result, error) {
	for _, h := range m.held {
		if h.key == j.key {
			return h.result, nil
		}
	}
	encoded, err := m.from.Load(ctx, j.key)
	if err != nil {
		return nil, err
	}
	r, err := ensemble.DecodeResult(encoded)
	if err == nil && (r.Job != j.key || len(r.Universes) != j.Universes() || len(r.Times) != len(m.study.Times)) {
		err = errors.New("it is the result of another job")
	}
	if err != nil {
		return nil, fmt.Errorf("result %s of %v: %w", j.key, j, err)
	}
	if len(j.Spec.Rules) == 1 {
		return r, nil
	}
	bytes := 0
	for _, h := range m.held {
		bytes += h.bytes
	}
	m.held = append(m.held, held{
		j.key, r,
		len(r.Universes) * (200 + len(r.Times)*m.study.Wanted.SampleBytes(m.study.Points[0])),
	})
	for bytes += m.held[len(m.held)-1].bytes; len(m.held) > 1 && bytes > mostHeld; m.held = m.held[1:] {
		bytes -= m.held[0].bytes
	}
	return r, nil
}

// Time measures how long merging the result of one job takes, without the work that is done only once. It
// writes to the folder of out, and leaves nothing there.
func Time(ctx context.Context, j ensemble.Job, result []byte, out Output) (time.Duration, error) {
	spec := j.Spec
	spec.Universes, spec.PerJob = j.Count, j.Count
	study, err := spec.Check()
	if err != nil {
		return 0, err
	}
	m := &merger{study: study, hash: study.Hash(), from: single{j.Key(), result}}
	m.choose(&out)
	defer m.tables.abort() // naming the files is left out, because its time does not depend on the rows
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

// single is a Store with the result of one job.
type single struct {
	key    string
	result []byte
}

// Has implements Store.
func (s single) Has(key string) bool { return key == s.key }

// Load implements Store.
func (s single) Load(context.Context, string) ([]byte, error) { return s.result, nil }
