// Package render holds the command gosper render, which makes a picture or a film of a universe.
package render

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/lattice"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// Command is gosper render.
type Command struct {
	origin.Flags      `embed:"" group:"Universe"`
	start.EngineFlags `embed:""`

	Out         string        `short:"o" required:"" placeholder:"FILE" help:"Picture or film to write: .png, .apng or .gif; - for standard output."`
	Format      string        `placeholder:"F" help:"Format of --out if its suffix does not give one: png, apng or gif. Default: gif."`
	Generations *uint64       `name:"generations" short:"g" placeholder:"N" help:"Generations that the film shows. Default: 300, or 0 for a .png."`
	From        uint64        `placeholder:"N" help:"Generations to run before the first frame. Default: 0."`
	Every       uint64        `default:"1" placeholder:"N" help:"Generations from frame to frame. Default: 1."`
	Crop        *crop         `placeholder:"X,Y,WxH|main|all" help:"Cells to show, in the coordinates of pattern files. Default: the whole universe; on the unbounded plane, all cells that the film needs if they fit at a pixel a cell, else main: the largest group of cells, without objects that have left it."`
	Scale       scale         `placeholder:"N|1/N" help:"Pixels of a cell, or 1/2, 1/4, 1/8, … to show the densities of blocks. Default: the largest scale with sides of at most 640 pixels."`
	Ages        bool          `help:"Colours show how long cells have lived, and trails of cells that died."`
	Theme       scene.Theme   `default:"dark" placeholder:"T" help:"Colours: dark, light, green or grey."`
	Delay       time.Duration `default:"50ms" placeholder:"D" help:"Time from frame to frame. Default: 50ms."`
	Force       bool          `help:"Replace a file that exists."`
	Quiet       bool          `short:"q" help:"No progress and no summary."`
	JSON        bool          `name:"json" help:"Print the summary as one JSON object."`

	film.VolumeFlags `embed:"" group:"Three dimensions"`
}

// Help is shown below the usage.
func (*Command) Help() string {
	return `Examples:

    gosper render acorn --from 5206 --out ash.png           # a picture of generation 5206
    gosper render --size 512 --seed 7 --every 4 --ages --out soup.apng
    gosper render --size 8192 --seed 7 --scale 1/16 -g 2000 --every 50 --out large.gif
    gosper render gosper-gun --from 150 -g 29 --crop -3,-3,56x34 --out gun.gif
    gosper render --rule 3D5..7/6 --size 48 --density 0.15 -g 8 --colour position --out volume.png
    gosper render --rule 3D5..7/6 --size 48 --density 0.15 -g 89 --turn 4 --out turning.gif

The film of the gun is one of its periods, so it repeats without a jump. The same command always writes the same bytes; for a soup, give
its --seed.`
}

// scale is a flag such as "8" or "1/8". The zero value means that the flag was not given.
type scale struct {
	up   int // pixels of a cell, each way; 0 if down is used
	down int // a pixel shows 2^down × 2^down cells
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *scale) UnmarshalText(text []byte) error {
	const most = 64
	below, isShare := strings.CutPrefix(string(text), "1/")
	n, err := strconv.Atoi(below)
	switch {
	case err == nil && !isShare && n >= 1 && n <= most:
		*s = scale{up: n}
		return nil
	case err == nil && isShare && n >= 1 && n&(n-1) == 0 && bits.Len(uint(n)) <= scene.MaxScale:
		*s = scale{up: 1, down: bits.Len(uint(n)) - 1}
		return nil
	}
	return fmt.Errorf("scale %q: want 1 to %d pixels a cell, or 1/2, 1/4, 1/8, …", text, most)
}

// fitting is the scale at which the longer side has at most 640 pixels and a cell at most 8.
func fitting(box grid.Rect, cells lattice.Kind) scale {
	const side, most = 640, 8
	longer := max(cells.Size(max(box.W, 1), max(box.H, 1), 1))
	s := scale{up: max(1, min(most, side/longer))}
	for (longer-1)>>s.down+1 > side {
		s.down++
	}
	return s
}

// rendering is a film in progress.
type rendering struct {
	cmd      *Command
	format   film.Format
	out      *output.Destination
	origin   session.Origin
	open     session.Opener
	frames   uint64
	volume   bool // the universe is drawn as a volume
	left     bool // cells of an unbounded universe are not shown
	progress *start.Progress
}

// Run implements the command.
func (cmd *Command) Run(ctx context.Context, c *console.Console) error {
	r, err := cmd.prepare(ctx, c)
	if err != nil {
		return console.Bad(err)
	}
	defer r.progress.Erase()
	defer r.out.Abort()
	done, err := r.write(ctx, c)
	r.progress.Erase()
	c = output.Reports(c, cmd.Out)
	if err != nil || cmd.Quiet && !cmd.JSON {
		return err
	}
	if cmd.JSON {
		return c.PrintJSON(done)
	}
	generations := "generation " + number.Grouped(done.Last)
	if done.Frames > 1 {
		generations = fmt.Sprintf("generations %s to %s", number.Grouped(done.First), number.Grouped(done.Last))
	}
	if done.Seed != nil {
		generations += ", seed " + *done.Seed
	}
	if r.left {
		generations += "; cells far from the main group are not shown, --crop all shows them"
	}
	c.Printf("%s: %s of %d×%d pixels, %s\n", done.Out[0], number.Count(done.Frames, "frame"), done.Width, done.Height,
		generations)
	return nil
}

// rendered is the report about a film, for people and programs.
type rendered struct {
	Out    []string `json:"out"` // the film
	Frames uint64   `json:"frames"`
	Width  int      `json:"image_width"` // pixels
	Height int      `json:"image_height"`
	First  uint64   `json:"first_generation"`
	Last   uint64   `json:"last_generation"`
	X      int      `json:"x"` // of the upper left cell, in the coordinates of pattern files
	Y      int      `json:"y"`
	Scale  *string  `json:"scale"` // pixels a cell; null for a volume
	Seed   *string  `json:"seed"`  // of a soup; null without a soup
}

func (s scale) String() string {
	if s.down > 0 {
		return fmt.Sprintf("1/%d", 1<<s.down)
	}
	return strconv.Itoa(s.up)
}

// prepare does everything that can fail because of a flag. It takes little memory.
func (cmd *Command) prepare(ctx context.Context, c *console.Console) (*rendering, error) {
	format, err := cmd.formatOf()
	if err != nil {
		return nil, err
	}
	generations := uint64(300)
	switch {
	case cmd.Generations != nil:
		generations = *cmd.Generations
	case format == film.PNG:
		generations = 0
	}
	if cmd.Every < 1 {
		return nil, errors.New("--every 0: want 1 or more")
	}
	u, open, err := start.Opener(ctx, &cmd.Flags, &cmd.EngineFlags)
	if err != nil {
		return nil, err
	}
	r := &rendering{cmd: cmd, format: format, open: open, frames: generations/cmd.Every + 1}
	if format == film.PNG {
		cmd.From, r.frames = cmd.From+generations, 1 // a picture of the last generation
	}
	if r.origin, err = start.Session(u, &cmd.Flags); err != nil {
		return nil, err
	}
	if r.volume, err = cmd.check(u.Config.Topology); err != nil {
		return nil, err
	}
	last, err := start.After(u.Generation, cmd.From)
	if err == nil {
		last, err = start.After(last, generations)
	}
	if err != nil {
		return nil, err
	}
	r.progress = start.NewProgress(c.Line(cmd.Quiet), u.Generation, last, u.Config.Topology)
	// Check now what is known about the film. Its size may not be known before the run.
	if err := cmd.header(1, 1, r.frames).Validate(format); err != nil {
		return nil, err
	}
	r.out, err = output.Open(cmd.Out, cmd.Force)
	return r, err
}

// formatOf returns the format of the film: that of its suffix, else that of --format, else GIF for a stream.
func (cmd *Command) formatOf() (film.Format, error) {
	format, err := film.FormatOf(cmd.Out)
	switch {
	case err == nil && cmd.Format != "":
		return 0, fmt.Errorf("--format is not needed, because the name %s gives the format", cmd.Out)
	case err == nil || cmd.Format == "" && !output.IsStream(cmd.Out):
		return format, err
	}
	if format, err = film.FormatOf("." + cmp.Or(cmd.Format, "gif")); err != nil {
		return 0, fmt.Errorf("--format %s: want png, apng or gif", cmd.Format)
	}
	return format, nil
}

func (cmd *Command) header(w, h int, frames uint64) film.Header {
	return film.Header{
		W: w, H: h, Frames: int(min(frames, 1<<30)), Palette: cmd.painter(rule.Rule{States: 2}).Palette(0),
		Delay: cmd.Delay,
	}
}

func (cmd *Command) painter(r rule.Rule) scene.Painter {
	return scene.Painter{Theme: cmd.Theme, States: r.States, Colours: scene.ColoursOf(r), Aged: cmd.Ages}
}

// write runs the universe and makes the film.
func (r *rendering) write(ctx context.Context, c *console.Console) (rendered, error) {
	if r.volume {
		return r.writeVolume(ctx, c)
	}
	cells, err := r.cells(ctx)
	if err != nil {
		return rendered{}, err
	}
	region, s, header, err := r.layout(cells)
	if err != nil {
		return rendered{}, err
	}
	corner := origin.Corner(r.origin.Config.Topology)
	done := rendered{
		Out: []string{r.cmd.Out}, Frames: r.frames, Width: header.W, Height: header.H, X: region.X + corner.X,
		Y:     region.Y + corner.Y,
		Scale: console.Known(s.String()),
	}
	if soup := r.origin.Soup; soup != nil {
		done.Seed = console.Known(strconv.FormatUint(soup.Seed, 10))
	}
	return r.publish(ctx, c, &done, func(out io.Writer) error {
		return r.film(ctx, out, header, region, s, &done)
	})
}

// writeVolume runs the universe and makes the film of a volume.
func (r *rendering) writeVolume(ctx context.Context, c *console.Console) (rendered, error) {
	side := *r.cmd.Pixels
	if err := r.cmd.header(side, side, r.frames).Validate(r.format); err != nil {
		return rendered{}, console.Badf("%w; --pixels makes the film smaller, --every makes it shorter", err)
	}
	corner := origin.Corner(r.origin.Config.Topology)
	done := rendered{Out: []string{r.cmd.Out}, Frames: r.frames, Width: side, Height: side, X: corner.X, Y: corner.Y}
	if soup := r.origin.Soup; soup != nil {
		done.Seed = console.Known(strconv.FormatUint(soup.Seed, 10))
	}
	return r.publish(ctx, c, &done, func(out io.Writer) error { return r.volumeFilm(ctx, out, &done) })
}

// publish gives the film that write makes its name.
func (r *rendering) publish(ctx context.Context, c *console.Console, done *rendered, write func(out io.Writer) error) (
	rendered, error,
) {
	err := r.out.Write(ctx, c, write)
	done.First = done.Last - (r.frames-1)*r.cmd.Every
	return *done, atomicfile.PathFirst(err)
}

// film writes the frames.
func (r *rendering) film(ctx context.Context, out io.Writer, header film.Header, region scene.Region, s scale,
	done *rendered,
) error {
	w, err := film.NewWriter(out, r.format, header)
	if err != nil {
		return err
	}
	painter := r.cmd.painter(r.origin.Config.Rule)
	shot := film.Camera{Region: region, Up: s.up, Lattice: r.lattice(), Painter: painter}
	before := uint64(0) // frames run before the film starts, so that cells have an age in its first frame
	if painter.ByAge(s.down) {
		before = min(r.cmd.From, scene.Oldest) / r.cmd.Every
	}
	err = r.run(ctx, before, func(e sim.Engine) error {
		done.Last = e.Generation()
		picture, err := shot.Take(e, e.Generation(), e.Info().Background)
		if err != nil {
			return err
		}
		if before > 0 {
			before--
			return nil
		}
		return w.Frame(picture)
	})
	if err != nil {
		return err
	}
	return w.Close()
}

// layout returns the region that shows the given cells, its scale, and the film's header.
func (r *rendering) layout(cells grid.Rect) (scene.Region, scale, film.Header, error) {
	s := r.cmd.Scale
	if s == (scale{}) {
		s = fitting(cells, r.lattice())
	}
	region := scene.Region{X: cells.X &^ (1<<s.down - 1), Y: cells.Y &^ (1<<s.down - 1), Scale: s.down}
	region.W = (cells.X+cells.W-region.X-1)>>s.down + 1
	region.H = (cells.Y+cells.H-region.Y-1)>>s.down + 1
	w, h := r.lattice().Size(min(region.W, 1<<30), min(region.H, 1<<30), s.up)
	header := r.cmd.header(w, h, r.frames)
	header.Palette = r.cmd.painter(r.origin.Config.Rule).Palette(s.down)
	err := header.Validate(r.format)
	if err != nil {
		err = console.Badf("%w; --crop and --scale make the film smaller, --every makes it shorter", err)
	}
	return region, s, header, err
}

// lattice is the shape of the cells.
func (r *rendering) lattice() lattice.Kind { return lattice.Of(r.origin.Config.Rule) }

// cells returns the cells that the film shows: the ones asked for, else the whole of a bounded universe, else
// all cells that ever live in a frame, with a margin. In the last case the universe runs once beforehand to
// find them.
func (r *rendering) cells(ctx context.Context) (grid.Rect, error) {
	t := r.origin.Config.Topology
	c := origin.Corner(t)
	switch {
	case r.cmd.Crop != nil && r.cmd.Crop.part == given:
		at, size := r.cmd.Crop.at, r.cmd.Crop.size
		return grid.Rect{X: at.X - c.X, Y: at.Y - c.Y, W: size.W, H: size.H}, nil
	case r.cmd.Slice != nil:
		return grid.Rect{Y: *r.cmd.Slice * t.LayerRows(), W: t.W, H: t.LayerRows()}, nil
	case t.Bounded():
		return grid.Rect{W: t.W, H: t.H}, nil
	}
	box, err := r.living(ctx)
	const margin = 2
	return grid.Rect{X: box.X - margin, Y: box.Y - margin, W: box.W + 2*margin, H: box.H + 2*margin}, err
}

// living returns the box of the cells that live in a frame on the plane: of all, or of the main group. Without
// --crop it is the main group if all of them are smaller than a pixel.
func (r *rendering) living(ctx context.Context) (grid.Rect, error) {
	var box grid.Rect
	which := &groups{squares: map[grid.TileAt]*square{}}
	var large error
	err := r.run(ctx, 0, func(e sim.Engine) error {
		now, err := e.Extent()
		box = box.Union(now)
		if err == nil && large == nil && e.Info().Background == 0 && (r.cmd.Crop == nil || r.cmd.Crop.part == partMain) {
			large = which.add(e)
		}
		return err
	})
	switch {
	case err != nil:
		return box, err
	case r.cmd.Crop == nil && (r.cmd.Scale != scale{} || fitting(box, r.lattice()).down == 0):
		return box, nil
	case r.cmd.Crop != nil && r.cmd.Crop.part == partAll:
		return box, nil
	case large != nil && r.cmd.Crop != nil:
		return box, console.Bad(fmt.Errorf("--crop main: %w", large))
	case large != nil || len(which.squares) == 0:
		return box, nil
	}
	main := which.main()
	r.left = main != box
	return main, nil
}

// run calls each at the generation of every frame, and at the frames before the film that ages need.
func (r *rendering) run(ctx context.Context, before uint64, each func(e sim.Engine) error) error {
	cfg := r.origin.Config
	e, err := r.open(ctx, cfg)
	if err != nil {
		return console.Bad(err)
	}
	defer e.Close()
	if err := r.origin.Load(ctx, e, r.progress.Filling); err != nil {
		return console.Bad(err)
	}
	e.SetGeneration(r.origin.Generation)
	first := r.origin.Generation + r.cmd.From - before*r.cmd.Every
	s := &shutter{first: first, every: r.cmd.Every, open: func() error {
		err := each(e)
		r.progress.Reached(e.Generation())
		return err
	}}
	result, err := run.Run(ctx, e, run.Options{
		Config: cfg, Target: first + (before+r.frames-1)*r.cmd.Every, Observers: []run.Observer{s}, Hooks: r.progress.Hooks(),
	})
	switch {
	case s.failed != nil:
		return s.failed
	case err != nil:
		return console.Bad(err)
	case result.Reason != run.ReasonTarget:
		return context.Cause(ctx)
	}
	return nil
}

// shutter is the observer that calls open at the generations of frames.
type shutter struct {
	first, every uint64
	open         func() error
	failed       error // the error of open
}

// Next implements run.Observer.
func (s *shutter) Next(g uint64) uint64 {
	if g <= s.first {
		return s.first
	}
	if after := run.NextMultiple(g-s.first, s.every); after <= sim.Forever-s.first {
		return s.first + after
	}
	return sim.Forever
}

// Observe implements run.Observer.
func (s *shutter) Observe(_ context.Context, e run.Stepper) error {
	if g := e.Generation(); g < s.first || (g-s.first)%s.every != 0 {
		return nil // the run was interrupted
	}
	s.failed = s.open()
	return s.failed
}
