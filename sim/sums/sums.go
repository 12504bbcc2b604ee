// Package sums is the engine for rules of large radius on the unbounded plane. It adds up the neighbours of cells as numbers, from one cell to the
// next: what a cell counts differs from what the cell before counts only along the edges of the neighbourhood (edges.go). For squares and diamonds the
// time of a cell does not depend on the radius, and no code is made for the rule.
//
// The cells are kept in grid.Tiles. A generation looks at the areas around them one by one (areas.go), each as bytes.
package sums

import (
	"context"
	"fmt"
	"runtime"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// name is what the engine is registered under.
const name = "sums"

func init() { sim.Register(name, priority, Open) }

// wide is the least radius at which this engine is tried before the cpu engine, whose tiles have no machine code beyond.
const wide = 65

// first is a priority before that of every other engine.
const first = 50

func priority(cfg sim.Config) int {
	if cfg.Plan != "" || cfg.Topology.Kind != topology.Unbounded || cfg.Rule.Radius() < wide {
		return 0
	}
	return first
}

// engine is the engine; its methods are those of sim.Engine.
type engine struct {
	*grid.Tiles
	rule       rule.Rule
	counter    *counter
	threads    int
	memory     uint64 // bytes that it may take; 0: no limit
	generation uint64
}

// Open makes an engine. It runs rules that count, on the unbounded plane, if dead cells among dead cells stay dead.
func Open(_ context.Context, cfg sim.Config) (sim.Engine, error) {
	refuse := func(what, why string) error { return &sim.Unsupported{Engine: name, What: what, Why: why} }
	r := cfg.Rule
	what := fmt.Sprintf("rule %v", r)
	switch {
	case cfg.Plan != "":
		return nil, refuse(fmt.Sprintf("plan %q", cfg.Plan), "it has one way to run")
	case cfg.Topology.Kind != topology.Unbounded:
		return nil, refuse(fmt.Sprintf("topology %v", cfg.Topology), "it is for the unbounded plane")
	case r.Chance != nil || r.Block != nil || r.Phases != nil || r.Local != nil || r.Table != nil || r.Neighbourhood.Triangles:
		return nil, refuse(what, "it is for rules that count the cells of a neighbourhood, the same everywhere and always")
	case r.BirthOnEmpty() || r.StateWeight(0) != 0:
		return nil, refuse(what, "dead cells do not stay dead, or count")
	}
	c, err := newCounter(r)
	if err != nil {
		return nil, refuse(what, err.Error())
	}
	cells, err := grid.NewTiles(grid.PlanesOf(r.States))
	if err != nil {
		return nil, err
	}
	threads := cfg.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &engine{Tiles: cells, rule: r, counter: c, threads: threads, memory: cfg.Memory}, nil
}

// Step advances up to n generations, see sim.Engine.
func (e *engine) Step(ctx context.Context, n uint64) (uint64, error) {
	for done := range n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.advance(ctx); err != nil {
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
func (e *engine) Population() (uint64, error) { return e.Tiles.Population(), nil }

// Info describes the engine.
func (e *engine) Info() sim.Info {
	return sim.Info{
		Engine: name, Device: "CPU, " + number.Count(uint64(e.threads), "thread"), Plan: "running sums",
		Bytes: uint64(e.Len())*e.tileBytes() + uint64(len(e.counter.alive)),
	}
}

// tileBytes is the memory of a tile.
func (e *engine) tileBytes() uint64 { return uint64(e.Planes()) * grid.TileSide * grid.TileSide / 8 }

// Close does nothing: the engine holds plain memory.
func (e *engine) Close() error { return nil }
