// Package png is the format of pictures with one pixel for each cell. Pictures that Gosper writes also contain
// the rule and the generation.
package png

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "png", Suffixes: []string{".png"}, Signatures: []string{signature}, Signed: true, States: 256, Rule: true,
	Volumes: true, Read: read, Write: write,
}

// read reads any PNG, a row at a time:
//
//   - palette images: the state of a cell is the palette index of its pixel;
//   - all others: a cell is live where its pixel, laid on black, is at least half as bright as white (luminance
//     of ITU-R BT.601). The pixels of a greyscale image of one bit are therefore the cells themselves.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	r := &reader{in: in, p: p, c: c, text: codec.NewScanner(nil)}
	start := make([]byte, len(signature))
	if _, err := io.ReadFull(in, start); err != nil || string(start) != signature {
		return errors.New("signature is missing")
	}
	if err := r.chunk(); err != nil {
		return err
	}
	if r.kind != "IHDR" || r.left != 13 {
		return fmt.Errorf("first chunk is %q of %d bytes, not IHDR of 13", r.kind, r.left)
	}
	if err := r.header(); err != nil {
		return err
	}
	for {
		if err := r.chunk(); err != nil {
			return err
		}
		switch r.kind {
		case "IDAT":
			if r.p.Depth > 0 {
				r.p.X, r.p.Y, r.p.HasPosition = 0, 0, false // a volume begins at 0,0
			}
			return r.image()
		case "IEND":
			return errors.New("image has no data")
		case "tEXt", "iTXt", "tRNS":
			if err := r.annotation(); err != nil {
				return err
			}
		default:
			if err := r.skip(); err != nil {
				return err
			}
		}
	}
}

// reader reads chunks, and is the io.Reader of the data in the present chunk.
type reader struct {
	in   *bufio.Reader
	p    *codec.File
	c    *codec.Canvas
	kind string // of the current chunk
	text *codec.Scanner
	left uint32 // bytes of it not yet read
	sum  uint32 // checksum of the bytes that have been read

	depth, colour int
	channels      int
	interlaced    bool
	transparent   []uint16 // the sample or samples that tRNS makes transparent; nil if none
}

// chunk starts the next chunk.
func (r *reader) chunk() error {
	var head [8]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return fmt.Errorf("chunk: %w", codec.Unexpected(err))
	}
	r.left, r.kind = binary.BigEndian.Uint32(head[:]), string(head[4:])
	r.sum = crc32.ChecksumIEEE(head[4:])
	if r.left > 1<<31-1 {
		return fmt.Errorf("chunk %q has an impossible length", r.kind)
	}
	return nil
}

// data reads from the current chunk; at its end it verifies the checksum and returns io.EOF.
func (r *reader) data(b []byte) (int, error) {
	if r.left == 0 {
		var sum [4]byte
		if _, err := io.ReadFull(r.in, sum[:]); err != nil {
			return 0, fmt.Errorf("chunk %q: %w", r.kind, codec.Unexpected(err))
		}
		if binary.BigEndian.Uint32(sum[:]) != r.sum {
			return 0, fmt.Errorf("chunk %q is damaged: wrong checksum", r.kind)
		}
		return 0, io.EOF
	}
	n, err := r.in.Read(b[:min(uint64(len(b)), uint64(r.left))])
	r.sum = crc32.Update(r.sum, crc32.IEEETable, b[:n])
	r.left -= uint32(n)
	return n, codec.Unexpected(err)
}

// Read reads the contents of all IDAT chunks as one stream.
func (r *reader) Read(b []byte) (int, error) {
	for {
		n, err := r.data(b)
		if err != io.EOF {
			return n, err
		}
		if err := r.chunk(); err != nil {
			return 0, err
		}
		if r.kind != "IDAT" {
			return 0, io.EOF
		}
	}
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(b []byte) (int, error) { return f(b) }

// skip skips the rest of the chunk.
func (r *reader) skip() error {
	_, err := io.Copy(io.Discard, readerFunc(r.data))
	return err
}

// header reads the size and the kind of pixels:
//
//	4 bytes   width            1 byte   bits of a channel
//	4 bytes   height           1 byte   kind of colours
//	                           1 byte   compression, always 0
//	                           1 byte   filter, always 0
//	                           1 byte   1: interlaced
func (r *reader) header() error {
	b, err := io.ReadAll(readerFunc(r.data))
	if err != nil {
		return err
	}
	w, h := binary.BigEndian.Uint32(b), binary.BigEndian.Uint32(b[4:])
	if w == 0 || h == 0 || w > 1<<31-1 || h > 1<<31-1 || int64(max(w, h)) >= codec.MaxCoordinate {
		return fmt.Errorf("%d×%d pixels; sides must be 1 to 2^31-1", w, h)
	}
	r.p.Bounds = grid.Rect{W: int(w), H: int(h)}
	r.depth, r.colour, r.interlaced = int(b[8]), int(b[9]), b[12] == 1
	var depths []byte
	switch r.colour {
	case grey:
		r.channels, depths = 1, []byte{1, 2, 4, 8, 16}
	case palette:
		r.channels, depths = 1, []byte{1, 2, 4, 8}
	case greyAlpha:
		r.channels, depths = 2, []byte{8, 16}
	case rgb:
		r.channels, depths = 3, []byte{8, 16}
	case rgba:
		r.channels, depths = 4, []byte{8, 16}
	}
	if !bytes.Contains(depths, b[8:9]) || b[10] != 0 || b[11] != 0 || b[12] > 1 {
		return fmt.Errorf("header with depth %d, colour type %d, methods %d %d %d is not one of PNG's", b[8], b[9], b[10],
			b[11], b[12])
	}
	return nil
}

// annotation reads the chunks other than pixels.
func (r *reader) annotation() error {
	const most = 1 << 16
	if r.left > most {
		return r.skip()
	}
	b, err := io.ReadAll(readerFunc(r.data))
	if err != nil {
		return err
	}
	if r.kind == "tRNS" {
		if r.colour != grey && r.colour != rgb {
			return nil
		}
		if len(b) != 2*r.channels {
			return fmt.Errorf("chunk \"tRNS\" has %d bytes, not %d", len(b), 2*r.channels)
		}
		for i := range r.channels {
			r.transparent = append(r.transparent, binary.BigEndian.Uint16(b[2*i:]))
		}
		return nil
	}
	key, value, _ := strings.Cut(string(b), "\x00")
	if r.kind == "iTXt" {
		// Two bytes say whether and how the text is compressed; language and translated keyword come before it.
		if len(value) < 2 || value[0] != 0 {
			return nil
		}
		_, value, _ = strings.Cut(value[2:], "\x00")
		_, value, _ = strings.Cut(value, "\x00")
	}
	switch s := r.text; key {
	case keyName:
		r.p.Name = value
	case keyAuthor:
		r.p.Author = value
	case keyComment:
		for _, line := range strings.Split(value, "\n") {
			if err := s.Comment(&r.p.Comments, strings.TrimRight(line, " \t\r")); err != nil {
				return err
			}
		}
	case keyLayers:
		if n, err := strconv.Atoi(value); err == nil && n > 0 && r.p.Bounds.H%n == 0 {
			r.p.Depth = n
		}
	case keyRule:
		if len(strings.Fields(value)) == 1 {
			r.p.Rule = value
		}
	case keyGeneration:
		if n, err := s.Generation(value, 1); err == nil {
			r.p.Generation = n
		}
	case keyPosition:
		if list := codec.Fields(value); len(list) == 2 {
			x, errX := s.Integer(list[0].Text, 1)
			y, errY := s.Integer(list[1].Text, 1)
			if errX == nil && errY == nil {
				r.p.X, r.p.Y, r.p.HasPosition = x, y, true
			}
		}
	}
	return nil
}

// pass is the set of pixels (x + i·dx, y + j·dy) of an image.
type pass struct{ x, y, dx, dy int }

// adam7 are the passes of an interlaced image.
var adam7 = []pass{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}

// image reads the pixels, from the first IDAT chunk on.
func (r *reader) image() error {
	z, err := zlib.NewReader(r)
	if err != nil {
		return err
	}
	defer z.Close()
	passes := []pass{{0, 0, 1, 1}}
	if r.interlaced {
		passes = adam7
	}
	pixel := r.channels * r.depth // bits
	size := (uint64(r.p.Bounds.W)*uint64(pixel) + 7) / 8
	r.c.Held = 2 * size
	if err := r.c.Reserve(r.c.Held); err != nil {
		return err
	}
	in := bufio.NewReaderSize(z, 1<<16)
	var current, above []byte
	for _, p := range passes {
		w, h := (r.p.Bounds.W-p.x+p.dx-1)/p.dx, (r.p.Bounds.H-p.y+p.dy-1)/p.dy
		if w <= 0 || h <= 0 {
			continue
		}
		current, above = make([]byte, (w*pixel+7)/8), make([]byte, (w*pixel+7)/8)
		for i := range h {
			y := p.y + i*p.dy
			filter, err := in.ReadByte()
			if err == nil {
				_, err = io.ReadFull(in, current)
			}
			if err != nil {
				return fmt.Errorf("row %d: %w", y, codec.Unexpected(err))
			}
			if err := unfilter(filter, current, above, max(1, pixel/8)); err != nil {
				return fmt.Errorf("row %d: %w", y, err)
			}
			if err := r.row(current, w, p, y); err != nil {
				return err
			}
			current, above = above, current
		}
	}
	// The checksum comes after the last pixel.
	if _, err := in.ReadByte(); err != io.EOF {
		if err == nil {
			err = errors.New("there is data after the last row")
		}
		return err
	}
	return nil
}

// unfilter undoes the row filter (PNG specification, 9.2); step is the bytes of a pixel, at least 1.
func unfilter(filter byte, row, above []byte, step int) error {
	switch filter {
	case 0:
	case 1: // sub
		for i := step; i < len(row); i++ {
			row[i] += row[i-step]
		}
	case 2: // up
		for i := range row {
			row[i] += above[i]
		}
	case 3: // average
		for i := range row {
			left := 0
			if i >= step {
				left = int(row[i-step])
			}
			row[i] += byte((left + int(above[i])) / 2)
		}
	case 4: // Paeth: the one of left, above and above left that is nearest to left + above − above left
		for i := range row {
			left, corner := 0, 0
			if i >= step {
				left, corner = int(row[i-step]), int(above[i-step])
			}
			up := int(above[i])
			toLeft, toUp, toCorner := magnitude(up-corner), magnitude(left-corner), magnitude(left+up-2*corner)
			switch {
			case toLeft <= toUp && toLeft <= toCorner:
				row[i] += byte(left)
			case toUp <= toCorner:
				row[i] += byte(up)
			default:
				row[i] += byte(corner)
			}
		}
	default:
		return fmt.Errorf("filter type %d is not one of PNG's", filter)
	}
	return nil
}

func magnitude(n int) int { return max(n, -n) }

// row draws a row of n pixels of a pass.
func (r *reader) row(row []byte, n int, p pass, y int) error {
	if err := r.c.Row(y); err != nil {
		return err
	}
	if r.depth == 1 && r.colour == grey && r.transparent == nil && p.dx == 1 {
		return r.c.Bitmap(row, n)
	}
	for i := range n {
		if state := r.state(row, i); state != 0 {
			if err := r.c.Run(p.x+i*p.dx, 1, state); err != nil {
				return err
			}
		}
	}
	return nil
}

// state is that of the cell at pixel i of a row.
func (r *reader) state(row []byte, i int) byte {
	var samples [4]uint16
	for k := range r.channels {
		switch at := i*r.channels + k; r.depth {
		case 16:
			samples[k] = binary.BigEndian.Uint16(row[2*at:])
		case 8:
			samples[k] = uint16(row[at])
		default:
			shift := 8 - r.depth - at*r.depth%8
			samples[k] = uint16(row[at*r.depth/8]>>shift) & (1<<r.depth - 1)
		}
	}
	if r.colour == palette {
		return byte(samples[0])
	}
	opaque := false
	for k, s := range r.transparent {
		opaque = opaque || s != samples[k]
	}
	if r.transparent != nil && !opaque {
		return 0
	}
	full := uint64(1)<<r.depth - 1
	red, green, blue, alpha := uint64(samples[0]), uint64(samples[1]), uint64(samples[2]), full
	switch r.colour {
	case grey:
		green, blue = red, red
	case greyAlpha:
		green, blue, alpha = red, red, uint64(samples[1])
	case rgba:
		alpha = uint64(samples[3])
	}
	if 2*(299*red+587*green+114*blue)*alpha >= 1000*full*full {
		return 1
	}
	return 0
}
