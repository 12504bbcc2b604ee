package bands

import "github.com/gosper-life/gosper/grid"

// ReadRow copies n cells of a row from column x on. Cells outside are dead.
func (u *Universe) ReadRow(dst []uint64, plane, x, y, n int) error {
	dst = dst[:(max(n, 0)+63)/64]
	clear(dst)
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(u.Bounds())
	if row.Empty() || plane < 0 || plane >= u.Planes() {
		return nil
	}
	cells, err := u.row(plane, y, false)
	if err == nil {
		grid.CopyBits(dst, row.X-x, cells, row.X, row.W)
	}
	return err
}

// WriteRow replaces n cells of a row from column x on. Cells outside are ignored.
func (u *Universe) WriteRow(src []uint64, plane, x, y, n int) error {
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(u.Bounds())
	if row.Empty() || plane < 0 || plane >= u.Planes() {
		return nil
	}
	cells, err := u.row(plane, y, true)
	if err == nil {
		grid.CopyBits(cells, row.X, src, row.X-x, row.W)
	}
	return err
}

// row returns a row, possibly for editing. It is valid until the next call.
func (u *Universe) row(plane, y int, edit bool) ([]uint64, error) {
	i := u.at(y)
	r := u.rows[i]
	y -= u.all[i].top
	if !r.holds(y) {
		if err := u.hold(i, y); err != nil {
			return nil, err
		}
	}
	r.dirty = r.dirty || edit
	return r.row(plane, y), nil
}

// hold makes sure that row y of a band is held. If rows are read in order, it starts to fetch the next ones.
func (u *Universe) hold(i, y int) error {
	r := u.rows[i]
	onwards := r.held != nil && r.held.has(y-y%r.most-1)
	r.settle()
	get := func() error { return r.hold(y) }
	if r.ahead.has(y) {
		get = r.next
	}
	if err := u.Do(func() error { return u.within(i, get) }); err != nil {
		return err
	}
	// A caller that has read two such copies in order will probably go on. Its next rows are copied while
	// it works on these. The goroutine takes the device like any other caller, so it cannot disturb a
	// step.
	if next := r.held.first + r.most; onwards && next < r.band.H {
		ahead := r.take(next)
		ahead.fetching = true
		r.ahead = ahead
		go func() {
			ahead.fetched <- u.all[0].dev.Do(func() error { return u.within(i, func() error { return r.fetch(ahead) }) })
		}()
	}
	return nil
}

// within runs f with the device of a band current, and then makes the first device current again.
func (u *Universe) within(i int, f func() error) error {
	return u.each(func(j int, _ *band) error {
		if j != i {
			return nil
		}
		return f()
	})
}

// CopyRows copies n rows of another universe, from row first on, to the rows from row to on. Both must be whole
// on the same GPU and lie in its memory in the same way, else it returns false. The rows of the other universe
// must be made, and no edited ones held.
func (u *Universe) CopyRows(from *Universe, first, n, to int) (bool, error) {
	a, b := from.all[0], u.all[0]
	same := a.Stride == b.Stride && a.Margin == b.Margin && a.W == b.W && a.Words == b.Words && a.Planes == b.Planes &&
		a.t.Kind == b.t.Kind && a.wrapCols == b.wrapCols
	plain := a.Shift == 0 && b.Shift == 0 && a.patched == nil && b.patched == nil
	if len(from.all) > 1 || len(u.all) > 1 || !same || !plain || !b.dev.Shares(a.dev) ||
		first < 0 || to < 0 || first+n > a.H || to+n > b.H {
		return false, nil
	}
	u.Forget()
	for plane := range b.Planes {
		err := b.dev.CopyFrom(b.rowAt(b.copies[b.current], plane, to), a.dev, a.rowAt(a.copies[a.current], plane, first),
			uint64(n)*uint64(b.Stride))
		if err != nil {
			return true, err
		}
	}
	return true, b.dev.Wait()
}

// Flush writes all edited rows back.
func (u *Universe) Flush() error {
	return u.each(func(i int, _ *band) error { return u.rows[i].flush() })
}

// Forget drops all copies of rows, because cells are about to change.
func (u *Universe) Forget() {
	for _, r := range u.rows {
		r.forget()
	}
}
