package hosts

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim"
)

// Pattern collects the first cells of a universe: it is an engine to which they are written. Only the cells of the
// pattern are kept, and each worker gets those of its band.
type Pattern struct {
	sim.Engine // nil: only the methods below may be called
	bounds     grid.Rect
	planes     int
	pieces     []piece
}

// piece is some cells of a row.
type piece struct {
	plane, x, y, n int
	words          []uint64
}

// NewPattern returns a pattern without cells for a universe.
func NewPattern(cfg sim.Config) *Pattern {
	return &Pattern{bounds: grid.Rect{W: cfg.Topology.W, H: cfg.Topology.H}, planes: cfg.Rule.Planes()}
}

// Extent implements grid.Source.
func (p *Pattern) Extent() (grid.Rect, error) { return p.bounds, nil }

// Planes implements grid.Source.
func (p *Pattern) Planes() int { return p.planes }

// WriteRow implements grid.Sink. Cells in state 0 are not kept, so no row may be written twice.
func (p *Pattern) WriteRow(src []uint64, plane, x, y, n int) error {
	row := grid.Rect{X: x, Y: y, W: n, H: 1}.Intersect(p.bounds)
	if row.Empty() {
		return nil
	}
	words := make([]uint64, (row.W+63)/64)
	grid.CopyBits(words, 0, src, row.X-x, row.W)
	if _, end := grid.BitSpan(words); end > 0 {
		p.pieces = append(p.pieces, piece{plane, row.X, y, row.W, words})
	}
	return nil
}

// pieceHead is the number of words before the cells of a piece in a message.
const pieceHead = 4

// encode returns the pieces in some rows as words: plane, x, y, number of cells, cells.
func (p *Pattern) encode(first, rows int) []byte {
	data := []byte{}
	for _, c := range p.pieces {
		if first <= c.y && c.y < first+rows {
			data = appendWords(data, []uint64{uint64(c.plane), uint64(c.x), uint64(c.y), uint64(c.n)})
			data = appendWords(data, c.words)
		}
	}
	return data
}

// digest tells patterns apart.
func (p *Pattern) digest() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256(p.encode(0, p.bounds.H)))
}

var errPieces = errors.New("the pattern for a band is damaged")

// put writes the pieces of a message into the band, which is dead.
func (b *band) put(ctx context.Context, data []byte) error {
	var head [pieceHead]uint64
	for len(data) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.moves.Add(1)
		if len(data) < 8*pieceHead {
			return errPieces
		}
		data = takeWords(head[:], data)
		first, w := uint64(b.First*b.rows), uint64(b.topology.W)
		plane, x, y, n := head[0], head[1], head[2]-first, head[3]
		if plane >= uint64(b.planes) || y >= uint64(b.Lines*b.rows) || n > w || x > w-n || (n+63)/64 > uint64(len(data)/8) {
			return errPieces
		}
		words := make([]uint64, (n+63)/64)
		data = takeWords(words, data)
		if err := b.main.WriteRow(words, int(plane), int(x), b.top()*b.rows+int(y), int(n)); err != nil {
			return err
		}
	}
	return nil
}
