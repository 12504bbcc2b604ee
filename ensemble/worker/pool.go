package worker

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/sim"
)

// Pool holds the workers of one process, one for each job that runs at the same time. If the engine names several
// GPUs, they are dealt to the workers one after the other. A GPU therefore does whole jobs, and no GPU waits for
// another.
type Pool struct {
	engines []string // one for each GPU
	shared  bool     // with processors, which do what the GPUs leave
	all     []*Worker
	made    int                // by New
	checked map[string]*Worker // by engine: those of Check, with the universes of a job
}

// NewShared prepares workers on GPUs, named as for NewPool, and on processors. The workers of New leave jobs whose
// universes no GPU can advance many at a time, and jobs in which a GPU fails: the error is queue.ErrLeft. Those of
// NewRest do these on processors.
func NewShared(engine string) (*Pool, error) {
	p, err := NewPool(engine)
	if err == nil {
		p.shared = true
	}
	return p, err
}

// NewPool prepares workers on an engine, named as for gosper run --engine. It refuses an invalid list of GPUs.
func NewPool(engine string) (*Pool, error) {
	name, list, chosen := strings.Cut(engine, ":")
	if !chosen {
		return &Pool{engines: []string{engine}}, nil
	}
	p := &Pool{}
	for _, device := range strings.Split(list, ",") {
		one := name + ":" + device
		if device == "" || slices.Contains(p.engines, one) {
			return nil, fmt.Errorf("engine %q: want different numbers from 0, separated by commas", engine)
		}
		p.engines = append(p.engines, one)
	}
	return p, nil
}

// From returns the name of the same engine for another process. Its GPUs are in another order, starting with
// the one that worker n would use.
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

// GPUs is the number of GPUs, or other engines, that share the work.
func (p *Pool) GPUs() int { return len(p.engines) }

// New makes one more worker. It must not be called by several goroutines at once. The first worker of each engine is
// that of Check, because opening a GPU again takes another tenth of a second.
func (p *Pool) New() *Worker {
	engine := p.engines[p.made%len(p.engines)]
	p.made++
	w := p.checked[engine]
	if w != nil {
		delete(p.checked, engine)
	} else {
		w = &Worker{Engine: engine}
	}
	w.leaves = p.shared
	p.all = append(p.all, w)
	return w
}

// Shared reports whether NewShared made the pool.
func (p *Pool) Shared() bool { return p.shared }

// NewRest makes one more worker for the jobs that the workers of New leave. It runs on a processor.
func (p *Pool) NewRest() *Worker {
	w := &Worker{Engine: onProcessor}
	p.all = append(p.all, w)
	return w
}

// Check returns an error if the engine does not exist or cannot run the rules of a study, before any job fails
// because of it. It returns the PCI bus ids of the GPUs. If there are very many rules it tries only some; jobs
// refuse the others. It tries the first rule with as many universes as a job has, so that its kernels are
// compiled once, and not by all workers at the same time. The universes stay open for the workers of New, until Close.
//
// With shared processors, GPUs may refuse the study. The check then asks whether processors can run
// it.
func (p *Pool) Check(ctx context.Context, study *ensemble.Study) (busIDs []string, err error) {
	engines := p.engines
	first := study.Rows()[0].Spec
	perJob := min(first.PerJob, first.Universes)
	if p.shared { // what no GPU can run is left
		engines = []string{sim.Auto}
		for _, at := range p.engines {
			w := p.checking(at)
			if w.try(ctx, study.Points[:1], perJob) == nil {
				busIDs = append(busIDs, w.GPUs...)
			}
			if _, many := w.kept[0].simulated.(*simulatedBatch); !many { // the worker would leave such jobs
				w.Close()
			}
		}
	}
	for i, engine := range engines {
		w := p.checking(engine)
		groups := study.EachRule()
		if i > 0 {
			groups = groups[:1] // all GPUs can run the same rules
		}
		n := perJob
		for _, g := range groups {
			if err := w.try(ctx, g.Points, n); err != nil {
				return nil, err
			}
			n = 1
		}
		if p.shared { // New returns workers on GPUs only
			delete(p.checked, engine)
			w.Close()
			continue
		}
		busIDs = append(busIDs, w.GPUs...)
	}
	return busIDs, nil
}

// checking makes a worker that Check uses and New returns.
func (p *Pool) checking(engine string) *Worker {
	w := &Worker{Engine: engine}
	if p.checked == nil {
		p.checked = map[string]*Worker{}
	}
	p.checked[engine] = w
	return w
}

// try returns an error if an engine cannot run universes of some points, as a job does. It keeps them for a job.
func (w *Worker) try(ctx context.Context, points []ensemble.Point, n int) error {
	c, err := w.prepare(ctx, points, n, 0)
	var unsupported *sim.Unsupported
	if len(points) > 1 && errors.As(err, &unsupported) {
		c, err = w.prepare(ctx, points[:1], n, 0)
	}
	if err == nil {
		w.kept[0].simulated = c
	}
	return err
}

// Used describes the engines that the workers have used, each once, separated by commas.
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

// Close releases the workers' universes. None may be running.
func (p *Pool) Close() {
	for _, w := range p.all {
		w.Close()
	}
	for _, w := range p.checked {
		w.Close()
	}
}
