// Package npy is the format of NumPy arrays of uint8, shape (H, W) or (D, H, W), C order. It also reads bool.
package npy

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "npy", Suffixes: []string{".npy"}, Signatures: []string{signature}, Signed: true, States: 256, Volumes: true,
	Read: read, Write: write,
}

// signature starts every NumPy array file (format versions 1 to 3, numpy.lib.format).
const signature = "\x93NUMPY"

const maxHeader = 1 << 16

// field returns the text after a key of the dictionary that describes an array, in Python's notation without spaces. It
// returns "" without such a key.
func field(dictionary, key string) string {
	for _, quote := range []string{"'", `"`} {
		if _, value, ok := strings.Cut(dictionary, quote+key+quote+":"); ok {
			return value
		}
	}
	return ""
}

// description returns the type, the order and the sides that a dictionary states. ok is false if it does not,
// or if the array has not two or three sides.
func description(header string) (descr string, fortran bool, sides []string, ok bool) {
	dictionary := strings.Join(strings.Fields(header), "")
	descr = field(dictionary, "descr")
	if descr == "" || descr[0] != '\'' && descr[0] != '"' {
		return "", false, nil, false
	}
	descr, _, ok = strings.Cut(descr[1:], descr[:1])
	order := field(dictionary, "fortran_order")
	fortran = strings.HasPrefix(order, "True")
	shape, tupled := strings.CutPrefix(field(dictionary, "shape"), "(")
	shape, _, closed := strings.Cut(shape, ")")
	numbers := strings.Split(strings.TrimSuffix(shape, ","), ",")
	if !ok || !fortran && !strings.HasPrefix(order, "False") || !tupled || !closed || len(numbers) < 2 ||
		len(numbers) > 3 {
		return "", false, nil, false
	}
	for _, digits := range numbers {
		digits = strings.TrimSuffix(digits, "L") // as Python 2 wrote it
		if digits == "" || strings.Trim(digits, "0123456789") != "" {
			return "", false, nil, false
		}
		sides = append(sides, digits)
	}
	return descr, fortran, sides, true
}

// read reads an array of shape (H, W) or (D, H, W) in C order: uint8 as states, bool as two states. Rows of layers
// follow each other.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	w, h, d, err := ReadHeader(in)
	if err != nil {
		return err
	}
	p.Depth = d
	p.Bounds = grid.Rect{W: w, H: h}
	for y := range h {
		if w == 0 {
			break
		}
		if err := c.Row(y); err != nil {
			return err
		}
		for x := 0; x < w; {
			if _, err := in.Peek(1); err != nil {
				return fmt.Errorf("array of %d×%d bytes ends at row %d, column %d: %w", h, w, y, x, codec.Unexpected(err))
			}
			b, _ := in.Peek(min(in.Buffered(), w-x))
			if err := states(c, x, b); err != nil {
				return err
			}
			in.Discard(len(b))
			x += len(b)
		}
	}
	return nil
}

// ReadHeader reads the signature, version and the dictionary that describes the array: w columns, h rows of all
// layers, and d layers, 0 if the array has two sides.
func ReadHeader(in io.Reader) (w, h, d int, err error) {
	var start [8]byte // signature, major and minor version
	if _, err := io.ReadFull(in, start[:]); err != nil {
		return 0, 0, 0, fmt.Errorf("header: %w", codec.Unexpected(err))
	}
	var field [4]byte // the length of the header, little endian
	switch {
	case string(start[:6]) != signature:
		return 0, 0, 0, errors.New("signature is missing")
	case start[6] == 1:
		_, err = io.ReadFull(in, field[:2])
	case start[6] == 2 || start[6] == 3:
		_, err = io.ReadFull(in, field[:])
	default:
		return 0, 0, 0, fmt.Errorf("version %d.%d is unknown; known are 1.0, 2.0 and 3.0", start[6], start[7])
	}
	if err != nil {
		return 0, 0, 0, fmt.Errorf("header: %w", codec.Unexpected(err))
	}
	length := binary.LittleEndian.Uint32(field[:])
	if length > maxHeader {
		return 0, 0, 0, fmt.Errorf("header of %d bytes is longer than %d", length, maxHeader)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return 0, 0, 0, fmt.Errorf("header: %w", codec.Unexpected(err))
	}
	descr, fortran, sides, ok := description(string(header))
	if !ok {
		return 0, 0, 0, fmt.Errorf("header %s must have descr, fortran_order and a shape (H, W) or (D, H, W)",
			codec.Quote(string(header)))
	}
	switch descr {
	case "|u1", "u1", "<u1", ">u1", "|b1", "?", "|?":
	default:
		return 0, 0, 0, fmt.Errorf("array of type %s; uint8 (|u1) and bool (|b1) are read", codec.Quote(descr))
	}
	if fortran {
		return 0, 0, 0, errors.New("array is in Fortran order; save numpy.ascontiguousarray(a)")
	}
	size := [3]int{1, 1, 1}
	for i, digits := range sides {
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n >= codec.MaxCoordinate {
			return 0, 0, 0, fmt.Errorf("shape has side %s, more than %d", digits, codec.MaxCoordinate)
		}
		size[i+3-len(sides)] = int(n)
	}
	d, h, w = size[0], size[1], size[2]
	switch {
	case len(sides) == 2:
		d = 0
	case d == 0 || h == 0:
		return 0, 0, 0, fmt.Errorf("array of shape (%d, %d, %d) is empty", d, h, w)
	case h >= codec.MaxCoordinate/d:
		return 0, 0, 0, fmt.Errorf("shape (%d, %d, %d) has more than %d rows", d, h, w, codec.MaxCoordinate)
	default:
		h *= d
	}
	return w, h, d, nil
}

// states draws cells that are given as one byte each.
func states(c *codec.Canvas, x int, cells []byte) error {
	for i := 0; i < len(cells); {
		state, start := cells[i], i
		for i++; i < len(cells) && cells[i] == state; i++ {
		}
		if state != 0 {
			if err := c.Run(x+start, i-start, state); err != nil {
				return err
			}
		}
	}
	return nil
}

// write writes version 1.0, uint8, shape (H, W) or (D, H, W), C order.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err == nil {
		err = rows.Fit(codec.MostBytes)
	}
	if err != nil {
		return err
	}
	b, d := rows.Bounds, meta.Depth
	if d <= 0 || b.H%d != 0 {
		d = 0
	}
	w.Write(Header(b.W, b.H, d))
	return codec.WriteBytes(rows, w)
}

// Header returns the bytes before the cells of a file of version 1.0: uint8, shape (h, w) or (d, h/d, w), C order.
func Header(w, h, d int) []byte {
	const align = 64 // of the data, for memory mapping
	shape := fmt.Sprintf("%d, %d", h, w)
	if d > 0 {
		shape = fmt.Sprintf("%d, %d, %d", d, h/d, w)
	}
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%s), }", shape)
	length := len(signature) + 4 + len(header) + 1
	padding := (align - length%align) % align
	text := binary.LittleEndian.AppendUint16([]byte(signature+"\x01\x00"), uint16(len(header)+padding+1))
	return fmt.Appendf(text, "%s%*s\n", header, padding, "")
}
