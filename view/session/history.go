package session

import (
	"context"
	"errors"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// snapshot is a universe that can be had back.
type snapshot struct {
	origin     Origin
	config     sim.Config
	edited     bool
	generation uint64
	cells      grid.Source // parts of it: occupied
	bytes      uint64
}

const (
	maxSnapshot = 64 << 20  // bytes of a snapshot: larger universes have no undo but of cells drawn
	maxHistory  = 256 << 20 // bytes of all snapshots and drawings
	maxEntries  = 100
)

// history is what Undo takes back, latest last. An entry leads back from the state after it to the one before, so all entries
// below the last can be used once it is.
type history struct {
	entries []entry
	bytes   uint64
}

// entry is cells as they were before an edit, or the whole universe as it was.
type entry struct {
	cells []Cell
	whole *snapshot
	run   bool // whole is how the universe was before it was stepped, by however many commands
}

func (e entry) bytes() uint64 {
	if e.whole != nil {
		return e.whole.bytes
	}
	return 24 * uint64(len(e.cells))
}

func (h *history) push(e entry) {
	h.entries = append(h.entries, e)
	h.bytes += e.bytes()
	for len(h.entries) > maxEntries || h.bytes > maxHistory {
		h.bytes -= h.entries[0].bytes()
		h.entries = append(h.entries[:0], h.entries[1:]...)
	}
}

func (h *history) pop() (e entry, ok bool) {
	n := len(h.entries)
	if n == 0 {
		return entry{}, false
	}
	e = h.entries[n-1]
	h.entries[n-1] = entry{}
	h.entries, h.bytes = h.entries[:n-1], h.bytes-e.bytes()
	return e, true
}

// forget drops everything: a change was made that cannot be taken back.
func (h *history) forget() { *h = history{} }

// keep remembers the universe before a change of all of it.
func (s *Session) keep(run bool) *snapshot {
	snap := s.snapshot()
	if snap == nil {
		s.history.forget()
		return nil
	}
	s.history.push(entry{whole: snap, run: run})
	return snap
}

// keepStart remembers the universe before it is stepped. Steps that follow each other are taken back together.
func (s *Session) keepStart() {
	if n := len(s.history.entries); n > 0 && s.history.entries[n-1].run || s.unkept {
		return
	}
	snap := s.keep(true)
	s.unkept = snap == nil
	if s.engine.Generation() == s.origin.Generation && s.edited && snap != nil {
		s.base = snap // what was drawn before the first generation belongs to the start
	}
}

// snapshot copies the universe; nil where it is too large, or cannot be read: there is then no way back to it, and what is asked for
// instead may still be had.
func (s *Session) snapshot() *snapshot {
	snap := &snapshot{origin: s.origin, config: s.config, edited: s.edited, generation: s.engine.Generation()}
	planes := s.engine.Planes()
	parts, err := grid.Occupied(s.engine)
	if err != nil {
		return nil
	}
	for _, part := range parts {
		snap.bytes += grid.Product(uint64(part.W+63)/64, uint64(part.H), uint64(8*planes))
		if snap.bytes > maxSnapshot {
			return nil
		}
	}
	if t := s.config.Topology; t.Bounded() {
		g, err := grid.New(t.W, t.H, planes)
		if err != nil {
			return nil
		}
		if err := grid.Copy(g, s.engine, g.Bounds(), 0, 0); err != nil {
			return nil
		}
		snap.cells = g
		return snap
	}
	tiles, err := grid.TilesOf(s.engine)
	if err != nil {
		return nil
	}
	snap.cells = tiles
	return snap
}

// restore goes back to a snapshot.
func (s *Session) restore(ctx context.Context, snap *snapshot) error {
	from := Origin{Config: snap.config, Generation: snap.generation, Load: func(_ context.Context, e sim.Engine) error {
		parts, err := grid.Occupied(snap.cells)
		for _, part := range parts {
			err = errors.Join(err, grid.Copy(e, snap.cells, part, part.X, part.Y))
		}
		return err
	}}
	if err := s.replace(ctx, from); err != nil {
		return err
	}
	s.origin, s.edited = snap.origin, snap.edited
	return nil
}
