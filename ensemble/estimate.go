package ensemble

import (
	"context"
	"errors"
	"time"
)

// Estimate is what an ensemble will take.
type Estimate struct {
	Seconds float64 // of one worker
	AtLeast bool    // universes did not settle while they were tried, so it will be more
	Memory  uint64  // bytes a worker holds, about
	Results uint64  // bytes of the results of all jobs before compression, about
}

// Estimate tries universes of every rule and size for a moment each, a few seconds in all, and scales their times up.
func (r *Runner) Estimate(ctx context.Context, p *Plan) (Estimate, error) {
	type kind struct{ rule, area string }
	kinds := map[kind]float64{} // seconds a universe
	var e Estimate
	budget := max(5*time.Millisecond, 2*time.Second/time.Duration(len(p.Spec.Rules)*len(p.Spec.Sizes)))
	for j := range p.Jobs() {
		k := kind{j.Spec.Rules[0], j.Spec.Sizes[0]}
		if _, known := kinds[k]; !known {
			seconds, finished, err := r.try(ctx, j, budget)
			if err != nil {
				return e, err
			}
			kinds[k], e.AtLeast = seconds, e.AtLeast || !finished
		}
		e.Seconds += float64(j.Count) * kinds[k]
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

// try is the seconds a universe takes, from as many as fit the budget, or from a part of the life of one.
func (r *Runner) try(ctx context.Context, j Job, budget time.Duration) (seconds float64, finished bool, err error) {
	whole := func(j Job) (time.Duration, error) {
		limited, cancel := context.WithTimeout(ctx, 2*budget)
		defer cancel()
		begin := time.Now()
		_, err := r.Run(limited, j)
		return time.Since(begin), err
	}
	most := j.Count
	for j.Count = 1; ; j.Count = min(8*j.Count, most) {
		took, err := whole(j)
		switch {
		case err == nil && (took >= budget || j.Count == most):
			return took.Seconds() / float64(j.Count), true, nil
		case err != nil && !errors.Is(err, context.DeadlineExceeded):
			return 0, false, err
		case err != nil && ctx.Err() != nil:
			return 0, false, ctx.Err()
		case err != nil && j.Count > 1:
			return 2 * budget.Seconds() / float64(j.Count), true, nil // about
		case err != nil:
			return r.tryPart(ctx, j, budget)
		}
	}
}

// tryPart runs the first generations of one universe, as many as fit the budget.
func (r *Runner) tryPart(ctx context.Context, j Job, budget time.Duration) (seconds float64, finished bool, err error) {
	target := max(j.Spec.Generations, 1)
	for g := min(uint64(16), target); ; g = min(4*g, target) {
		part := j
		part.Count, part.Spec.Generations, part.Spec.Times = 1, g, []uint64{g}
		for _, t := range j.Spec.Times {
			if t <= g {
				part.Spec.Times = append(part.Spec.Times, t)
			}
		}
		plan, err := withoutSettling(part.Spec).Check()
		if err != nil {
			return 0, false, err
		}
		part.Spec, part.Measures = plan.Spec, plan.measures.identities()
		begin := time.Now()
		if _, err := r.Run(ctx, part); err != nil {
			return 0, false, err
		}
		if took := time.Since(begin); took >= budget || g == target {
			return took.Seconds() * float64(target) / float64(g), !plan.settles(j), nil
		}
	}
}

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
