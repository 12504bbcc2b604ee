package bytewise

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/sim/internal/automaton"
)

// history is the past of a tile. By it lookups skip tiles that cannot change.
type history struct {
	next     []uint8 // the cells of the generation that is being computed; nil before the first
	changed  bool    // in the last generation, or written since
	dead     bool    // had no cells after its last change
	changing bool    // in the generation that is being computed
	known    bool    // reads is
	reads    []place // the other tiles that its halo overlaps
}

// reach is the width of a tile with its halo.
const reach = side + 2

// newBlock returns room for a tile with its halo.
func newBlock() *area {
	return &area{first: reach + 1, stride: reach, states: make([]uint8, reach*reach)}
}

// eachHalo visits the cells around a tile that are not beyond an edge. at is a cell's index in the tile with
// its halo, and (x, y) its position in the universe.
func (s *store) eachHalo(t *tile, visit func(at, x, y int)) {
	r := t.rect()
	one := func(dx, dy int) {
		if x, y, inside := s.topology.Fold(r.X+dx, r.Y+dy); inside {
			visit((dy+1)*reach+dx+1, x, y)
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

// readsOf returns the other tiles that the halo of a tile overlaps.
func (s *store) readsOf(t *tile) []place {
	if !t.known {
		t.known = true
		s.eachHalo(t, func(_ int, x, y int) {
			if of := placeOf(x, y); of != t.place && !slices.Contains(t.reads, of) {
				t.reads = append(t.reads, of)
			}
		})
	}
	return t.reads
}

// step advances all tiles by a generation. If it fails, it has changed nothing.
func (s *store) step(ctx context.Context, a *automaton.Automaton, threads int) error {
	if !s.topology.Bounded() {
		if err := s.grow(); err != nil {
			return err
		}
	}
	var active []*tile
	for _, t := range s.tiles {
		if s.isActive(t) {
			active = append(active, t)
		}
	}
	share(threads, len(active), func() func(i int) {
		block := newBlock()
		return func(i int) {
			if ctx.Err() == nil {
				s.advance(a, block, active[i])
			}
		}
	})
	if err := ctx.Err(); err != nil {
		for _, t := range active {
			t.changing = false
		}
		return err
	}
	// Only now do tiles exchange their cells: while one was computed, its neighbours were read as they had been. A step
	// that fails above has therefore changed no cell.
	for _, t := range s.tiles {
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
func (s *store) isActive(t *tile) bool {
	if t.changed {
		return true
	}
	for _, at := range s.readsOf(t) {
		if other := s.tiles[at]; other != nil && other.changed {
			return true
		}
	}
	return false
}

// grow makes the tiles into which cells could spread, and drops dead tiles that are far from any cell.
func (s *store) grow() error {
	needed := map[place]bool{}
	for _, t := range s.tiles {
		if !t.changed {
			continue
		}
		t.dead = t.isDead()
		for _, of := range s.reached(t) {
			needed[of] = true
		}
	}
	for at := range needed {
		if err := s.ensure(at); err != nil {
			return err
		}
	}
	alive := func(at place) bool { return s.tiles[at] != nil && !s.tiles[at].dead }
	for at, t := range s.tiles {
		if t.dead && !slices.ContainsFunc(s.readsOf(t), alive) {
			delete(s.tiles, at)
		}
	}
	return nil
}

// reached returns the tiles that cells at the edge of a tile touch.
func (s *store) reached(t *tile) []place {
	top, bottom := t.cells[:t.w], t.cells[(t.h-1)*side:][:t.w]
	rim := anyOf(top) || anyOf(bottom)
	for y := 0; y < t.h && !rim; y++ {
		rim = t.cells[y*side] != 0 || t.cells[y*side+t.w-1] != 0
	}
	if !rim {
		return nil
	}
	return s.readsOf(t)
}

// advance computes the next generation of a tile.
func (s *store) advance(a *automaton.Automaton, block *area, t *tile) {
	clear(block.states)
	block.rect = t.rect()
	for y := range t.h {
		copy(block.row(y), t.cells[y*side:])
	}
	var from *tile // the tile of the last cell of the halo
	at := place{}
	s.eachHalo(t, func(i, x, y int) {
		if of := placeOf(x, y); from == nil || of != at {
			from, at = s.tiles[of], of
		}
		if from != nil {
			block.states[i] = from.cells[index(x, y)]
		}
	})
	if t.next == nil {
		t.next = make([]uint8, side*side)
	}
	states, changing := block.states, false
	for y := range t.h {
		now, next := t.cells[y*side:][:t.w], t.next[y*side:][:t.w]
		for x := range next {
			next[x] = a.Next(states, block.at(y)+x)
			changing = changing || next[x] != now[x]
		}
	}
	t.changing = changing
}
