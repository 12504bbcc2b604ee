package scene

import (
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// Slice is the cells of a volume that have one coordinate in common. It is shown as a plane:
//
//	axis   columns   rows
//	z      x         y
//	y      x         z
//	x      z         y
//
// The zero value is no slice.
type Slice struct {
	Axis byte // 'x', 'y' or 'z'; 0 for no slice
	At   int  // the common coordinate
}

// Middle returns the slice of a volume across an axis, halfway along it.
func Middle(t topology.Topology, axis byte) Slice {
	s := Slice{Axis: axis}
	s.At = s.Number(t) / 2
	return s
}

// Number returns how many slices a volume has across the axis of s.
func (s Slice) Number(t topology.Topology) int {
	switch s.Axis {
	case 'x':
		return t.W
	case 'y':
		return t.LayerRows()
	}
	return t.D
}

// Size returns the columns and rows of the slice.
func (s Slice) Size(t topology.Topology) (w, h int) {
	switch s.Axis {
	case 'x':
		return t.D, t.LayerRows()
	case 'y':
		return t.W, t.D
	}
	return t.W, t.LayerRows()
}

// Cell returns the cell of the volume in a column and row of the slice.
func (s Slice) Cell(column, row int) (x, y, z int) {
	switch s.Axis {
	case 'x':
		return s.At, row, column
	case 'y':
		return column, s.At, row
	}
	return column, row, s.At
}

// Stored returns the place of a cell of the slice in the grid that stores the volume. It is not ok if the slice has no
// such column or row.
func (s Slice) Stored(t topology.Topology, column, row int) (x, y int, ok bool) {
	w, h := s.Size(t)
	x, y, z := s.Cell(column, row)
	return x, y + z*t.LayerRows(), column >= 0 && row >= 0 && column < w && row < h
}

// Of returns the cells of the slice of a volume.
func (s Slice) Of(src grid.Source, t topology.Topology) grid.Source { return sliced{s, src, t} }

// sliced is the source of a slice.
type sliced struct {
	Slice
	src grid.Source
	t   topology.Topology
}

// Extent implements grid.Source.
func (s sliced) Extent() (grid.Rect, error) {
	w, h := s.Size(s.t)
	return grid.Rect{W: w, H: h}, nil
}

// Planes implements grid.Source.
func (s sliced) Planes() int { return s.src.Planes() }

// ReadRow implements grid.Source.
func (s sliced) ReadRow(dst []uint64, plane, x, y, n int) error {
	w, h := s.Size(s.t)
	clear(dst[:(n+63)/64])
	if y < 0 || y >= h {
		return nil
	}
	if s.Axis != 'x' {
		_, row, _ := s.Stored(s.t, 0, y)
		return s.src.ReadRow(dst, plane, x, row, n)
	}
	var word [1]uint64
	for column := max(x, 0); column < min(x+n, w); column++ {
		at, row, _ := s.Stored(s.t, column, y)
		if err := s.src.ReadRow(word[:], plane, at, row, 1); err != nil {
			return err
		}
		dst[(column-x)/64] |= word[0] & 1 << ((column - x) % 64)
	}
	return nil
}
