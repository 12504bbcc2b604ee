// Package netpbm is the formats of simple pictures with one pixel for each cell: PBM with one bit and PGM with grey
// levels, each as text (P1, P2) or binary (P4, P5). Such files state no rule.
package netpbm

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Bits and Greys are the formats.
var (
	Bits = codec.Codec{
		Name: "pbm", Suffixes: []string{".pbm"}, Signatures: signatures("P1", "P4"), Signed: true, States: 2,
		Read: read("P1", "P4"), Write: write("P4"),
	}
	Greys = codec.Codec{
		Name: "pgm", Suffixes: []string{".pgm"}, Signatures: signatures("P2", "P5"), Signed: true, States: 256,
		Read: read("P2", "P5"), Write: write("P5"),
	}
)

// signatures are the beginnings of files: white space or a comment follows the first two characters.
func signatures(of ...string) (all []string) {
	for _, magic := range of {
		for _, next := range " \t\r\n#" {
			all = append(all, magic+string(next))
		}
	}
	return all
}

// levels is the comment of pictures with 256 levels that are states. Without it, such a picture is a photograph.
const levels = "States: 256"

// fewest is the least number of grey levels, without black, of a photograph.
const fewest = 255

// read returns the reader of pictures that begin with one word if they are text, and with another one if not:
//
//   - a bit of a PBM is the state of a cell, so black pixels are live;
//   - a sample of a PGM is the state of a cell if there are fewer than 256 grey levels, or if a comment says so;
//   - with more levels, a cell is live if its pixel is at least half as bright as white.
//
// Comments may stand before every number.
func read(text, binary string) func(*bufio.Reader, *codec.File, *codec.Canvas) error {
	return func(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
		magic, err := in.Peek(2)
		if err != nil {
			return codec.Unexpected(err)
		}
		r := &reader{s: codec.NewScanner(in), p: p, c: c, bits: text == "P1", most: 1}
		plain := string(magic) == text
		if !plain && string(magic) != binary {
			return errors.New("signature is missing")
		}
		r.s.Skip(len(magic))
		if err := r.header(); err != nil {
			return err
		}
		if plain {
			err = r.text()
		} else {
			err = r.binary()
		}
		if err != nil {
			return err
		}
		if _, err = r.s.SkipSpace(); err == io.EOF {
			return nil
		}
		return cmp.Or(err, errors.New("there is data after the last row; a file holds one picture"))
	}
}

// reader reads a picture.
type reader struct {
	s          *codec.Scanner
	p          *codec.File
	c          *codec.Canvas
	bits       bool
	most       int // the largest sample
	levels     bool
	photograph bool
}

// header reads the sides and the largest sample.
func (r *reader) header() (err error) {
	w, h := 0, 0
	numbers := []*int{&w, &h, &r.most}
	if r.bits {
		numbers = numbers[:2]
	}
	for _, n := range numbers {
		if *n, err = r.number(); err != nil {
			return err
		}
	}
	if w < 1 || h < 1 {
		return fmt.Errorf("%d×%d pixels; sides must be 1 to 2^31-1", w, h)
	}
	if r.most < 1 || r.most > math.MaxUint16 {
		return fmt.Errorf("grey levels from 0 to %d; the largest must be 1 to 65535", r.most)
	}
	r.photograph = r.most >= fewest && !r.levels
	r.p.Bounds = grid.Rect{W: w, H: h}
	return nil
}

// skip goes to the next character after white space and comments, and returns it.
func (r *reader) skip() (byte, error) {
	for {
		b, err := r.s.SkipSpace()
		if err != nil || b != '#' {
			return b, codec.Unexpected(err)
		}
		line, err := r.s.Rest()
		if err != nil {
			return 0, err
		}
		text := strings.TrimPrefix(line[1:], " ")
		if text == levels {
			r.levels = true
		} else if err := r.s.Describe(r.p, text); err != nil {
			return 0, err
		}
		r.s.Next()
	}
}

// number reads a decimal number below 2^31.
func (r *reader) number() (int, error) {
	b, err := r.skip()
	if err != nil {
		return 0, err
	}
	if b < '0' || b > '9' {
		return 0, r.s.Errorf(r.s.Column, "%s is not a number", codec.Quote(string(b)))
	}
	n, column := 0, r.s.Column
	for {
		b, err := r.s.In.Peek(1)
		if err == io.EOF || err == nil && (b[0] < '0' || b[0] > '9') {
			return n, nil
		}
		if err != nil {
			return 0, err
		}
		if n = 10*n + int(b[0]-'0'); n > math.MaxInt32 {
			return 0, r.s.Errorf(column, "number is above 2^31-1")
		}
		r.s.Skip(1)
	}
}

// text reads rows of decimal samples, or of bits that white space need not separate.
func (r *reader) text() error {
	sample := r.number
	if r.bits {
		sample = func() (int, error) {
			b, err := r.skip()
			if err == nil && b != '0' && b != '1' {
				err = r.s.Errorf(r.s.Column, "%s is not a bit, 0 or 1", codec.Quote(string(b)))
			}
			if err != nil {
				return 0, err
			}
			r.s.Skip(1)
			return int(b - '0'), nil
		}
	}
	for y := range r.p.Bounds.H {
		if err := r.row(y, func(int) (int, error) { return sample() }); err != nil {
			return fmt.Errorf("row %d: %w", y, err)
		}
	}
	return nil
}

// binary reads rows of bits, bytes, or pairs of bytes. One character of white space comes before them.
func (r *reader) binary() error {
	b, err := r.s.In.ReadByte()
	if err != nil {
		return codec.Unexpected(err)
	}
	if !codec.IsSpace(b) {
		return r.s.Errorf(r.s.Column, "%s comes before the pixels, where white space must be", codec.Quote(string(b)))
	}
	w := r.p.Bounds.W
	size, sample := w, func([]byte, int) int { return 0 }
	switch {
	case r.bits:
		size = (w + 7) / 8
	case r.most > math.MaxUint8:
		size, sample = 2*w, func(row []byte, x int) int { return int(row[2*x])<<8 | int(row[2*x+1]) }
	default:
		sample = func(row []byte, x int) int { return int(row[x]) }
	}
	r.c.Held = uint64(size)
	if err := r.c.Reserve(r.c.Held); err != nil {
		return err
	}
	row := make([]byte, size)
	for y := range r.p.Bounds.H {
		_, err := io.ReadFull(r.s.In, row)
		switch {
		case err != nil:
			err = codec.Unexpected(err)
		case r.bits:
			if err = r.c.Row(y); err == nil {
				err = r.c.Bitmap(row, w)
			}
		default:
			err = r.row(y, func(x int) (int, error) { return sample(row, x), nil })
		}
		if err != nil {
			return fmt.Errorf("row %d: %w", y, err)
		}
	}
	return nil
}

// row draws a row of samples, in runs of equal states.
func (r *reader) row(y int, sample func(x int) (int, error)) error {
	if err := r.c.Row(y); err != nil {
		return err
	}
	w, start, last := r.p.Bounds.W, 0, uint8(0)
	for x := 0; x <= w; x++ {
		state := uint8(0)
		if x < w {
			n, err := sample(x)
			switch {
			case err != nil:
				return err
			case n > r.most:
				return fmt.Errorf("sample %d of column %d is above %d, the largest", n, x, r.most)
			case !r.photograph:
				state = uint8(n)
			case 2*n >= r.most:
				state = 1
			}
		}
		if state == last && x < w {
			continue
		}
		if last != 0 {
			if err := r.c.Run(start, x-start, last); err != nil {
				return err
			}
		}
		start, last = x, state
	}
	return nil
}

// write writes a binary picture. Samples of a PGM are states. A PGM of two states has the levels 0 and 1.
func write(magic string) func(context.Context, *bufio.Writer, grid.Source, codec.Meta) error {
	return func(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
		rows, err := codec.NewRows(ctx, src, meta.States)
		if err != nil {
			return err
		}
		b := rows.Bounds
		if b.Empty() || b.W > math.MaxInt32 || b.H > math.MaxInt32 {
			return fmt.Errorf("%d×%d cells; sides must be 1 to %d", b.W, b.H, math.MaxInt32)
		}
		if err := rows.Fit(codec.MostBytes); err != nil {
			return err
		}
		w.WriteString(magic + "\n")
		codec.WriteLabel(w, "# Name: ", meta.Name)
		codec.WriteLabel(w, "# Author: ", meta.Author)
		codec.WriteWords(w, "# ", meta.Comments...)
		if meta.States == 256 {
			w.WriteString("# " + levels + "\n")
		}
		fmt.Fprintf(w, "%d %d\n", b.W, b.H)
		if magic == "P5" {
			fmt.Fprintf(w, "%d\n", meta.States-1)
			return codec.WriteBytes(rows, w)
		}
		return codec.Encode(rows, true, func(p *codec.Part, bits *[]byte) {
			*bits = (*bits)[:0]
			for i := range p.Pieces {
				*bits = p.AppendBits(*bits, &p.Pieces[i])
			}
		}, codec.WriteTo(w))
	}
}
