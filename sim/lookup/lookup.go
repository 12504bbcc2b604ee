// Package lookup is the engine for rules that are too large for a circuit. A cell is a byte, and the engine looks up its next state in the rule's
// decision diagram. It runs rules of the 3×3 block. The universe is divided into tiles. A tile is computed only if it, or a tile that it touches, has
// changed in the generation before.
package lookup

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/local"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/internal/automaton"
)

// name is what the engine is registered under.
const name = "lookup"

func init() { sim.Register(name, func(sim.Config) int { return priority }, Open) }

// priority ranks this engine after those that run circuits, and before the reference.
const priority = 10

// engine is the lookup engine; its methods are those of sim.Engine.
type engine struct {
	cfg        sim.Config
	lookup     *automaton.Automaton
	universe   *universe
	generation uint64
}

// Open makes a lookup engine. It refuses rules that reach beyond the 3×3 block. On infinite universes it also refuses rules under which dead cells
// among dead cells do not remain dead.
func Open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what, why string) error { return &sim.Unsupported{Engine: name, What: what, Why: why} }
	if cfg.Plan != "" {
		return nil, refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	}
	if cfg.Rule.Chance != nil {
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "it makes no random bits")
	}
	f, err := function(cfg.Rule)
	switch {
	case err != nil:
		return nil, err
	case f == nil:
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "its neighbourhood reaches beyond the 3×3 block")
	case f.Diagram() == nil:
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), "it has no decision diagram: its circuit is short")
	case !cfg.Topology.Bounded() && f.Uniform(0) != 0:
		return nil, refuse(fmt.Sprintf("%v on an infinite universe", cfg.Rule), "dead cells do not stay dead")
	}
	a, err := automaton.New(f.Diagram(), stride, cfg.Memory)
	if err != nil {
		return nil, refuse(fmt.Sprintf("rule %v", cfg.Rule), err.Error())
	}
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	u, err := newUniverse(cfg.Topology, threads, cfg.Memory)
	if err != nil {
		return nil, err
	}
	return &engine{cfg: cfg, lookup: a, universe: u}, nil
}

// function returns the local function of a rule of the 3×3 block, and nil for all other rules.
func function(r rule.Rule) (*local.Function, error) {
	if r.Local != nil {
		return r.Local, nil
	}
	table, ok := r.AsTable()
	if !ok {
		return nil, nil
	}
	class := func(_ int, state uint8) int {
		if state == 1 {
			return 1
		}
		return 0
	}
	cells := []int{local.C, local.N, local.E, local.S, local.W, local.NE, local.SE, local.SW, local.NW}
	return local.Code(r.States, cells, class, func(b *local.Block) uint8 {
		block := 0
		for i, state := range b {
			block |= class(i, state) << (8 - i)
		}
		switch c := b[local.C]; {
		case c < 2 && table.At(block) == 1:
			return 1
		case c == 0 || int(c)+1 >= r.States:
			return 0
		default:
			return c + 1
		}
	})
}

// Step advances up to n generations, see sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.universe.step(ctx, e.lookup); err != nil {
			return done, err
		}
		e.generation++
	}
	return n, nil
}

// Generation returns the number of the current generation.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration numbers the cells just loaded.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Population returns the number of cells that are not in state 0.
func (e *engine) Population() (uint64, error) { return e.universe.population(), nil }

// Extent returns the rectangle of the universe, or if it is infinite, the bounding box of its cells.
func (e *engine) Extent() (grid.Rect, error) { return e.universe.extent(), nil }

// Occupied returns areas that contain all cells of the population, for grid.Occupied.
func (e *engine) Occupied() []grid.Rect { return e.universe.occupied() }

// Planes returns the number of bit planes of a state.
func (e *engine) Planes() int { return grid.PlanesOf(e.cfg.Rule.States) }

// Info describes the engine.
func (e *engine) Info() sim.Info {
	return sim.Info{
		Engine: name, Device: "CPU, " + number.Count(uint64(e.universe.threads), "thread"), Plan: fmt.Sprintf("tiles of %d×%d bytes", side, side),
		Bytes: e.universe.bytes() + e.lookup.Bytes(),
	}
}

// Close does nothing: the engine holds plain memory.
func (e *engine) Close() error { return nil }

// ReadRow implements grid.Source, see there.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	e.universe.eachRun(x, y, n, func(t *tile, at, i, length int) {
		for k, cell := range t.cells[at : at+length] {
			dst[(i+k)/64] |= uint64(cell>>plane&1) << ((i + k) % 64)
		}
	})
	return nil
}

// WriteRow implements grid.Sink, see there.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) error {
	bit := func(i int) uint8 { return uint8(src[i/64] >> (i % 64) & 1) }
	if err := e.universe.ensureRow(x, y, n, func(i int) bool { return bit(i) == 1 }); err != nil {
		return err
	}
	e.universe.eachRun(x, y, n, func(t *tile, at, i, length int) {
		t.changed = true
		for k := range length {
			cell := &t.cells[at+k]
			*cell = *cell&^(1<<plane) | bit(i+k)<<plane
		}
	})
	return nil
}
