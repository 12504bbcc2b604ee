package hosts

import (
	"context"
	"encoding/binary"
	"errors"
	"math/bits"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/internal/blockcount"
)

// Squares are the numbers of cells not in state 0 in squares of a universe of two dimensions, for a picture. Package
// scene reads them as it reads a sim.Counter.
type Squares struct {
	Scale  int // they have 2^Scale × 2^Scale cells; at least 1
	W, H   int
	counts []uint64 // row after row
	cells  grid.Rect
}

// scaleOf is the scale of squares of which a picture of most pixels a side has one for each pixel.
func scaleOf(cells grid.Rect, most int) int {
	return max(1, bits.Len(uint((max(cells.W, cells.H)-1)/most)))
}

// newSquares returns squares without cells.
func newSquares(cells grid.Rect, scale int) *Squares {
	s := &Squares{Scale: scale, W: (cells.W-1)>>scale + 1, H: (cells.H-1)>>scale + 1, cells: cells}
	s.counts = make([]uint64, s.W*s.H)
	return s
}

// squares counts the cells of a band in squares of the universe. In the data, all numbers are varints: the first row of
// squares, and the counts of the squares in which the band has rows.
func (b *band) squares(ctx context.Context, scale int) ([]byte, error) {
	src, w := b.cells(), b.topology.W
	row, scratch := make([]uint64, (w+63)/64), make([]uint64, (w+63)/64)
	first := b.First >> scale
	counts := make([]uint64, (w-1)>>scale+1)
	data := binary.AppendUvarint(nil, uint64(first))
	for y := range b.Lines {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b.moves.Add(1)
		if err := readLive(row, scratch, src, y, w); err != nil {
			return nil, err
		}
		blockcount.Add(counts, row, 0, scale, 1)
		if next := b.First + y + 1; next&(1<<scale-1) == 0 || y == b.Lines-1 {
			for i, n := range counts {
				data, counts[i] = binary.AppendUvarint(data, n), 0
			}
		}
	}
	return data, nil
}

var errSquares = errors.New("the squares of a band are damaged")

// add adds the squares of a band.
func (s *Squares) add(data []byte) error {
	first, used := binary.Uvarint(data)
	if used <= 0 || first >= uint64(s.H) {
		return errSquares
	}
	data = data[used:]
	for i := int(first) * s.W; len(data) > 0; i++ {
		n, used := binary.Uvarint(data)
		if used <= 0 || i >= len(s.counts) {
			return errSquares
		}
		s.counts[i] += n
		data = data[used:]
	}
	return nil
}

// squares asks the bands for a picture.
func (a *attempt) squares() (*Squares, error) {
	cells := grid.Rect{W: a.Config.Topology.W, H: a.Config.Topology.H}
	s := newSquares(cells, scaleOf(cells, a.Pixels))
	d, err := a.do(order{To: a.reached, Squares: s.Scale})
	if err != nil {
		return nil, err
	}
	for _, data := range d.data {
		if err := s.add(data); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// Extent implements grid.Source.
func (s *Squares) Extent() (grid.Rect, error) { return s.cells, nil }

// Planes implements grid.Source.
func (s *Squares) Planes() int { return 1 }

// ReadRow implements grid.Source. There are no cells.
func (s *Squares) ReadRow([]uint64, int, int, int, int) error { return errElsewhere }

// Counts returns the counts of all squares. area must be that of all of them.
func (s *Squares) Counts(dst []uint64, area grid.Rect, scale int) (bool, error) {
	if scale != s.Scale || area != (grid.Rect{W: s.W << scale, H: s.H << scale}) {
		return false, errElsewhere
	}
	copy(dst, s.counts)
	return true, nil
}
