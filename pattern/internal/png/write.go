package png

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"math/bits"
	"unicode/utf8"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
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
)

// write writes 1-bit greyscale (white is live) for two states. For more states it writes 8-bit palette indices, which are the states.
func write(w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(src, meta.States)
	if err != nil {
		return err
	}
	b := rows.Bounds
	if b.Empty() || b.W > math.MaxInt32 || b.H > math.MaxInt32 {
		return fmt.Errorf("%d×%d cells; sides must be 1 to %d", b.W, b.H, math.MaxInt32)
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
	if meta.HasPosition {
		text(keyPosition, fmt.Sprintf("%d,%d", meta.X+b.X, meta.Y+b.Y))
	}
	if meta.Generation > 0 {
		text(keyGeneration, fmt.Sprint(meta.Generation))
	}
	data := bufio.NewWriterSize(dataChunks{w}, 1<<16)
	z := zlib.NewWriter(data)
	row := bufio.NewWriterSize(z, 1<<15)
	for y := b.Y; y < b.Y+b.H; y++ {
		row.WriteByte(0) // filter type: none
		var err error
		if meta.States == 2 {
			err = writeBits(row, src, b, y)
		} else {
			err = rows.Bytes(y, row, 0, 1)
		}
		if err != nil {
			return err
		}
	}
	for _, flush := range []func() error{row.Flush, z.Close, data.Flush} {
		if err := flush(); err != nil {
			return err
		}
	}
	return writeChunk(w, "IEND", nil)
}

// writeBits writes all of row y of a two-state source, 8 cells in each byte, the leftmost in the highest bit.
func writeBits(w *bufio.Writer, src grid.Source, b grid.Rect, y int) error {
	words := make([]uint64, codec.WindowWords)
	for x := 0; x < b.W; x += codec.WindowCells {
		n := min(codec.WindowCells, b.W-x)
		if err := src.ReadRow(words, 0, b.X+x, y, n); err != nil {
			return err
		}
		var eight [8]byte
		for i := 0; i < n; i += 64 {
			binary.BigEndian.PutUint64(eight[:], bits.Reverse64(words[i>>6]))
			w.Write(eight[:min(8, (n-i+7)/8)])
		}
	}
	_, err := w.Write(nil) // returns the first error of earlier writes
	return err
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

// writeChunk writes a chunk: length, type, data, checksum.
func writeChunk(w io.Writer, kind string, data []byte) error {
	var b bytes.Buffer
	binary.Write(&b, binary.BigEndian, uint32(len(data)))
	b.WriteString(kind)
	b.Write(data)
	binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(b.Bytes()[4:]))
	_, err := w.Write(b.Bytes())
	return err
}

// dataChunks turns each Write into an IDAT chunk.
type dataChunks struct{ w io.Writer }

func (d dataChunks) Write(p []byte) (int, error) {
	if err := writeChunk(d.w, "IDAT", p); err != nil {
		return 0, err
	}
	return len(p), nil
}
