package png

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"encoding/binary"
	"fmt"
	"hash/adler32"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/pattern/internal/deflate"
)

// signature starts every PNG file (ISO/IEC 15948).
const signature = "\x89PNG\r\n\x1a\n"

// Colour types of PNG.
const (
	grey      = 0
	rgb       = 2
	palette   = 3
	greyAlpha = 4
	rgba      = 6
)

// Keywords of the text chunks for the fields of codec.Meta. The first three are PNG's own.
const (
	keyName       = "Title"
	keyAuthor     = "Author"
	keyComment    = "Comment" // one chunk for each line
	keyRule       = "Rule"
	keyPosition   = "Position"   // "x,y"
	keyGeneration = "Generation" // decimal
	keyLayers     = "Layers"     // decimal; the layers of a volume lie one below the other
)

// write writes 1-bit greyscale (white is live) for two states. For more states it writes 8-bit palette indices,
// which are the states.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	b := rows.Bounds
	if b.Empty() || b.W > math.MaxInt32 || b.H > math.MaxInt32 {
		return fmt.Errorf("%d×%d cells; sides must be 1 to %d", b.W, b.H, math.MaxInt32)
	}
	if err := rows.Fit(codec.MostPixels); err != nil {
		return err
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(b.W))
	header = binary.BigEndian.AppendUint32(header, uint32(b.H))
	if meta.States == 2 {
		header = append(header, 1, grey, 0, 0, 0)
	} else {
		header = append(header, 8, palette, 0, 0, 0)
	}
	w.WriteString(signature)
	writeChunk(w, "IHDR", header)
	if meta.States > 2 {
		writeChunk(w, "PLTE", colours(max(meta.States, 1<<rows.Planes)))
	}
	text := func(key, value string) {
		if utf8.RuneCountInString(value) == len(value) {
			writeChunk(w, "tEXt", []byte(key+"\x00"+value))
			return
		}
		// Only iTXt chunks are UTF-8: keyword, not compressed, no language, no translated keyword.
		writeChunk(w, "iTXt", []byte(key+"\x00\x00\x00\x00\x00"+value))
	}
	if meta.Name != "" {
		text(keyName, meta.Name)
	}
	if meta.Author != "" {
		text(keyAuthor, meta.Author)
	}
	for _, comment := range meta.Comments {
		text(keyComment, comment)
	}
	if meta.Rule != "" {
		text(keyRule, meta.Rule)
	}
	x, y := meta.X+b.X, meta.Y+b.Y
	layered := meta.Depth > 0 && b.H%meta.Depth == 0 && (!meta.HasPosition || x == 0 && y == 0)
	if meta.HasPosition && !layered {
		text(keyPosition, fmt.Sprintf("%d,%d", x, y))
	}
	if meta.Generation > 0 {
		text(keyGeneration, fmt.Sprint(meta.Generation))
	}
	if layered {
		text(keyLayers, fmt.Sprint(meta.Depth))
	}
	if err := writeImage(w, rows, meta.States == 2); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// image is a part of the image data.
type image struct {
	plain  []byte // before compression
	sum    uint32 // Adler-32 of plain
	chunks []byte
	whole  bool // the part is the whole image, and the chunks are the whole zlib stream (RFC 1950)
}

// writeImage writes all rows, one or eight bits for each cell. A small image is compressed as thoroughly as
// flate can, a large one on all cores.
func writeImage(w io.Writer, rows *codec.Rows, oneBit bool) error {
	sum, begun, ended := uint32(1), false, false
	err := codec.Encode(rows, true, func(p *codec.Part, m *image) {
		m.plain, m.chunks = appendPlain(m.plain[:0], p, rows.Bounds, oneBit), m.chunks[:0]
		if m.whole = isWhole(p, rows.Bounds); m.whole {
			m.chunks = appendChunk(m.chunks, "IDAT", func(dst []byte) []byte {
				stream := bytes.NewBuffer(dst)
				z := zlib.NewWriter(stream)
				z.Write(m.plain) // never fails: memory
				z.Close()
				return stream.Bytes()
			})
			return
		}
		m.sum = adler32.Checksum(m.plain)
		for piece := range slices.Chunk(m.plain, deflate.Piece) {
			m.chunks = appendChunk(m.chunks, "IDAT", func(dst []byte) []byte { return deflate.Append(dst, piece) })
		}
	}, func(m *image) error {
		if ended = m.whole; !m.whole && !begun {
			begun = true
			const head = "\x78\x9c" // deflate with a window of 32 KiB, default compression
			if err := writeChunk(w, "IDAT", []byte(head)); err != nil {
				return err
			}
		}
		sum = joinSums(sum, m.sum, len(m.plain))
		_, err := w.Write(m.chunks)
		return err
	})
	if err != nil || ended {
		return err
	}
	return writeChunk(w, "IDAT", binary.BigEndian.AppendUint32(slices.Clone(deflate.End), sum))
}

// isWhole reports whether a part has all cells within the bounds.
func isWhole(p *codec.Part, b grid.Rect) bool {
	first, last := p.Pieces[0], p.Pieces[len(p.Pieces)-1]
	return first.X == b.X && first.Y == b.Y && last.X+last.N == b.X+b.W && last.Y == b.Y+b.H-1
}

// appendPlain appends the cells of a part, and before each row that begins there the type of its filter, none.
func appendPlain(dst []byte, p *codec.Part, b grid.Rect, oneBit bool) []byte {
	for i := range p.Pieces {
		piece := &p.Pieces[i]
		if piece.X == b.X {
			dst = append(dst, 0)
		}
		if oneBit {
			dst = p.AppendBits(dst, piece)
		} else {
			dst = p.AppendBytes(dst, piece, 0, 1)
		}
	}
	return dst
}

// joinSums returns the Adler-32 checksum of a concatenation of two strings, from the checksums of both. n is the
// length of the second.
func joinSums(first, second uint32, n int) uint32 {
	const modulus = 65521
	before := uint64(first&0xffff) + modulus - 1 // a string begins with the sum 1
	low := (before + uint64(second&0xffff)) % modulus
	high := (uint64(first>>16) + uint64(second>>16) + uint64(n)%modulus*before) % modulus
	return uint32(high<<16 | low)
}

// colours are black for state 0, white for state 1, and then from yellow through red to dark blue.
func colours(states int) []byte {
	list := []byte{0, 0, 0, 255, 255, 255}
	stops := [...][3]int{{255, 230, 0}, {230, 40, 0}, {40, 40, 140}}
	for state := 2; state < states; state++ {
		at := (state - 2) * 2 * 256 / max(1, states-3) // 0 to 512
		from, part := min(at>>8, 1), at-min(at>>8, 1)<<8
		for i := range 3 {
			list = append(list, byte(stops[from][i]+(stops[from+1][i]-stops[from][i])*part>>8))
		}
	}
	return list
}

// writeChunk writes a chunk.
func writeChunk(w io.Writer, kind string, data []byte) error {
	_, err := w.Write(appendChunk(nil, kind, func(dst []byte) []byte { return append(dst, data...) }))
	return err
}

// appendChunk appends a chunk: length, type, the data that more appends, checksum.
func appendChunk(dst []byte, kind string, more func([]byte) []byte) []byte {
	start := len(dst)
	dst = more(append(append(dst, 0, 0, 0, 0), kind...))
	binary.BigEndian.PutUint32(dst[start:], uint32(len(dst)-start-8))
	return binary.BigEndian.AppendUint32(dst, crc32.ChecksumIEEE(dst[start+4:]))
}
