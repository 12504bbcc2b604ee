package ensemble

import (
	"context"
	"errors"
	"os"
	"time"
)

// Estimate is what an ensemble will take.
type Estimate struct {
	Seconds float64 // of one worker
	Merge   float64 // seconds of putting the results together, with all cores
	AtLeast bool    // universes did not settle while they were tried, so it will be more
	Memory  uint64  // bytes a worker holds, about
	Results uint64  // bytes of the results of all jobs before compression, about
}

// mostKinds is how many combinations of rule and size an estimate tries, and how many rules a check. They are spread evenly over all.
const mostKinds = 64

// spread is the numbers, below n, of those to try.
func spread(n int) map[int]bool {
	chosen := map[int]bool{}
	for i := range min(n, mostKinds) {
		chosen[i*n/min(n, mostKinds)] = true
	}
	return chosen
}

// Estimate tries universes of every rule and size for a moment each, two seconds or so in all, and merges them, and scales the times up. Of
// very many rules and sizes it tries some. Merged files, as out says, are written to a temporary folder.
func (r *Runner) Estimate(ctx context.Context, p *Plan, out Output) (Estimate, error) {
	var e Estimate
	kinds := len(p.Spec.Rules) * len(p.Spec.Sizes)
	chosen := spread(kinds)
	budget := 2 * time.Second / time.Duration(len(chosen))
	universes := float64(p.Universes()) / float64(len(chosen)) // that each one tried stands for
	merges := map[int]float64{}                                // seconds a universe, by number of the size: rules make no difference
	for i := range kinds {
		if !chosen[i] {
			continue
		}
		for j := range p.jobsAt(p.points[i*len(p.Spec.Densities)]) {
			tried, err := r.try(ctx, j, budget)
			if err != nil {
				return e, err
			}
			size := i % len(p.Spec.Sizes)
			if _, known := merges[size]; !known {
				if merges[size], err = p.tryMerge(ctx, tried, out); err != nil {
					return e, err
				}
			}
			e.Seconds += universes * tried.seconds
			e.Merge += universes * merges[size]
			e.AtLeast = e.AtLeast || !tried.finished
			break
		}
	}
	rows := uint64(len(p.times)) * (200 + 12*uint64(len(p.Spec.Measures)) + 8*uint64(p.measures.distance))
	e.Results = uint64(p.Universes()) * (200 + rows)
	cells := uint64(0)
	for _, at := range p.points {
		cells = max(cells, uint64(at.topology.W)*uint64(at.topology.H))
	}
	const copies = 8 // the engine's, snapshots of the settling, the buffers of measures
	e.Memory = uint64(p.Spec.PerJob)*(cells/8*copies+uint64(len(p.times)*p.measures.sampleBytes())) + 16<<20
	return e, nil
}

// trial is what was found out about the universes of a job.
type trial struct {
	seconds  float64 // a universe
	finished bool    // lives were tried as long as they are, settling and all
	job      Job     // of those that were tried last
	result   *Result // of that job
}

// try finds the seconds a universe takes, from as many as fit the budget, or from a part of the life of one.
func (r *Runner) try(ctx context.Context, j Job, budget time.Duration) (trial, error) {
	whole := func(j Job) (*Result, time.Duration, error) {
		limited, cancel := context.WithTimeout(ctx, 2*budget)
		defer cancel()
		begin := time.Now()
		result, err := r.Run(limited, j)
		return result, time.Since(begin), err
	}
	var best trial
	most := j.Count
	for j.Count = 1; ; j.Count = min(8*j.Count, most) {
		result, took, err := whole(j)
		switch {
		case err == nil:
			best = trial{took.Seconds() / float64(j.Count), true, j, result}
			if took >= budget || j.Count == most {
				return best, nil
			}
		case !errors.Is(err, context.DeadlineExceeded):
			return trial{}, err
		case ctx.Err() != nil:
			return trial{}, ctx.Err()
		case j.Count > 1:
			return best, nil
		default:
			return r.tryPart(ctx, j, budget)
		}
	}
}

// tryPart runs the first generations of one universe, as many as fit the budget.
func (r *Runner) tryPart(ctx context.Context, j Job, budget time.Duration) (trial, error) {
	target := max(j.Spec.Generations, 1)
	for g := min(uint64(16), target); ; g = min(4*g, target) {
		spec := j.Spec
		spec.Generations, spec.Times = g, []uint64{g}
		for _, t := range j.Spec.Times {
			if t < g {
				spec.Times = append(spec.Times, t)
			}
		}
		plan, err := withoutSettling(spec).Check()
		if err != nil {
			return trial{}, err
		}
		part := plan.whole(plan.points[0], j.Spec.Root)
		part.First, part.Count = j.First, 1
		begin := time.Now()
		result, err := r.Run(ctx, part)
		if err != nil {
			return trial{}, err
		}
		if took := time.Since(begin); took >= budget || g == target {
			return trial{took.Seconds() * float64(target) / float64(g), !plan.settles(j), part, result}, nil
		}
	}
}

// tryMerge is the seconds that it takes to merge a universe.
func (p *Plan) tryMerge(ctx context.Context, t trial, out Output) (seconds float64, err error) {
	spec := t.job.Spec
	spec.Universes, spec.PerJob = t.job.Count, t.job.Count
	plan, err := spec.Check()
	if err != nil {
		return 0, err
	}
	encoded, err := t.result.Encode()
	if err != nil {
		return 0, err
	}
	if out.Dir, err = os.MkdirTemp("", "gosper-estimate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(out.Dir)
	m := &merger{plan: plan, from: single{t.job.Key(), encoded}}
	defer m.tables.abort() // that files get their names takes as long however many rows they have
	if err := m.tables.create(plan, out); err != nil {
		return 0, err
	}
	shares, err := plan.shares(m.from, false)
	if err != nil {
		return 0, err
	}
	begin := time.Now()
	for _, s := range shares {
		if err := m.place(ctx, s); err != nil {
			return 0, err
		}
	}
	took := time.Since(begin).Seconds()
	samples := float64(len(p.times)) / float64(len(plan.times)) // of a whole life, where a part of it was tried
	return took / float64(t.job.Count) * samples, nil
}

// single is the result of one job.
type single struct {
	key    string
	result []byte
}

func (s single) Has(key string) bool         { return key == s.key }
func (s single) Load(string) ([]byte, error) { return s.result, nil }

func withoutSettling(s Spec) Spec {
	var rest []string
	for _, m := range s.Measures {
		if m != "settling" {
			rest = append(rest, m)
		}
	}
	s.Measures, s.Cap, s.Universes = rest, 0, 1
	return s
}

// settles reports whether a job measures settling, which the plan of a part of it leaves out.
func (p *Plan) settles(j Job) bool { return len(j.Measures) > len(p.measures.identities()) }
