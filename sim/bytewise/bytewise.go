// Package bytewise advances cells that are kept as bytes, for rules without machine code. It has two engines
// and a stepper:
//
//   - Engine lookup is for rules that are too large for a circuit. It looks up the next state of a cell in the
//     rule's decision diagram (lookup.go). A tile is computed only if it, or a tile that it touches, has
//     changed in the generation before (changes.go).
//   - Engine sums is for rules of large radius on the unbounded plane. It adds up the neighbours of cells as numbers,
//     from one cell to the next. The count of a cell differs from that of the cell before only along the edges of the
//     neighbourhood (edges.go). For squares and diamonds the time of a cell does not depend on the radius. A
//     generation looks at the areas around the cells one by one (tasks.go).
//   - Stepper is for one small creature, in the box around its cells (creature.go). The engine cpu uses it,
//     because blocks of tiles are much larger.
//
// All of them compute areas of bytes (area.go). The engines keep the universe in tiles of bytes (store.go).
package bytewise

import (
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/number"
	"github.com/gosper-life/gosper/sim"
)

// base has the parts that the engines share: the cells and their generation.
type base struct {
	*store
	planes     int
	threads    int
	generation uint64
}

// newBase returns a universe without cells.
func newBase(cfg sim.Config) (base, error) {
	b := base{planes: grid.PlanesOf(cfg.Rule.States), threads: cfg.Threads}
	if b.threads == 0 {
		b.threads = runtime.GOMAXPROCS(0)
	}
	var err error
	b.store, err = newStore(cfg.Topology, cfg.Memory)
	return b, err
}

// Generation returns the number of the current generation.
func (b *base) Generation() uint64 { return b.generation }

// SetGeneration numbers the cells just loaded.
func (b *base) SetGeneration(g uint64) { b.generation = g }

// Planes returns the number of bit planes of a state.
func (b *base) Planes() int { return b.planes }

// Close does nothing: the engine holds plain memory.
func (b *base) Close() error { return nil }

// info describes an engine. more is the number of bytes that it takes besides its cells.
func (b *base) info(name, plan string, more uint64) sim.Info {
	return sim.Info{
		Engine: name, Device: "CPU, " + number.Count(uint64(b.threads), "thread"), Plan: plan, Bytes: b.bytes() + more,
	}
}

// share does n tasks on several threads. Each thread calls worker once, and the returned function for each of its
// tasks.
func share(threads, n int, worker func() func(i int)) {
	var taken atomic.Int64
	work := func() {
		do := worker()
		for i := taken.Add(1) - 1; int(i) < n; i = taken.Add(1) - 1 {
			do(int(i))
		}
	}
	var wg sync.WaitGroup
	for range min(threads, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}
