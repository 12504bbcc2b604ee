package codec

import (
	"encoding/binary"
	"io"
	"math/bits"
	"slices"

	"github.com/gosper-life/gosper/pattern/internal/inorder"
)

// Part is some cells that are encoded together: pieces of rows, in reading order.
type Part struct {
	Pieces []Piece
	Planes int

	words []uint64
	cells int
}

// Piece is N cells of row Y, from column X on.
type Piece struct {
	X, Y, N int
	first   int // of its words, plane after plane; -1 if all cells are dead
}

// partCells is the most cells of a part. A part of one plane takes 256 KiB.
const partCells = 1 << 21

// Live reports whether a piece may have cells that are not dead.
func (p *Part) Live(piece *Piece) bool { return piece.first >= 0 }

// Words is a plane of a piece that may have live cells, packed as in grid.Source.
func (p *Part) Words(piece *Piece, plane int) []uint64 {
	n := (piece.N + 63) >> 6
	return p.words[piece.first+plane*n:][:n:n]
}

// Encode reads the cells, encodes them on all cores, and takes the encoded parts in reading order. all asks for dead
// cells, too; else only places where live cells may be are visited. The source is read by this goroutine alone. encode
// gets results that may have been used before.
func Encode[R any](r *Rows, all bool, encode func(*Part, *R), take func(*R) error) error {
	type job struct {
		part   Part
		result R
	}
	line := inorder.New(func(j *job) { encode(&j.part, &j.result) }, func(j *job) error { return take(&j.result) })
	j, err := line.Next()
	if err == nil {
		j.part.Planes = r.Planes
		err = r.pieces(all, func(x, y, n int, live bool) error {
			if j.part.cells+n > partCells {
				err := r.ctx.Err() // nothing is read of dead cells
				if err != nil {
					return err
				}
				line.Put(j)
				if j, err = line.Next(); err != nil {
					return err
				}
				j.part = Part{Pieces: j.part.Pieces[:0], Planes: r.Planes, words: j.part.words[:0]}
			}
			return j.part.read(r, x, y, n, live)
		})
	}
	if err == nil {
		line.Put(j)
	}
	if closed := line.Close(); err == nil {
		err = closed
	}
	return err
}

// WriteTo returns a function that writes the parts that Encode makes.
func WriteTo(w io.Writer) func(*[]byte) error {
	return func(b *[]byte) error {
		_, err := w.Write(*b)
		return err
	}
}

// pieces visits pieces of rows of at most SpanCells.
func (r *Rows) pieces(all bool, visit func(x, y, n int, live bool) error) error {
	if !all {
		for y, ok := r.Next(r.Bounds.Y); ok; y, ok = r.Next(y + 1) {
			for _, s := range r.Spans(y) {
				for x := s.X; x < s.End; x += SpanCells {
					if err := visit(x, y, min(SpanCells, s.End-x), true); err != nil {
						return err
					}
				}
			}
		}
		return nil
	}
	for y := r.Bounds.Y; y < r.Bounds.Y+r.Bounds.H; y++ {
		spans := r.Spans(y)
		for x, end := r.Bounds.X, r.Bounds.X+r.Bounds.W; x < end; x += SpanCells {
			n := min(SpanCells, end-x)
			for len(spans) > 0 && spans[0].End <= x {
				spans = spans[1:]
			}
			if err := visit(x, y, n, len(spans) > 0 && spans[0].X < x+n); err != nil {
				return err
			}
		}
	}
	return nil
}

// read adds a piece.
func (p *Part) read(r *Rows, x, y, n int, live bool) error {
	const least = 64 // to limit the number of pieces
	p.cells += max(n, least)
	piece := Piece{X: x, Y: y, N: n, first: -1}
	if live {
		piece.first = len(p.words)
		size := (n + 63) >> 6
		p.words = slices.Grow(p.words, p.Planes*size)[:len(p.words)+p.Planes*size]
		for plane := range p.Planes {
			if err := r.ReadRow(p.words[piece.first+plane*size:][:size], plane, x, y, n); err != nil {
				return err
			}
		}
	}
	p.Pieces = append(p.Pieces, piece)
	return nil
}

// spread has bit i of its index in bit 0 of byte i.
var spread = func() (table [256]uint64) {
	for b := range table {
		for i := range 8 {
			table[b] |= uint64(b>>i&1) << (8 * i)
		}
	}
	return table
}()

// AppendBytes appends a byte for each cell of a piece: zero for state 0, and step more for each further state.
func (p *Part) AppendBytes(dst []byte, piece *Piece, zero byte, step uint64) []byte {
	start := len(dst)
	const slack = 7 // eight cells are stored at once
	dst = slices.Grow(dst, piece.N+slack)[:start+piece.N+slack]
	cells := dst[start:]
	if !p.Live(piece) {
		for i := range cells {
			cells[i] = zero
		}
		return dst[:start+piece.N]
	}
	zeros := uint64(zero) * spread[0xff]
	for i := 0; i < piece.N; i += 8 {
		var eight uint64
		for plane := range p.Planes {
			eight |= spread[uint8(p.Words(piece, plane)[i>>6]>>(i&63))] << plane
		}
		binary.LittleEndian.PutUint64(cells[i:], eight*step+zeros)
	}
	return dst[:start+piece.N]
}

// AppendBits appends a bit for each cell of a piece of one plane, 8 in each byte, the leftmost in the highest bit.
func (p *Part) AppendBits(dst []byte, piece *Piece) []byte {
	n, start := (piece.N+7)>>3, len(dst)
	const slack = 7 // whole words are stored
	dst = slices.Grow(dst, n+slack)[:start+n+slack]
	if !p.Live(piece) {
		clear(dst[start:])
		return dst[:start+n]
	}
	for i, word := range p.Words(piece, 0) {
		binary.BigEndian.PutUint64(dst[start+8*i:], bits.Reverse64(word))
	}
	return dst[:start+n]
}

// WriteBytes writes all cells within the bounds as one byte each, row after row.
func WriteBytes(rows *Rows, w io.Writer) error {
	return Encode(rows, true, func(p *Part, cells *[]byte) {
		*cells = (*cells)[:0]
		for i := range p.Pieces {
			*cells = p.AppendBytes(*cells, &p.Pieces[i], 0, 1)
		}
	}, WriteTo(w))
}
