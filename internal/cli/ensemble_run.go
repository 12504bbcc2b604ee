package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gosper-life/gosper/energy"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bench"
	"github.com/gosper-life/gosper/queue"
	"github.com/gosper-life/gosper/result"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
)

type ensembleRunCommand struct {
	specFlags `embed:"" group:"What to run"`

	Out        string `placeholder:"DIR" help:"Folder for the results. A run that was cut goes on where it was."`
	tableFlags `embed:""`
	Engine     string `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: auto, or one that gosper engines lists; with cuda:0,1,2,3 each job is on one of these GPUs."`
	Threads    int    `placeholder:"N" env:"GOSPER_THREADS" help:"Jobs to run at once. Default: one a core, from 4 to 12 for each GPU."`
	Shard      share  `placeholder:"I/N" help:"Run the I-th of N shares of the jobs only; gosper ensemble merge puts them together."`
	Tries      int    `default:"3" placeholder:"N" help:"Tries of a job before it is parked with its error. Default: 3."`
	DryRun     bool   `help:"Say what it would take: time, memory and energy."`
	Quiet      bool   `short:"q" help:"No progress and no summary."`
	JSON       bool   `name:"json" help:"Print the summary as one JSON object."`

	remoteFlags `embed:"" group:"Workers"`
}

// Help is shown below the usage.
func (*ensembleRunCommand) Help() string {
	return `Examples:

    gosper ensemble run --rule B3/S23 --size 128 -n 1000 -g 1000 --every 10 --measure clusters --out life
    gosper ensemble run soups.toml --out soups --dry-run
    gosper ensemble run soups.toml --out part3 --shard 3/7
    gosper ensemble run soups.toml --out soups --workers 4
    gosper ensemble run soups.toml --out soups --nats nats://head:4222

The same spec gives the same files byte for byte, on one thread or a hundred machines. A run that was interrupted goes on when the same command is given again.`
}

// ensembleSummary is what a run or merge reports.
type ensembleSummary struct {
	Hash      string   `json:"hash"`
	Out       string   `json:"out"`
	Universes int      `json:"universes"`
	Jobs      int      `json:"jobs"` // of this run: all, or those of the shard
	Done      int      `json:"done"` // with results
	Parked    int      `json:"parked"`
	Files     []string `json:"files"` // merged; none where jobs are missing
	Seconds   float64  `json:"seconds"`
	Joules    *float64 `json:"joules"` // of the GPUs or processors that computed; null: not available
	Engine    string   `json:"engine,omitempty"`
}

// Run implements the command.
func (cmd *ensembleRunCommand) Run(ctx context.Context, c *console) error {
	plan, err := cmd.plan()
	switch {
	case err != nil:
	case cmd.Out == "" && !cmd.DryRun:
		err = errors.New("--out DIR is missing: where do the results go?")
	case cmd.Threads < 0 || cmd.Tries < 1:
		err = fmt.Errorf("--threads %d, --tries %d: want 0 or more threads and 1 try or more", cmd.Threads, cmd.Tries)
	case cmd.Shard.N > 0 && cmd.remote():
		err = errors.New("--shard shares out the work without a queue: leave out --nats, --serve and --workers")
	default:
		err = cmd.check()
	}
	if err != nil {
		return badInput{err}
	}
	runners, err := ensemble.NewRunners(cmd.Engine)
	if err != nil {
		return badInput{err}
	}
	defer runners.Close()
	gpus, err := runners.Check(ctx, plan)
	if err != nil {
		return inputUnlessCancelled(err)
	}
	if cmd.DryRun {
		return cmd.estimate(ctx, c, plan, runners, gpus)
	}
	if plan, err = claim(cmd.Out, plan, cmd.PerJob > 0); err != nil {
		return err
	}
	run := &ensembleRun{command: cmd, console: c, plan: plan, results: queue.Results{Dir: cmd.Out}, runners: runners, gpus: gpus, begun: time.Now(), line: lineOf(c, cmd.Quiet)}
	for j := range plan.Jobs() {
		run.tasks = append(run.tasks, queue.Task{Key: j.Hash(), Payload: j.Encode()})
	}
	if cmd.Shard.N > 0 {
		run.tasks = queue.Shard(run.tasks, cmd.Shard.I, cmd.Shard.N)
	}
	return run.do(ctx)
}

// claim makes a folder that of an ensemble, or finds that it is. It returns the plan that the folder's results belong to: a run that goes on
// cuts the ensemble into jobs as the first one did, unless that is said anew.
func claim(dir string, plan *ensemble.Plan, sameJobs bool) (*ensemble.Plan, error) {
	switch there, err := planOf(dir); {
	case err == nil && there.Hash() != plan.Hash():
		return nil, badInputf("%s holds another ensemble, %.12s…: choose another --out", dir, there.Hash())
	case err == nil && sameJobs && there.Spec.PerJob != plan.Spec.PerJob:
		return nil, badInputf("%s has jobs of %d universes, not of %d: choose another --out", dir, there.Spec.PerJob, plan.Spec.PerJob)
	case err == nil:
		return there, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, badInput{err}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, badInput{err}
	}
	text, err := json.MarshalIndent(plan.Spec, "", "  ")
	if err != nil {
		return nil, err
	}
	return plan, atomicfile.Write(filepath.Join(dir, specFile), true, func(w io.Writer) error {
		_, err := w.Write(append(text, '\n'))
		return err
	})
}

// ensembleRun is a run under way.
type ensembleRun struct {
	command  *ensembleRunCommand
	console  *console
	plan     *ensemble.Plan
	results  queue.Results
	tasks    []queue.Task
	gpus     []string // PCI bus ids of those that compute
	begun    time.Time
	line     *statusLine
	progress queue.Progress
	runners  *ensemble.Runners
}

func (r *ensembleRun) do(ctx context.Context) error {
	meter := &energy.Meter{} // what workers elsewhere use is not available
	if !r.command.remote() {
		meter, _ = energy.Open(r.gpus...) // a meter that is not available says so when it is read
	}
	stop := meter.Record(time.Second)
	var err error
	if r.command.remote() {
		r.progress, err = r.command.runRemotely(ctx, r)
	} else {
		r.progress, err = queue.Local(ctx, r.tasks, r.results, func() queue.Do { return jobsOf(r.runners.New()) }, queue.Options{
			Workers: jobsAtOnce(r.command.Threads, r.command.Engine, r.runners), Tries: r.command.Tries, Report: r.report,
		})
	}
	readings := stop()
	r.line.erase()
	summary := ensembleSummary{
		Hash: r.plan.Hash(), Out: r.command.Out, Universes: r.plan.Universes(), Files: []string{}, Engine: r.runners.Used(),
		Jobs: len(r.tasks), Done: r.progress.Done, Parked: r.progress.Parked, Seconds: time.Since(r.begun).Seconds(),
	}
	if n := len(readings); n > 0 {
		summary.Joules = &readings[n-1].Joules
	}
	if noted := r.note(summary); err == nil {
		err = noted
	}
	switch {
	case errors.Is(err, context.Canceled):
		return r.interrupted()
	case err != nil:
		return err
	case r.progress.Parked > 0:
		return r.parked()
	}
	if r.command.Shard.N == 0 {
		merged, err := mergeInto(ctx, r.plan, r.results, false, r.command.output(r.command.Out))
		if errors.Is(err, context.Canceled) {
			return r.interrupted()
		}
		if err != nil {
			return err
		}
		summary.Files = merged.Files
	}
	return r.command.report(r.console, summary)
}

// interrupted is the end of a run that was told to end.
func (r *ensembleRun) interrupted() error {
	if !r.command.Quiet {
		fmt.Fprintf(r.console.err, "%d of %d jobs are done; the same command goes on from here\n", r.progress.Done, len(r.tasks))
	}
	return status(exitInterrupted)
}

// jobsAtOnce is how many jobs to run beside each other: one a core, also for a GPU, which computes one while processors look through the
// results of others. Twelve keep it busy: measured on an H200 with 16 cores, jobs of 4096 universes of 128×128 with clusters every 10 of 1000
// generations run at 240, 860, 1550 and 2090 Gcells/s with 1, 4, 8 and 12 at once. Several GPUs have the cores between them.
func jobsAtOnce(threads int, engine string, runners *ensemble.Runners) int {
	cores := runtime.GOMAXPROCS(0)
	switch {
	case threads > 0:
		return threads
	case strings.HasPrefix(engine, cuda.Name) || engine == sim.Auto && hasGPU():
		return runners.GPUs() * max(4, min(cores/runners.GPUs(), 12))
	}
	return cores
}

// hasGPU reports whether engine auto would choose one.
func hasGPU() bool {
	gpus, err := cuda.GPUs()
	return err == nil && slices.ContainsFunc(gpus, func(g cuda.GPU) bool { return g.Usable })
}

// jobsOf is the jobs of a queue done by a runner.
func jobsOf(runner *ensemble.Runner) queue.Do {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		job, err := ensemble.DecodeJob(payload)
		if err != nil {
			return nil, err
		}
		measured, err := runner.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		return measured.Encode()
	}
}

func (r *ensembleRun) report(p queue.Progress) { r.line.show(func() string { return progressOf(p) }) }

func progressOf(p queue.Progress) string {
	line := fmt.Sprintf("%s of %s jobs  %.0f %%  %s  %s", grouped(uint64(p.Done)), grouped(uint64(p.Tasks)),
		100*float64(p.Done)/float64(max(p.Tasks, 1)), rate(p.Rate(), "jobs"), count(uint64(p.Alive), "worker"))
	if p.Parked > 0 {
		line += fmt.Sprintf("  %d failed", p.Parked)
	}
	if left, known := p.Remaining(); known && left < 100*365*24*time.Hour {
		line += fmt.Sprintf("  %v left", left.Round(time.Second))
	}
	return line
}

// parked is the error of a run whose jobs did not all succeed.
func (r *ensembleRun) parked() error {
	failures, err := r.results.Failures()
	if err != nil {
		return err
	}
	for _, f := range failures {
		return fmt.Errorf("%d of %d jobs failed and are parked in %s, the first after %d tries: %s; the same command tries them again",
			len(failures), len(r.tasks), filepath.Join(r.command.Out, "failed"), f.Tries, f.Error)
	}
	return errors.New("jobs failed")
}

// note writes the manifest of this run beside those of others in the same folder.
func (r *ensembleRun) note(s ensembleSummary) error {
	dir := filepath.Join(r.command.Out, runsFolder)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	m := result.Manifest{
		Command: os.Args[1:], Hash: s.Hash, Build: result.ThisBuild(), Engine: s.Engine, Machine: bench.ThisMachine(),
		Workers: r.progress.Workers, Started: r.begun.UTC(), Finished: time.Now().UTC(), Seconds: s.Seconds, Joules: s.Joules,
	}
	return m.WriteManifest(filepath.Join(dir, fmt.Sprintf("%s-%d.json", queue.Name(), r.begun.UnixMilli())))
}

func (cmd *ensembleRunCommand) report(c *console, s ensembleSummary) error {
	switch {
	case cmd.JSON:
		return c.printJSON(s)
	case cmd.Quiet:
		return nil
	}
	c.printf("%s universes in %s, %s\n", grouped(uint64(s.Universes)), count(uint64(s.Jobs), "job"), seconds(time.Duration(s.Seconds*1e9)))
	c.printf("  ensemble  %s\n", s.Hash)
	if s.Engine != "" { // which workers elsewhere do not tell
		c.printf("  engine    %s\n", s.Engine)
	}
	if s.Joules != nil {
		c.printf("  energy    %.4g J\n", *s.Joules)
	}
	if len(s.Files) > 0 {
		c.printf("  files     %s in %s\n", strings.Join(s.Files, ", "), s.Out)
	} else {
		c.printf("  results   in %s, not merged: other shards are missing\n", s.Out)
	}
	return nil
}

// dryRun is what --dry-run reports.
type dryRun struct {
	Hash      string   `json:"hash"`
	Universes int      `json:"universes"`
	Samples   int      `json:"samples"` // of each
	Jobs      int      `json:"jobs"`
	Workers   int      `json:"workers"`
	Seconds   float64  `json:"seconds"`
	AtLeast   bool     `json:"at_least"` // universes did not settle while they were tried
	Memory    uint64   `json:"memory"`
	Results   uint64   `json:"results"` // bytes before compression
	Joules    *float64 `json:"joules"`  // null: not available
}

func (cmd *ensembleRunCommand) estimate(ctx context.Context, c *console, plan *ensemble.Plan, runners *ensemble.Runners, gpus []string) error {
	workers := jobsAtOnce(cmd.Threads, cmd.Engine, runners)
	meter, _ := energy.Open(gpus...)
	begin := time.Now()
	e, err := runners.New().Estimate(ctx, plan)
	if err != nil {
		return err
	}
	d := dryRun{
		Hash: plan.Hash(), Universes: plan.Universes(), Samples: plan.Samples(), Jobs: plan.JobCount(), Workers: workers,
		AtLeast: e.AtLeast, Memory: e.Memory * uint64(workers), Results: e.Results,
	}
	d.Seconds = e.Seconds / float64(min(workers, d.Jobs))
	if used, ok := meter.Joules(); ok {
		joules := used / time.Since(begin).Seconds() * d.Seconds
		d.Joules = &joules
	}
	if cmd.JSON {
		return c.printJSON(d)
	}
	about := "about"
	if d.AtLeast {
		about = "at least"
	}
	used := "not available"
	if d.Joules != nil {
		used = fmt.Sprintf("%s %.3g J, as is drawn with one worker", about, *d.Joules)
	}
	c.printf("%s universes, %s of each, in %s\n", grouped(uint64(d.Universes)), count(uint64(d.Samples), "sample"), count(uint64(d.Jobs), "job"))
	c.printf("  time     %s %s on %s\n", about, seconds(time.Duration(d.Seconds*1e9)), count(uint64(workers), "worker"))
	c.printf("  memory   about %s\n", binaryBytes(d.Memory))
	c.printf("  results  about %s before compression\n", binaryBytes(d.Results))
	c.printf("  energy   %s\n", used)
	return nil
}
