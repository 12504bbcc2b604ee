package rpc

import (
	"context"
	"encoding/hex"
	"errors"
	"maps"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/start"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/film"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/internal/lattice"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// server holds a universe, or many of one rule and size.
type server struct {
	out      *frames
	universe uint64 // its number
	requests chan request
	inHand   inHand
	start    *origin.Origin
	engine   sim.Engine // nil: none is open
	many     *many      // nil: none are open
	tuner    run.Tuner
	drawn    *film.Sculptor // nil: nothing was drawn yet
}

func (s *server) close() {
	if s.engine != nil {
		s.engine.Close()
		s.engine = nil
	}
	if s.many != nil {
		s.many.Close()
		s.many = nil
	}
}

// openParams are flags of gosper run by the same names, without dashes.
type openParams struct {
	origin.Flags
	start.EngineFlags
	Empty     bool // without a pattern: an empty universe instead of a soup
	Universes int  // many universes in one process; 0: one
}

// opened describes a universe.
type opened struct {
	Rule       string       `json:"rule"`
	States     int          `json:"states"`
	Topology   string       `json:"topology"`
	Width      int          `json:"width"`  // 0: no bounds
	Height     int          `json:"height"` // of a layer
	Depth      int          `json:"depth"`  // 0: two dimensions
	Lattice    lattice.Kind `json:"lattice"`
	Engine     string       `json:"engine"`
	Device     string       `json:"device"`
	Plan       string       `json:"plan"`
	GPUs       []string     `json:"gpus"` // PCI bus ids of those that hold the cells; null: none
	Seed       string       `json:"seed"` // of a soup; otherwise empty
	Generation uint64       `json:"generation"`
	Repeat     string       `json:"repeat"` // arguments of gosper run that make the universe again
}

// open makes the universe of the process. The parameters are the flags of gosper run, by the same
// names.
func (s *server) open(ctx context.Context, p openParams) (any, error) {
	if s.engine != nil || s.many != nil {
		return nil, console.Badf("open: universe %d is open; close it, or open another number", s.universe)
	}
	if err := start.CheckThreads(p.Threads); err != nil {
		return nil, console.Bad(err)
	}
	if p.Universes != 0 {
		return s.openMany(ctx, p)
	}
	if p.Empty { // a soup of density 0 is empty
		none, seed := 0.0, uint64(0)
		p.Density, p.Seed = &none, &seed
		if p.Topology == "unbounded" && p.Size == (origin.Size{}) {
			p.Size = origin.Size{W: 1, H: 1}
		}
	}
	u, err := start.Origin(ctx, &p.Flags, &p.EngineFlags, nil)
	if err != nil {
		return nil, console.Bad(err)
	}
	p.Configure(&u.Config)
	if p.Engine == "" {
		p.Engine = sim.Auto
	}
	e, err := u.Open(ctx, p.Engine)
	if err != nil {
		return nil, console.Bad(err)
	}
	if !p.Empty {
		if err := u.Load(ctx, e, nil); err != nil {
			return nil, errors.Join(err, e.Close())
		}
	}
	e.SetGeneration(u.Generation)
	s.start, s.engine = u, e
	info, t := e.Info(), u.Config.Topology
	o := opened{
		Rule: u.Config.Rule.String(), Lattice: lattice.Of(u.Config.Rule), States: u.Config.Rule.States,
		Topology: t.String(), Width: t.W, Height: t.LayerRows(), Depth: t.D,
		Engine: info.Engine, Device: info.Device, Plan: info.Plan, GPUs: info.GPUs,
		Generation: u.Generation, Repeat: u.Repeat,
	}
	if !p.Empty {
		o.Seed = u.Seed
	}
	return o, nil
}

// stepParams are the parameters of step.
type stepParams struct {
	Generations uint64  `json:"generations"`
	Until       string  `json:"until"`    // stable, extinct, or empty
	Progress    float64 `json:"progress"` // seconds between notices; 0: none
}

// stepped is the result of step.
type stepped struct {
	Generation  uint64     `json:"generation"`
	Generations uint64     `json:"generations"` // done
	Reason      run.Reason `json:"reason"`
	Period      uint64     `json:"period"` // if the reason is stable, else 0
	// the generation from which the universe is stable; null if it is not, or not known
	Lifespan *uint64 `json:"lifespan"`
	Seconds  float64 `json:"seconds"` // of stepping
}

// step advances the universe, until the target or until a condition is met. Notices of progress carry
// the number of the request.
func (s *server) step(ctx context.Context, id uint64, p stepParams) (any, error) {
	until, err := run.ParseUntil(p.Until)
	if err != nil {
		return nil, console.Bad(err)
	}
	target, err := start.After(s.engine.Generation(), p.Generations)
	if err != nil {
		return nil, console.Bad(err)
	}
	opts := run.Options{Config: s.start.Config, Target: target, Until: until, Lifespan: true, Tuner: &s.tuner}
	if p.Progress > 0 {
		opts.Hooks = []run.Hook{{
			Every: time.Duration(p.Progress * float64(time.Second)),
			Call: func(_ context.Context, e run.Stepper) error {
				return s.out.write(notice{Universe: s.universe, ID: id, Generation: e.Generation()})
			},
		}}
	}
	r, err := run.Run(ctx, s.engine, opts)
	if err != nil && r.Reason == "" { // with a reason the universe is valid, and the result says how far it came
		return nil, err
	}
	return stepped{r.Generation, r.Generations, r.Reason, r.Period, r.Lifespan, r.Stepping.Seconds()}, nil
}

// counted is a number of cells.
type counted struct {
	Population uint64 `json:"population"` // not in the state of the background
	Background uint8  `json:"background"` // state of all but finitely many cells of an infinite universe; 0 for others
}

func (s *server) population() (any, error) {
	n, err := s.engine.Population()
	return counted{n, s.engine.Info().Background}, err
}

// extent is a rectangle that contains all cells that are not in the state of the background.
type extent struct {
	X      int `json:"x"`
	Y      int `json:"y"`
	Width  int `json:"width"`
	Height int `json:"height"` // of a layer
	Depth  int `json:"depth"`  // 0: two dimensions
}

// extent is the whole of a volume, and otherwise the box of all cells that are not in the background's
// state.
func (s *server) extent() (any, error) {
	if t := s.start.Config.Topology; t.Volume() {
		return extent{0, 0, t.W, t.LayerRows(), t.D}, nil
	}
	r, err := s.engine.Extent()
	return extent{r.X, r.Y, r.W, r.H, 0}, err
}

// hashed is the digest that gosper run prints.
type hashed struct {
	Hash string `json:"hash"`
}

func (s *server) hash(ctx context.Context) (any, error) {
	cfg := s.start.Config
	digest, err := grid.StateHash(ctx, s.engine, cfg.Rule.States, cfg.Topology.Kind == topology.Unbounded)
	return hashed{hex.EncodeToString(digest[:])}, err
}

// done is the result of methods that return nothing.
type done struct{}

func (s *server) read(_ context.Context, w area) (any, error) {
	r, err := w.in(s.start.Config.Topology)
	if err != nil {
		return nil, err
	}
	if _, err := cellBytes(r.Bits, s.start.Config.Rule.States, 1, 1); err != nil {
		return nil, err
	}
	if r.Handle != "" {
		return done{}, r.readOnDevice(s.engine)
	}
	return done{}, r.read(s.engine, s.engine.Info().Background)
}

func (s *server) write(_ context.Context, w area) (any, error) {
	r, err := w.in(s.start.Config.Topology)
	if err != nil {
		return nil, err
	}
	if r.Bits || r.Handle != "" {
		return nil, console.Badf("write: bits and handles are only read")
	}
	return done{}, r.write(s.engine, s.engine.Planes(), s.start.Config.Rule.States, s.engine.Info().Background)
}

// fillParams are the parameters of fill: a soup in the cells from (0, 0) on.
type fillParams struct {
	Width   int     `json:"width"`
	Height  int     `json:"height"`
	Depth   int     `json:"depth"`
	Density float64 `json:"density"`
	Seed    uint64  `json:"seed"`
}

// fill makes a soup. Chance in the rule gets the same seed, so that the universe follows from the
// parameters.
func (s *server) fill(ctx context.Context, p fillParams) (any, error) {
	cfg := s.start.Config
	t := cfg.Topology
	if p.Depth != t.D || t.Bounded() && (p.Width != t.W || p.Height != t.LayerRows()) {
		asked := topology.Topology{W: p.Width, H: p.Height * max(p.Depth, 1), D: p.Depth}
		return nil, console.Badf("fill: %s cells; the universe is of %s", asked.Size(), t.Size())
	}
	if p.Width < 1 || p.Height < 1 || !(p.Density >= 0 && p.Density <= 1) {
		return nil, console.Badf("fill: %d×%d cells of density %v; at least 1×1 and a density of 0 to 1 are allowed", p.Width,
			p.Height, p.Density)
	}
	if err := sim.Reseed(s.engine, cfg.Rule, p.Seed); err != nil {
		return nil, err
	}
	return done{}, soup.Fill(ctx, s.engine, p.Width, p.Height*max(p.Depth, 1), p.Seed, p.Density, cfg.Threads, nil)
}

// clustersParams are the parameters of clusters: which cells touch.
type clustersParams struct {
	Connectivity int `json:"connectivity"` // 8, 6 or 4; in a volume 26, 18 or 6
}

// clusters describes the connected clusters of cells in state 1.
type clusters struct {
	Count   uint64 `json:"count"`
	Cells   uint64 `json:"cells"`
	Largest uint64 `json:"largest"`
	Span    string `json:"span"` // none, x, y, both; in a volume also z, xz, yz, all
	// pairs of a cluster size in cells and the number of clusters of this size, from small to large
	Sizes [][2]uint64 `json:"sizes"`
}

func (s *server) clusters(_ context.Context, p clustersParams) (any, error) {
	c, err := component.ParseConnectivity(strconv.Itoa(p.Connectivity))
	if err == nil {
		err = c.Fits(s.start.Config.Topology)
	}
	if err != nil {
		return nil, console.Bad(err)
	}
	if s.engine.Info().Background != 0 {
		return nil, console.Badf("clusters: the background is alive in this generation, so its cluster has no size")
	}
	found, err := sim.Clusters(s.engine, s.start.Config.Topology, c)
	if err != nil {
		return nil, err
	}
	r := clusters{
		Count: found.Sizes.Count(), Cells: found.Sizes.Cells(), Largest: found.Sizes.Largest(), Span: found.Span.String(),
		Sizes: [][2]uint64{},
	}
	for size, n := range found.Sizes.All() {
		r.Sizes = append(r.Sizes, [2]uint64{size, n})
	}
	return r, nil
}

// drawParams are flags of gosper render by the same names, without dashes, and a file for the picture: three bytes
// for each pixel, its red, green and blue, row after row. The client makes the file.
type drawParams struct {
	File string `json:"file"`
	film.VolumeFlags
	Theme scene.Theme `json:"theme"`
}

// draw draws a volume.
func (s *server) draw(ctx context.Context, p drawParams) (any, error) {
	cfg := s.start.Config
	if !cfg.Topology.Volume() {
		return nil, console.Badf("draw: %v has two dimensions", cfg.Topology)
	}
	if p.Slice != nil || p.Turn != nil {
		return nil, console.Badf("draw: slice and turn are not for this method")
	}
	if err := p.Fill(cfg.Topology, false); err != nil {
		return nil, console.Bad(err)
	}
	if p.Theme.Name == "" {
		p.Theme = scene.Themes[0]
	}
	if s.drawn == nil || (s.drawn.Flags.Colour == "age") != (p.Colour == "age") || s.drawn.Theme() != p.Theme {
		painter := scene.Painter{Theme: p.Theme, States: cfg.Rule.States, Colours: scene.ColoursOf(cfg.Rule)}
		drawn, err := film.NewSculptor(&p.VolumeFlags, painter, cfg.Topology)
		if err != nil {
			return nil, console.Bad(err)
		}
		s.drawn = drawn
	}
	s.drawn.Flags = &p.VolumeFlags
	if err := s.drawn.Read(s.engine); err != nil {
		return nil, err
	}
	picture, err := s.drawn.Draw(ctx)
	if err != nil {
		return nil, err
	}
	pixels := make([]byte, 0, len(picture.Pix)/4*3)
	for i := 0; i < len(picture.Pix); i += 4 {
		pixels = append(pixels, picture.Pix[i:i+3]...)
	}
	f, err := os.OpenFile(p.File, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt(pixels, 0)
	return done{}, errors.Join(err, f.Close())
}

// ash has the objects that a pattern settles into.
type ash struct {
	Settled bool     `json:"settled"`
	Objects []object `json:"objects"` // the commonest first
}

// object is a kind of object.
type object struct {
	Code  string `json:"apgcode"`
	Name  string `json:"name"` // empty: it has none
	Count int    `json:"count"`
}

// census counts the objects that the cells settle into, on a copy: the universe itself does not
// change.
func (s *server) census(context.Context) (any, error) {
	cfg := s.start.Config
	if cfg.Topology.Kind != topology.Unbounded {
		return nil, console.Badf("census: %v: objects are known on the unbounded plane", cfg.Topology)
	}
	counter, err := census.NewCounter(cfg.Rule, census.DefaultLimits)
	if err != nil {
		return nil, console.Bad(err)
	}
	if err := counter.CheckGeneration(s.engine.Generation()); err != nil {
		return nil, console.Bad(err)
	}
	cells, err := census.CellsOf(s.engine)
	if err != nil {
		return nil, err
	}
	tally := counter.Count(cells)
	result := ash{Settled: !tally.Endless, Objects: []object{}}
	for _, code := range slices.Sorted(maps.Keys(tally.Objects)) {
		result.Objects = append(result.Objects, object{code, census.Name(cfg.Rule, code), tally.Objects[code]})
	}
	slices.SortStableFunc(result.Objects, func(a, b object) int { return b.Count - a.Count })
	return result, nil
}

// saveParams are the parameters of save: a file.
type saveParams struct {
	Path  string `json:"path"`
	Force bool   `json:"force"` // replace an existing file
}

func (s *server) save(ctx context.Context, p saveParams) (any, error) {
	format, _, err := pattern.FormatOf(p.Path)
	if err != nil {
		return nil, console.Bad(err)
	}
	if s.engine.Info().Background != 0 && !format.HoldsBackground() {
		return nil, console.Badf(
			"%s: %s cannot hold a universe whose background is alive; rle and macrocell can, through their rule", p.Path, format)
	}
	return done{}, pattern.WriteFile(ctx, p.Path, s.engine, s.start.MetaAt(s.engine.Generation()), p.Force)
}

// checkpoint writes a file for gosper run --resume. It replaces only a file that is a checkpoint
// already.
func (s *server) checkpoint(_ context.Context, p saveParams) (any, error) {
	claim, err := atomicfile.Hold(p.Path, checkpoint.Is(p.Path))
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	return done{}, checkpoint.Write(claim, s.start.Header(s.engine.Generation(), sim.Forever, run.UntilTarget), s.engine)
}
