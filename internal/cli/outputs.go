package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/universe"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
)

// firstCheckpoint is when the first checkpoint is due: a run cut soon after its start shall not have been for nothing.
const firstCheckpoint = time.Second

// outputFlags say what a run writes.
type outputFlags struct {
	Out             []string      `short:"o" sep:"none" placeholder:"FILE" help:"Write the last generation: .rle .mc .cells .lif .life .png .npy, each also with .gz. May be repeated."`
	Frames          string        `placeholder:"DIR" help:"Write a PNG of every Nth generation into a folder (needs --every)."`
	Series          string        `placeholder:"FILE.csv" help:"Write population, births, deaths and bounding box of every Nth generation (needs --every)."`
	Every           uint64        `placeholder:"N" help:"The N of --frames and --series."`
	Checkpoint      string        `placeholder:"FILE" help:"Save the run in a file from which --resume goes on."`
	CheckpointEvery time.Duration `placeholder:"D" default:"30s" help:"Time between checkpoints; the first is after a second, the last at the end. Default: 30s."`
	Force           bool          `help:"Replace files that exist."`
}

// outputs are the files of a run. Until save none of them is there.
type outputs struct {
	flags  *outputFlags
	series *series // nil: none
	frames *frames // nil: none
}

// open checks every output before the run, so that hours of it are not lost to a name that is taken. It creates none but the
// folder for frames. resumed is the checkpoint that the run came from, which it may replace.
func (f *outputFlags) open(u *universe.Start, e sim.Engine, target uint64, resumed string) (*outputs, error) {
	if err := f.checkFlags(resumed); err != nil {
		return nil, err
	}
	for _, path := range f.Out {
		if err := f.checkPattern(path, u, e); err != nil {
			return nil, err
		}
	}
	if f.Checkpoint != "" {
		if err := writable(f.Checkpoint, f.Force || sameFile(f.Checkpoint, resumed)); err != nil {
			return nil, err
		}
		if exists(f.Checkpoint) && !checkpoint.Is(f.Checkpoint) {
			return nil, fmt.Errorf("%s: not a gosper checkpoint, so it is not replaced", f.Checkpoint)
		}
	}
	o := &outputs{flags: f}
	if f.Series != "" {
		err := writable(f.Series, f.Force)
		if err != nil {
			return nil, err
		}
		if o.series, err = newSeries(f.Series, f.Every, f.Force, u.Config); err != nil {
			return nil, err
		}
	}
	if f.Frames != "" {
		var err error
		if o.frames, err = newFrames(f.Frames, f.Every, f.Force, u, e, target); err != nil {
			o.abort()
			return nil, atomicfile.PathFirst(err)
		}
	}
	return o, nil
}

func (f *outputFlags) checkFlags(resumed string) error {
	sampled := f.Frames != "" || f.Series != ""
	switch {
	case sampled && f.Every == 0:
		return errors.New("--frames and --series need --every N, N at least 1")
	case !sampled && f.Every != 0:
		return errors.New("--every is for --frames and --series, and neither is given")
	case f.CheckpointEvery <= 0:
		return fmt.Errorf("--checkpoint-every %v: want more than 0", f.CheckpointEvery)
	}
	paths := slices.Clone(f.Out)
	for _, path := range []string{f.Series, f.Checkpoint} {
		if path != "" {
			paths = append(paths, path)
		}
	}
	for i, path := range paths {
		if slices.ContainsFunc(paths[:i], func(p string) bool { return filepath.Clean(p) == filepath.Clean(path) }) {
			return fmt.Errorf("%s: two outputs have the same name", path)
		}
	}
	return nil
}

// checkPattern refuses an output file that cannot be written, or whose format cannot hold the universe.
func (f *outputFlags) checkPattern(path string, u *universe.Start, e sim.Engine) error {
	format, _, err := pattern.FormatOf(path)
	if err != nil {
		return err
	}
	if e.Info().Background != 0 && format != pattern.RLE && format != pattern.Macrocell {
		return fmt.Errorf("%s: %s cannot hold a universe whose background is alive; rle and macrocell can, through their rule", path, format)
	}
	one, err := grid.New(1, 1, e.Planes())
	if err != nil {
		return err
	}
	if err := pattern.Write(io.Discard, format, one, u.MetaAt(0)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return writable(path, f.Force)
}

// writable tries whether a file can be made at path, and leaves nothing behind.
func writable(path string, force bool) error {
	file, err := atomicfile.Create(path, force)
	var system *fs.PathError
	if errors.As(err, &system) {
		return fmt.Errorf("%s cannot be written: %w", path, system.Err)
	}
	if err != nil {
		return err
	}
	file.Abort()
	return nil
}

func sameFile(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// observers sample the universe.
func (o *outputs) observers() []sim.Observer {
	var all []sim.Observer
	if o.series != nil {
		all = append(all, o.series)
	}
	if o.frames != nil {
		all = append(all, o.frames)
	}
	return all
}

// stepper is the engine as the driver shall step it: the series needs a look at generations before the sampled ones.
func (o *outputs) stepper(e sim.Engine) sim.Engine {
	if o.series == nil {
		return e
	}
	return o.series.watch(e)
}

// hooks save checkpoints meanwhile.
func (o *outputs) hooks(r *running) []sim.Hook {
	if o.flags.Checkpoint == "" {
		return nil
	}
	return []sim.Hook{{
		First: min(firstCheckpoint, o.flags.CheckpointEvery), Every: o.flags.CheckpointEvery,
		Call: func(context.Context, sim.Engine) error { return o.checkpoint(r) },
	}}
}

func (o *outputs) checkpoint(r *running) error {
	h := r.start.Header(r.engine.Generation(), r.target, r.until)
	return checkpoint.Write(o.flags.Checkpoint, h, r.engine)
}

// save writes the files that are due at the end and lists what the run has written. An error with one of them does not keep the
// others from being written, but that of a device: who cannot read the cells has nothing more to write.
func (o *outputs) save(r *running) (written []string, err error) {
	var errs []error
	saved := func(path string, err error) {
		if err == nil {
			written = append(written, path)
		}
		errs = append(errs, err)
	}
	meta := r.start.MetaAt(r.engine.Generation())
	for _, path := range o.flags.Out {
		cells, err := r.cells(path)
		if err == nil {
			err = pattern.WriteFile(path, cells, meta, o.flags.Force)
		}
		saved(path, err)
		if sim.IsDeviceError(err) {
			return written, errors.Join(errs...)
		}
	}
	if o.series != nil {
		saved(o.flags.Series, o.series.commit())
	}
	if o.frames != nil && o.frames.written > 0 {
		saved(o.flags.Frames, nil)
	}
	if o.flags.Checkpoint != "" {
		saved(o.flags.Checkpoint, o.checkpoint(r))
	}
	return written, errors.Join(errs...)
}

// abort drops what has not been saved.
func (o *outputs) abort() {
	if o.series != nil {
		o.series.abort()
	}
}

// cells are those to write to a file.
func (r *running) cells(path string) (grid.Source, error) {
	format, _, err := pattern.FormatOf(path)
	if err != nil {
		return nil, err
	}
	_, isTree := r.engine.(pattern.Quadtree)
	if r.start.Config.Topology.Bounded() || isTree && format == pattern.Macrocell {
		return r.engine, nil
	}
	// The other formats' writers skip what lies between tiles, which may be vast.
	tiles, err := grid.TilesOf(r.engine)
	if sim.IsDeviceError(err) {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w; a macrocell file (.mc) of the hashlife engine holds them", path, err)
	}
	return tiles, nil
}

// exists reports whether something is at path.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
