package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Task is a job: its data for a worker, and the key of its result, which is a file name.
type Task struct {
	Key     string
	Payload []byte
}

// Do does a job and returns its result. It is for one goroutine.
type Do func(ctx context.Context, payload []byte) ([]byte, error)

// DefaultTries is the number of times that a job is tried before it is parked.
const DefaultTries = 3

// Progress tells how much of a run is done.
type Progress struct {
	Tasks   int            // all tasks
	Before  int            // tasks that had a result when the run began
	Done    int            // tasks with a result now, including Before
	Parked  int            // tasks given up
	Alive   int            // number of workers
	Workers map[string]int // number of jobs that each worker has done in this run
	Begun   time.Time
}

// Finished reports whether nothing is left to do.
func (p Progress) Finished() bool { return p.Done+p.Parked >= p.Tasks }

// Rate is the number of jobs a second in this run.
func (p Progress) Rate() float64 {
	return float64(p.Done-p.Before) / max(time.Since(p.Begun).Seconds(), 1e-9)
}

// Remaining estimates the remaining time from the present rate. It returns false if nothing is known yet.
func (p Progress) Remaining() (time.Duration, bool) {
	if p.Done == p.Before {
		return 0, false
	}
	return time.Duration(float64(p.Tasks-p.Done-p.Parked) / p.Rate() * float64(time.Second)), true
}

// Shard returns the tasks of share i of n, 1 ≤ i ≤ n. It takes every n-th task, so that long and short jobs are
// distributed evenly.
func Shard(tasks []Task, i, n int) []Task {
	var mine []Task
	for k := i - 1; k < len(tasks); k += n {
		mine = append(mine, tasks[k])
	}
	return mine
}

// Options of Local.
type Options struct {
	Workers int // goroutines; 0 means one for each core
	Tries   int // 0 means DefaultTries
	// Rest makes the further workers that do the tasks which the others have left (ErrLeft), at the same time as these
	// do theirs. RestWorkers is their number, at least 1 if any task is left.
	Rest        func() Do
	RestWorkers int
	// Report, if not nil, gets the progress after each job, from one goroutine at a time.
	Report func(Progress)
}

// ErrLeft marks the error of a Do that leaves its task to the workers of Options.Rest.
var ErrLeft = errors.New("left to other workers")

// Local does all tasks without a result in this process. Each worker makes its own Do. It returns an error if
// results cannot be stored or ctx is done, but not if jobs were parked.
func Local(ctx context.Context, tasks []Task, results *Results, worker func() Do, o Options) (Progress, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	l := &local{results: results, options: o, cancel: cancel}
	l.progress = Progress{Tasks: len(tasks), Workers: map[string]int{}, Begun: time.Now()}
	if l.options.Workers == 0 {
		l.options.Workers = runtime.GOMAXPROCS(0)
	}
	if l.options.Tries == 0 {
		l.options.Tries = DefaultTries
	}
	var open []Task
	for _, t := range tasks {
		if results.Has(t.Key) {
			l.progress.Done++
		} else {
			open = append(open, t)
		}
	}
	l.progress.Before = l.progress.Done
	l.progress.Alive = min(l.options.Workers, len(open))
	l.report()
	next := make(chan Task, len(open))
	for _, t := range open {
		next <- t
	}
	close(next)
	l.left = make(chan Task, len(open))
	work := func(wg *sync.WaitGroup, tasks chan Task, do Do) {
		wg.Go(func() {
			for t := range tasks {
				if ctx.Err() != nil {
					return
				}
				l.attempt(ctx, do, t)
			}
		})
	}
	var first, rest sync.WaitGroup
	for range min(l.options.RestWorkers, len(open)) {
		work(&rest, l.left, Safely(o.Rest()))
	}
	for range l.progress.Alive {
		work(&first, next, Safely(worker()))
	}
	first.Wait()
	close(l.left)
	rest.Wait()
	return l.progress, context.Cause(ctx)
}

// local is a run of Local.
type local struct {
	mu       sync.Mutex
	results  *Results
	options  Options
	progress Progress
	cancel   context.CancelCauseFunc
	left     chan Task // that the first workers have left
}

func (l *local) report() {
	if l.options.Report != nil {
		l.options.Report(l.progress)
	}
}

// attempt does one task until it succeeds or is parked.
func (l *local) attempt(ctx context.Context, do Do, t Task) {
	var result []byte
	var err error
	for try := 1; try <= l.options.Tries; try++ {
		if result, err = do(ctx, t.Payload); err == nil || ctx.Err() != nil {
			break
		}
		if errors.Is(err, ErrLeft) {
			l.left <- t
			return
		}
	}
	if ctx.Err() != nil {
		return // the result is dropped, because the job may be incomplete
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := error(nil)
	if err == nil {
		kept = l.results.Save(t.Key, Name(), result)
	} else {
		kept = l.results.Park(Failure{Key: t.Key, Error: err.Error(), Tries: l.options.Tries, Worker: Name()})
	}
	switch {
	case kept != nil:
		l.cancel(kept)
		return
	case err == nil:
		l.progress.Done++
		l.progress.Workers[Name()]++
	default:
		l.progress.Parked++
	}
	l.report()
}

// Safely returns do with panics turned into errors.
func Safely(do Do) Do {
	return func(ctx context.Context, payload []byte) (result []byte, err error) {
		defer func() {
			if r := recover(); r != nil {
				result, err = nil, fmt.Errorf("the job panicked: %v (%s)", r, panicPlace())
			}
		}()
		return do(ctx, payload)
	}
}

// panicPlace returns the file and line that panicked. It must be called by a function that Safely deferred.
func panicPlace() string {
	callers := make([]uintptr, 32)
	frames := runtime.CallersFrames(callers[:runtime.Callers(2, callers)])
	for panicking := false; ; {
		f, more := frames.Next()
		if panicking && !strings.HasPrefix(f.Function, "runtime.") {
			return fmt.Sprintf("%s:%d", f.File[strings.LastIndexByte(f.File, '/')+1:], f.Line)
		}
		panicking = panicking || f.Function == "runtime.gopanic"
		if !more {
			return "unknown place"
		}
	}
}

// About is a worker's description of itself, as stored with the results. It is JSON that only the caller interprets.
type About struct {
	Worker string          `json:"worker,omitempty"`
	About  json.RawMessage `json:"about,omitempty"`
}

// Name is the name of this process as a worker: its host and process number.
func Name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
