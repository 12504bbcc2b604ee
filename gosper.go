package gosper

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/atomicfile"
	"github.com/gosper-life/gosper/origin"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"

	_ "github.com/gosper-life/gosper/census/cuda"
	_ "github.com/gosper-life/gosper/sim/burning"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/cuda"
	_ "github.com/gosper-life/gosper/sim/hashlife"
	_ "github.com/gosper-life/gosper/sim/reference"
)

// Universe is a set of cells that evolve by a rule. Coordinates are cells, x to the right and y down. Cell
// (0, 0) is the upper left cell of a bounded universe. A Universe must be closed. Several goroutines may
// use it: their calls take turns, so a call during a Step waits for the end of the Step.
type Universe struct {
	turn   sync.Mutex // is held by every method while it lasts: engines are for one goroutine at a time
	engine sim.Engine
	name   string // by which the engine was opened
	config sim.Config
	meta   pattern.Meta // of the pattern that it started with
}

// Option is a choice of how a universe is computed. It never changes the result.
type Option func(*options)

type options struct {
	engine  string
	threads int
	plan    string
}

// WithEngine chooses the engine: a name from Engines, "cuda:0,1" for certain GPUs, or "auto", which is the default.
func WithEngine(name string) Option { return func(o *options) { o.engine = name } }

// WithThreads sets the number of threads of the processor's engine. The default, 0, is one for each core.
func WithThreads(n int) Option { return func(o *options) { o.threads = n } }

// WithPlan forces a plan, in the form that Universe.Info prints. By default the engine chooses.
func WithPlan(plan string) Option { return func(o *options) { o.plan = plan } }

// Engines returns the names that WithEngine accepts, in alphabetical order.
func Engines() []string { return sim.Names() }

// Open returns a dead universe at generation 0. The rule is in any notation, or a name ("B3/S23", "bosco"). A
// suffix as in Golly gives the size and what lies beyond the edges ("B3/S23:T4096,4096" is a torus of 4096×4096
// cells); without one the universe is the unbounded plane. A third side makes a universe of three dimensions
// ("3D4,5/5:T64,64,64"), whose cell (x, y, z) is in column x and row y + 64·z. Open fails if the rule has an error
// (*rule.SyntaxError), if no engine can run it there (*sim.Unsupported), or if there is not enough memory.
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

// OpenPattern returns the universe of a pattern: a file in any format of package pattern, a built-in pattern
// ("gosper-gun"), or an object given by its apgcode ("xq4_153"). Rule, edges and generation come from the file;
// by default they are B3/S23, the unbounded plane and 0. OpenPattern fails if the pattern cannot be read, and
// for the same reasons as Open.
func OpenPattern(name string, choices ...Option) (*Universe, error) {
	flags := origin.Flags{Pattern: name}
	start, err := flags.Origin(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return open(start, choices)
}

// Resume returns the universe of a checkpoint that WriteCheckpoint, or gosper run --checkpoint, wrote. It fails
// if the checkpoint is missing or damaged, and for the same reasons as Open.
func Resume(path string, choices ...Option) (*Universe, error) {
	flags := origin.Flags{Resume: path}
	start, err := flags.Origin(context.Background(), nil)
	if err != nil {
		return nil, err
	}
	return open(start, choices)
}

// open makes the engine and loads the cells. If loading fails, the engine is closed again.
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

// Close frees the universe's memory. Afterwards everything that needs cells fails, and a second Close does nothing.
func (u *Universe) Close() error {
	u.turn.Lock()
	defer u.turn.Unlock()
	e := u.engine
	u.engine = closed{planes: e.Planes(), generation: e.Generation(), info: e.Info()}
	return e.Close()
}

// Rule returns the universe's rule, without a bounded-grid suffix.
func (u *Universe) Rule() rule.Rule {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.config.Rule
}

// Topology returns the universe's size in cells and what lies beyond its edges.
func (u *Universe) Topology() topology.Topology {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.config.Topology
}

// Info describes the engine that runs the universe.
func (u *Universe) Info() sim.Info {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.Info()
}

// Step advances the universe by n generations. If ctx ends before that, Step stops between two generations and
// returns ctx.Err(); Generation then says how far it got. Other errors are those of the engine, such as a lack
// of memory or a failed GPU.
func (u *Universe) Step(ctx context.Context, n uint64) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	for n > 0 {
		done, err := u.engine.Step(ctx, n)
		if err != nil {
			return err
		}
		n -= done
	}
	return nil
}

// Reverse reverses time: from now on Step goes back through the generations that led here. Generation increases
// by one at once, because the 2×2 blocks must lie where they were in the last step, and then goes on counting
// up. A second Reverse turns time around again. Only rules of 2×2 blocks that are permutations can be reversed:
// on tori, on Klein bottles whose twist does not matter to the rule, and on the unbounded plane unless the rule
// fills it (B0). For other rules Reverse returns an error that says why, and the universe is unchanged.
func (u *Universe) Reverse(ctx context.Context) error {
	u.turn.Lock()
	defer u.turn.Unlock()
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

// Generation returns the number of the present generation.
func (u *Universe) Generation() uint64 {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.Generation()
}

// Population returns the number of cells that are not in state 0. It fails only if the universe is on a GPU that fails.
func (u *Universe) Population() (uint64, error) {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.Population()
}

// Soup describes the random cells that Fill makes. Each cell is alive, in state 1, with a probability. The same
// soup has the same cells on every machine (see package soup).
type Soup struct {
	Density float64 // probability that a cell is alive, 0 to 1
	Seed    uint64
	// W and H are the size in cells of a soup in an unbounded universe. They must be 0 in a bounded one, which is
	// filled completely.
	W, H int
}

// Fill puts a soup into the universe: all cells of a bounded universe, or the W×H cells from (0, 0) on. Other
// cells do not change. It fails if the density or the size is out of range, and when ctx ends.
func (u *Universe) Fill(ctx context.Context, s Soup) error {
	u.turn.Lock()
	defer u.turn.Unlock()
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

// Cell returns the state of a cell, which is 0 outside a bounded universe.
func (u *Universe) Cell(x, y int) (int, error) {
	u.turn.Lock()
	defer u.turn.Unlock()
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

// SetCell sets the state of a cell. It ignores cells outside a bounded universe, and fails if the rule does not
// have the state.
func (u *Universe) SetCell(x, y, state int) error {
	u.turn.Lock()
	defer u.turn.Unlock()
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

// Paste copies the cells of a pattern that are not in state 0 into the universe. The pattern's cell (0, 0) goes
// to (x, y). It fails if the rule does not have one of the states.
func (u *Universe) Paste(p *pattern.Pattern, x, y int) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	if err := p.CheckStates(u.config.Rule.States); err != nil {
		return err
	}
	if err := p.Draw(context.Background()); err != nil {
		return err
	}
	for _, part := range p.Cells.Occupied() {
		if err := u.pastePart(p.Cells, part, x, y); err != nil {
			return err
		}
	}
	return nil
}

// pastePart pastes the cells in a rectangle of a pattern. The rectangle is a whole tile, so its dead cells must
// not erase cells of the universe.
func (u *Universe) pastePart(cells *grid.Tiles, part grid.Rect, x, y int) error {
	words := (part.W + 63) / 64
	row, live := make([]uint64, words), make([]uint64, words)
	pasted := make([][]uint64, max(cells.Planes(), u.engine.Planes()))
	for k := range pasted {
		pasted[k] = make([]uint64, words)
	}
	for line := range part.H {
		clear(live)
		for k := range cells.Planes() {
			grid.InMemory(cells.ReadRow(pasted[k], k, part.X, part.Y+line, part.W))
			for i, word := range pasted[k] {
				live[i] |= word
			}
		}
		for k := range u.engine.Planes() {
			if err := u.engine.ReadRow(row, k, x+part.X, y+part.Y+line, part.W); err != nil {
				return err
			}
			for i := range row {
				row[i] = row[i]&^live[i] | pasted[k][i]
			}
			if err := u.engine.WriteRow(row, k, x+part.X, y+part.Y+line, part.W); err != nil {
				return err
			}
		}
	}
	return nil
}

// Extent implements grid.Source. It returns the whole of a bounded universe, or the bounding box of the cells
// of an unbounded one that are not in state 0.
func (u *Universe) Extent() (grid.Rect, error) {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.Extent()
}

// Planes implements grid.Source. It returns the number of bit planes of a state.
func (u *Universe) Planes() int {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.Planes()
}

// ReadRow implements grid.Source.
func (u *Universe) ReadRow(dst []uint64, plane, x, y, n int) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.ReadRow(dst, plane, x, y, n)
}

// WriteRow implements grid.Sink.
func (u *Universe) WriteRow(src []uint64, plane, x, y, n int) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	return u.engine.WriteRow(src, plane, x, y, n)
}

// Hash returns a digest of the cells in hexadecimal, the same that gosper run prints. It does not depend on the
// machine or the engine.
func (u *Universe) Hash(ctx context.Context) (string, error) {
	u.turn.Lock()
	defer u.turn.Unlock()
	digest, err := grid.StateHash(ctx, u.engine, u.config.Rule.States, u.config.Topology.Kind == topology.Unbounded)
	return hex.EncodeToString(digest[:]), err
}

// Clusters finds the connected clusters of the cells in state 1. It fails on a universe that is infinite in
// only one direction.
func (u *Universe) Clusters(c component.Connectivity) (component.Clusters, error) {
	u.turn.Lock()
	defer u.turn.Unlock()
	return sim.Clusters(u.engine, u.config.Topology, c)
}

// Save writes the universe to a pattern file. The suffix gives the format (.rle, .mc, .cells, .lif, .life,
// .png, .pbm, .pgm, .npy, each also with .gz). It replaces an existing file. The file appears whole or not at all.
func (u *Universe) Save(path string) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	start := origin.Origin{Config: u.config, Meta: u.meta}
	return pattern.WriteFile(context.Background(), path, u.engine, start.MetaAt(u.engine.Generation()), true)
}

// WriteCheckpoint writes a checkpoint for Resume. It replaces an existing checkpoint but no other file. The
// file appears whole or not at all.
func (u *Universe) WriteCheckpoint(path string) error {
	u.turn.Lock()
	defer u.turn.Unlock()
	claim, err := atomicfile.Hold(path, checkpoint.Is(path))
	if err != nil {
		return err
	}
	defer claim.Release()
	start := origin.Origin{Config: u.config, Meta: u.meta}
	return checkpoint.Write(claim, start.Header(u.engine.Generation(), sim.Forever, run.UntilTarget), u.engine)
}

var (
	_ grid.Source = (*Universe)(nil)
	_ grid.Sink   = (*Universe)(nil)
)
