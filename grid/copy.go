package grid

import (
	"cmp"
	"math/bits"
	"slices"
)

// RowCopier is a sink that can copy whole rows of some sources without passing them through the host's memory.
type RowCopier interface {
	// CopyRows copies n rows of src, from row first on, to its own rows from row to on. It returns false, and copies
	// nothing, if src is no source that it can copy from in this way.
	CopyRows(src Source, first, n, to int) (bool, error)
}

// Copy copies the cells of the rectangle from to the rectangle of the same size at (toX, toY), row by row. It
// clears planes there that dst has and src has not, so whole states are copied. Source and destination may
// overlap in the same universe. It takes time in proportion to the area of from; to copy a source of unbounded
// extent into an empty universe, use its Occupied rectangles. An error of src or dst ends it; rows copied
// before it stay.
func Copy(dst Sink, src Source, from Rect, toX, toY int) error {
	if from.Empty() {
		return nil
	}
	if c, ok := dst.(RowCopier); ok && from.X == 0 && toX == 0 {
		extent, err := src.Extent()
		if err != nil {
			return err
		}
		if from.W == extent.W && extent.X == 0 {
			if done, err := c.CopyRows(src, from.Y, from.H, toY); done || err != nil {
				return err
			}
		}
	}
	planes := src.Planes()
	if d, ok := dst.(Source); ok {
		planes = d.Planes()
	}
	row := make([]uint64, wordsFor(from.W))
	for i := range from.H {
		// Begin at the side to which the cells move, so that no row is overwritten before it is read.
		y := i
		if toY > from.Y {
			y = from.H - 1 - i
		}
		for k := range planes {
			if err := readPlane(row, src, k, from.X, from.Y+y, from.W); err != nil {
				return err
			}
			if err := dst.WriteRow(row, k, toX, toY+y, from.W); err != nil {
				return err
			}
		}
	}
	return nil
}

// FirstDifference finds the first cell, in row-major order, whose state differs between a and b. Cells outside
// a bounded universe count as dead, so the sizes may differ.
func FirstDifference(a, b Source) (x, y int, found bool, err error) {
	parts, err := Occupied(a)
	if err != nil {
		return 0, 0, false, err
	}
	ofB, err := Occupied(b)
	if err != nil {
		return 0, 0, false, err
	}
	parts = slices.Concat(parts, ofB)
	slices.SortFunc(parts, func(p, q Rect) int { return cmp.Or(cmp.Compare(p.Y, q.Y), cmp.Compare(p.X, q.X)) })
	for _, part := range slices.Compact(parts) {
		if found && part.Y > y {
			break
		}
		px, py, differ, err := firstDifferenceIn(a, b, part)
		if err != nil {
			return 0, 0, false, err
		}
		if differ && (!found || py < y || py == y && px < x) {
			x, y, found = px, py, true
		}
	}
	return x, y, found, nil
}

// firstDifferenceIn is FirstDifference within one rectangle.
func firstDifferenceIn(a, b Source, r Rect) (x, y int, found bool, err error) {
	rowA, rowB := make([]uint64, wordsFor(r.W)), make([]uint64, wordsFor(r.W))
	planes := max(a.Planes(), b.Planes())
	for y := r.Y; y < end(r.Y, r.H); y++ {
		first := r.W
		for k := range planes {
			if err := readPlane(rowA, a, k, r.X, y, r.W); err != nil {
				return 0, 0, false, err
			}
			if err := readPlane(rowB, b, k, r.X, y, r.W); err != nil {
				return 0, 0, false, err
			}
			for i := range rowA {
				if d := rowA[i] ^ rowB[i]; d != 0 {
					first = min(first, i<<6+bits.TrailingZeros64(d))
					break
				}
			}
		}
		if first < r.W {
			return r.X + first, y, true, nil
		}
	}
	return 0, 0, false, nil
}

// Occupied returns rectangles that together contain every cell not in state 0. They do not overlap. If a source
// has an Occupied method of its own, as Tiles does, it is used. For other sources the result is the extent.
func Occupied(src Source) ([]Rect, error) {
	if s, ok := src.(interface{ Occupied() []Rect }); ok {
		return s.Occupied(), nil
	}
	box, err := src.Extent()
	if err != nil || box.Empty() {
		return nil, err
	}
	return []Rect{box}, nil
}

// OccupiedRows is Occupied without the rows above and below the cells, if the source has a method that leaves them
// out, as Tiles has. A long thin pattern is then copied and counted without the rest of its tiles.
func OccupiedRows(src Source) ([]Rect, error) {
	if s, ok := src.(interface{ OccupiedRows() []Rect }); ok {
		return s.OccupiedRows(), nil
	}
	return Occupied(src)
}

// OccupiedBands returns the rows of a box that may have cells, as rectangles of its width from top to bottom, with dead
// rows between them.
func OccupiedBands(src Source, box Rect) (bands []Rect, err error) {
	parts, err := OccupiedRows(src)
	if err != nil {
		return nil, err
	}
	parts = slices.SortedFunc(slices.Values(parts), func(a, b Rect) int { return cmp.Compare(a.Y, b.Y) })
	for _, part := range parts {
		if part = part.Intersect(box); part.Empty() {
			continue
		}
		part.X, part.W = box.X, box.W
		if n := len(bands); n > 0 && part.Y <= bands[n-1].Y+bands[n-1].H {
			bands[n-1] = bands[n-1].Union(part)
		} else {
			bands = append(bands, part)
		}
	}
	return bands, nil
}

// readPlane is ReadRow for any plane. A plane that src does not have is zero.
func readPlane(dst []uint64, src Source, plane, x, y, n int) error {
	if plane >= src.Planes() {
		clear(dst[:wordsFor(n)])
		return nil
	}
	return src.ReadRow(dst, plane, x, y, n)
}
