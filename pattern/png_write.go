package pattern

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
)

// pngSignature starts every PNG file (ISO/IEC 15948).
const pngSignature = "\x89PNG\r\n\x1a\n"

// Colour types of PNG.
const (
	pngGrey      = 0
	pngRGB       = 2
	pngPalette   = 3
	pngGreyAlpha = 4
	pngRGBA      = 6
)

// Keywords of the text chunks that carry what Meta has; the first three are PNG's own.
const (
	pngName       = "Title"
	pngAuthor     = "Author"
	pngComment    = "Comment" // a chunk a line
	pngRule       = "Rule"
	pngPosition   = "Position"   // "x,y"
	pngGeneration = "Generation" // decimal
)

// writePNG writes 1-bit greyscale (white is live) for two states, and 8-bit palette indices that are the states for
// more.
func writePNG(w *bufio.Writer, src grid.Source, meta Meta) error {
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	b := rows.bounds
	if b.Empty() || b.W > math.MaxInt32 || b.H > math.MaxInt32 {
		return fmt.Errorf("%d×%d cells; sides must be 1 to %d", b.W, b.H, math.MaxInt32)
	}
	header := binary.BigEndian.AppendUint32(nil, uint32(b.W))
	header = binary.BigEndian.AppendUint32(header, uint32(b.H))
	if meta.States == 2 {
		header = append(header, 1, pngGrey, 0, 0, 0)
	} else {
		header = append(header, 8, pngPalette, 0, 0, 0)
	}
	w.WriteString(pngSignature)
	pngChunk(w, "IHDR", header)
	if meta.States > 2 {
		pngChunk(w, "PLTE", palette(max(meta.States, 1<<rows.planes)))
	}
	text := func(key, value string) {
		if utf8.RuneCountInString(value) == len(value) {
			pngChunk(w, "tEXt", []byte(key+"\x00"+value))
			return
		}
		// Only these are UTF-8: keyword, not compressed, no language, no translated keyword.
		pngChunk(w, "iTXt", []byte(key+"\x00\x00\x00\x00\x00"+value))
	}
	if meta.Name != "" {
		text(pngName, meta.Name)
	}
	if meta.Author != "" {
		text(pngAuthor, meta.Author)
	}
	for _, comment := range meta.Comments {
		text(pngComment, comment)
	}
	if meta.Rule != "" {
		text(pngRule, meta.Rule)
	}
	if meta.HasPosition {
		text(pngPosition, fmt.Sprintf("%d,%d", meta.X+b.X, meta.Y+b.Y))
	}
	if meta.Generation > 0 {
		text(pngGeneration, fmt.Sprint(meta.Generation))
	}
	data := bufio.NewWriterSize(pngData{w}, 1<<16)
	z := zlib.NewWriter(data)
	row := bufio.NewWriterSize(z, 1<<15)
	for y := b.Y; y < b.Y+b.H; y++ {
		row.WriteByte(0) // filter type: none
		var err error
		if meta.States == 2 {
			err = rows.bits(y, row)
		} else {
			err = rows.bytes(y, row, 0, 1)
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
	return pngChunk(w, "IEND", nil)
}

// bits writes row y of a two-state source in full, 8 cells a byte, the leftmost in the highest bit.
func (r *rows) bits(y int, w *bufio.Writer) error {
	words := make([]uint64, windowWords)
	for x := 0; x < r.bounds.W; x += windowCells {
		n := min(windowCells, r.bounds.W-x)
		if err := r.src.ReadRow(words, 0, r.bounds.X+x, y, n); err != nil {
			return err
		}
		var eight [8]byte
		for i := 0; i < n; i += 64 {
			binary.BigEndian.PutUint64(eight[:], bits.Reverse64(words[i>>6]))
			w.Write(eight[:min(8, (n-i+7)/8)])
		}
	}
	_, err := w.Write(nil) // the first error that a write met
	return err
}

// palette is black for state 0, white for state 1 and then from yellow through red to dark blue, like cooling embers.
func palette(states int) []byte {
	colours := []byte{0, 0, 0, 255, 255, 255}
	stops := [...][3]int{{255, 230, 0}, {230, 40, 0}, {40, 40, 140}}
	for state := 2; state < states; state++ {
		at := (state - 2) * 2 * 256 / max(1, states-3) // 0 to 512
		from, part := min(at>>8, 1), at-min(at>>8, 1)<<8
		for i := range 3 {
			colours = append(colours, byte(stops[from][i]+(stops[from+1][i]-stops[from][i])*part>>8))
		}
	}
	return colours
}

// pngChunk writes a chunk: length, type, data, checksum.
func pngChunk(w io.Writer, kind string, data []byte) error {
	var b bytes.Buffer
	binary.Write(&b, binary.BigEndian, uint32(len(data)))
	b.WriteString(kind)
	b.Write(data)
	binary.Write(&b, binary.BigEndian, crc32.ChecksumIEEE(b.Bytes()[4:]))
	_, err := w.Write(b.Bytes())
	return err
}

// pngData turns each Write into an IDAT chunk.
type pngData struct{ w io.Writer }

func (d pngData) Write(p []byte) (int, error) {
	if err := pngChunk(d.w, "IDAT", p); err != nil {
		return 0, err
	}
	return len(p), nil
}
