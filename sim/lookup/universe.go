package lookup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/internal/automaton"
	"github.com/gosper-life/gosper/topology"
)

const (
	side   = 64       // of a tile
	stride = side + 2 // of a tile with its halo
)

type place struct{ x, y int } // of a tile, in tiles

// tile is a square part of the universe. An edge of a bounded universe may cut its last tiles.
type tile struct {
	place
	w, h        int
	cells, next []uint8 // row after row, side cells apart
	changed     bool    // in the last generation, or written since
	dead        bool    // had no cells after its last change
	changing    bool    // in the generation that is being computed
	reads       []place // the other tiles that its halo overlaps
}

func (t *tile) rect() grid.Rect { return grid.Rect{X: t.x * side, Y: t.y * side, W: t.w, H: t.h} }

// tileBytes is approximately the memory of a tile.
const tileBytes = 2*side*side + 512

// universe is a set of tiles. Cells without a tile are dead. A bounded universe has all its tiles.
type universe struct {
	topology topology.Topology
	threads  int
	memory   uint64 // bytes that it may take; 0: no limit
	allowed  uint64 // bytes that it may take until the next check
	tiles    map[place]*tile
}

func newUniverse(t topology.Topology, threads int, memory uint64) (*universe, error) {
	u := &universe{topology: t, threads: max(threads, 1), memory: memory, tiles: map[place]*tile{}}
	if !t.Bounded() {
		return u, nil
	}
	across, down := (t.W+side-1)/side, (t.H+side-1)/side
	if err := grid.Fits(grid.Product(uint64(across), uint64(down), tileBytes)); err != nil {
		return nil, fmt.Errorf("universe %d×%d at a byte a cell: %w", t.W, t.H, err)
	}
	for y := range down {
		for x := range across {
			u.add(place{x, y})
		}
	}
	return u, nil
}

func (u *universe) bytes() uint64 { return uint64(len(u.tiles)) * tileBytes }

// add makes a tile, if there is none at a place.
func (u *universe) add(at place) {
	t := &tile{place: at, w: side, h: side, cells: make([]uint8, side*side), next: make([]uint8, side*side), changed: true}
	if u.topology.W > 0 {
		t.w = min(side, u.topology.W-at.x*side)
	}
	if u.topology.H > 0 {
		t.h = min(side, u.topology.H-at.y*side)
	}
	u.eachHalo(t, func(_ int, x, y int) {
		if of := placeOf(x, y); of != at && !slices.Contains(t.reads, of) {
			t.reads = append(t.reads, of)
		}
	})
	u.tiles[at] = t
}

// ensure makes a tile, if there is none at a place. It returns an error if memory is short.
func (u *universe) ensure(at place) error {
	if u.tiles[at] != nil {
		return nil
	}
	if held := u.bytes() + tileBytes; held > u.allowed {
		allowed, err := sim.AllowMemory(held, u.memory)
		if err != nil {
			return &sim.OutOfMemory{What: fmt.Sprintf("the universe has grown to %d tiles", len(u.tiles)), Why: err}
		}
		u.allowed = allowed
	}
	u.add(at)
	return nil
}

func placeOf(x, y int) place { return place{floor(x), floor(y)} }

func floor(x int) int { return x >> 6 }

// index returns the index of a cell in its tile.
func index(x, y int) int { return y&(side-1)*side + x&(side-1) }

// eachHalo visits the cells around a tile that are not beyond an edge. at is a cell's index in the tile with its halo, and (x, y) its position in the
// universe.
func (u *universe) eachHalo(t *tile, visit func(at, x, y int)) {
	r := t.rect()
	one := func(dx, dy int) {
		if x, y, inside := u.topology.Fold(r.X+dx, r.Y+dy); inside {
			visit((dy+1)*stride+dx+1, x, y)
		}
	}
	for dx := -1; dx <= t.w; dx++ {
		one(dx, -1)
		one(dx, t.h)
	}
	for dy := range t.h {
		one(-1, dy)
		one(t.w, dy)
	}
}

// step advances all tiles by a generation. If it fails, it has changed nothing.
func (u *universe) step(ctx context.Context, a *automaton.Automaton) error {
	if !u.topology.Bounded() {
		if err := u.grow(); err != nil {
			return err
		}
	}
	var active []*tile
	for _, t := range u.tiles {
		if u.isActive(t) {
			active = append(active, t)
		}
	}
	u.share(active, func(block []uint8, t *tile) {
		if ctx.Err() == nil {
			u.advance(a, block, t)
		}
	})
	if err := ctx.Err(); err != nil {
		for _, t := range active {
			t.changing = false
		}
		return err
	}
	for _, t := range u.tiles {
		t.changed = false
	}
	for _, t := range active {
		if t.changed, t.changing = t.changing, false; t.changed {
			t.cells, t.next = t.next, t.cells
		}
	}
	return nil
}

// isActive reports whether a tile can change.
func (u *universe) isActive(t *tile) bool {
	if t.changed {
		return true
	}
	for _, at := range t.reads {
		if other := u.tiles[at]; other != nil && other.changed {
			return true
		}
	}
	return false
}

// grow makes the tiles into which cells could spread, and drops dead tiles that are far from any cell.
func (u *universe) grow() error {
	needed := map[place]bool{}
	for _, t := range u.tiles {
		if !t.changed {
			continue
		}
		t.dead = t.isDead()
		for _, of := range t.reached() {
			needed[of] = true
		}
	}
	for at := range needed {
		if err := u.ensure(at); err != nil {
			return err
		}
	}
	alive := func(at place) bool { return u.tiles[at] != nil && !u.tiles[at].dead }
	for at, t := range u.tiles {
		if t.dead && !slices.ContainsFunc(t.reads, alive) {
			delete(u.tiles, at)
		}
	}
	return nil
}

// reached returns the tiles that cells at the edge of a tile touch.
func (t *tile) reached() []place {
	top, bottom := t.cells[:t.w], t.cells[(t.h-1)*side:][:t.w]
	rim := anyOf(top) || anyOf(bottom)
	for y := 0; y < t.h && !rim; y++ {
		rim = t.cells[y*side] != 0 || t.cells[y*side+t.w-1] != 0
	}
	if !rim {
		return nil
	}
	return t.reads
}

func (t *tile) isDead() bool { return !anyOf(t.cells) }

func anyOf(cells []uint8) bool {
	return slices.ContainsFunc(cells, func(c uint8) bool { return c != 0 })
}

// share calls do for all tiles from several threads, each with a buffer for a tile and its halo.
func (u *universe) share(tiles []*tile, do func(block []uint8, t *tile)) {
	var next atomic.Int64
	work := func() {
		block := make([]uint8, stride*stride)
		for i := next.Add(1) - 1; int(i) < len(tiles); i = next.Add(1) - 1 {
			do(block, tiles[i])
		}
	}
	var wg sync.WaitGroup
	for range min(u.threads, len(tiles)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// advance computes the next generation of a tile.
func (u *universe) advance(a *automaton.Automaton, block []uint8, t *tile) {
	clear(block)
	for y := range t.h {
		copy(block[(y+1)*stride+1:], t.cells[y*side:][:t.w])
	}
	var from *tile // the tile of the last cell of the halo
	at := place{}
	u.eachHalo(t, func(i, x, y int) {
		if of := placeOf(x, y); from == nil || of != at {
			from, at = u.tiles[of], of
		}
		if from != nil {
			block[i] = from.cells[index(x, y)]
		}
	})
	t.changing = false
	for y := range t.h {
		for x := range t.w {
			i := y*side + x
			t.next[i] = a.Next(block, (y+1)*stride+x+1)
			t.changing = t.changing || t.next[i] != t.cells[i]
		}
	}
}

// eachRun visits the cells of a row that have a tile, in runs: length cells from the i-th on, at an index of the tile.
func (u *universe) eachRun(x, y, n int, visit func(t *tile, at, i, length int)) {
	for i := 0; i < n; {
		length := min(side-(x+i)&(side-1), n-i)
		if t := u.tiles[placeOf(x+i, y)]; t != nil && y-t.y*side < t.h {
			if inside := min(length, t.w-(x+i-t.x*side)); inside > 0 {
				visit(t, index(x+i, y), i, inside)
			}
		}
		i += length
	}
}

// ensureRow makes the tiles for the cells of a row for which set returns true.
func (u *universe) ensureRow(x, y, n int, set func(i int) bool) error {
	t := u.topology
	if t.Bounded() || t.H > 0 && (y < 0 || y >= t.H) {
		return nil
	}
	for i := 0; i < n; i++ {
		if !set(i) || t.W > 0 && (x+i < 0 || x+i >= t.W) {
			continue
		}
		if err := u.ensure(placeOf(x+i, y)); err != nil {
			return err
		}
	}
	return nil
}

func (u *universe) population() (cells uint64) {
	for _, t := range u.tiles {
		for _, c := range t.cells {
			if c != 0 {
				cells++
			}
		}
	}
	return cells
}

func (u *universe) extent() grid.Rect {
	if u.topology.Bounded() {
		return grid.Rect{W: u.topology.W, H: u.topology.H}
	}
	var box grid.Rect
	for _, t := range u.tiles {
		for y := range t.h {
			row := t.cells[y*side:][:t.w]
			isLive := func(c uint8) bool { return c != 0 }
			if first := slices.IndexFunc(row, isLive); first >= 0 {
				end := t.w
				for row[end-1] == 0 {
					end--
				}
				box = box.Union(grid.Rect{X: t.x*side + first, Y: t.y*side + y, W: end - first, H: 1})
			}
		}
	}
	return box
}

// occupied returns the tiles with cells, row by row.
func (u *universe) occupied() (parts []grid.Rect) {
	if u.topology.Bounded() {
		return []grid.Rect{u.extent()}
	}
	for _, at := range slices.SortedFunc(maps.Keys(u.tiles), func(a, b place) int { return cmp.Or(cmp.Compare(a.y, b.y), cmp.Compare(a.x, b.x)) }) {
		if t := u.tiles[at]; !t.isDead() {
			parts = append(parts, t.rect())
		}
	}
	return parts
}
