// Package estimate predicts how long an ensemble will take, and how much memory and disk it needs, by running a
// small part of it.
package estimate

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/topology"
)

// Estimate is the predicted cost of an ensemble.
type Estimate struct {
	Seconds float64 // of one worker, in total
	Merge   float64 // seconds to merge the results, with all cores
	AtLeast bool    // some universes did not settle in the trial, so it may take longer
	Memory  uint64  // approximate bytes that a worker holds
	Results uint64  // approximate bytes of all results before compression

	Dump      uint64 // bytes of the files of cells
	DumpFiles int
}

// Of runs some universes of every rule, size and start for about two seconds in all, merges the results, and
// scales the times up. If there are very many of these, it tries only some of them. It writes the merged files
// that out describes to a temporary folder.
func Of(ctx context.Context, p *ensemble.Study, w *worker.Worker, out tables.Output) (Estimate, error) {
	return estimate(ctx, p, w, out, 2*time.Second)
}

// estimate is Of with a time for all trials.
func estimate(ctx context.Context, p *ensemble.Study, w *worker.Worker, out tables.Output, all time.Duration) (Estimate,
	error,
) {
	var e Estimate
	rows := p.Rows()
	for _, row := range rows {
		one, err := estimateRow(ctx, row, w, out, all/time.Duration(len(rows)))
		if err != nil {
			return e, err
		}
		e.Seconds, e.Merge, e.AtLeast = e.Seconds+one.Seconds, e.Merge+one.Merge, e.AtLeast || one.AtLeast
		e.Memory, e.Results = max(e.Memory, one.Memory), e.Results+one.Results
		e.Dump, e.DumpFiles = e.Dump+one.Dump, e.DumpFiles+one.DumpFiles
	}
	return e, nil
}

// estimateRow estimates a study without rows.
func estimateRow(ctx context.Context, p *ensemble.Study, w *worker.Worker, out tables.Output, all time.Duration,
) (Estimate, error) {
	var e Estimate
	kinds := p.EachStart()
	budget := all / time.Duration(len(kinds))
	densities := 0 // of all trials
	for _, g := range kinds {
		densities += densitiesOf(p, g)
	}
	merges := map[topology.Topology]float64{} // seconds for each universe; rules make no difference
	for _, g := range kinds {
		at := g.Points[0]
		universes := float64(p.Universes()) * float64(densitiesOf(p, g)) / float64(densities) // that this trial stands for
		for j := range p.JobsOf(g) {
			tried, err := try(ctx, w, j, budget)
			if err != nil {
				return e, err
			}
			if _, known := merges[at.Topology]; !known {
				if merges[at.Topology], err = tryMerge(ctx, p, tried, out); err != nil {
					return e, err
				}
			}
			e.Seconds += universes * tried.seconds
			e.Merge += universes * merges[at.Topology]
			e.AtLeast = e.AtLeast || !tried.finished
			break
		}
	}
	rules := 1
	for g := range p.Groups() {
		rules = max(rules, len(g.Points))
	}
	samples := len(p.Times)
	rows := uint64(samples) * (200 + 12*uint64(len(p.Spec.Measures)) + 8*uint64(p.Wanted.Distance))
	e.Results = uint64(p.Universes()) * (200 + rows)
	if e.Dump, e.DumpFiles = p.DumpBytes(); p.Dump.Bits {
		e.Results += e.Dump
	} else {
		e.Results += e.Dump / 8
	}
	cells := uint64(0)
	for _, at := range p.Points {
		cells = max(cells, uint64(at.Topology.W)*uint64(at.Topology.H))
	}
	const copies = 8 // those of the engine, of settling's snapshots, and of the measures' buffers
	e.Memory = uint64(p.Spec.PerJob*rules)*(cells/8*copies+uint64(samples*p.Wanted.SampleBytes(p.Points[0]))) + 16<<20
	return e, nil
}

// densitiesOf is the number of densities the start of a group has.
func densitiesOf(p *ensemble.Study, g ensemble.Group) int {
	if g.Points[0].Start.HasDensity() {
		return len(p.Spec.Densities)
	}
	return 1
}

// trial is the result of trying the universes of a job.
type trial struct {
	seconds  float64          // for each universe
	finished bool             // whether whole lives were tried, including settling
	job      ensemble.Job     // of the last trial
	result   *ensemble.Result // of that job
}

// try measures the seconds that a universe takes, from as many as fit in the budget, or from a part of the life of one.
func try(ctx context.Context, w *worker.Worker, j ensemble.Job, budget time.Duration) (trial, error) {
	whole := func(j ensemble.Job) (*ensemble.Result, time.Duration, error) {
		limited, cancel := context.WithTimeout(ctx, 2*budget)
		defer cancel()
		begin := time.Now()
		result, err := w.Run(limited, j)
		return result, time.Since(begin), err
	}
	var best trial
	most := j.Count
	for j.Count = 1; ; j.Count = min(8*j.Count, most) {
		result, took, err := whole(j)
		switch {
		case err == nil:
			best = trial{took.Seconds() / float64(j.Universes()), true, j, result}
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
			return tryPart(ctx, w, j, budget)
		}
	}
}

// tryPart runs the first generations of one universe, as many as fit in the budget.
func tryPart(ctx context.Context, w *worker.Worker, j ensemble.Job, budget time.Duration) (trial, error) {
	target := max(j.Spec.Generations, 1)
	for g := min(uint64(16), target); ; g = min(4*g, target) {
		spec := j.Spec
		spec.Generations, spec.Times = g, []uint64{g}
		spec.Dump, spec.DumpUniverses, spec.DumpAs = "", "", "" // cells are read at few generations
		for _, t := range j.Spec.Times {
			if t < g {
				spec.Times = append(spec.Times, t)
			}
		}
		spec.DamageAt = min(spec.DamageAt, g)
		if spec.Warmup != nil {
			first := min(*spec.Warmup, g)
			spec.Warmup = &first
		}
		study, err := withoutSettling(spec).Check()
		if err != nil {
			return trial{}, err
		}
		part := firstOf(study)
		part.First = j.First
		begin := time.Now()
		result, err := w.Run(ctx, part)
		if err != nil {
			return trial{}, err
		}
		if took := time.Since(begin); took >= budget || g == target {
			return trial{
				took.Seconds() * float64(target) / float64(g) / float64(part.Universes()), !settles(study, j), part,
				result,
			}, nil
		}
	}
}

// firstOf is the first job of a study.
func firstOf(p *ensemble.Study) ensemble.Job {
	for j := range p.Jobs() {
		return j
	}
	panic("estimate: a study without jobs") // Check refuses specs of no universes
}

// tryMerge measures the seconds that merging a universe takes.
func tryMerge(ctx context.Context, p *ensemble.Study, t trial, out tables.Output) (seconds float64, err error) {
	encoded, err := t.result.Encode()
	if err != nil {
		return 0, err
	}
	if out.Dir, err = os.MkdirTemp("", "gosper-estimate"); err != nil {
		return 0, err
	}
	defer os.RemoveAll(out.Dir)
	took, err := tables.Time(ctx, t.job, encoded, out)
	if err != nil {
		return 0, err
	}
	samples := float64(len(p.Times)) / float64(len(t.result.Times)) // scales from the part that was tried to a whole life
	return took.Seconds() / float64(t.job.Universes()) * samples, nil
}

func withoutSettling(s ensemble.Spec) ensemble.Spec {
	var rest []string
	for _, m := range s.Measures {
		if m != "settling" {
			rest = append(rest, m)
		}
	}
	s.Measures, s.Cap, s.Universes = rest, 0, 1
	return s
}

// settles reports whether a job measures settling. The study of a part of the job leaves it out.
func settles(p *ensemble.Study, j ensemble.Job) bool {
	return len(j.Measures) > len(p.Wanted.Identities())
}
