package session

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
)

// Cell is the state of a cell.
type Cell struct {
	X, Y  int
	State uint8
}

// maxEdit is the most cells that one Edit changes.
const maxEdit = 1 << 20

// furthest is the largest coordinate of a cell that an Edit changes. Differences of two such coordinates do not
// overflow.
const furthest = 1 << 60

// Load replaces the universe by another one and pauses. The present one keeps running until the other one is loaded.
func (s *Session) Load(ctx context.Context, from Origin) error {
	return s.replace(ctx, func() (*design, error) {
		d := s.fresh(from)
		fresh := d.taken
		d.taken = func(before *snapshot) {
			fresh(before)
			s.remember(personOf(ctx), before)
		}
		return d, nil
	})
}

// Reset goes back to the start: what was loaded, or what had been drawn before the first generation.
func (s *Session) Reset(ctx context.Context) error {
	return s.replace(ctx, func() (*design, error) { return s.toStart(ctx) })
}

// toStart returns the design of the start.
func (s *Session) toStart(ctx context.Context) (*design, error) {
	if !s.changeable() {
		return nil, ErrMaking
	}
	if base := s.base; base != nil {
		series, timeline := s.series.Copy(), s.timeline
		return s.again(base, func(before *snapshot) {
			s.base, s.series, s.timeline = base, series, timeline
			s.rewound(base.generation)
			s.remember(personOf(ctx), before)
		}), nil
	}
	return &design{from: *s.origin, taken: func(before *snapshot) {
		if s.edited { // another future
			s.series, s.timeline = series{}, timeline{}
		}
		s.edited = s.origin.Edited
		s.remember(personOf(ctx), before)
	}}, nil
}

// back goes back to a generation, or to an earlier one from which it can be reached. Undo takes it back together with
// the run from there.
func (s *Session) back(ctx context.Context, generation uint64) error {
	return s.replace(ctx, func() (d *design, err error) {
		if !s.changeable() {
			return nil, ErrMaking
		}
		if d = s.goTo(ctx, generation); d == nil {
			d, err = s.toStart(ctx)
		}
		if err != nil {
			return nil, err
		}
		taken := d.taken
		d.taken = func(before *snapshot) {
			taken(before)
			if h := &s.history; len(h.undo) > 0 && h.undo[len(h.undo)-1].by == personOf(ctx) {
				h.undo[len(h.undo)-1].run = true
			}
		}
		return d, nil
	})
}

// SetRule changes the rule. The cells stay. Cells whose state the new rule does not have get its highest state.
// A bounded-grid suffix changes the topology as well: cells keep their place in the coordinates of pattern
// files, and cells outside are dropped. If the new rule has another background at this generation (B0 rules),
// cells that differ from the old one differ from that.
func (s *Session) SetRule(ctx context.Context, text string) error {
	r, suffix, err := rule.ParseApart(text)
	if err != nil {
		return err
	}
	return s.replace(ctx, func() (*design, error) {
		if !s.changeable() {
			return nil, ErrMaking
		}
		old := s.config
		next := Origin{Config: old, Generation: s.engine.Generation()}
		next.Config.Rule = r
		if suffix != nil {
			next.Config.Topology = *suffix
		}
		if to := next.Config.Topology; to.Volume() != old.Topology.Volume() {
			return nil, fmt.Errorf(
				"the universe has %s cells, and a rule does not change the number of dimensions: fill another universe",
				old.Topology.Size())
		}
		x0, y0 := pattern.Corner(old.Topology)
		x1, y1 := pattern.Corner(next.Config.Topology)
		var err error
		if next.Load, err = s.present(x0-x1, y0-y1, func(g grid.Source) grid.Source {
			return cells.AtMost(g, uint8(r.States-1), old.Rule.States)
		}); err != nil {
			return nil, err
		}
		return &design{from: next, hold: true, taken: func(before *snapshot) {
			s.changed()
			s.timeline = timeline{} // its copies are under the old rule
			s.remember(personOf(ctx), before)
		}}, nil
	})
}

// copyOf copies a part of the universe, which must not change meanwhile. The copy is made by the goroutine of loop.
func (s *Session) copyOf(ctx context.Context, part grid.Rect, planes int) (*grid.Grid, error) {
	g, err := grid.New(part.W, part.H, planes)
	if err != nil {
		return nil, err
	}
	return g, s.do(ctx, func() error { return grid.Copy(g, s.engine, part, 0, 0) })
}

// Edit gives cells new states, in the given order, also on a live background. Cells outside a bounded universe
// are dropped. Undo takes a whole Edit back. Many cells are drawn a few at a time, so that frames and other
// people's commands can come in between.
func (s *Session) Edit(ctx context.Context, cells []Cell) error {
	if len(cells) > maxEdit {
		return fmt.Errorf("%d cells at once: want at most %d", len(cells), maxEdit)
	}
	highest := uint8(0)
	for _, c := range cells {
		if min(c.X, c.Y) < -furthest || max(c.X, c.Y) > furthest {
			return fmt.Errorf("the cell %d,%d is too far away", c.X, c.Y)
		}
		highest = max(highest, c.State)
	}
	cells = lastOfEach(cells)
	drawing := uint64(0)
	for len(cells) > 0 {
		if err := s.do(ctx, func() error {
			if states := s.config.Rule.States; int(highest) >= states {
				return fmt.Errorf("state %d: the rule has states 0 to %d", highest, states-1)
			}
			if !s.changeable() {
				return ErrMaking
			}
			if drawing == 0 {
				s.drawings++
				drawing = s.drawings
			}
			changes, n, err := s.write(s.exchanged(cells), nil)
			cells = cells[n:]
			if len(changes) > 0 {
				s.history.draw(entry{by: personOf(ctx), drawing: drawing, cells: changes})
				s.changed()
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
}

// exchanged returns cells as the engine holds them: state 0 and that of the background are exchanged.
func (s *Session) exchanged(cells []Cell) []Cell {
	empty := s.background()
	if empty == 0 {
		return cells
	}
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i].State = background.Exchange(cells[i].State, empty)
	}
	return cells
}

// lastOfEach sorts cells by rows and keeps one of each: the one given last.
func lastOfEach(cells []Cell) []Cell {
	sorted := slices.Clone(cells)
	slices.SortStableFunc(sorted, func(a, b Cell) int { return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X)) })
	once := sorted[:0]
	for i, c := range sorted {
		if i+1 == len(sorted) || sorted[i+1].X != c.X || sorted[i+1].Y != c.Y {
			once = append(once, c)
		}
	}
	return once
}

// write changes cells, which are sorted by rows, for about a quantum. It returns what has changed and how many
// of the cells are done. If only is not nil, a cell changes only if it is in that state. Cells of a row that
// are close together are written at once, because an engine may take as long for one cell as for a row.
func (s *Session) write(cells []Cell, only []uint8) (changes []change, done int, err error) {
	s.counted.valid = false
	s.probe.Disarm()
	const together = 1 << 12
	row := make([][]uint64, s.engine.Planes())
	for begin := time.Now(); done < len(cells) && (done == 0 || time.Since(begin) < quantum); {
		first, from := cells[done], done
		for done < len(cells) && cells[done].Y == first.Y && cells[done].X-first.X < together {
			done++
		}
		n := cells[done-1].X - first.X + 1
		for k := range row {
			row[k] = make([]uint64, (n+63)/64)
			if err := s.engine.ReadRow(row[k], k, first.X, first.Y, n); err != nil {
				return changes, done, err
			}
		}
		for i := from; i < done; i++ {
			c := cells[i]
			word, bit := (c.X-first.X)>>6, (c.X-first.X)&63
			old := uint8(0)
			for k := range row {
				old |= uint8(row[k][word]>>bit&1) << k
			}
			if old == c.State || s.outside(c) || only != nil && old != only[i] {
				continue
			}
			for k := range row {
				row[k][word] = row[k][word]&^(1<<bit) | uint64(c.State>>k&1)<<bit
			}
			changes = append(changes, change{c.X, c.Y, old, c.State})
		}
		for k := range row {
			if err := s.engine.WriteRow(row[k], k, first.X, first.Y, n); err != nil {
				return changes, done, err
			}
		}
	}
	return changes, done, nil
}

// outside reports whether a cell lies outside a bounded universe.
func (s *Session) outside(c Cell) bool {
	t := s.config.Topology
	return t.W > 0 && (c.X < 0 || c.X >= t.W) || t.H > 0 && (c.Y < 0 || c.Y >= t.H)
}

// Undo takes back the person's last edit, load, change of rule or reset, or all generations since the last of these,
// and pauses. Cells that others have drawn since then stay. If others have replaced the whole universe since then,
// there is nothing to take back. In universes whose cells take more than 64 MiB only edits can be taken back, until
// they are stepped.
func (s *Session) Undo(ctx context.Context) error { return s.goBack(ctx, true) }

// Redo does again what Undo took back last.
func (s *Session) Redo(ctx context.Context) error { return s.goBack(ctx, false) }

// goBack moves the person's latest entry from one of the history's lists to the other.
func (s *Session) goBack(ctx context.Context, undo bool) error {
	find := func() (from, to *[]entry, at int) {
		h := &s.history
		if undo {
			return &h.undo, &h.redo, lastOf(h.undoMarks, personOf(ctx))
		}
		return &h.redo, &h.undo, lastOf(h.redoMarks, personOf(ctx))
	}
	var cells *entry // nil: the whole universe goes back
	err := s.do(ctx, func() error {
		if !s.changeable() {
			return ErrMaking
		}
		from, _, at := find()
		if at < 0 {
			return ErrNothing // and the universe goes on as it did
		}
		s.playing = false
		if e := (*from)[at]; e.whole == nil {
			cells = &e
			*from = slices.Delete(*from, at, at+1)
			s.history.mark()
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case cells != nil:
		return s.redraw(ctx, *cells, undo)
	}
	return s.replace(ctx, func() (*design, error) {
		from, to, at := find()
		if at < 0 || (*from)[at].whole == nil || !s.changeable() {
			return nil, ErrMaking // another goroutine has begun to make one
		}
		e := (*from)[at]
		return s.again(e.whole, func(before *snapshot) {
			*from = slices.Delete(*from, at, at+1)
			if before != nil {
				e.whole = before
				*to = append(*to, e)
			}
			s.history.trim()
		}), nil
	})
}

// redraw takes the changes of an entry back, or makes them again. It leaves out cells that somebody has changed since.
func (s *Session) redraw(ctx context.Context, e entry, undo bool) error {
	cells, only := make([]Cell, len(e.cells)), make([]uint8, len(e.cells))
	for i, c := range e.cells {
		cells[i], only[i] = Cell{c.x, c.y, c.new}, c.old
		if undo {
			cells[i].State, only[i] = c.old, c.new
		}
	}
	for ended := false; !ended; {
		if err := s.do(ctx, func() error {
			if !s.changeable() {
				return ErrMaking
			}
			_, n, err := s.write(cells, only)
			if err != nil {
				return err
			}
			cells, only = cells[n:], only[n:]
			s.changed()
			if ended = len(cells) == 0; !ended {
				return nil
			}
			to := &s.history.undo
			if undo {
				to = &s.history.redo
			}
			*to = append(*to, e)
			s.history.trim()
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// Read calls f with the present cells and the metadata for a pattern file. The universe does not change
// meanwhile. If its background is alive, Read refuses; ReadHeld does not.
func (s *Session) Read(ctx context.Context, f func(cells grid.Source, meta pattern.Meta) error) error {
	return s.ReadHeld(ctx, func(cells grid.Source, meta pattern.Meta) error {
		if s.background() != 0 {
			return errors.New("the background is alive: step to a generation where it is dead")
		}
		return f(cells, meta)
	})
}

// ReadHeld is Read for what can hold a living background through its rule and generation, as some pattern files
// do (pattern.Format.HoldsBackground). State 0 and that of the background are exchanged in the cells.
func (s *Session) ReadHeld(ctx context.Context, f func(cells grid.Source, meta pattern.Meta) error) error {
	return s.do(ctx, func() error {
		if s.loads == 0 {
			return ErrMaking
		}
		var src grid.Source = s.engine
		cfg := s.config
		if _, isTree := src.(grid.Quadtree); !isTree && !cfg.Topology.Bounded() {
			tiles, err := grid.TilesOf(ctx, s.engine)
			if err != nil {
				return err
			}
			src = tiles
		}
		meta := s.origin.Meta
		meta.X, meta.Y = pattern.Corner(cfg.Topology)
		meta.HasPosition, meta.States = true, cfg.Rule.States
		meta.Rule, meta.Generation = cfg.Rule.String()+cfg.Topology.Suffix(), s.engine.Generation()
		return f(src, meta)
	})
}

// Keep lets f read the cells as the engine has them, to keep them. from has all of an origin but Load. The
// universe does not change meanwhile.
func (s *Session) Keep(ctx context.Context, f func(cells grid.Source, from Origin) error) error {
	return s.do(ctx, func() error {
		if s.loads == 0 {
			return ErrMaking
		}
		return f(s.engine, Origin{
			Config: s.config, Generation: s.engine.Generation(), Meta: s.origin.Meta,
			Soup: s.origin.Soup, Edited: s.edited, Universe: s.universe(),
		})
	})
}

// background is the state of all but finitely many cells.
func (s *Session) background() uint8 {
	if cfg := s.config; cfg.Topology.Bounded() || !cfg.Rule.BirthOnEmpty() {
		return 0
	}
	return s.engine.Info().Background
}
