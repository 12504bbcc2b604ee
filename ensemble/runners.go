package ensemble

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// Runners are the runners of one process, a runner for each job that it does at once. Where the engine names several GPUs, each runner
// is on one of them, in turn: a GPU's share of the work is whole jobs, and no GPU waits for another.
type Runners struct {
	engines []string // one for each GPU
	all     []*Runner
}

// NewRunners prepares runners on an engine, named as gosper run --engine takes it. It refuses a list of GPUs that makes no sense.
func NewRunners(engine string) (*Runners, error) {
	name, list, chosen := strings.Cut(engine, ":")
	if !chosen {
		return &Runners{engines: []string{engine}}, nil
	}
	r := &Runners{}
	for _, device := range strings.Split(list, ",") {
		one := name + ":" + device
		if device == "" || slices.Contains(r.engines, one) {
			return nil, fmt.Errorf("engine %q: want numbers from 0 with commas between, each once", engine)
		}
		r.engines = append(r.engines, one)
	}
	return r, nil
}

// From names the same engine with its GPUs in another order, from the one on that runner n would be on, for a process of its own.
func (r *Runners) From(n int) string {
	if len(r.engines) == 1 {
		return r.engines[0]
	}
	var devices []string
	name := ""
	for i := range r.engines {
		var device string
		name, device, _ = strings.Cut(r.engines[(n+i)%len(r.engines)], ":")
		devices = append(devices, device)
	}
	return name + ":" + strings.Join(devices, ",")
}

// GPUs is how many GPUs, or other engines, the work is spread over.
func (r *Runners) GPUs() int { return len(r.engines) }

// New is one more runner. It must not be called by several goroutines at once.
func (r *Runners) New() *Runner {
	runner := &Runner{Engine: r.engines[len(r.all)%len(r.engines)]}
	r.all = append(r.all, runner)
	return runner
}

// Check refuses an engine that is not there or cannot run the rules of a plan, before any job has failed by it. It returns the PCI bus
// ids of the GPUs. Of very many rules it tries some; the others are refused by their jobs. The first rule is tried with as many universes as a job has, so that its kernels are compiled once, and not by
// all runners at the same time.
func (r *Runners) Check(ctx context.Context, p *Plan) (busIDs []string, err error) {
	for i, engine := range r.engines {
		runner := &Runner{Engine: engine}
		points := p.rulesOnce()
		if i > 0 {
			points = points[:1] // one GPU can do what another can
		}
		n := min(p.Spec.PerJob, p.Spec.Universes)
		for _, at := range points {
			c, err := runner.open(ctx, at, n)
			if err != nil {
				return nil, err
			}
			c.close()
			n = 1
		}
		busIDs = append(busIDs, runner.GPUs...)
	}
	return busIDs, nil
}

// rulesOnce is the first point of each rule that is to be tried.
func (p *Plan) rulesOnce() []point {
	var once []point
	each := len(p.Spec.Sizes) * len(p.Spec.Densities) // points are sorted by rule
	chosen := spread(len(p.Spec.Rules))
	for i := range p.Spec.Rules {
		if chosen[i] {
			once = append(once, p.points[i*each])
		}
	}
	return once
}

// Used describes the engines that the runners have used, each once, with commas between.
func (r *Runners) Used() string {
	var used []string
	for _, runner := range r.all {
		if runner.Used != "" && !slices.Contains(used, runner.Used) {
			used = append(used, runner.Used)
		}
	}
	slices.Sort(used)
	return strings.Join(used, "; ")
}

// Close releases what the runners have kept. None may be at work.
func (r *Runners) Close() {
	for _, runner := range r.all {
		runner.Close()
	}
}
