package session

import (
	"context"
	"slices"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// Person identifies somebody who changes the universe. Nobody can undo another person's changes. 0 is a person
// without a name, such as the only person at a terminal.
type Person uint64

type personKey struct{}

// As returns a context whose commands are given in the name of p.
func As(ctx context.Context, p Person) context.Context { return context.WithValue(ctx, personKey{}, p) }

func personOf(ctx context.Context) Person {
	p, _ := ctx.Value(personKey{}).(Person)
	return p
}

// snapshot is a copy of a universe that it can go back to.
type snapshot struct {
	origin     *Origin
	base       *snapshot
	config     sim.Config
	edited     bool
	loaded     uint64
	generation uint64
	series     series
	cells      grid.Source // read from its occupied parts
	bytes      uint64
}

const maxEntries = 100

// change holds the state of a cell before and after it was drawn.
type change struct {
	x, y     int
	old, new uint8
}

// entry is one action that can be undone: cells were drawn, or the whole universe was replaced. For drawn cells it
// holds their states before and after. For a replaced universe it holds the old universe, or the new one after an
// undo.
type entry struct {
	by      Person
	drawing uint64   // number of the drawing that the cells belong to
	cells   []change // nil if the whole universe was replaced
	first   bool     // nothing was edited before it
	whole   *snapshot
	run     bool // whole is the universe before it was stepped, by one or more commands
}

// mark is the summary of an entry for viewers.
type mark struct {
	by    Person
	whole bool
}

// history holds the changes that Undo takes back and Redo makes again, the latest last.
type history struct {
	most                 uint64 // bytes
	undo, redo           []entry
	undoMarks, redoMarks []mark // marks of the entries; never changed, only replaced
	u                    *universe
}

// lastOf is the number of the latest entry that a person may take back, one of the person's own; -1 for none.
// Drawn cells may be taken back while others' later cells stay. A whole universe may not.
func lastOf(list []mark, by Person) int {
	for i := len(list) - 1; i >= 0; i-- {
		switch own := list[i].by == by; {
		case own && (!list[i].whole || i == len(list)-1):
			return i
		case list[i].whole:
			return -1
		}
	}
	return -1
}

// reach is the number of entries that a person may take back, one after the other.
func reach(list []mark, by Person) (n int) {
	others := false // somebody else has drawn later
	for _, m := range slices.Backward(list) {
		switch {
		case m.by == by && (!m.whole || !others):
			n++
		case m.whole:
			return n
		default:
			others = true
		}
	}
	return n
}

// marks returns the marks of all entries.
func (h *history) marks() (undo, redo []mark) { return h.undoMarks, h.redoMarks }

// push adds a new entry. It drops the entries that the same person could redo, and all replaced universes that could
// be redone.
func (h *history) push(e entry) {
	h.redo = slices.DeleteFunc(h.redo, func(r entry) bool { return e.whole != nil || r.whole != nil || r.by == e.by })
	h.undo = append(h.undo, e)
	h.trim()
}

// draw adds the changes of a drawing to its entry, which is the latest one unless somebody has done something since.
func (h *history) draw(e entry) {
	if n := len(h.undo); n > 0 && h.undo[n-1].whole == nil && h.undo[n-1].by == e.by && h.undo[n-1].drawing == e.drawing {
		h.undo[n-1].cells = append(h.undo[n-1].cells, e.cells...)
		h.trim()
		return
	}
	h.push(e)
}

// trim keeps the history within its limits.
func (h *history) trim() {
	for len(h.undo)+len(h.redo) > maxEntries || h.bytes() > h.most {
		if len(h.redo) > 0 {
			h.redo = slices.Delete(h.redo, 0, 1)
		} else {
			h.undo = slices.Delete(h.undo, 0, 1)
		}
	}
	h.mark()
}

// mark rebuilds the marks.
func (h *history) mark() {
	of := func(list []entry) (marks []mark) {
		for _, e := range list {
			marks = append(marks, mark{e.by, e.whole != nil})
		}
		return marks
	}
	h.undoMarks, h.redoMarks = of(h.undo), of(h.redo)
}

// bytes is the memory of the history, without an origin that the present universe uses, too.
func (h *history) bytes() (total uint64) {
	origins, bases := map[*Origin]bool{}, map[*snapshot]bool{}
	add := func(s *snapshot) {
		if s == nil || bases[s] {
			return
		}
		bases[s] = true
		total += s.bytes
		if !origins[s.origin] && s.origin != h.u.origin {
			origins[s.origin] = true
			total += s.origin.Bytes
		}
	}
	for _, list := range [][]entry{h.undo, h.redo} {
		for _, e := range list {
			total += 24 * uint64(cap(e.cells))
			if add(e.whole); e.whole != nil {
				add(e.whole.base)
			}
		}
	}
	return total
}

// forget drops everything, because a change was made that cannot be undone.
func (h *history) forget() { *h = history{most: h.most, u: h.u} }

// runs reports whether the latest thing done is that a person has run the universe.
func (h *history) runs(by Person) bool {
	n := len(h.undo)
	return n > 0 && len(h.redo) == 0 && h.undo[n-1].run && h.undo[n-1].by == by
}

// remember makes Undo go back to before, the universe before a successful change.
func (h *history) remember(by Person, before *snapshot) {
	if before == nil {
		h.forget()
		return
	}
	h.push(entry{by: by, whole: before})
}

// keepStart remembers the universe before it is stepped. A person's successive steps are taken back together.
func (h *history) keepStart(by Person) {
	if h.runs(by) || h.u.unkept {
		return
	}
	snap := h.u.snapshot()
	if h.u.unkept = snap == nil; h.u.unkept {
		h.forget()
		return
	}
	h.push(entry{by: by, whole: snap, run: true})
	if h.u.engine.Generation() == h.u.origin.Generation && h.u.edited {
		snap.base = nil
		h.u.base = snap // cells drawn before the first generation belong to the start
	}
}

// snapshot copies the universe. It returns nil if there is none, or if the universe is too large or cannot be
// read. In that case the change that was asked for may still be made, but it cannot be undone.
func (u *universe) snapshot() *snapshot { return u.snapshotUpTo(u.terms.Snapshot()) }

// snapshotUpTo is snapshot with another limit, in bytes.
func (u *universe) snapshotUpTo(limit uint64) *snapshot {
	if u.loads == 0 {
		return nil
	}
	snap := &snapshot{
		origin: u.origin, base: u.base, config: u.config, edited: u.edited, loaded: u.loaded,
		generation: u.engine.Generation(),
		series:     u.series.Copy(),
	}
	planes := u.engine.Planes()
	parts, err := grid.Occupied(u.engine)
	if err != nil {
		return nil
	}
	t := u.config.Topology
	if t.Bounded() { // its copy has all cells
		parts = []grid.Rect{{W: t.W, H: t.H}}
	}
	for _, part := range parts {
		snap.bytes += grid.Product(uint64(part.W+63)/64, uint64(part.H), uint64(8*planes))
		if snap.bytes > limit {
			return nil
		}
	}
	if t.Bounded() {
		g, err := grid.New(t.W, t.H, planes)
		if err != nil {
			return nil
		}
		if err := grid.Copy(g, u.engine, g.Bounds(), 0, 0); err != nil {
			return nil
		}
		snap.cells = g
		return snap
	}
	tiles, err := grid.TilesOf(context.Background(), u.engine)
	if err != nil {
		return nil
	}
	snap.cells, snap.bytes = tiles, cells.Bytes(tiles)
	return snap
}
