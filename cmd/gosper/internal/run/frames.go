package run

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// frames writes a picture of every sampled generation into a folder. On the unbounded plane pictures grow with the
// pattern but never shrink, so cells stay in place from picture to picture, or all move with the upper left corner.
// Those of a volume show its middle layer.
type frames struct {
	dir     string
	every   uint64
	force   bool
	known   bool // a checkpoint says that the frames in the folder are this run's
	start   *origin.Origin
	engine  sim.Engine
	view    grid.Rect // unbounded universes: the area of the frames so far
	written int
}

// Facts of a checkpoint's header: the folder, and the area of the frames so far.
const (
	factFrames = "frames"
	factView   = "frames_view"
)

// newFrames refuses a folder that already has frames of the run, unless force is set. Frames beyond the
// checkpoint that the run continues from are its own; it makes them again.
func newFrames(flags *outputFlags, u *origin.Origin, e sim.Engine, target uint64) (*frames, error) {
	dir, every := flags.Frames, flags.Every
	f := &frames{dir: dir, every: every, force: flags.Force, start: u, engine: e}
	if was, ok := u.Facts[factFrames]; ok && was == f.place() && u.Facts[factEvery] == strconv.FormatUint(every, 10) {
		f.force, f.known = true, true
		if _, err := fmt.Sscanf(u.Facts[factView], viewFormat, &f.view.X, &f.view.Y, &f.view.W, &f.view.H); err != nil {
			return nil, fmt.Errorf("%s %q in a checkpoint is no rectangle", factView, u.Facts[factView])
		}
	}
	if e.Info().Background != 0 {
		return nil, fmt.Errorf("--frames: pictures cannot show a universe whose background is alive")
	}
	if err := u.Config.CheckEmpty("take a frame of", every); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(dir)
	switch {
	case err == nil && !f.force:
		for _, entry := range entries {
			if g, ok := frameGeneration(entry.Name()); ok && g >= u.Generation && g <= target && g%every == 0 {
				return nil, fmt.Errorf("%s: %w (use --force to replace it)", filepath.Join(dir, entry.Name()), fs.ErrExist)
			}
		}
	case err != nil:
		if parent := filepath.Dir(filepath.Clean(dir)); !output.Exists(dir) && output.Exists(parent) {
			return f, output.Writable(dir, true) // the folder is made with the first frame
		}
		return nil, err
	}
	return f, output.Writable(f.path(u.Generation), true)
}

const viewFormat = "%d,%d,%d,%d"

// mark returns the facts that a checkpoint keeps about the frames.
func (f *frames) mark() map[string]string {
	return map[string]string{
		factEvery: strconv.FormatUint(f.every, 10), factFrames: f.place(),
		factView: fmt.Sprintf(viewFormat, f.view.X, f.view.Y, f.view.W, f.view.H),
	}
}

// place is the absolute path of the folder.
func (f *frames) place() string {
	if absolute, err := filepath.Abs(f.dir); err == nil {
		return absolute
	}
	return f.dir
}

func (f *frames) path(generation uint64) string {
	return filepath.Join(f.dir, fmt.Sprintf("frame-%010d.png", generation))
}

// frameGeneration returns the generation in a file name that path has made.
func frameGeneration(name string) (uint64, bool) {
	var g uint64
	_, err := fmt.Sscanf(name, "frame-%d.png", &g)
	return g, err == nil
}

// Next implements run.Observer.
func (f *frames) Next(g uint64) uint64 { return run.NextMultiple(g, f.every) }

// Observe implements run.Observer. As for a series, the last generation counts only if it is a sample.
func (f *frames) Observe(ctx context.Context, e run.Stepper) error {
	f.engine = e.(sim.Engine)
	g := f.engine.Generation()
	if g%f.every != 0 {
		return nil
	}
	if err := os.MkdirAll(f.dir, 0o777); err != nil {
		return err
	}
	var src grid.Source = f.engine
	meta := f.start.MetaAt(g)
	if t := f.start.Config.Topology; t.Volume() {
		meta.Rule, meta.Depth, meta.HasPosition = f.start.Config.Rule.String(), 0, false
		src = grid.Part{Source: f.engine, Bounds: grid.Rect{Y: t.D / 2 * t.LayerRows(), W: t.W, H: t.LayerRows()}}
	}
	if !f.start.Config.Topology.Bounded() {
		box, err := f.engine.Extent()
		if err != nil {
			return err
		}
		f.view = f.view.Union(box)
		if f.view.Empty() {
			f.view = grid.Rect{W: 1, H: 1}
		}
		src = grid.Part{Source: f.engine, Bounds: f.view}
	}
	if err := pattern.WriteFile(ctx, f.path(g), src, meta, f.force); err != nil {
		return err
	}
	f.written++
	return nil
}
