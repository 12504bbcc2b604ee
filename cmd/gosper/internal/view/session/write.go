package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
)

// writer changes cells, and takes changes back.
type writer struct {
	mail  *mailbox
	u     *universe
	past  *history
	maker *maker
}

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

// Edit gives cells new states, in the given order, also on a live background. Cells outside a bounded universe
// are dropped. Undo takes a whole Edit back. Many cells are drawn a few at a time, so that frames and other
// people's commands can come in between.
func (w *writer) Edit(ctx context.Context, cells []Cell) error {
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
		if err := w.mail.do(ctx, func() error {
			if states := w.u.config.Rule.States; int(highest) >= states {
				return fmt.Errorf("state %d: the rule has states 0 to %d", highest, states-1)
			}
			if !w.u.changeable() {
				return ErrMaking
			}
			if drawing == 0 {
				w.u.drawings++
				drawing = w.u.drawings
			}
			changes, n, err := w.u.write(w.u.exchanged(cells), nil)
			cells = cells[n:]
			if len(changes) > 0 {
				w.past.draw(entry{by: personOf(ctx), drawing: drawing, cells: changes, first: !w.u.edited})
				w.u.changed()
			}
			return err
		}); err != nil {
			return err
		}
	}
	return nil
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

// Undo takes back the person's last edit, load, change of rule or reset, or all generations since the last of these,
// and pauses. Cells that others have drawn since then stay. If others have replaced the whole universe since then,
// there is nothing to take back. In universes whose cells take more than 64 MiB only edits can be taken back, until
// they are stepped.
func (w *writer) Undo(ctx context.Context) error { return w.goBack(ctx, true) }

// Redo does again what Undo took back last.
func (w *writer) Redo(ctx context.Context) error { return w.goBack(ctx, false) }

// goBack moves the person's latest entry from one of the history's lists to the other.
func (w *writer) goBack(ctx context.Context, undo bool) error {
	find := func() (from, to *[]entry, at int) {
		h := w.past
		if undo {
			return &h.undo, &h.redo, lastOf(h.undoMarks, personOf(ctx))
		}
		return &h.redo, &h.undo, lastOf(h.redoMarks, personOf(ctx))
	}
	var cells *entry // nil: the whole universe goes back
	place := 0       // of the entry
	err := w.mail.do(ctx, func() error {
		if !w.u.changeable() {
			return ErrMaking
		}
		from, _, at := find()
		if at < 0 {
			return ErrNothing // and the universe goes on as it did
		}
		w.u.playing = false
		if e := (*from)[at]; e.whole == nil {
			cells, place = &e, at
			*from = slices.Delete(*from, at, at+1)
			w.past.mark()
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case cells != nil:
		return w.redraw(ctx, *cells, undo, place)
	}
	return w.maker.replace(ctx, func() (*design, error) {
		from, to, at := find()
		if at < 0 || (*from)[at].whole == nil || !w.u.changeable() {
			return nil, ErrMaking // another goroutine has begun to make one
		}
		e := (*from)[at]
		return w.maker.again(e.whole, func(before *snapshot) {
			*from = slices.Delete(*from, at, at+1)
			if before != nil {
				e.whole = before
				*to = append(*to, e)
			}
			w.u.drawings++
			w.past.trim()
		}), nil
	})
}

// redraw takes the changes of an entry back, or makes them again. It leaves out cells that somebody has changed since.
// at is where the entry was in its list.
func (w *writer) redraw(ctx context.Context, e entry, undo bool, at int) error {
	cells, only := make([]Cell, len(e.cells)), make([]uint8, len(e.cells))
	for i, c := range e.cells {
		cells[i], only[i] = Cell{c.x, c.y, c.new}, c.old
		if undo {
			cells[i].State, only[i] = c.old, c.new
		}
	}
	for ended := false; !ended; {
		if err := w.mail.do(ctx, func() error {
			if !w.u.changeable() {
				return ErrMaking
			}
			_, n, err := w.u.write(cells, only)
			if err != nil {
				return err
			}
			cells, only = cells[n:], only[n:]
			w.u.changed()
			if ended = len(cells) == 0; !ended {
				return nil
			}
			w.u.drawings++
			to := &w.past.undo
			if undo {
				to = &w.past.redo
				w.u.edited = !e.first || len(w.past.undo) > at
			}
			*to = append(*to, e)
			w.past.trim()
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}
