package deflate

import (
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"io"

	"github.com/gosper-life/gosper/pattern/internal/inorder"
)

// Gzip is a writer that compresses a stream on all cores, in pieces in which flate searches as thoroughly as gzip does.
type Gzip struct {
	to    io.Writer
	line  *inorder.Line[piece]
	piece *piece // that is being filled; nil before the first
	sum   uint32
	size  uint32 // modulo 2^32
	err   error
}

type piece struct{ data, blocks []byte }

// NewGzip returns a writer of a gzip file (RFC 1952). Its Close must be called, also after an error. It does
// not close to.
func NewGzip(to io.Writer) *Gzip {
	z := &Gzip{to: to}
	run := func(p *piece) { p.blocks = appendSearched(p.blocks[:0], p.data, flate.DefaultCompression) }
	z.line = inorder.New(run, func(p *piece) error {
		_, err := to.Write(p.blocks)
		return err
	})
	_, z.err = to.Write([]byte{0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255}) // deflate, no time, no known system
	return z
}

// Write implements io.Writer. Errors of the writer below may come later than the bytes that caused them.
func (z *Gzip) Write(b []byte) (int, error) {
	z.sum = crc32.Update(z.sum, crc32.IEEETable, b)
	z.size += uint32(len(b))
	for rest := b; len(rest) > 0 && z.err == nil; {
		if z.piece == nil {
			if z.piece, z.err = z.line.Next(); z.err != nil {
				break
			}
			z.piece.data = z.piece.data[:0]
		}
		n := min(len(rest), Piece-len(z.piece.data))
		z.piece.data = append(z.piece.data, rest[:n]...)
		rest = rest[n:]
		if len(z.piece.data) == Piece {
			z.put()
		}
	}
	return len(b), z.err
}

func (z *Gzip) put() {
	z.line.Put(z.piece)
	z.piece = nil
}

// Close ends the file.
func (z *Gzip) Close() error {
	if z.piece != nil {
		z.put()
	}
	if err := z.line.Close(); z.err == nil {
		z.err = err
	}
	if z.err != nil {
		return z.err
	}
	end := binary.LittleEndian.AppendUint32(append([]byte{}, End...), z.sum)
	_, z.err = z.to.Write(binary.LittleEndian.AppendUint32(end, z.size))
	return z.err
}
