package cpu

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
)

// unbounded advances the unbounded plane, tile by tile, where something can change: rows within reach of rows that the last pass
// changed. A pass takes 6 generations where the radius is 1, so still lifes and oscillators of period 2, 3 and 6 cost nothing.
type unbounded struct {
	tiles
	programs   []*logic.Program // by parity of the generation, one where they are alike
	fullPlane  bool             // the background is always 1
	plan       Plan
	workers    []*tileWorker
	generation uint64
	lastDepth  int    // of the last pass; 0 when cells were written since
	allowed    uint64 // bytes of tiles known to fit the memory
}

// newUnbounded makes an engine of the rules that stand for r.
func newUnbounded(rules []rule.Rule, r rule.Rule, plan Plan) *unbounded {
	if len(rules) > 1 {
		plan.Depth = 1 // a pass has one program
	}
	e := &unbounded{plan: plan, fullPlane: r.BirthOnEmpty() && len(rules) == 1}
	reach := 0
	for _, r := range rules {
		p := logic.Lower(logic.Compile(r))
		e.programs = append(e.programs, p)
		reach = max(reach, plan.Depth*radius(p))
	}
	e.tiles = *newTiles(e.programs[0].Planes, reach)
	for range plan.Threads {
		e.workers = append(e.workers, newTileWorker(e))
	}
	return e
}

// tileJob is one tile's part of a pass.
type tileJob struct {
	tile    *tile
	rows    span // to be computed
	changed span // of these, the rows that came out different
	next    []uint64
}

// Step implements sim.Engine.
func (e *unbounded) Step(ctx context.Context, n uint64) (done uint64, err error) {
	for done < n {
		if err := ctx.Err(); err != nil {
			return done, err
		}
		if err := e.fits(); err != nil {
			return done, err
		}
		depth := int(min(n-done, uint64(e.plan.Depth)))
		e.pass(depth)
		done += uint64(depth)
		e.generation += uint64(depth)
	}
	return done, nil
}

// fits checks that the tiles may double before the next check.
func (e *unbounded) fits() error {
	if held := e.bytes(); held > e.allowed {
		if err := grid.Fits(2 * held); err != nil {
			return fmt.Errorf("the pattern has grown to %d tiles of %d×%d cells: %w",
				len(e.stored), tileSide, tileSide, err)
		}
		e.allowed = 2 * held
	}
	return nil
}

func (e *unbounded) pass(depth int) {
	if depth != e.lastDepth || len(e.programs) > 1 {
		// That a state came back after another number of generations says nothing about this one.
		for _, t := range e.stored {
			t.changed = wholeTile
		}
		e.lastDepth = depth
	}
	e.spread()
	jobs := e.jobs(depth)
	var next atomic.Int64
	var wg sync.WaitGroup
	for _, w := range e.workers[:max(1, min(len(e.workers), len(jobs)))] {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(jobs)); i = next.Add(1) - 1 {
				w.do(&jobs[i], depth)
			}
		})
	}
	wg.Wait()
	for _, t := range e.stored {
		t.changed = span{}
	}
	for _, j := range jobs {
		j.tile.changed = j.changed
		if j.changed.empty() {
			continue
		}
		size := e.planes * e.nv
		copy(j.tile.words[j.changed.lo*size:j.changed.hi*size], j.next[j.changed.lo*size:])
		j.tile.setLive()
	}
}

// spread makes the tiles that live cells can reach, and drops those that nothing has reached.
func (e *unbounded) spread() {
	var needed []grid.TileAt
	for p, t := range e.stored {
		switch {
		case t.changed.empty():
			if !t.live {
				delete(e.stored, p)
			}
		case t.live:
			e.border.neighbours(t, func(dx, dy int) { needed = append(needed, grid.TileAt{X: p.X + dx, Y: p.Y + dy}) })
		}
	}
	for _, p := range needed {
		e.at(p)
	}
}

// jobs lists the rows that may change in a pass.
func (e *unbounded) jobs(depth int) []tileJob {
	reach, around := depth*radius(e.programs[0]), e.border.around
	var jobs []tileJob
	for p, t := range e.stored {
		var rows span
		for dy := -around; dy <= around; dy++ {
			for dx := -around; dx <= around; dx++ {
				if n := e.stored[grid.TileAt{X: p.X + dx, Y: p.Y + dy}]; n != nil && !n.changed.empty() {
					rows = rows.union(span{n.changed.lo + dy*tileSide - reach, n.changed.hi + dy*tileSide + reach}.clip(wholeTile))
				}
			}
		}
		if !rows.empty() {
			jobs = append(jobs, tileJob{tile: t, rows: rows})
		}
	}
	return jobs
}

// tileWorker computes tiles, one at a time.
type tileWorker struct {
	e       *unbounded
	walks   []*walk // by program
	job     *tileJob
	in      ring // the rows around and in the tile, planes together, of which those before entered are there
	entered int
	out     ring
	sides   [2][][]uint64 // scratch: the rows left and right of a row
}

func newTileWorker(e *unbounded) *tileWorker {
	w := &tileWorker{e: e, out: newRing(1, e.planes, e.stride)}
	rows := 0
	for _, p := range e.programs {
		w.walks = append(w.walks, newWalk(p, &e.layout, nil, e.plan.Depth, newInterpreter(p, &e.layout, nil)))
		rows = max(rows, p.Up-p.Down+1)
	}
	w.in = newRing(rows, e.planes, e.stride)
	return w
}

func (w *tileWorker) do(j *tileJob, depth int) {
	w.job = j
	j.next = make([]uint64, len(j.tile.words))
	walk := w.walks[w.e.generation%uint64(len(w.walks))]
	w.entered = j.rows.lo - depth*walk.radius
	walk.run(w, depth, j.rows.lo, j.rows.hi)
}

// input implements cells; rows are asked for in rising order.
func (w *tileWorker) input(plane, y int) []uint64 {
	for ; w.entered <= y; w.entered++ {
		for k := range w.e.planes {
			w.enter(k, w.entered)
		}
	}
	return w.in.row(plane, y)
}

// enter copies row y of the tile's plane, or of the tiles above and below, with ghosts from the tiles beside.
func (w *tileWorker) enter(plane, y int) {
	e, dst := w.e, w.in.row(plane, y)
	at := grid.TileAt{X: w.job.tile.at.X, Y: w.job.tile.at.Y + y>>8}
	local := y & (tileSide - 1)
	inner := dst[e.ghost : e.ghost+e.nv]
	if row := e.row(at, plane, local); row != nil {
		copy(inner, row)
	} else {
		clear(inner)
	}
	for side, dx := range []int{-1, 1} {
		w.sides[side] = w.sides[side][:0]
		for i := 1; i <= e.border.around; i++ {
			row := e.row(grid.TileAt{X: at.X + dx*i, Y: at.Y}, plane, local)
			if row == nil {
				row = dead[:]
			}
			w.sides[side] = append(w.sides[side], row)
		}
	}
	e.fillGhosts(dst, w.sides[0], w.sides[1])
}

// dead is a row of a tile that is not stored.
var dead [tileSide / 64]uint64

func (w *tileWorker) ahead(int) []uint64 { return w.out.row(0, 0) }

func (w *tileWorker) output(plane, _ int) []uint64 { return w.out.row(plane, 0) }

// left implements cells: keeps a finished row and sees whether it differs from what it was.
func (w *tileWorker) left(y int) {
	e, j := w.e, w.job
	for k := range e.planes {
		row := w.out.row(k, 0)[e.ghost : e.ghost+e.nv]
		start := (y*e.planes + k) * e.nv
		copy(j.next[start:], row)
		if !slices.Equal(row, j.tile.words[start:start+e.nv]) {
			j.changed = j.changed.union(span{y, y + 1})
		}
	}
}

func (w *tileWorker) outside(int) bool { return false }

func (w *tileWorker) confine([]uint64, int) {}

// Generation implements sim.Engine.
func (e *unbounded) Generation() uint64 { return e.generation }

// SetGeneration implements sim.Engine.
func (e *unbounded) SetGeneration(g uint64) { e.generation = g }

// Population implements sim.Engine.
func (e *unbounded) Population() uint64 { return e.population() }

// Info implements sim.Engine.
func (e *unbounded) Info() sim.Info {
	info := sim.Info{
		Engine: "cpu",
		Device: device(len(e.workers)),
		Plan:   e.plan.String(),
		Bytes:  e.bytes(),
	}
	if e.fullPlane || len(e.programs) > 1 && e.generation%2 == 1 {
		info.Background = 1
	}
	return info
}

// Close implements sim.Engine.
func (e *unbounded) Close() error { return nil }

// Planes implements grid.Source.
func (e *unbounded) Planes() int { return e.planes }

// Bounds implements grid.Source.
func (e *unbounded) Bounds() grid.Rect {
	var all grid.Rect
	for p, t := range e.stored {
		box := e.box(t)
		box.X += p.X * tileSide
		box.Y += p.Y * tileSide
		all = all.Union(box)
	}
	return all
}

// Occupied lists the tiles with live cells: grid's functions over a Source use it where the bounding box is mostly empty.
func (e *unbounded) Occupied() []grid.Rect {
	var all []grid.Rect
	for p, t := range e.stored {
		if t.live {
			all = append(all, grid.Rect{X: p.X * tileSide, Y: p.Y * tileSide, W: tileSide, H: tileSide})
		}
	}
	slices.SortFunc(all, func(a, b grid.Rect) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	return all
}

// ReadRow implements grid.Source.
func (e *unbounded) ReadRow(dst []uint64, plane, x, y, n int) {
	clear(dst[:(n+63)/64])
	e.eachTile(x, y, n, func(p grid.TileAt, local, offset, from, count int) {
		row := e.row(p, plane, local)
		if row == nil {
			return
		}
		var cells [tileSide / 64]uint64
		e.unpack(cells[:], e.padded(row), 0)
		for c := 0; c < count; c += 64 {
			k := min(64, count-c)
			store(dst, offset+c, load(cells[:], from+c, k), k)
		}
	})
}

// WriteRow implements grid.Sink.
func (e *unbounded) WriteRow(src []uint64, plane, x, y, n int) {
	e.lastDepth = 0
	e.eachTile(x, y, n, func(p grid.TileAt, local, offset, from, count int) {
		t := e.stored[p]
		if t == nil {
			any := uint64(0)
			for c := 0; c < count; c += 64 {
				any |= load(src, offset+c, min(64, count-c))
			}
			if any == 0 {
				return
			}
			t = e.at(p)
		}
		var cells [tileSide / 64]uint64
		row := t.row(&e.tiles, plane, local)
		padded := e.padded(row)
		e.unpack(cells[:], padded, 0)
		for c := 0; c < count; c += 64 {
			k := min(64, count-c)
			replace(cells[:], from+c, load(src, offset+c, k), k)
		}
		e.pack(padded, 0, cells[:])
		copy(row, padded[e.ghost:])
		t.setLive()
	})
}

// eachTile cuts n cells from (x, y) rightwards at the edges of tiles: count cells from column from of row local of the tile at p
// are those from offset on.
func (e *unbounded) eachTile(x, y, n int, do func(p grid.TileAt, local, offset, from, count int)) {
	for offset := 0; offset < n; {
		from := (x + offset) & (tileSide - 1)
		count := min(tileSide-from, n-offset)
		do(grid.TileAt{X: (x + offset) >> 8, Y: y >> 8}, y&(tileSide-1), offset, from, count)
		offset += count
	}
}
