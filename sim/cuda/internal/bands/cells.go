package bands

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cuda/internal/cells"
	"github.com/gosper-life/gosper/soup"
)

// Bounds is the rectangle of all cells.
func (u *Universe) Bounds() grid.Rect {
	return grid.Rect{W: u.all[0].W, H: u.all[0].volumes * u.all[0].t.H}
}

// Planes is the number of bit planes.
func (u *Universe) Planes() int { return u.all[0].Planes }

// Bytes is the memory held on all devices.
func (u *Universe) Bytes() uint64 {
	var n uint64
	for i, b := range u.all {
		n += uint64(len(b.memory))*b.Bytes() + b.held + b.drawn.bytes() + u.rows[i].bytes()
		if b.patched != nil {
			n += b.patched.bytes
		}
		if b.labeller != nil {
			n += b.labeller.bytes
		}
	}
	return n
}

// Population counts the cells not in state 0.
func (u *Universe) Population() (uint64, error) {
	var total uint64
	err := u.each(func(_ int, b *band) error {
		var n [1]uint64
		err := b.populations(n[:])
		total += n[0]
		return err
	})
	return total, err
}

// Repeat says that rows of 32 columns repeat the cells of narrower volumes n times. Populations are then those of the
// narrower ones, and soups are made so.
func (u *Universe) Repeat(n int) { u.all[0].repeats = n }

// Populations is Population for each volume of a batch.
func (u *Universe) Populations(dst []uint64) error { return u.all[0].populations(dst) }

// Counts adds the counts of blocks of 2^scale × 2^scale cells that differ from the background: perRow of them
// side by side, the first at column left of row top. They may lie outside; left is a multiple of 2^scale, or of
// groups.
func (u *Universe) Counts(dst []uint64, perRow, left, top, scale int, background uint8) error {
	return u.each(func(_ int, b *band) error { return b.densities(dst, perRow, left, top-b.top, scale, background) })
}

// Extent is the bounding box of the cells that differ from a background of state 0 or 1.
func (u *Universe) Extent(background uint8) (grid.Rect, error) {
	var box grid.Rect
	err := u.each(func(_ int, b *band) error {
		found, err := b.extent(background)
		box = box.Union(found)
		return err
	})
	return box, err
}

// Invert inverts every cell of plane 0.
func (u *Universe) Invert() error {
	return u.each(func(_ int, b *band) error { return b.invert() })
}

// Fill makes a soup of the whole universe, or one of each volume of a batch.
func (u *Universe) Fill(soups ...soup.Soup) error {
	return u.each(func(i int, b *band) error {
		u.rows[i].forget()
		return b.fill(soups...)
	})
}

// TakeRows replaces the cells by plain rows in the memory of the universe's only device, with the given number of
// bytes in a row. GiveRows stores the cells as such rows.
func (u *Universe) TakeRows(at uint64, stride int) error {
	u.Forget()
	return u.all[0].plainRows(cells.Pack, at, stride)
}

// GiveRows is described with TakeRows.
func (u *Universe) GiveRows(at uint64, stride int) error {
	return u.all[0].plainRows(cells.Unpack, at, stride)
}

func (b *band) plainRows(how cells.Tool, at uint64, stride int) error {
	return b.plainLaunch(how, b.wholeRows(0, b.H), plain{at, uint64(b.H) * uint64(stride), stride})
}

// States stores the states of the cells of an area, one byte each, row after row, in memory of the universe's only
// device. The bits of flip are inverted in every state.
func (u *Universe) States(to uint64, area grid.Rect, flip uint8) error {
	b, blocks := u.all[0], cells.StateBlocks(area.W)
	return b.run(cells.States, area.H*blocks, 1, []uint64{
		b.copies[b.current] + b.Origin() + uint64(area.Y)*uint64(b.Stride), b.PlaneBytes(), uint64(b.Stride), uint64(area.X),
		uint64(area.W), uint64(blocks), uint64(flip), to,
	})
}

// Adopt copies the cells of a rectangle of another universe to a place moved by dx and dy. Both must be on the
// same single device. Columns move by whole groups of both universes, and whole groups are copied. It is called
// inside the other's Do.
func (u *Universe) Adopt(old *Universe, box grid.Rect, dx, dy int) error {
	from, to, through := old.all[0], u.all[0], old.rows[0]
	wide := 32 * max(from.Words, to.Words)
	first := box.X / wide * wide
	end := min((box.X+box.W+wide-1)/wide*wide, 32*from.Words*from.Groups)
	through.forget()
	rows := through.plain(through.spare[0].staging)
	for y := box.Y; y < box.Y+box.H && first < end; y += through.most {
		n := min(through.most, box.Y+box.H-y)
		groups := func(b *band) (at, n int) { return 32 * b.Words, (end - first + 32*b.Words - 1) / (32 * b.Words) }
		of, count := groups(from)
		if err := from.plainLaunch(cells.Unpack, part{y, n, first / of, count}, rows); err != nil {
			return err
		}
		of, count = groups(to)
		if err := to.plainLaunch(cells.Pack, part{y + dy, n, (first + dx) / of, count}, rows); err != nil {
			return err
		}
	}
	return to.dev.Wait()
}
