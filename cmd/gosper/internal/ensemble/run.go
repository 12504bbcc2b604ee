package ensemble

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/ensemble/folder"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/estimate"
	"github.com/gosper-life/gosper/ensemble/tables"
	"github.com/gosper-life/gosper/ensemble/worker"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/host"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cuda"
)

type runCommand struct {
	specFlags `embed:"" group:"What to run"`

	Out          string `placeholder:"DIR" help:"Folder for the results. An interrupted run continues where it stopped."`
	Add          bool   `help:"Add the rules, sizes, starts and densities to those that the folder holds, whose other numbers of universes, generations and samples stay."`
	tableFlags   `embed:""`
	Engine       string `placeholder:"E" default:"auto" env:"GOSPER_ENGINE" help:"Engine: auto, or one that gosper engines lists; with cuda:0,1,2,3 each job runs on one of these GPUs."`
	Threads      int    `placeholder:"N" env:"GOSPER_THREADS" help:"Jobs to run at once. Default: one for each core, from 4 to 12 for each GPU."`
	Shard        share  `placeholder:"I/N" help:"Run only the I-th of N parts of the jobs; gosper ensemble merge merges them."`
	UntilError   *goal  `placeholder:"Q=X" help:"Add universes until all standard errors of quantity Q in the summary are at most X (density=0.001)."`
	MaxUniverses int    `placeholder:"N" help:"Largest number of universes with --until-error. Default: 100 times --universes."`
	Tries        int    `default:"3" placeholder:"N" help:"Number of attempts at a job before it is set aside with its error. Default: 3."`
	DryRun       bool   `help:"Only estimate the time, memory and energy that the run needs."`
	Quiet        bool   `short:"q" help:"No progress and no summary."`
	JSON         bool   `name:"json" help:"Print the summary as one JSON object."`

	remoteFlags `embed:"" group:"Workers"`
}

// Help is shown below the usage.
func (*runCommand) Help() string {
	return `Examples:

    gosper ensemble run --rule B3/S23 --size 128 -n 1000 -g 1000 --every 10 --measure clusters --out life
    gosper ensemble run soups.toml --out soups --dry-run
    gosper ensemble run soups.toml --out part3 --shard 3/7
    gosper ensemble run soups.toml --out soups --workers 4
    gosper ensemble run soups.toml --out soups --nats nats://head:4222
    gosper ensemble run --rule B/S..B012345678/S012345678 --size 64 -n 1 -g 1000 --out all

The same spec gives the same files byte for byte, on one thread or a hundred machines. To continue an interrupted run, give the same command again.`
}

// summary is the report of a run or a merge.
type summary struct {
	Hash      string   `json:"hash"`
	Folder    string   `json:"folder"`
	Universes int      `json:"universes"`
	Jobs      int      `json:"jobs"` // jobs of this run: all, or those of the shard
	Done      int      `json:"done"` // jobs with results
	Parked    int      `json:"parked"`
	Out       []string `json:"out"` // the merged files in it; none if jobs are missing
	// rows of the table of samples, if they are too many to be written unasked
	LeftOut int      `json:"samples_left_out"`
	Seconds float64  `json:"seconds"`
	Joules  *float64 `json:"joules"`  // of the GPUs or processors that computed; null if not available
	Engine  *string  `json:"engine"`  // with plan and device; null if only workers on other machines know it
	Warning *string  `json:"warning"` // why the files cannot be traced to the program's source
}

// leftOut says which samples are not in the files, and how to get them.
func (s *summary) leftOut() string {
	return fmt.Sprintf("samples, %s rows; gosper ensemble merge %s --samples all writes them",
		number.Grouped(uint64(s.LeftOut)), s.Folder)
}

// Run implements the command.
func (cmd *runCommand) Run(ctx context.Context, c *console.Console) error {
	study, err := cmd.study(ctx)
	if err == nil && cmd.Add {
		study, err = cmd.added(study)
	}
	switch {
	case err != nil:
	case cmd.Out == "" && !cmd.DryRun:
		err = errors.New("--out DIR is missing: name a folder for the results")
	case cmd.Threads < 0 || cmd.Tries < 1:
		err = fmt.Errorf("--threads %d, --tries %d: want at least 0 threads and at least 1 try", cmd.Threads, cmd.Tries)
	case cmd.Shard.N > 0 && cmd.remote():
		err = errors.New("--shard divides the work without a queue: leave out --nats, --serve and --workers")
	default:
		err = errors.Join(cmd.check(), cmd.checkGoal(study))
	}
	if err != nil {
		return console.Bad(err)
	}
	runners, err := cmd.pool()
	if err != nil {
		return console.Bad(err)
	}
	defer runners.Close()
	gpus, err := runners.Check(ctx, study)
	if err != nil {
		return console.Bad(err)
	}
	if cmd.remote() { // other processes compute
		runners.Close()
	}
	warnOfHistories(c, study)
	if cmd.DryRun {
		return cmd.estimate(ctx, c, study, runners, gpus)
	}
	release, err := cmd.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if study, err = claim(cmd.Out, study, cmd.PerJob > 0, cmd.UntilError != nil); err != nil {
		return err
	}
	results, err := queue.OpenResults(cmd.Out)
	if err != nil {
		return err
	}
	if err := folder.Adopt(study, results); err != nil {
		return err
	}
	for _, d := range (folders{results}).damaged(study) {
		fmt.Fprintf(c.Err, "%v; the missing jobs run again\n", d)
	}
	run := &running{
		command: cmd, console: c, study: study, results: results, runners: runners, gpus: gpus, begun: time.Now(),
		line:    c.Line(cmd.Quiet),
		engines: map[string]bool{},
	}
	return run.do(ctx)
}

// added returns the ensemble of the folder with the rows of another one.
func (cmd *runCommand) added(study *ensemble.Study) (*ensemble.Study, error) {
	there, err := folder.Study(cmd.Out)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return study, nil
	case err == nil:
		study, err = ensemble.Pool(there, study)
	}
	if err != nil {
		return nil, fmt.Errorf("--add: %w", err)
	}
	return study, nil
}

// warnOfHistories warns that cells of elementary rules are a picture of the past, which is then measured.
func warnOfHistories(c *console.Console, study *ensemble.Study) {
	for _, g := range study.EachRule() {
		if n, ok := rule.Elementary(g.Points[0].Rule); ok {
			fmt.Fprintf(c.Err, "gosper: W%d draws the history of a line, a row for each generation: "+
				"what is measured is that picture, not the line\n", n)
			return
		}
	}
}

// pool prepares the workers. With engine auto those of this process share the work: all GPUs do what they can, and
// processors do the rest at the same time.
func (cmd *runCommand) pool() (*worker.Pool, error) {
	if devices := usableGPUs(); cmd.Engine == sim.Auto && !cmd.remote() && !cmd.DryRun && len(devices) > 0 {
		return worker.NewShared(cuda.Name + ":" + strings.Join(devices, ","))
	}
	return worker.NewPool(cmd.Engine)
}

// lock makes this run the only one in its folder, or of its shard.
func (cmd *runCommand) lock(ctx context.Context) (release func(), err error) {
	if err := output.Folder(cmd.Out); err != nil {
		return nil, console.Bad(err)
	}
	what, name := cmd.Out, "run.lock"
	if cmd.Shard.N > 0 {
		what = fmt.Sprintf("shard %d/%d of %s", cmd.Shard.I, cmd.Shard.N, cmd.Out)
		name = fmt.Sprintf("shard-%d-of-%d.lock", cmd.Shard.I, cmd.Shard.N)
	}
	return queue.Lock(ctx, filepath.Join(cmd.Out, name), what, thisProcess(), queue.LockPatience)
}

// running is a run in progress.
type running struct {
	command  *runCommand
	console  *console.Console
	study    *ensemble.Study
	results  *queue.Results
	tasks    []queue.Task
	gpus     []string // PCI bus ids of the GPUs that compute
	begun    time.Time
	line     *console.Line
	progress queue.Progress
	runners  *worker.Pool
	merged   tables.Merged
	missed   error // the goal of --until-error, or nil
	meter    *energy.Meter
	end      result.Run // the note about this run so far

	mu      sync.Mutex
	noted   bool            // whether the start of this run has been noted
	engines map[string]bool // engines that have been noted
}

// do computes all jobs, merges them and prints the report. The meter runs from the first job to the
// end of the merge.
func (r *running) do(ctx context.Context) error {
	meter := &energy.Meter{} // the energy of workers on other machines is not available
	if !r.command.remote() {
		meter, _ = energy.Open(r.gpus...) // a meter that is not available reports that when it is read
	}
	stop := meter.Record(time.Second) // often enough that no counter overflows between two readings
	r.meter = meter
	err := r.computeAndMerge(ctx)
	stop()
	r.line.Erase()
	summary := summary{
		Hash: r.study.Hash(), Folder: r.command.Out, Universes: r.study.Universes(), Out: []string{},
		Engine: console.Known(r.runners.Used()),
		Jobs:   len(r.tasks), Done: r.progress.Done, Parked: r.progress.Parked,
		Seconds: r.end.Seconds, Joules: r.end.Joules, Warning: console.Known(result.ThisBuild().Warning()),
	}
	if closed := r.results.Close(); err == nil {
		err = closed
	}
	switch {
	case errors.Is(err, context.Canceled):
		return r.interrupted()
	case err != nil:
		return err
	case r.progress.Parked > 0:
		return r.parked()
	}
	summary.Out, summary.LeftOut = append(summary.Out, r.merged.Files...), r.merged.LeftOut
	if err := r.command.report(r.console, summary); err != nil {
		return err
	}
	return r.missed
}

// computeAndMerge computes the jobs of the study and merges them. It repeats that with larger studies until the
// error is small enough.
func (r *running) computeAndMerge(ctx context.Context) error {
	first := r.study.Spec.Universes
	for {
		if r.command.Shard.N > 0 {
			return r.compute(ctx)
		}
		if err := r.both(ctx); err != nil || r.progress.Parked > 0 {
			return err
		}
		r.line.Erase()
		if err := describe(r.command.Out, r.study, folders{r.results}, r.merged); err != nil {
			return err
		}
		if r.command.UntilError == nil {
			return nil
		}
		worst, err := r.command.UntilError.worst(r.command.Out)
		if err != nil {
			return err
		}
		most := cmp.Or(r.command.MaxUniverses, 100*first)
		n := r.command.UntilError.next(worst, r.study.Spec.Universes, first, most)
		if n == r.study.Spec.Universes {
			if worst > r.command.UntilError.most {
				r.missed = fmt.Errorf(
					"a standard error of %s is still %.3g after %d universes, the most allowed: raise --max-universes",
					r.command.UntilError.quantity, worst, n)
			}
			return nil
		}
		larger, err := r.study.WithUniverses(n)
		if err != nil {
			return err
		}
		if r.study, err = claim(r.command.Out, larger, false, true); err != nil {
			return err
		}
		if err := folder.Adopt(r.study, r.results); err != nil {
			return err
		}
	}
}

// both has the jobs of the study done, and merges their results meanwhile. If it fails or jobs are parked, no
// merged files are written.
func (r *running) both(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	done := make(chan error, 1)
	go func() {
		var err error
		r.merged, err = tables.Merge(ctx, r.study, expected{r.results}, false, r.command.output(r.command.Out))
		if err != nil {
			cancel(err) // without its files the run is of no use
		}
		done <- err
	}()
	err := r.compute(ctx)
	if err != nil || r.progress.Parked > 0 {
		cancel(errMergeGivenUp)
		<-done
		return err
	}
	return <-done
}

// errMergeGivenUp ends a merge if some of its results will never arrive.
var errMergeGivenUp = errors.New("jobs are missing")

// noteEnd notes among the results how long this run has computed, if it has computed anything. The last note counts.
func (r *running) noteEnd() error {
	r.end = result.Run{Finished: time.Now().UTC(), Seconds: time.Since(r.begun).Seconds()}
	if joules, ok := r.meter.Joules(); ok {
		r.end.Joules = &joules
	}
	if !r.noted {
		return nil
	}
	return r.results.Note(noted{End: &r.end})
}

// compute has the jobs of the study done.
func (r *running) compute(ctx context.Context) (err error) {
	defer func() {
		if noted := r.noteEnd(); err == nil {
			err = noted
		}
	}()
	r.tasks = nil
	for j := range r.study.Jobs() {
		if r.command.remote() {
			if j, err = r.sent(j); err != nil {
				return err
			}
		}
		r.tasks = append(r.tasks, queue.Task{Key: j.Key(), Payload: j.Encode()})
	}
	if r.command.Shard.N > 0 {
		r.tasks = queue.Shard(r.tasks, r.command.Shard.I, r.command.Shard.N)
	}
	open := slices.ContainsFunc(r.tasks, func(t queue.Task) bool { return !r.results.Has(t.Key) })
	if r.command.remote() && open {
		r.progress, err = r.command.runRemotely(ctx, r)
		return err
	}
	options := queue.Options{
		Workers: jobsAtOnce(r.command.Threads, r.command.Engine, r.runners), Tries: r.command.Tries, Report: r.report,
	}
	if r.runners.Shared() {
		options.Rest = func() queue.Do { return r.doing(r.runners.NewRest()) }
		options.RestWorkers = cmp.Or(r.command.Threads, runtime.GOMAXPROCS(0))
	}
	r.progress, err = queue.Local(ctx, r.tasks, r.results, r.worker, options)
	return err
}

// worker returns the function that does jobs in one goroutine.
func (r *running) worker() queue.Do { return r.doing(r.runners.New()) }

// doing returns the function that does jobs with a worker.
func (r *running) doing(runner *worker.Worker) queue.Do {
	return func(ctx context.Context, payload []byte) ([]byte, error) {
		j, err := ensemble.DecodeJob(payload)
		if err == nil && j.From != "" {
			j.Earlier, err = folder.Load(j.From, r.results)
		}
		if err != nil {
			return nil, err
		}
		data, err := runner.Do(ctx, j.Encode())
		if err == nil {
			err = r.introduce(runner.Used)
		}
		return data, err
	}
}

// mostSent is the number of bytes that the states from which a job goes on may take in a queue, whose messages are
// limited to 1 MiB. In JSON they take a third more.
const mostSent = 600 << 10

// sent returns a job for workers on other machines, which cannot read the folder. If the job goes on from kept
// states, it includes them, provided that they fit in a message. If not, it begins at generation 0, with the same
// result.
func (r *running) sent(j ensemble.Job) (ensemble.Job, error) {
	if j.From == "" || r.results.Has(j.Key()) {
		return j, nil
	}
	var err error
	if j.Earlier, err = folder.Load(j.From, r.results); len(j.Earlier) > mostSent {
		j.From, j.Earlier = "", nil
	}
	return j, err
}

// begin notes among the results that this run has begun. A run that only merges leaves no note.
func (r *running) begin() error {
	if r.noted {
		return nil
	}
	r.noted = true
	return r.results.Note(noted{Run: &result.Run{Command: arguments(), Started: r.begun.UTC()}})
}

// introduce notes among the results which engine does the jobs of this process.
func (r *running) introduce(engine string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.engines[engine] {
		return nil
	}
	r.engines[engine] = true
	if err := r.begin(); err != nil {
		return err
	}
	return r.results.Note(queue.About{Worker: queue.Name(), About: aboutWorker(engine)})
}

// aboutWorker returns what a worker says about itself.
func aboutWorker(engine string) json.RawMessage {
	text, err := json.Marshal(result.Worker{Engine: engine, Build: result.ThisBuild(), Machine: host.ThisMachine()})
	if err != nil {
		panic(err) // of texts and numbers
	}
	return text
}

// interrupted reports how far an interrupted run got and returns its exit status.
func (r *running) interrupted() error {
	if !r.command.Quiet {
		fmt.Fprintf(r.console.Err, "%d of %d jobs are done; run the same command again to continue\n", r.progress.Done,
			len(r.tasks))
	}
	return console.Interrupted
}

// jobsAtOnce returns how many jobs run side by side. On processors it is one for each core. A GPU also gets
// several, because it computes one job while processors evaluate others. Twelve keep it busy: on an H200 with
// 16 cores, jobs of 4096 universes of 128×128 with clusters every 10 of 1000 generations run at 240, 860, 1550
// and 2090 Gcells/s with 1, 4, 8 and 12 jobs at once. Several GPUs share the cores.
func jobsAtOnce(threads int, engine string, runners *worker.Pool) int {
	cores := runtime.GOMAXPROCS(0)
	switch {
	case threads > 0:
		return threads
	case strings.HasPrefix(engine, cuda.Name) || engine == sim.Auto && len(usableGPUs()) > 0:
		return runners.GPUs() * max(4, min(cores/runners.GPUs(), 12))
	}
	return cores
}

// usableGPUs lists the numbers of the GPUs that engine auto would use.
func usableGPUs() []string {
	gpus, _ := cuda.GPUs() // with an error it lists none
	var numbers []string
	for _, g := range gpus {
		if g.Usable {
			numbers = append(numbers, strconv.Itoa(g.Number))
		}
	}
	return numbers
}

func (r *running) report(p queue.Progress) { r.line.Show(func() string { return progressOf(p) }) }

// progressOf is the line that shows how far an ensemble is. A remaining time of a hundred years or
// more is a guess from too few jobs, so it is left out.
func progressOf(p queue.Progress) string {
	line := fmt.Sprintf("%s of %s jobs  %.0f %%  %s  %s", number.Grouped(uint64(p.Done)), number.Grouped(uint64(p.Tasks)),
		100*float64(p.Done)/float64(max(p.Tasks, 1)), number.Rate(p.Rate(), "jobs"), number.Count(uint64(p.Alive), "worker"))
	if p.Parked > 0 {
		line += fmt.Sprintf("  %d failed", p.Parked)
	}
	if left, known := p.Remaining(); known && left < 100*365*24*time.Hour {
		line += fmt.Sprintf("  %v left", left.Round(time.Second))
	}
	return line
}

// parked returns the error of a run in which some jobs failed.
func (r *running) parked() error {
	failures, err := r.results.Failures()
	if err != nil {
		return err
	}
	for _, f := range failures {
		return fmt.Errorf(
			"%d of %d jobs failed and were set aside in %s, the first after %d tries: %s; the same command tries them again",
			len(failures), len(r.tasks), filepath.Join(r.command.Out, "failed"), f.Tries, f.Error)
	}
	return errors.New("jobs failed")
}

func (cmd *runCommand) report(c *console.Console, s summary) error {
	switch {
	case cmd.JSON:
		return c.PrintJSON(s)
	case cmd.Quiet:
		return nil
	}
	c.Printf("%s universes in %s, %s\n", number.Grouped(uint64(s.Universes)), number.Count(uint64(s.Jobs), "job"),
		number.Seconds(time.Duration(s.Seconds*1e9)))
	c.Printf("  ensemble  %s\n", s.Hash)
	if s.Engine != nil { // unknown if only workers on other machines computed
		c.Printf("  engine    %s\n", *s.Engine)
	}
	if s.Joules != nil {
		c.Printf("  energy    %.4g J\n", *s.Joules)
	}
	if len(s.Out) > 0 {
		c.Printf("  files     %s in %s\n", strings.Join(s.Out, ", "), s.Folder)
		if s.LeftOut > 0 {
			c.Printf("  left out  %s\n", s.leftOut())
		}
	} else {
		c.Printf("  results   in %s, not merged because other shards are missing\n", s.Folder)
	}
	if s.Warning != nil {
		c.Printf("  warning   %s\n", *s.Warning)
	}
	return nil
}

// dryRun is the report of --dry-run.
type dryRun struct {
	Hash      string   `json:"hash"`
	Universes int      `json:"universes"`
	Samples   int      `json:"samples"` // of each universe
	Jobs      int      `json:"jobs"`
	Workers   int      `json:"workers"`
	Seconds   float64  `json:"seconds"`       // total
	Merge     float64  `json:"merge_seconds"` // part of it that merges the results
	AtLeast   bool     `json:"at_least"`      // some universes did not settle in the trial
	Memory    uint64   `json:"memory"`        // bytes
	Results   uint64   `json:"result_bytes"`  // before compression
	Cells     uint64   `json:"cells_bytes"`   // of the files of cells
	CellFiles int      `json:"cells_files"`
	Joules    *float64 `json:"joules"` // null if not available
}

// estimate runs a small part of the study, and extrapolates time, memory and the sizes of files from
// it.
func (cmd *runCommand) estimate(ctx context.Context, c *console.Console, study *ensemble.Study, runners *worker.Pool,
	gpus []string,
) error {
	workers := jobsAtOnce(cmd.Threads, cmd.Engine, runners)
	_, samples := study.Samples()
	meter, _ := energy.Open(gpus...)
	begin := time.Now()
	e, err := estimate.Of(ctx, study, runners.New(), cmd.output(""))
	if err != nil {
		return err
	}
	d := dryRun{
		Hash: study.Hash(), Universes: study.Universes(), Samples: samples, Jobs: study.JobCount(), Workers: workers,
		AtLeast: e.AtLeast, Memory: e.Memory * uint64(workers), Results: e.Results, Cells: e.Dump, CellFiles: e.DumpFiles,
	}
	d.Seconds = e.Seconds / float64(min(workers, d.Jobs))
	if cmd.Shard.N > 0 {
		d.Seconds /= float64(cmd.Shard.N)
	} else {
		d.Merge = e.Merge
	}
	d.Seconds += d.Merge
	if used, ok := meter.Joules(); ok {
		joules := used / time.Since(begin).Seconds() * d.Seconds
		d.Joules = &joules
	}
	if cmd.JSON {
		return c.PrintJSON(d)
	}
	about := "about"
	if d.AtLeast {
		about = "at least"
	}
	used := "not available"
	if d.Joules != nil {
		used = fmt.Sprintf("%s %.3g J, from the power that one worker draws", about, *d.Joules)
	}
	most := ""
	if len(study.Rows()) > 1 {
		most = "at most "
	}
	c.Printf("%s universes, %s%s of each, in %s\n", number.Grouped(uint64(d.Universes)), most,
		number.Count(uint64(d.Samples), "sample"), number.Count(uint64(d.Jobs), "job"))
	c.Printf("  time     %s %s on %s, %s of it for the merge\n", about, number.Seconds(time.Duration(d.Seconds*1e9)),
		number.Count(uint64(workers), "worker"), number.Seconds(time.Duration(d.Merge*1e9)))
	c.Printf("  memory   about %s\n", number.Bytes(d.Memory))
	c.Printf("  results  about %s before compression\n", number.Bytes(d.Results))
	if d.CellFiles > 0 {
		c.Printf("  cells    %s in %s\n", number.Bytes(d.Cells), number.Count(uint64(d.CellFiles), "file"))
	}
	c.Printf("  energy   %s\n", used)
	return nil
}
