package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/run"
)

// firstCheckpoint is when the first checkpoint is due. It is early, so that a run that is cut soon after its
// start keeps something.
const firstCheckpoint = time.Second

// outputFlags are the flags for the files that a run writes.
type outputFlags struct {
	Out             []string      `short:"o" sep:"none" placeholder:"FILE" help:"Write the last generation: .rle .mc .cells .lif .life .png .pbm .pgm .npy, each also with .gz; - for standard output. A name with %03d, like cells%03d.png, is a stack of a PNG for each layer. May be repeated."`
	Format          string        `placeholder:"F" help:"Format of --out if its suffix does not give one: rle, mc, png, npy.gz, … Default: rle."`
	Frames          string        `placeholder:"DIR" help:"Write a PNG of every Nth generation into a folder (needs --every)."`
	Series          string        `placeholder:"FILE.csv" help:"Write population, births, deaths and bounding box of every Nth generation, - for standard output (needs --every)."`
	Count           []string      `sep:"none" placeholder:"P" help:"Also count a pattern in each row of --series: an apgcode (xs4_33), a known name (glider) or RLE (3o!), in all orientations; may be repeated."`
	Phases          string        `placeholder:"R" help:"Count all phases that the patterns of --count go through under this rule. Default: only the phase given."`
	Every           uint64        `placeholder:"N" help:"The N of --frames and --series."`
	Checkpoint      string        `placeholder:"FILE" help:"Save the run in a file that --resume continues from."`
	CheckpointEvery time.Duration `placeholder:"D" default:"30s" help:"Time between checkpoints. The first one is written after a second, the last one at the end. Default: 30s."`
	Force           bool          `help:"Replace files that exist."`
}

// outputs are the files of a run. Their names are reserved from the start. Only checkpoints and frames appear
// before save.
type outputs struct {
	flags      *outputFlags
	console    *console.Console
	out        []*output.Destination
	sizes      *output.Destination // of clusters; nil if there is none
	series     *series             // nil if there is none
	frames     *frames             // nil if there is none
	checkpoint *atomicfile.Claim   // nil if there is none
	unsaved    error               // of the last checkpoint
	own        ownSums
}

// ownSums are the hashes of files that the run has written, or is about to, by their names without folders. They are in
// the checkpoint before the files have their names. A run that is cut at any time and continued may replace them.
type ownSums map[string][]string

// factOutputs is ownSums as JSON, in a checkpoint's header.
const factOutputs = "outputs"

// mostSums is the number of hashes that are kept of one name.
const mostSums = 4

func (o ownSums) add(path string, sum atomicfile.Sum) {
	name, text := filepath.Base(path), hex.EncodeToString(sum[:])
	all := slices.DeleteFunc(slices.Clone(o[name]), func(other string) bool { return other == text })
	o[name] = append(all[max(0, len(all)-mostSums+1):], text)
}

// of returns the hashes that a file may have.
func (o ownSums) of(path string) (sums []atomicfile.Sum) {
	for _, text := range o[filepath.Base(path)] {
		if sum, err := hex.DecodeString(text); err == nil && len(sum) == sha256.Size {
			sums = append(sums, atomicfile.Sum(sum))
		}
	}
	return sums
}

// ownIn returns the facts of a checkpoint about files of the run.
func ownIn(facts map[string]string) (ownSums, error) {
	own := ownSums{}
	if text := facts[factOutputs]; text != "" {
		if err := json.Unmarshal([]byte(text), &own); err != nil {
			return nil, fmt.Errorf("%s %q in a checkpoint: %w", factOutputs, text, err)
		}
	}
	return own, nil
}

// open checks and reserves every output before the run, so that hours of work are not lost to a name that is taken.
// It does not create them. resumed is the checkpoint that the run continues from, which it may replace. sizes is the
// file of cluster sizes.
func (f *outputFlags) open(ctx context.Context, c *console.Console, u *origin.Origin, e sim.Engine, target uint64,
	resumed, sizes string,
) (*outputs, error) {
	o := &outputs{flags: f, console: c}
	if err := o.open(ctx, u, e, target, resumed, sizes); err != nil {
		o.abort()
		return nil, err
	}
	return o, nil
}

// open reserves the outputs in order. If one fails, the caller gives up those before.
func (o *outputs) open(ctx context.Context, u *origin.Origin, e sim.Engine, target uint64, resumed,
	sizes string,
) (err error) {
	f := o.flags
	if err := f.check(sizes); err != nil {
		return err
	}
	if o.own, err = ownIn(u.Facts); err != nil {
		return err
	}
	for _, path := range f.Out {
		if err := f.checkPattern(path, u, e); err != nil {
			return err
		}
		d, err := output.OpenPattern(path, u.Config.Topology.D, f.Force, o.own.of)
		if err != nil {
			return o.twice(path, err)
		}
		o.out = append(o.out, d)
	}
	if sizes != "" {
		if o.sizes, err = output.Open(sizes, f.Force, o.own.of(sizes)...); err != nil {
			return o.twice(sizes, err)
		}
	}
	if f.Checkpoint != "" {
		if o.checkpoint, err = checkpoint.Hold(f.Checkpoint, f.Force ||
			resumed != "" && output.SameFile(f.Checkpoint, resumed)); err != nil {
			return o.twice(f.Checkpoint, output.CannotWrite(f.Checkpoint, err))
		}
	}
	if f.Frames != "" {
		if o.frames, err = newFrames(f, u, e, target); err != nil {
			return atomicfile.PathFirst(err)
		}
	}
	if f.Series != "" {
		if o.series, err = newSeries(ctx, o, u, e); err != nil {
			return o.twice(f.Series, output.CannotWrite(f.Series, err))
		}
	}
	return nil
}

// twice explains why a name is taken if another output of the same run has reserved it under another name.
func (o *outputs) twice(path string, err error) error {
	if !errors.Is(err, atomicfile.ErrHeld) {
		return err
	}
	for _, d := range append(slices.Clone(o.out), o.sizes) {
		if d.Holds(path) {
			return output.SameName(path, d.Path)
		}
	}
	if o.checkpoint != nil && o.checkpoint.Holds(path) {
		return output.SameName(path, o.flags.Checkpoint)
	}
	return err
}

// check refuses combinations of flags in which one would have no effect.
func (f *outputFlags) check(sizes string) error {
	sampled := f.Frames != "" || f.Series != ""
	switch {
	case sampled && f.Every == 0:
		return errors.New("--frames and --series need --every N with N at least 1")
	case !sampled && f.Every != 0:
		return errors.New("--every needs --frames or --series")
	case len(f.Count) > 0 && f.Series == "":
		return errors.New("--count counts patterns in each row of --series: name a file for that")
	case f.Phases != "" && len(f.Count) == 0:
		return errors.New("--phases says under which rule all phases of the patterns of --count count: give that, too")
	case f.CheckpointEvery <= 0:
		return fmt.Errorf("--checkpoint-every %v: want more than 0", f.CheckpointEvery)
	case f.Checkpoint != "" && output.IsStream(f.Checkpoint):
		return fmt.Errorf("--checkpoint %s: want a file, because each checkpoint replaces the one before", f.Checkpoint)
	case f.Format != "" && !slices.ContainsFunc(f.Out, output.IsNameless):
		return errors.New("--format needs an --out whose name does not give the format")
	}
	if err := output.CheckFormat(f.Format); err != nil {
		return err
	}
	return output.Distinct(append(slices.Clone(f.Out), f.Series, f.Checkpoint, sizes)...)
}

// checkPattern refuses an output whose format cannot hold the universe.
func (f *outputFlags) checkPattern(path string, u *origin.Origin, e sim.Engine) error {
	format, _, err := pattern.FormatOf(output.FormatName(path, f.Format))
	if err != nil {
		return fmt.Errorf("%w; --format says it for other names", err)
	}
	if e.Info().Background != 0 && !format.HoldsBackground() {
		return fmt.Errorf(
			"%s: %s cannot hold a universe whose background is alive; rle and macrocell can, through their rule", path, format)
	}
	one, err := grid.New(1, 1, e.Planes())
	if err != nil {
		return err
	}
	if err := pattern.Write(io.Discard, format, one, u.MetaAt(0)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

// needsDeadBackground reports whether an output cannot hold a universe whose background is alive.
func (f *outputFlags) needsDeadBackground() bool {
	return f.Frames != "" || slices.ContainsFunc(f.Out, func(path string) bool {
		format, _, err := pattern.FormatOf(output.FormatName(path, f.Format))
		return err != nil || !format.HoldsBackground()
	})
}

// observers sample the universe.
func (o *outputs) observers() []run.Observer {
	var all []run.Observer
	if o.series != nil {
		all = append(all, o.series)
	}
	if o.frames != nil {
		all = append(all, o.frames)
	}
	return all
}

// hooks save checkpoints during the run.
func (o *outputs) hooks(r *running) []run.Hook {
	if o.checkpoint == nil {
		return nil
	}
	return []run.Hook{{
		First: min(firstCheckpoint, o.flags.CheckpointEvery), Every: o.flags.CheckpointEvery,
		Call: func(_ context.Context, e run.Stepper) error {
			r.engine = e.(sim.Engine) // another one may have taken over
			return o.saveMeanwhile(r)
		},
	}}
}

// beginFrames saves the run before its first frame, so that the frames of a run that is soon cut are known as its own.
func (o *outputs) beginFrames(r *running) error {
	if o.frames == nil || o.checkpoint == nil || o.frames.known {
		return nil
	}
	return o.saveMeanwhile(r)
}

// saveMeanwhile writes a checkpoint during the run. A failure does not end the run, because a full disk may
// have room again at the end.
func (o *outputs) saveMeanwhile(r *running) error {
	err := o.saveCheckpoint(r)
	if err == nil || !isSystemError(err) {
		o.unsaved = err
		return err
	}
	if o.unsaved == nil {
		r.warn("no checkpoint of generation %s: %v; the run goes on", number.Grouped(r.engine.Generation()),
			atomicfile.PathFirst(err))
	}
	o.unsaved = err
	return nil
}

// isSystemError reports whether writing a file failed, rather than reading the universe.
func isSystemError(err error) bool {
	var system *fs.PathError
	return errors.As(err, &system) || errors.Is(err, atomicfile.ErrExists) || errors.Is(err, atomicfile.ErrHeld)
}

// saveCheckpoint writes a checkpoint, with what the series and frames need to continue.
func (o *outputs) saveCheckpoint(r *running) error {
	h := r.start.Header(r.engine.Generation(), r.target, r.until)
	if o.series != nil {
		facts, err := o.series.mark()
		if err != nil {
			return err
		}
		maps.Copy(h.Facts, facts)
	}
	if o.frames != nil {
		maps.Copy(h.Facts, o.frames.mark())
	}
	if len(o.own) > 0 {
		text, err := json.Marshal(o.own)
		if err != nil {
			return err
		}
		h.Facts[factOutputs] = string(text)
	}
	if err := checkpoint.Write(o.checkpoint, h, r.engine); err != nil {
		return err
	}
	if o.series != nil {
		o.series.marked = o.series.marked || o.series.begun
	}
	return nil
}

// save writes the files that are due at the end and returns the names of all files that the run has written. If one
// fails, the others are still written. An error of the device ends it, because then the cells cannot be read.
func (o *outputs) save(ctx context.Context, r *running) (written []string, err error) {
	var errs []error
	var prepared []*output.Destination
	for _, d := range o.out {
		if d.IsStream() {
			continue
		}
		err := o.preparePattern(ctx, r, d)
		if sim.IsDeviceError(err) {
			for _, d := range prepared {
				errs = append(errs, atomicfile.PathFirst(d.Publish()))
			}
			return nil, errors.Join(append(errs, err)...)
		}
		if errs = append(errs, atomicfile.PathFirst(err)); err == nil {
			prepared = append(prepared, d)
		}
	}
	if o.frames != nil && o.frames.written > 0 {
		written = append(written, o.flags.Frames)
	}
	published, err := o.publish(r, prepared...)
	written = append(written, published...)
	order := append(slices.Clone(o.flags.Out), o.flags.Frames, o.flags.Checkpoint, o.flags.Series)
	slices.SortStableFunc(written, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) })
	return written, errors.Join(append(errs, err)...)
}

// publish gives files their names, and ends the series. The checkpoint records this in advance,
// because a run may be killed in between. If the checkpoint fails, the files are published all the
// same, and it is tried again.
//
//	prepare     files are complete, under other names
//	checkpoint  has the hashes of these files, so that a continued run may replace them
//	publish     files get their names
//
// A run that is killed before the last step leaves no files. One that is killed within it leaves files
// that the continued run knows as its own.
func (o *outputs) publish(r *running, prepared ...*output.Destination) (written []string, err error) {
	var errs []error
	saved := func(path string, err error) {
		if err == nil {
			written = append(written, path)
		}
		errs = append(errs, atomicfile.PathFirst(err))
	}
	var unsaved error
	if o.checkpoint != nil {
		if unsaved = o.saveCheckpoint(r); sim.IsDeviceError(unsaved) {
			errs = append(errs, unsaved)
		}
	}
	for _, d := range prepared {
		saved(d.Path, d.Publish())
	}
	if sim.IsDeviceError(unsaved) {
		return written, errors.Join(errs...)
	}
	if o.series != nil && !o.series.ended {
		err := o.series.commit()
		saved(o.flags.Series, err)
		if err != nil && unsaved != nil { // rows are missing, so that the checkpoint cannot go on from here
			saved(o.flags.Checkpoint, unsaved)
			return written, errors.Join(errs...)
		}
	}
	if unsaved != nil {
		if unsaved = o.saveCheckpoint(r); unsaved != nil && len(prepared) > 0 {
			unsaved = fmt.Errorf("%w; an earlier checkpoint does not know the files of the end: continue it with --force",
				atomicfile.PathFirst(unsaved))
		}
	}
	if o.checkpoint != nil {
		saved(o.flags.Checkpoint, unsaved)
	}
	return written, errors.Join(errs...)
}

// saveSizes writes the file of cluster sizes.
func (o *outputs) saveSizes(ctx context.Context, r *running, write func(io.Writer) error) error {
	if o.sizes.IsStream() {
		return atomicfile.PathFirst(o.sizes.Write(ctx, o.console, write))
	}
	sum, err := o.sizes.Prepare(write)
	if err != nil {
		return atomicfile.PathFirst(err)
	}
	o.own.add(o.sizes.Path, sum)
	_, err = o.publish(r, o.sizes)
	return err
}

// saveStreams writes the streams after the files, because the program ends if a stream's reader stops.
func (o *outputs) saveStreams(ctx context.Context, r *running) (written []string, err error) {
	var errs []error
	for _, d := range o.out {
		if d.IsStream() {
			write := func(writing context.Context, name string, src grid.Source, meta pattern.Meta) error {
				// An interrupted run does not wait for a pipe's reader, so ctx opens the stream.
				return d.Write(ctx, o.console, func(w io.Writer) error { return pattern.WriteAs(writing, w, name, src, meta) })
			}
			err := o.writePattern(ctx, r, d, write)
			if err != nil {
				errs = append(errs, atomicfile.PathFirst(err))
				continue
			}
			written = append(written, d.Path)
		}
	}
	return written, errors.Join(errs...)
}

// preparePattern writes the cells to a file that gets its name later.
func (o *outputs) preparePattern(ctx context.Context, r *running, d *output.Destination) error {
	return o.writePattern(ctx, r, d, func(ctx context.Context, name string, src grid.Source, meta pattern.Meta) error {
		return d.PreparePattern(ctx, name, src, meta, o.own.add)
	})
}

// writePattern has to write the cells where they belong.
func (o *outputs) writePattern(
	ctx context.Context, r *running, d *output.Destination,
	to func(ctx context.Context, name string, src grid.Source, meta pattern.Meta) error,
) error {
	name := output.FormatName(d.Path, o.flags.Format)
	writing := ctx
	if ctx.Err() != nil { // the run was interrupted, and is saved all the same; who interrupts it again kills the program
		writing = context.WithoutCancel(ctx)
	}
	cells, err := r.cells(writing)
	if err != nil {
		d.Abort()
		return err
	}
	meta := r.start.MetaAt(r.engine.Generation())
	err = to(writing, name, cells, meta)
	if format, _, formatErr := pattern.FormatOf(name); err == nil && formatErr == nil && !r.quiet {
		output.NoteLostRule(o.console, d.Path, format, meta.Rule)
	}
	return err
}

// abort drops the outputs that have not been saved.
func (o *outputs) abort() {
	for _, d := range o.out {
		d.Abort()
	}
	o.sizes.Abort()
	if o.series != nil {
		o.series.abort()
	}
	if o.checkpoint != nil {
		o.checkpoint.Release()
	}
}

// cells returns the cells to write to a file.
func (r *running) cells(ctx context.Context) (grid.Source, error) {
	if _, isTree := r.engine.(grid.Quadtree); isTree || r.start.Config.Topology.Bounded() {
		return r.engine, nil
	}
	// Writers skip the space between tiles, which may be vast.
	return grid.TilesOf(ctx, r.engine)
}
