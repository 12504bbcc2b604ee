package film

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// apng writes an animated PNG (PNG Specification, third edition, W3C 2025, sections 11.2 and 11.3). Each frame
// after the first is the rectangle that has changed, drawn over the frame before.
type apng struct {
	w        *bufio.Writer
	header   Header
	changes  changes
	depth    int    // bits a pixel
	frames   int    // written
	sequence uint32 // of the next fcTL or fdAT chunk
	packed   bytes.Buffer
	zlib     *zlib.Writer
}

// newAPNG writes the parts of an animated PNG before its first frame: the size, the number of frames,
// and the palette. A pixel takes as few bits as the palette needs.
func newAPNG(w io.Writer, h Header, c changes) *apng {
	a := &apng{w: bufio.NewWriter(w), header: h, changes: c, depth: 8}
	for _, depth := range []int{4, 2, 1} {
		if len(h.Palette) <= 1<<depth {
			a.depth = depth
		}
	}
	a.zlib = zlib.NewWriter(&a.packed)
	a.w.WriteString("\x89PNG\r\n\x1a\n")
	const palette = 3 // colour type
	a.chunk("IHDR", []byte{byte(a.depth), palette, 0, 0, 0}, uint32(h.W), uint32(h.H))
	var colours []byte
	for _, c := range h.Palette {
		r, g, b, _ := c.RGBA()
		colours = append(colours, byte(r>>8), byte(g>>8), byte(b>>8))
	}
	const forever = 0
	a.chunk("acTL", nil, uint32(h.Frames), forever)
	a.chunk("PLTE", colours)
	return a
}

// Frame implements Writer.
func (a *apng) Frame(pixels []uint8) error {
	r := a.changes.next(pixels)
	copy(a.changes.last, pixels)
	if err := a.pack(pixels, r); err != nil {
		return err
	}
	// The delay is a fraction of 16 bits each; a dispose operation of 0 leaves the frame, a blend operation of 0
	// replaces what is below.
	control := binary.BigEndian.AppendUint16(nil, uint16(a.header.Delay.Milliseconds()))
	control = append(binary.BigEndian.AppendUint16(control, 1000), 0, 0)
	a.chunk("fcTL", control, a.next(), uint32(r.Dx()), uint32(r.Dy()), uint32(r.Min.X), uint32(r.Min.Y))
	if a.frames == 0 {
		a.chunk("IDAT", a.packed.Bytes())
	} else {
		a.chunk("fdAT", a.packed.Bytes(), a.next())
	}
	a.frames++
	return nil
}

// next returns the next sequence number.
func (a *apng) next() uint32 {
	a.sequence++
	return a.sequence - 1
}

// pack compresses the pixels of a rectangle. Each row begins with a zero, which says that it is not filtered.
func (a *apng) pack(pixels []uint8, r image.Rectangle) error {
	a.packed.Reset()
	a.zlib.Reset(&a.packed)
	row := make([]byte, 1+(r.Dx()*a.depth+7)/8)
	for y := r.Min.Y; y < r.Max.Y; y++ {
		clear(row)
		for x, v := range pixels[y*a.header.W+r.Min.X : y*a.header.W+r.Max.X] {
			bit := x * a.depth
			row[1+bit/8] |= v << (8 - a.depth - bit%8)
		}
		if _, err := a.zlib.Write(row); err != nil {
			return err
		}
	}
	return a.zlib.Close()
}

// Close implements Writer.
func (a *apng) Close() error {
	if err := complete(a.frames, a.header); err != nil {
		return err
	}
	a.chunk("IEND", nil)
	return a.w.Flush()
}

// chunk writes a chunk whose data are some numbers followed by bytes. Errors are reported at the end.
func (a *apng) chunk(name string, data []byte, numbers ...uint32) {
	chunk := []byte(name)
	for _, n := range numbers {
		chunk = binary.BigEndian.AppendUint32(chunk, n)
	}
	chunk = append(chunk, data...)
	size := binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-len(name)))
	a.w.Write(size)
	a.w.Write(chunk)
	a.w.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
}
