// Package reference is the oracle. Its engine computes every cell of every generation from the definition of
// the rule, one cell and one neighbour at a time, as simply as possible. It runs any rule on any topology at
// any size, and every other engine is compared with it.
//
//	next state of (x, y) = transition(state(x, y), Σ weight(o) · stateweight(state(x+o.DX, y+o.DY)) over all neighbours o)
//
// In three dimensions it is the same with z and o.DZ.
//
// A rule with a local function uses the function's definition instead, with the states of the 3×3 block around
// (x, y). A rule of 2×2 blocks uses the block that contains (x, y) at the present generation. Where cells change
// places, the pairs of (x, y, z) and those of its partner decide. Rules that take turns each have their generations.
//
// A neighbour beyond an edge is the cell that topology.Fold or FoldVolume returns. It is counted as often as it
// is returned. If Fold returns none, the neighbour is in state 0.
package reference

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// name is the name that the engine is registered under.
const name = "reference"

func init() { sim.Register(scope, open) }

// scope has every rule and topology. On infinite universes some rules give infinitely many cells no single state.
var scope = sim.Scope{
	Engine: name, Plan: "cell by cell", Triangles: true, Volumes: true,
	Kinds: []rule.Kind{
		rule.KindCounting, rule.KindTable, rule.KindFunction, rule.KindBlocks, rule.KindAlternating, rule.KindStochastic,
		rule.KindSwaps,
	},
	Universe: func(r rule.Rule, t topology.Topology) error {
		if t.Bounded() {
			return nil
		}
		if r.Random() && r.BirthOnEmpty() {
			return errors.New("chance would give life to infinitely many dead cells")
		}
		if _, ok := background.Of(r); !ok || r.BirthOnEmpty() && t.Kind == topology.Plane {
			return errors.New("B0 has a background only where all empty cells do the same, and without dead edges")
		}
		return nil
	},
}

// universe holds the cells with two states exchanged, 0 and the background's (background.Exchange), so that
// nearly all are 0. The background is 0 in every bounded universe.
type universe interface {
	cell(x, y int) uint8
	setCell(x, y int, c uint8)                // cells outside are dropped
	readRow(dst []uint64, plane, x, y, n int) // into bits that are 0
	step(t *transition, generation uint64, background, nextBackground uint8)
	bounds() grid.Rect
	occupied() []grid.Rect
	population() uint64
	bytes() uint64
}

// engine is the reference engine; its methods are those of sim.Engine.
type engine struct {
	cfg         sim.Config
	orbit       background.Orbit
	transitions []transition // by generation, of rules that take turns
	universe    universe
	generation  uint64
}

// Open makes a reference engine. It refuses sizes that do not fit in memory. On infinite universes it refuses
// B0 rules if there is an edge with dead cells beyond it, or if they have no orbit, because then no single
// state is that of all but finitely many cells.
func Open(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	if err := scope.Check(cfg); err != nil {
		return nil, err
	}
	return open(ctx, cfg)
}

// open is Open after the scope has been checked.
func open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	e := &engine{cfg: cfg}
	reach := 0
	for _, r := range phases(cfg.Rule) {
		t, err := newTransition(r, cfg.Rule.Chance)
		if err != nil {
			return nil, err
		}
		if cfg.Topology.Volume() {
			t.layerRows = cfg.Topology.LayerRows()
		}
		e.transitions = append(e.transitions, t)
		reach = max(reach, t.reach)
	}
	if cfg.Topology.Bounded() {
		u, err := newBounded(cfg.Topology, reach)
		e.universe = u
		return e, err
	}
	e.orbit, _ = background.Of(cfg.Rule)
	e.universe = &unbounded{topology: cfg.Topology, cells: map[point]uint8{}}
	return e, nil
}

// phases returns the rules that take turns, as they are before chance changes what they do.
func phases(r rule.Rule) []rule.Rule {
	if base, ok := r.Base(); ok {
		return phases(base)
	}
	if r.Kind() == rule.KindAlternating {
		return r.Phases
	}
	return []rule.Rule{r}
}

// background is the state of all but finitely many cells of an infinite universe in generation g.
func (e *engine) background(g uint64) uint8 {
	if e.cfg.Topology.Bounded() {
		return 0
	}
	return e.orbit.At(g)
}

// Step advances up to n generations: see sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		g := e.generation
		e.universe.step(&e.transitions[g%uint64(len(e.transitions))], g, e.background(g), e.background(g+1))
		e.generation++
	}
	return n, nil
}

// Generation is the number of the present generation.
func (e *engine) Generation() uint64 { return e.generation }

// SetGeneration sets the generation of cells just loaded.
func (e *engine) SetGeneration(g uint64) { e.generation = g }

// Reseed implements sim.Seeder.
func (e *engine) Reseed(seed uint64) error {
	for i := range e.transitions {
		if t := &e.transitions[i]; t.chance != nil {
			c := *t.chance
			c.Seed = seed
			t.chance = &c
		}
	}
	return nil
}

// Population is the number of cells that differ from the background.
func (e *engine) Population() (uint64, error) { return e.universe.population(), nil }

// Extent is the whole universe, or the bounding box of the population of an infinite one.
func (e *engine) Extent() (grid.Rect, error) { return e.universe.bounds(), nil }

// Occupied returns areas that hold all cells of the population, for grid.Occupied.
func (e *engine) Occupied() []grid.Rect { return e.universe.occupied() }

// Planes is the number of bit planes of a state.
func (e *engine) Planes() int { return grid.PlanesOf(e.cfg.Rule.States) }

// Info describes the engine.
func (e *engine) Info() sim.Info {
	return sim.Info{
		Engine: name, Device: "CPU, one core", Plan: scope.Plan,
		Bytes: e.universe.bytes(), Background: e.background(e.generation),
	}
}

// Close does nothing: the engine holds plain memory.
func (e *engine) Close() error { return nil }

// ReadRow implements grid.Source.
func (e *engine) ReadRow(dst []uint64, plane, x, y, n int) error {
	clear(dst[:(n+63)/64])
	e.universe.readRow(dst, plane, x, y, n)
	return nil
}

// setBit sets bit i to the lowest bit of c, if it was 0.
func setBit(bits []uint64, i int, c uint8) { bits[i/64] |= uint64(c&1) << (i % 64) }

// WriteRow implements grid.Sink.
func (e *engine) WriteRow(src []uint64, plane, x, y, n int) error {
	for i := range n {
		bit := uint8(src[i/64] >> (i % 64) & 1)
		e.universe.setCell(x+i, y, e.universe.cell(x+i, y)&^(1<<plane)|bit<<plane)
	}
	return nil
}
