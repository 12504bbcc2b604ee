package worker

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
)

// Pool is the workers of one process, a worker for each job that it does at once. Where the engine names several GPUs, each worker
// is on one of them, in turn: a GPU's share of the work is whole jobs, and no GPU waits for another.
type Pool struct {
	engines []string // one for each GPU
	all     []*Worker
}

// NewPool prepares workers on an engine, named as gosper run --engine takes it. It refuses a list of GPUs that makes no sense.
func NewPool(engine string) (*Pool, error) {
	name, list, chosen := strings.Cut(engine, ":")
	if !chosen {
		return &Pool{engines: []string{engine}}, nil
	}
	p := &Pool{}
	for _, device := range strings.Split(list, ",") {
		one := name + ":" + device
		if device == "" || slices.Contains(p.engines, one) {
			return nil, fmt.Errorf("engine %q: want numbers from 0 with commas between, each once", engine)
		}
		p.engines = append(p.engines, one)
	}
	return p, nil
}

// From names the same engine with its GPUs in another order, from the one on that worker n would be on, for a process of its own.
func (p *Pool) From(n int) string {
	if len(p.engines) == 1 {
		return p.engines[0]
	}
	var devices []string
	name := ""
	for i := range p.engines {
		var device string
		name, device, _ = strings.Cut(p.engines[(n+i)%len(p.engines)], ":")
		devices = append(devices, device)
	}
	return name + ":" + strings.Join(devices, ",")
}

// GPUs is how many GPUs, or other engines, the work is spread over.
func (p *Pool) GPUs() int { return len(p.engines) }

// New is one more worker. It must not be called by several goroutines at once.
func (p *Pool) New() *Worker {
	w := &Worker{Engine: p.engines[len(p.all)%len(p.engines)]}
	p.all = append(p.all, w)
	return w
}

// Check refuses an engine that is not there or cannot run the rules of a study, before any job has failed by it. It returns the PCI bus
// ids of the GPUs. Of very many rules it tries some; the others are refused by their jobs. The first rule is tried with as many universes as a job has, so that
// its kernels are compiled once, and not by all workers at the same time.
func (p *Pool) Check(ctx context.Context, study *ensemble.Study) (busIDs []string, err error) {
	for i, engine := range p.engines {
		w := &Worker{Engine: engine}
		points := study.EachRule()
		if i > 0 {
			points = points[:1] // one GPU can do what another can
		}
		n := min(study.Spec.PerJob, study.Spec.Universes)
		for _, at := range points {
			c, err := w.open(ctx, at, n)
			if err != nil {
				return nil, err
			}
			c.close()
			n = 1
		}
		busIDs = append(busIDs, w.GPUs...)
	}
	return busIDs, nil
}

// Used describes the engines that the workers have used, each once, with commas between.
func (p *Pool) Used() string {
	var used []string
	for _, w := range p.all {
		if w.Used != "" && !slices.Contains(used, w.Used) {
			used = append(used, w.Used)
		}
	}
	slices.Sort(used)
	return strings.Join(used, "; ")
}

// Close releases what the workers have kept. None may be at work.
func (p *Pool) Close() {
	for _, w := range p.all {
		w.Close()
	}
}
