package pattern

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/pattern/internal/npy"
)

// Array says where the rows of a NumPy file lie: an array of uint8 in C order, one byte for each cell. Several programs
// can therefore write or read rows of one file at the same time.
type Array struct {
	W, H  int   // columns, and rows of all layers
	Depth int   // layers; 0 in two dimensions
	Start int64 // the place of the first row in the file
}

// NewArray describes a new file and returns the bytes before its first row.
func NewArray(w, h, depth int) (a Array, header []byte, err error) {
	header = npy.Header(w, h, depth)
	a = Array{w, h, depth, int64(len(header))}
	if w < 1 || h < 1 || grid.Product(uint64(w), uint64(h)) > math.MaxInt64-uint64(a.Start) {
		return a, nil, fmt.Errorf("an array of %d×%d bytes is no file", h, w)
	}
	return a, header, nil
}

// OpenArray reads the header of a file of the given size in bytes.
func OpenArray(file io.ReaderAt, size int64) (a Array, err error) {
	in := io.NewSectionReader(file, 0, size)
	if a.W, a.H, a.Depth, err = npy.ReadHeader(in); err != nil {
		return a, err
	}
	if a.Start, err = in.Seek(0, io.SeekCurrent); err != nil {
		return a, err
	}
	if have := uint64(size - a.Start); grid.Product(uint64(a.W), uint64(a.H)) != have {
		return a, fmt.Errorf("array of %d×%d bytes, but the file has %d", a.H, a.W, have)
	}
	return a, nil
}

// At is the place of a row in the file. At(H) is the size of the file.
func (a *Array) At(row int) int64 { return a.Start + int64(row)*int64(a.W) }

// WriteRows writes all rows of a source as bytes. The row that is at the top of its extent is the given one of
// the file.
func (a *Array) WriteRows(ctx context.Context, file io.WriterAt, src grid.Source, row, states int) error {
	rows, err := codec.NewRows(ctx, src, states)
	if err != nil {
		return err
	}
	if b := rows.Bounds; b.W != a.W || row < 0 || b.H > a.H-row {
		return fmt.Errorf("%d×%d cells are no rows of an array of %d×%d bytes", b.W, b.H, a.H, a.W)
	}
	return codec.WriteBytes(rows, io.NewOffsetWriter(file, a.At(row)))
}

// ReadRows reads n rows of a file, from the given one on, and writes them to a sink from row y on. The universe has the
// given number of states.
func (a *Array) ReadRows(file io.ReaderAt, row, n int, dst grid.Sink, y, states int) error {
	planes := make([][]uint64, grid.PlanesOf(states))
	for k := range planes {
		planes[k] = make([]uint64, (a.W+63)/64)
	}
	cells, dead := make([]byte, a.W), make([]byte, a.W)
	for i := range n {
		if _, err := file.ReadAt(cells, a.At(row+i)); err != nil {
			return fmt.Errorf("row %d: %w", row+i, codec.Unexpected(err))
		}
		for k := range planes {
			clear(planes[k])
		}
		if !bytes.Equal(cells, dead) {
			for x, state := range cells {
				if int(state) >= states {
					return fmt.Errorf("row %d, column %d: state %d, but the rule has states 0 to %d", row+i, x, state, states-1)
				}
				for k := range planes {
					planes[k][x>>6] |= uint64(state>>k&1) << (x & 63)
				}
			}
		}
		for k := range planes {
			if err := dst.WriteRow(planes[k], k, 0, y+i, a.W); err != nil {
				return err
			}
		}
	}
	return nil
}
