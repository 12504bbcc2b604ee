package queue

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Task is a job: what a worker needs to know, and the key of its result, a file name.
type Task struct {
	Key     string
	Payload []byte
}

// Do does a job and returns its result. It is for one goroutine.
type Do func(ctx context.Context, payload []byte) ([]byte, error)

// DefaultTries is how often a job is tried before it is parked.
const DefaultTries = 3

// Progress is how far a run is.
type Progress struct {
	Tasks   int            // in all
	Before  int            // whose results were there when the run began
	Done    int            // with results now, Before among them
	Parked  int            // given up
	Alive   int            // workers
	Workers map[string]int // jobs done by the worker that did them, in this run
	Begun   time.Time
}

// Finished reports whether nothing is left to do.
func (p Progress) Finished() bool { return p.Done+p.Parked >= p.Tasks }

// Rate is the jobs done a second in this run.
func (p Progress) Rate() float64 {
	return float64(p.Done-p.Before) / max(time.Since(p.Begun).Seconds(), 1e-9)
}

// Remaining is the time the rest will take at this rate; false while nothing is known.
func (p Progress) Remaining() (time.Duration, bool) {
	if p.Done == p.Before {
		return 0, false
	}
	return time.Duration(float64(p.Tasks-p.Done-p.Parked) / p.Rate() * float64(time.Second)), true
}

// Shard is the tasks of share i of n, 1 to n: every n-th one, so that long and short jobs are spread evenly.
func Shard(tasks []Task, i, n int) []Task {
	var mine []Task
	for k := i - 1; k < len(tasks); k += n {
		mine = append(mine, tasks[k])
	}
	return mine
}

// Options of Local.
type Options struct {
	Workers int // goroutines; 0: one a core
	Tries   int // 0: DefaultTries
	// Report, where not nil, is told the progress after each job, by one goroutine at a time.
	Report func(Progress)
}

// Local does all tasks that have no result yet in this process. Each worker makes its own Do. It returns an error when results cannot be
// kept or ctx is done, but not when jobs were parked.
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
	var wg sync.WaitGroup
	for range l.progress.Alive {
		do := Safely(worker())
		wg.Go(func() {
			for t := range next {
				if ctx.Err() != nil {
					return
				}
				l.attempt(ctx, do, t)
			}
		})
	}
	wg.Wait()
	return l.progress, context.Cause(ctx)
}

// local is a run of Local.
type local struct {
	mu       sync.Mutex
	results  *Results
	options  Options
	progress Progress
	cancel   context.CancelCauseFunc
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
	}
	if ctx.Err() != nil {
		return // and the result, which may be of a job cut short, is dropped
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

// Safely is do with panics made errors.
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

// panicPlace is the file and line that panicked, as seen by a function deferred in Safely.
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

// About is what a worker says about itself, as it is noted among results: JSON that the caller knows the meaning of.
type About struct {
	Worker string          `json:"worker,omitempty"`
	About  json.RawMessage `json:"about,omitempty"`
}

// Name is the name of this process as a worker: its host and number.
func Name() string {
	host, err := os.Hostname()
	if err != nil {
		host = "host"
	}
	return fmt.Sprintf("%s-%d", host, os.Getpid())
}
