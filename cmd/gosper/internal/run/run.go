// Package run holds the command gosper run: it runs a universe and writes pictures, series and checkpoints on the way.
package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/energy"
	"github.com/gosper-life/gosper/internal/result"
	"github.com/gosper-life/gosper/internal/shell"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// defaultGenerations is the length of a run that is given no other.
const defaultGenerations = 1000

// manyCells is the population from which on the memory that reading a pattern took is given back before the run.
const manyCells = 1 << 18

// Command is gosper run.
type Command struct {
	origin.Flags      `embed:"" group:"Universe"`
	start.EngineFlags `embed:""`
	outputFlags       `embed:"" group:"Output"`
	clusterFlags      `embed:"" group:"Output"`
	hostFlags         `embed:"" group:"Hosts"`

	Generations *uint64       `name:"generations" short:"g" xor:"target" placeholder:"N" help:"Number of generations to run. Default: 1000."`
	To          *uint64       `xor:"target" placeholder:"N" help:"Run to generation N, counted from the one the pattern file or checkpoint gives."`
	Until       *run.Until    `placeholder:"COND" help:"Stop when the universe is stable or extinct. A stable universe repeats, except for cells that fly away forever. Without -g or --to there is no other limit."`
	Timeout     time.Duration `placeholder:"D" help:"Stop after this much time, the loading included (90s, 8h)."`
	Hash        string        `enum:"state,bytes,none" default:"state" placeholder:"KIND" help:"Hash to report: state, bytes for the SHA-256 of one byte a cell, or none. Default: state."`
	Quiet       bool          `short:"q" help:"No progress and no summary."`
	JSON        bool          `name:"json" help:"Print the summary as one JSON object."`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Examples:

    gosper run --size 1024 -g 500 --out soup.png
    gosper run gosper-gun -g 3000 --out gun.mc --series gun.csv --every 30
    gosper run --size 4096 -g 3000 --clusters 8 --cluster-sizes sizes.csv
    gosper run bosco --size 512 --checkpoint bosco.ckpt -g 1000000
    gosper run --resume bosco.ckpt
    gosper run --size 1048576 -g 1000 --hosts 4 --nats nats://head:4222 --checkpoint /shared/run

A soup lies on a torus, as does a pattern with --size. Other patterns lie on the unbounded plane. A bounded-grid suffix on the rule
overrides both. Ctrl-C finishes the generation, saves everything and exits with code 130; a second Ctrl-C kills the program.`
}

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	if err := cmd.refuse(); err != nil {
		return console.Bad(err)
	}
	if cmd.Hosts != nil {
		return cmd.runOnHosts(ctx, c)
	}
	if !cmd.Quiet {
		start.NoteReading(c, cmd.Rule)
	}
	timed, cancel := ctx, func() {}
	if cmd.Timeout > 0 {
		timed, cancel = context.WithTimeout(ctx, cmd.Timeout)
	}
	defer cancel()
	r, err := cmd.prepare(timed, c)
	switch {
	case err == nil:
	case timed.Err() == context.DeadlineExceeded && errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("out of time before the universe was loaded, no generation was run: give more than --timeout %v",
			cmd.Timeout)
	case errors.Is(err, context.Canceled) && !cmd.Quiet:
		fmt.Fprintln(c.Err, "gosper: interrupted before the universe was loaded: no generation was run")
		fallthrough
	default:
		return console.Bad(err)
	}
	defer r.close()
	if err := r.outputs.beginFrames(r); err != nil {
		return atomicfile.PathFirst(err)
	}
	failed := r.run(timed)
	if failed != nil && r.result.Reason == "" {
		return failed
	}
	// From here on there is something to save, also after an error or an interrupt. Files come first, because they have
	// taken hours. Clusters and the report may take a while and are computed from the same cells. If one output cannot be
	// written, the others still are.
	files, unsaved := r.outputs.save(ctx, r)
	if sim.IsDeviceError(unsaved) {
		return unsaved
	}
	clusters, err := cmd.clusters(ctx, r)
	if r.abandoned || sim.IsDeviceError(err) {
		return errors.Join(atomicfile.PathFirst(failed), unsaved, err)
	}
	if err == nil && cmd.ClusterSizes != "" {
		files = append(files, cmd.ClusterSizes)
	}
	streamed, unstreamed := r.outputs.saveStreams(ctx, r)
	files = append(files, streamed...)
	err = errors.Join(cmd.failure(r, failed), unsaved, err, unstreamed, cmd.report(ctx, c, r, files, clusters))
	if err == nil && (r.result.Reason == run.ReasonInterrupted || ctx.Err() != nil) {
		return console.Interrupted
	}
	return err
}

// failure explains why a run ended that still has something to save. If it ran out of memory, it also says how
// to continue.
func (cmd *Command) failure(r *running, err error) error {
	switch {
	case err == nil || r.result.Reason != run.ReasonMemory:
		return atomicfile.PathFirst(err)
	case cmd.Checkpoint != "":
		return fmt.Errorf("%w; to continue, use --resume %s with more --memory", err, shell.Join([]string{cmd.Checkpoint}))
	}
	return fmt.Errorf("%w; give more --memory, and --checkpoint FILE to be able to continue", err)
}

// silent reports whether no report is wanted.
func (cmd *Command) silent() bool { return cmd.Quiet && !cmd.JSON }

// clusters finds the clusters if they are wanted. It returns nil if they are not.
func (cmd *Command) clusters(ctx context.Context, r *running) (*clusterSummary, error) {
	if cmd.Clusters == nil || cmd.silent() && cmd.ClusterSizes == "" {
		return nil, nil
	}
	found, err := look(ctx, r, func() (foundClusters, error) { return cmd.find(r.engine, r.start.Config.Topology) })
	if err == nil && cmd.ClusterSizes != "" {
		err = r.outputs.saveSizes(ctx, r, func(w io.Writer) error {
			return result.Encode(w, cmd.sizesFormat(), found.sizes)
		})
	}
	return found.summary, err
}

// report prints the summary. It is computed only if it is wanted, because the hash of a universe takes time.
func (cmd *Command) report(ctx context.Context, c *console.Console, r *running, files []string,
	clusters *clusterSummary,
) error {
	if cmd.silent() {
		return nil
	}
	summary, err := r.summary(ctx, cmd.Hash, files)
	if err != nil {
		return err
	}
	summary.Clusters, summary.Repeat = clusters, cmd.repeat(r, c.RuleFolders)
	c = output.Reports(c, append(cmd.Out, cmd.Series, cmd.ClusterSizes)...)
	if cmd.JSON {
		return c.PrintJSON(summary)
	}
	summary.print(c)
	return nil
}

// look returns the result of f, which looks at the universe. Ctrl-C ends the wait, unless it ended the run before; f
// then keeps the engine.
func look[T any](ctx context.Context, r *running, f func() (T, error)) (T, error) {
	if ctx.Err() != nil {
		return f()
	}
	found, err := console.Await(ctx, f)
	r.abandoned = r.abandoned || ctx.Err() != nil && errors.Is(err, ctx.Err())
	return found, err
}

// repeat is the command that computes the same universe in the same way and prints the same report. It leaves
// out files, because the existing ones would be in the way.
func (cmd *Command) repeat(r *running, ruleFolders []string) string {
	var args []string
	flag := func(name, value string) { args = append(args, name, value) }
	for _, dir := range ruleFolders {
		flag("--rules", dir)
	}
	if cmd.Engine != "" && cmd.Engine != sim.Auto {
		flag("--engine", cmd.Engine)
	}
	if cmd.Plan != "" {
		flag("--plan", cmd.Plan)
	}
	if cmd.Clusters != nil {
		flag("--clusters", strconv.Itoa(cmd.Clusters.Neighbours()))
	}
	if cmd.Hash != "state" {
		flag("--hash", cmd.Hash)
	}
	// A continued run may find out later than a run from the start that its universe is stable.
	if reason := r.result.Reason; reason == run.ReasonExtinct || reason == run.ReasonStable && cmd.Resume == "" {
		flag("--until", r.until.String())
	}
	flag("--to", strconv.FormatUint(r.engine.Generation(), 10))
	return "gosper run " + r.start.Repeat + " " + shell.Join(args)
}

// running is a run in progress.
type running struct {
	empty      bool // an output cannot represent generations with a live background
	console    *console.Console
	quiet      bool // no notes
	start      *origin.Origin
	engine     sim.Engine
	abandoned  bool // a function still uses the engine
	target     uint64
	until      run.Until
	outputs    *outputs
	progress   *start.Progress
	estimating *run.Hook  // nil if there is none
	rival      *run.Rival // nil if there is none
	result     run.Result
	energy     energy.Use
}

// prepare does everything that can fail because of a flag, a file or a size. It leaves no files behind.
func (cmd *Command) prepare(ctx context.Context, c *console.Console) (*running, error) {
	if err := start.CheckThreads(cmd.Threads); err != nil {
		return nil, err
	}
	line := c.Line(cmd.Quiet)
	u, err := start.Origin(ctx, &cmd.Flags, &cmd.EngineFlags, start.Reading(line, cmd.Pattern))
	line.Erase()
	if err != nil {
		return nil, err
	}
	cmd.Configure(&u.Config)
	r := &running{console: c, quiet: cmd.Quiet, start: u, empty: cmd.needsDeadBackground() || cmd.Clusters != nil}
	if r.until = u.Until; cmd.Until != nil {
		r.until = *cmd.Until
	}
	if r.target, err = cmd.targetFrom(u, r.until); err != nil {
		return nil, err
	}
	if err := cmd.clusterFlags.check(u.Config.Topology); err != nil {
		return nil, err
	}
	if cmd.Timeout < 0 {
		return nil, fmt.Errorf("--timeout %v: want more than 0", cmd.Timeout)
	}
	if r.until == run.UntilTarget {
		u.Config.Outlook.Brief = isBrief(u.Config, r.target-u.Generation)
		if cmd.Every == 0 {
			u.Config.Outlook.Ahead = r.target - u.Generation
		}
	}
	if r.engine, err = u.Open(ctx, cmd.Engine); err != nil {
		return nil, err
	}
	if r.outputs, err = cmd.open(ctx, c, u, r.engine, r.target, cmd.Resume, cmd.ClusterSizes); err != nil {
		r.engine.Close()
		return nil, err
	}
	r.progress = start.NewProgress(line, u.Generation, r.target, u.Config.Topology)
	err = u.Load(ctx, r.engine, r.progress.Filling)
	line.Erase()
	if err != nil {
		r.close()
		return nil, err
	}
	u.Load = nil // refers to the pattern
	if u.Config.Outlook.Population >= manyCells {
		debug.FreeOSMemory() // while the universe is small
	}
	r.engine.SetGeneration(u.Generation)
	info := r.engine.Info()
	races := (cmd.Engine == "" || cmd.Engine == sim.Auto) && !u.Config.Topology.Bounded() && len(info.GPUs) == 0 &&
		cmd.Series == ""
	switch {
	case r.target == sim.Forever: // nobody waits for an end
	// Hashed life may be much faster than engines that compute cells, or much slower, and nobody knows
	// before. If the engine was not named, the other kind starts as a rival, and the faster one goes
	// on.
	case info.Leaps:
		if races && (u.Config.Outlook.Quadtree || u.Config.Rule.Kind() == rule.KindFunction) {
			r.rival = run.NewRival(r.drawn)
		}
	case races:
		r.rival = run.NewRival(r.hashed)
	case !cmd.Quiet:
		r.estimating = r.estimate(c)
	}
	return r, nil
}

// isBrief reports whether a processor computes the given number of generations in less time than a GPU takes to start,
// which is 0.4 s: one core computes 10^10 cells and more in a second unless the radius is large.
func isBrief(cfg sim.Config, generations uint64) bool {
	const (
		fewCells   = 1 << 31 // of all generations
		mostRadius = 64
	)
	t := cfg.Topology
	over, cells := bits.Mul64(uint64(t.W)*uint64(t.H), generations)
	return t.Bounded() && over == 0 && cells < fewCells && cfg.Rule.Radius() <= mostRadius
}

// targetFrom is the generation to stop at.
func (cmd *Command) targetFrom(u *origin.Origin, until run.Until) (uint64, error) {
	switch {
	case cmd.To != nil && *cmd.To < u.Generation:
		return 0, fmt.Errorf("target generation %d is already passed: the universe is at %d", *cmd.To, u.Generation)
	case cmd.To != nil:
		return *cmd.To, nil
	case cmd.Generations != nil:
		return start.After(u.Generation, *cmd.Generations)
	case u.Target != sim.Forever || until != run.UntilTarget || cmd.Resume != "":
		return u.Target, nil
	}
	return start.After(u.Generation, defaultGenerations)
}

// close releases everything. An engine that an abandoned function still reads stays open until the
// process ends.
func (r *running) close() {
	r.progress.Erase()
	r.outputs.abort()
	if !r.abandoned {
		r.engine.Close()
	}
}

// warn reports a problem that does not end the run.
func (r *running) warn(format string, args ...any) {
	r.progress.Erase()
	fmt.Fprintln(r.console.Err, "gosper:", console.OneLine(fmt.Sprintf(format, args...)))
}

// run advances the universe.
func (r *running) run(ctx context.Context) error {
	opts := run.Options{
		Config: r.start.Config, Target: r.target, Until: r.until, Lifespan: true, Empty: r.empty,
		Observers: r.outputs.observers(), Hooks: r.outputs.hooks(r), Rival: r.rival,
	}
	opts.Hooks = append(opts.Hooks, r.progress.Hooks()...)
	if r.estimating != nil {
		opts.Hooks = append(opts.Hooks, *r.estimating)
	}
	var err error
	used := recordEnergy(r.engine)
	r.result, err = run.Run(ctx, r.engine, opts)
	if r.result.Engine != nil {
		r.engine = r.result.Engine
	}
	r.energy = used(float64(r.result.Generations) * float64(opts.Config.Topology.W) * float64(opts.Config.Topology.H))
	r.progress.Erase()
	switch {
	case isSystemError(err):
		r.result.Reason = reasonFailed
	case err != nil && r.result.Stepping == 0:
		return console.Bad(err) // refused before the first step
	}
	return err
}

// recordEnergy starts to measure the energy of an engine's devices. used ends the measurement; cells is the
// number of cells computed.
func recordEnergy(e sim.Engine) (used func(cells float64) energy.Use) {
	meter, _ := energy.Open(e.Info().GPUs...)            // if it fails, energy is not available
	begin, stop := time.Now(), meter.Record(time.Minute) // often enough that no counter overflows between two readings
	return func(cells float64) energy.Use {
		readings := stop()
		if len(readings) == 0 {
			return energy.Use{}
		}
		last := readings[len(readings)-1]
		return energy.UseOf(last.Joules, true, last.At.Sub(begin), cells)
	}
}
