package gosper

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"

	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/cuda"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/lookup"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// Universe is cells that evolve by a rule. It is not safe for concurrent use. Cell (0, 0) is the upper left one of a bounded universe; y
// grows downwards.
type Universe struct {
	engine sim.Engine
	name   string // by which the engine was opened
	config sim.Config
	meta   pattern.Meta // of the pattern it began with
}

// Option is a choice that changes how a universe is run, never what comes out.
type Option func(*options)

type options struct {
	engine  string
	threads int
	plan    string
}

// WithEngine chooses the engine: a name from Engines, "cuda:0,1" for certain GPUs, or "auto".
func WithEngine(name string) Option { return func(o *options) { o.engine = name } }

// WithThreads sets the number of threads of the processor's engine; all cores by default.
func WithThreads(n int) Option { return func(o *options) { o.threads = n } }

// WithPlan forces a schedule, as Info.Plan of package sim prints it.
func WithPlan(plan string) Option { return func(o *options) { o.plan = plan } }

// Engines are the names that WithEngine takes.
func Engines() []string { return sim.Names() }

// Open gives a dead universe of a rule in any notation, or a name ("B3/S23", "bosco"). A suffix as Golly writes it says how large it is and
// what lies beyond its edges ("B3/S23:T4096,4096" is a torus); without one it is the unbounded plane. The error says what is wrong with the
// rule, what cannot be run, or that memory is short.
func Open(notation string, choices ...Option) (*Universe, error) {
	r, t, err := rule.ParseApart(notation)
	if err != nil {
		return nil, err
	}
	cfg := sim.Config{Rule: r}
	if t != nil {
		cfg.Topology = *t
	}
	return open(&origin.Origin{Config: cfg}, choices)
}

// OpenPattern gives the universe of a pattern: a file in any of the formats of package pattern, the name of a built-in pattern
// ("gosper-gun"), or the apgcode of an object ("xq4_153"). Rule, edges and generation are the file's; B3/S23 on the unbounded plane where it
// says nothing.
func OpenPattern(name string, choices ...Option) (*Universe, error) {
	flags := origin.Flags{Pattern: name}
	start, err := flags.Origin(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return open(start, choices)
}

// Resume gives the universe of a checkpoint that WriteCheckpoint, or gosper run --checkpoint, wrote.
func Resume(path string, choices ...Option) (*Universe, error) {
	flags := origin.Flags{Resume: path}
	start, err := flags.Origin(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return open(start, choices)
}

func open(start *origin.Origin, choices []Option) (*Universe, error) {
	o := options{engine: sim.Auto}
	for _, choose := range choices {
		choose(&o)
	}
	start.Config.Threads, start.Config.Plan = o.threads, o.plan
	ctx := context.Background()
	e, err := start.Open(ctx, o.engine)
	if err != nil {
		return nil, err
	}
	u := &Universe{engine: e, name: o.engine, config: start.Config, meta: start.Meta}
	if start.Load == nil {
		return u, nil
	}
	if err := start.Load(ctx, e, nil); err != nil {
		return nil, errors.Join(err, e.Close())
	}
	e.SetGeneration(start.Generation)
	return u, nil
}

// Close frees the universe's memory.
func (u *Universe) Close() error { return u.engine.Close() }

// Rule is the universe's rule.
func (u *Universe) Rule() rule.Rule { return u.config.Rule }

// Topology is the universe's size and what lies beyond its edges.
func (u *Universe) Topology() topology.Topology { return u.config.Topology }

// Info says what runs the universe.
func (u *Universe) Info() sim.Info { return u.engine.Info() }

// Step advances the universe by n generations. When ctx ends before, it stops between two generations, and the error is ctx.Err(): Generation
// says how far it came.
func (u *Universe) Step(ctx context.Context, n uint64) error {
	for n > 0 {
		done, err := u.engine.Step(ctx, n)
		if err != nil {
			return err
		}
		n -= done
	}
	return nil
}

// Reverse turns time around: from now on Step goes back through the generations that led here, while Generation counts on, one more at once
// (the blocks of a rule of 2×2 blocks lie where they were in the step before). Reverse once more, and it goes forth again. Rules of 2×2 blocks
// that are permutations can be reversed on tori, on Klein bottles whose twist they do not notice and, but for those that fill it (B0), on the
// unbounded plane. The error says why others cannot; the universe is then as it was.
func (u *Universe) Reverse(ctx context.Context) error {
	cfg := u.config
	var err error
	if cfg.Rule, err = origin.Reversed(cfg); err != nil {
		return err
	}
	back, err := sim.Open(ctx, u.name, cfg)
	if err != nil {
		return err
	}
	areas, err := grid.Occupied(u.engine)
	for _, area := range areas {
		if err == nil {
			err = grid.Copy(back, u.engine, area, area.X, area.Y)
		}
	}
	if err != nil {
		return errors.Join(err, back.Close())
	}
	back.SetGeneration(u.engine.Generation() + 1)
	u.engine, back, u.config = back, u.engine, cfg
	return back.Close()
}

// Generation is the number of the universe's generation.
func (u *Universe) Generation() uint64 { return u.engine.Generation() }

// Population is the number of cells that are not in state 0.
func (u *Universe) Population() (uint64, error) { return u.engine.Population() }

// Soup says which random cells Fill makes: each is alive, in state 1, with a probability. The same soup is the same cells on every machine
// (see package soup).
type Soup struct {
	Density float64 // 0 to 1
	Seed    uint64
	// W and H are the columns and rows of a soup in an unbounded universe; in a bounded one they are left out.
	W, H int
}

// Fill puts a soup into the universe, whose other cells stay as they are: the whole of a bounded one, else the W×H cells from (0, 0) on.
func (u *Universe) Fill(ctx context.Context, s Soup) error {
	t := u.config.Topology
	switch {
	case t.Bounded() && (s.W != 0 || s.H != 0):
		return fmt.Errorf("a soup fills the whole of a bounded universe: leave W and H out")
	case t.Bounded():
		s.W, s.H = t.W, t.H
	case s.W < 1 || s.H < 1:
		return fmt.Errorf("a soup of %d×%d cells on an infinite universe: W and H must be 1 or more", s.W, s.H)
	}
	return soup.Fill(ctx, u.engine, s.W, s.H, s.Seed, s.Density, u.config.Threads, nil)
}

// Cell is the state of a cell; 0 outside a bounded universe.
func (u *Universe) Cell(x, y int) (int, error) {
	state := 0
	for plane := range u.engine.Planes() {
		var word [1]uint64
		if err := u.engine.ReadRow(word[:], plane, x, y, 1); err != nil {
			return 0, err
		}
		state |= int(word[0]&1) << plane
	}
	return state, nil
}

// SetCell puts a cell into a state. Outside a bounded universe nothing happens.
func (u *Universe) SetCell(x, y, state int) error {
	if state < 0 || state >= u.config.Rule.States {
		return fmt.Errorf("state %d: %v has states 0 to %d", state, u.config.Rule, u.config.Rule.States-1)
	}
	for plane := range u.engine.Planes() {
		if err := u.engine.WriteRow([]uint64{uint64(state >> plane & 1)}, plane, x, y, 1); err != nil {
			return err
		}
	}
	return nil
}

// Paste puts the cells of a pattern that are not in state 0 into the universe, its cell (0, 0) at (x, y).
func (u *Universe) Paste(p *pattern.Pattern, x, y int) error {
	if err := p.CheckStates(u.config.Rule.States); err != nil {
		return err
	}
	if err := p.Draw(context.Background()); err != nil {
		return err
	}
	for _, part := range p.Cells.Occupied() {
		if err := grid.Copy(u.engine, p.Cells, part, x+part.X, y+part.Y); err != nil {
			return err
		}
	}
	return nil
}

// Extent implements grid.Source: the whole of a bounded universe, and the bounding box of the cells not in state 0 of an unbounded one.
func (u *Universe) Extent() (grid.Rect, error) { return u.engine.Extent() }

// Planes implements grid.Source: the bit planes that hold the states.
func (u *Universe) Planes() int { return u.engine.Planes() }

// ReadRow implements grid.Source.
func (u *Universe) ReadRow(dst []uint64, plane, x, y, n int) error {
	return u.engine.ReadRow(dst, plane, x, y, n)
}

// WriteRow implements grid.Sink.
func (u *Universe) WriteRow(src []uint64, plane, x, y, n int) error {
	return u.engine.WriteRow(src, plane, x, y, n)
}

// Hash is a digest of the cells, in hexadecimal: the same on every machine and engine, and what gosper run prints.
func (u *Universe) Hash(ctx context.Context) (string, error) {
	digest, err := grid.StateHash(ctx, u.engine, u.config.Rule.States, u.config.Topology.Kind == topology.Unbounded)
	return hex.EncodeToString(digest[:]), err
}

// Clusters finds the connected clusters of the cells in state 1.
func (u *Universe) Clusters(c component.Connectivity) (component.Clusters, error) {
	return sim.Clusters(u.engine, u.config.Topology, c)
}

// Save writes the universe to a pattern file, whose suffix says the format (.rle, .mc, .cells, .lif, .life, .png, .npy; with .gz behind it
// compressed). A file that is there is replaced; it is never half written.
func (u *Universe) Save(path string) error {
	start := origin.Origin{Config: u.config, Meta: u.meta}
	return pattern.WriteFile(context.Background(), path, u.engine, start.MetaAt(u.Generation()), true)
}

// WriteCheckpoint keeps the universe in a file for Resume, all or nothing: a checkpoint there is replaced, any other file is not.
func (u *Universe) WriteCheckpoint(path string) error {
	claim, err := atomicfile.Hold(path, checkpoint.Is(path))
	if err != nil {
		return err
	}
	defer claim.Release()
	start := origin.Origin{Config: u.config, Meta: u.meta}
	return checkpoint.Write(claim, start.Header(u.Generation(), sim.Forever, sim.UntilTarget), u.engine)
}

var (
	_ grid.Source = (*Universe)(nil)
	_ grid.Sink   = (*Universe)(nil)
)
