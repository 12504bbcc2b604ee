package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/big"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/hosts"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/bandfiles"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/queue/jetstream"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule/rulefile"
	"github.com/gosper-life/gosper/sim/run"
)

// hostFlags run the universe on several hosts.
type hostFlags struct {
	Hosts             *int `placeholder:"N" help:"Run the universe in N bands of rows, on N workers (gosper worker) of this and other machines. docs/hosts.md explains it."`
	hosts.ServerFlags `embed:""`
	DryRun            bool `help:"With --hosts: only print the bands, the memory and the messages that the run needs."`
}

// refuse returns the error of a flag that has no meaning for a run on hosts.
func (cmd *Command) refuse() error {
	const whole = "with --hosts no host has all cells: "
	f := &cmd.outputFlags
	switch {
	case cmd.Hosts == nil && cmd.DryRun:
		return errors.New("--dry-run needs --hosts N")
	case cmd.Hosts == nil:
		return nil
	case *cmd.Hosts < 1:
		return fmt.Errorf("--hosts %d: want at least 1", *cmd.Hosts)
	case cmd.Start != "" || cmd.GollyB0 || cmd.Reverse:
		return errors.New("--hosts runs soups and patterns: leave out --start, --golly-b0 and --reverse")
	case f.Frames != "" || cmd.ClusterSizes != "" || len(f.Count) > 0:
		return errors.New(whole + "leave out --frames, --cluster-sizes and --count")
	case slices.ContainsFunc(f.Out, func(path string) bool { return f.onHosts(path) == 0 }):
		return errors.New(whole + "want --out FILE.npy, of which each worker writes its rows, or FILE.png for a picture")
	case cmd.Hash == "bytes":
		return errors.New(whole + "want --hash state or none")
	case cmd.Until != nil:
		return errors.New(whole + "leave out --until and give -g or --to")
	case cmd.Plan != "" || cmd.Memory != 0:
		return errors.New("--plan, --memory: workers on hosts choose their plans")
	case cmd.ServerFlags.Check() != nil:
		return cmd.ServerFlags.Check()
	case cmd.Timeout < 0 || cmd.Wait < 0:
		return fmt.Errorf("--timeout %v, --wait %v: want more than 0, and 0s or more", cmd.Timeout, cmd.Wait)
	case f.Series != "" && cmd.Resume != "" && cmd.Checkpoint == "":
		return errors.New("--series needs --checkpoint if the run continues another one on hosts")
	}
	return f.check("")
}

// mostPixels is the length of the longer side of a picture, at most.
const mostPixels = 2048

// onHosts is the format of an output that hosts can make, or 0. It is NPY if workers write their rows, which have known
// places, and PNG for a picture.
func (f *outputFlags) onHosts(path string) pattern.Format {
	format, gzipped, err := pattern.FormatOf(output.FormatName(path, f.Format))
	if err != nil || gzipped || format != pattern.PNG && (format != pattern.NPY || output.IsStream(path)) {
		return 0
	}
	return format
}

// picture writes a picture of the squares that workers have counted, in the colours of gosper render.
func (r *hostRun) picture(out io.Writer, s *hosts.Squares) error {
	painter := scene.Painter{Theme: scene.Themes[0], States: r.options.Config.Rule.States}
	var frame scene.Frame
	if err := frame.Read(s, scene.Region{W: s.W, H: s.H, Scale: s.Scale}, scene.Unlimited); err != nil {
		return err
	}
	w, err := film.NewWriter(out, film.PNG, film.Header{W: s.W, H: s.H, Frames: 1, Palette: painter.Palette(s.Scale)})
	if err != nil {
		return err
	}
	pixels := make([]uint8, s.W*s.H)
	painter.Paint(pixels, &frame, nil, 0)
	if err := w.Frame(pixels); err != nil {
		return err
	}
	return w.Close()
}

// hostRun is a run on hosts.
type hostRun struct {
	*Command
	console  *console.Console
	start    *origin.Origin
	outputs  *outputs
	repeat   string // arguments that make the universe of a pattern again; empty for a soup
	options  hosts.Options
	progress *start.Progress
	line     *console.Line
}

// runOnHosts is Run with --hosts.
func (cmd *Command) runOnHosts(ctx context.Context, c *console.Console) error {
	r := &hostRun{Command: cmd, console: c, line: c.Line(cmd.Quiet)}
	if err := r.prepare(ctx); err != nil {
		return console.Bad(err)
	}
	if cmd.DryRun {
		return r.estimate(ctx)
	}
	r.outputs = &outputs{flags: &cmd.outputFlags, console: c}
	defer r.outputs.abort()
	if err := r.open(ctx); err != nil {
		return console.Bad(err)
	}
	if cmd.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cmd.Timeout)
		defer cancel()
	}
	f, ended := r.run(ctx)
	r.line.Erase()
	if f == nil {
		return r.short(ctx, ended)
	}
	var err error
	var files []string
	for _, d := range r.outputs.out {
		if ended != nil {
			break
		}
		if r.onHosts(d.Path) == pattern.PNG {
			err = d.Write(ctx, c, func(w io.Writer) error { return r.picture(w, f.Squares) })
		} else {
			err = d.Publish()
		}
		if err != nil {
			return atomicfile.PathFirst(err)
		}
		files = append(files, d.Path)
		if !cmd.Quiet && r.onHosts(d.Path) == pattern.NPY {
			output.NoteLostRule(c, d.Path, pattern.NPY, r.options.Config.Rule.String())
		}
	}
	if s := r.outputs.series; s != nil {
		if err := s.commit(); err != nil {
			return atomicfile.PathFirst(err)
		}
		files = append(files, cmd.Series)
	}
	if cmd.Checkpoint != "" {
		files = append(files, cmd.Checkpoint)
	}
	if !cmd.silent() {
		s := r.summary(f, ended, files)
		c := output.Reports(c, append(slices.Clone(cmd.Out), cmd.Series)...)
		if cmd.JSON {
			err = c.PrintJSON(s)
		} else {
			s.print(c)
		}
	}
	switch {
	case ended != nil:
		return cmp.Or(err, r.short(ctx, ended))
	case err == nil && f.Reason == run.ReasonInterrupted:
		err = console.Interrupted
	}
	return err
}

// short is the error of a run that err has ended.
func (r *hostRun) short(ctx context.Context, err error) error {
	var short *hosts.Short
	if !errors.As(err, &short) || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return err
	}
	fmt.Fprintln(r.console.Err, "gosper:", err)
	return console.Interrupted
}

// prepare reads the flags.
func (r *hostRun) prepare(ctx context.Context) (err error) {
	flags := r.Flags
	if r.Resume != "" {
		flags.Resume = ""
		if flags != (origin.Flags{}) {
			return errors.New("--resume takes the universe from the checkpoint: leave out --rule, --size and the like")
		}
		if r.options.From, err = bandfiles.Read(r.Resume); err != nil {
			return fmt.Errorf("--resume %s: want the folder that --checkpoint named in a run with --hosts: %w", r.Resume, err)
		}
		if len(r.options.From.Bands) == 0 {
			return fmt.Errorf("--resume %s: its run ended before its first checkpoint; start the run again", r.Resume)
		}
		if r.options.FromDir, err = filepath.Abs(r.Resume); err != nil {
			return err
		}
		u := &r.options.From.Universe
		if err := rulefile.AddTexts(u.RuleFiles); err != nil {
			return err
		}
		flags.Rule, flags.Topology, flags.Seed, flags.Density = u.Rule, u.Topology, &u.Seed, &u.Density
		r.repeat = u.Repeat
	}
	if r.start, err = r.fromArray(ctx, &flags); err != nil {
		return err
	}
	if r.start != nil {
	} else if r.start, err = start.Origin(ctx, &flags, &r.EngineFlags, nil); err != nil {
		return err
	}
	if m := r.options.From; m != nil {
		r.start.Generation, r.start.Target, r.start.Facts = m.Generation, m.Target, m.Facts
	}
	o := &r.options
	if r.start.Seed != "" {
		if o.Seed, err = strconv.ParseUint(r.start.Seed, 10, 64); err != nil {
			return err
		}
	}
	if o.From == nil {
		o.Began = r.start.Generation
	}
	o.Config, o.Density, o.Hosts, o.Hash = r.start.Config, r.start.Density, *r.Hosts, r.Hash == "state"
	o.Clusters = r.Clusters
	if slices.ContainsFunc(r.Out, func(path string) bool { return r.onHosts(path) == pattern.PNG }) {
		o.Pixels = mostPixels
	}
	o.Period, o.Every = r.Every, r.CheckpointEvery
	o.Target, err = r.targetFrom(r.start, run.UntilTarget)
	if err == nil {
		err = o.Check()
	}
	if err != nil || r.Pattern == "" {
		return err
	}
	r.repeat = r.start.Repeat
	if o.Repeat = r.repeat; o.Array != nil {
		return nil
	}
	o.Pattern = hosts.NewPattern(o.Config)
	return r.start.Load(ctx, o.Pattern, nil)
}

// fromArray is the origin if the pattern is a NumPy file with all cells of the universe, of which workers read their
// rows. Otherwise it is nil.
func (r *hostRun) fromArray(ctx context.Context, flags *origin.Flags) (*origin.Origin, error) {
	format, gzipped, err := pattern.FormatOf(flags.Pattern)
	if err != nil || format != pattern.NPY || gzipped {
		return nil, nil
	}
	a, err := hosts.OpenArray(flags.Pattern)
	if err != nil {
		return nil, nil // start.Origin says what is wrong, or finds another pattern of this name
	}
	u, ok, err := flags.OfArray(ctx, a.W, a.H, a.Depth)
	if err != nil || !ok {
		return nil, err
	}
	r.options.Array = a
	return u, nil
}

// open reserves the outputs.
func (r *hostRun) open(ctx context.Context) (err error) {
	o := &r.options
	if r.Checkpoint != "" {
		if o.Dir, err = filepath.Abs(r.Checkpoint); err != nil {
			return err
		}
		if bandfiles.Is(o.Dir) && o.Dir != o.FromDir && !r.Force {
			return fmt.Errorf("--checkpoint %s: %w; --resume continues it, --force replaces it", r.Checkpoint,
				atomicfile.ErrExists)
		}
		if err := output.Folder(o.Dir); err != nil {
			return err
		}
	}
	for _, path := range r.Out {
		d, err := output.Open(path, r.Force)
		if err != nil {
			return r.outputs.twice(path, err)
		}
		r.outputs.out = append(r.outputs.out, d)
		if r.onHosts(path) == pattern.NPY {
			o.Out = append(o.Out, d.Unfinished())
		}
	}
	o.Facts = r.facts
	if r.Series == "" {
		o.Period = 0
		return nil
	}
	s, err := newSeries(ctx, r.outputs, r.start, nil)
	if err != nil {
		return output.CannotWrite(r.Series, err)
	}
	r.outputs.series = s
	o.Sample = s.addSample
	return nil
}

// facts are those of a checkpoint. With them, one machine can continue the run as well.
func (r *hostRun) facts() (map[string]string, error) {
	u := *r.start
	if r.repeat != "" { // the universe is that of a pattern
		u.Seed, u.Repeat = "", r.repeat
	}
	facts := u.Header(0, 0, run.UntilTarget).Facts
	s := r.outputs.series
	if s == nil {
		return facts, nil
	}
	more, err := s.mark()
	maps.Copy(facts, more)
	s.marked = s.marked || err == nil && s.begun
	return facts, err
}

// run runs the universe.
func (r *hostRun) run(ctx context.Context) (*hosts.Finished, error) {
	c, end, err := r.Connect(ctx, r.console.Err)
	if err != nil {
		return nil, err
	}
	defer end()
	r.progress = start.NewProgress(r.line, r.start.Generation, r.options.Target, r.options.Config.Topology)
	r.options.Hold = jetstream.Options{Owner: queue.ThisProcess("gosper run --hosts " + strconv.Itoa(*r.Hosts))}
	r.options.Progress = r.show
	return hosts.Run(ctx, c, r.options)
}

// show shows how far the run is.
func (r *hostRun) show(p hosts.Progress) {
	if p.Missing > 0 {
		r.line.Show(func() string { return "waiting for " + number.Count(uint64(p.Missing), "worker") })
		return
	}
	r.progress.Show(func() string {
		text := r.progress.Text(p.Generation)
		text += fmt.Sprintf("  %.0f %% waited, band %d slowest", 100*p.Waited, p.Slowest+1)
		if p.Restarts > 0 {
			text += "  " + number.Count(uint64(p.Restarts), "restart")
		}
		return text
	})
}

// summary is the report of a run. ended is its error, or nil.
func (r *hostRun) summary(f *hosts.Finished, ended error, files []string) *summary {
	t := r.options.Config.Topology
	s := &summary{
		Rule: r.options.Config.Rule.String(), Width: t.W, Height: t.LayerRows(), Topology: t.String(),
		Generation: f.Generation, Generations: f.Generations, Reason: string(f.Reason),
		States: f.States,
		Engine: f.Engine, Device: f.Device, Plan: fmt.Sprintf("hosts=%d,halo=%d,%s", *r.Hosts, f.Depth, f.Plan),
		Seconds: f.Stepping.Seconds(),
		Out:     append([]string{}, files...), cells: uint64(t.W) * uint64(t.H),
	}
	if t.Volume() {
		s.Depth = console.Known(t.D)
	}
	if f.Sample != nil {
		s.Population = new(big.Int).SetUint64(f.Sample.Population)
	}
	if f.Generations > 0 && s.Seconds > 0 {
		rate := float64(f.Generations) * float64(s.cells) / s.Seconds
		s.CellsPerSecond = &rate
	}
	if f.Clusters != nil {
		s.Clusters = summaryOf(*f.Clusters, *r.Clusters, f.Labelling)
	}
	switch {
	case f.Hash != nil:
		s.Hash = console.Known(fmt.Sprintf("%x", *f.Hash))
	case r.Hash != "none" && ended != nil:
		s.unhashed = "not computed: the run ended early"
	case r.Hash != "none" && f.Reason == run.ReasonInterrupted:
		s.unhashed = cancelled
	case r.Hash != "none":
		s.unhashed = tooWide
	}
	if r.repeat == "" {
		s.Seed, s.Density = &r.start.Seed, &r.start.Density
	}
	s.Repeat = fmt.Sprintf("gosper run %s --to %d", cmp.Or(r.repeat, r.start.Repeat), f.Generation)
	return s
}

// dryRun is the report of --dry-run.
type dryRun struct {
	Topology string `json:"topology"`
	hosts.Estimate
}

// estimate prints what the run needs.
func (r *hostRun) estimate(ctx context.Context) error {
	cfg := r.options.Config
	cfg.Threads = r.Threads
	e, err := hosts.Guess(ctx, r.Engine, cfg, *r.Hosts, r.options.Seed, r.options.Density)
	if err != nil {
		return console.Bad(err)
	}
	if r.JSON {
		return r.console.PrintJSON(dryRun{cfg.Topology.String(), *e})
	}
	lines := "row"
	if cfg.Topology.Volume() {
		lines = "layer"
	}
	c := r.console
	c.Printf("%v on %v in %s of %s\n", cfg.Rule, cfg.Topology, number.Count(uint64(*r.Hosts), "band"),
		number.Count(uint64(e.Lines), lines))
	c.Printf("  memory      %s for the cells of a worker\n", number.Bytes(e.Bytes))
	c.Printf("  passes      of %s\n", number.Count(uint64(e.Depth), "generation"))
	c.Printf("  messages    %.3g a second from each worker, of %s each\n", e.Sends, number.Bytes(uint64(e.Halo)))
	c.Printf("  speed       %s, if each host is as fast as this one, with 10 Gbit/s and 1 ms between them\n",
		number.Rate(e.Rate, "cells"))
	return nil
}

// addSample adds the row of a sample that hosts have taken.
func (s *series) addSample(x hosts.Sample) error {
	s.begun = true
	if x.Generation+1 == s.resumed {
		return nil
	}
	births, deaths := "", ""
	if x.Known {
		births, deaths = fmt.Sprint(x.Births), fmt.Sprint(x.Deaths)
	}
	return s.add(x.Generation, x.Box, span{x.FirstLayer, x.Layers}, fmt.Sprint(x.Population), births, deaths, "")
}
