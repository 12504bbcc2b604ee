package pattern

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"

	"github.com/gosper-life/gosper/grid"
)

// npySignature starts every NumPy array file (format versions 1 to 3, numpy.lib.format).
const npySignature = "\x93NUMPY"

const maxNPYHeader = 1 << 16

var npyFields = [...]*regexp.Regexp{
	regexp.MustCompile(`['"]descr['"]\s*:\s*['"]([^'"]*)['"]`),
	regexp.MustCompile(`['"]fortran_order['"]\s*:\s*(True|False)`),
	regexp.MustCompile(`['"]shape['"]\s*:\s*\(\s*(\d+)L?\s*,\s*(\d+)L?\s*,?\s*\)`),
}

// readNPY reads an array of shape (H, W) in C order: uint8 as states, bool as two states.
func readNPY(in *bufio.Reader, p *Pattern, c *canvas) error {
	w, h, err := readNPYHeader(in)
	if err != nil {
		return err
	}
	p.Bounds = grid.Rect{W: w, H: h}
	for y := range h {
		if w == 0 {
			break
		}
		if err := c.row(y); err != nil {
			return err
		}
		for x := 0; x < w; {
			if _, err := in.Peek(1); err != nil {
				return fmt.Errorf("array of shape (%d, %d) ends at row %d, column %d: %w", h, w, y, x, unexpected(err))
			}
			b, _ := in.Peek(min(in.Buffered(), w-x))
			if err := c.states(x, b); err != nil {
				return err
			}
			in.Discard(len(b))
			x += len(b)
		}
	}
	return nil
}

// readNPYHeader reads the signature, version and the dictionary that describes the array.
func readNPYHeader(in *bufio.Reader) (w, h int, err error) {
	var start [8]byte // signature, major and minor version
	if _, err := io.ReadFull(in, start[:]); err != nil {
		return 0, 0, fmt.Errorf("header: %w", unexpected(err))
	}
	var length uint32
	switch {
	case string(start[:6]) != npySignature:
		return 0, 0, errors.New("signature is missing")
	case start[6] == 1:
		var short uint16
		err = binary.Read(in, binary.LittleEndian, &short)
		length = uint32(short)
	case start[6] == 2 || start[6] == 3:
		err = binary.Read(in, binary.LittleEndian, &length)
	default:
		return 0, 0, fmt.Errorf("version %d.%d is unknown; known are 1.0, 2.0 and 3.0", start[6], start[7])
	}
	if err != nil {
		return 0, 0, fmt.Errorf("header: %w", unexpected(err))
	}
	if length > maxNPYHeader {
		return 0, 0, fmt.Errorf("header of %d bytes is longer than %d", length, maxNPYHeader)
	}
	header := make([]byte, length)
	if _, err := io.ReadFull(in, header); err != nil {
		return 0, 0, fmt.Errorf("header: %w", unexpected(err))
	}
	var found [len(npyFields)][][]byte
	for i, field := range npyFields {
		if found[i] = field.FindSubmatch(header); found[i] == nil {
			return 0, 0, fmt.Errorf("header %s must have descr, fortran_order and a shape (H, W)", quote(string(header)))
		}
	}
	switch descr := string(found[0][1]); descr {
	case "|u1", "u1", "<u1", ">u1", "|b1", "?", "|?":
	default:
		return 0, 0, fmt.Errorf("array of type %s; uint8 (|u1) and bool (|b1) are read", quote(descr))
	}
	if string(found[1][1]) == "True" {
		return 0, 0, errors.New("array is in Fortran order; save numpy.ascontiguousarray(a)")
	}
	var sides [2]int
	for i, digits := range found[2][1:] {
		n, err := strconv.ParseInt(string(digits), 10, 64)
		if err != nil || n >= maxCoordinate {
			return 0, 0, fmt.Errorf("shape has side %s, more than %d", digits, maxCoordinate)
		}
		sides[i] = int(n)
	}
	return sides[1], sides[0], nil
}

// states draws cells given as a byte each.
func (c *canvas) states(x int, cells []byte) error {
	for i := 0; i < len(cells); {
		state, start := cells[i], i
		for i++; i < len(cells) && cells[i] == state; i++ {
		}
		if state != 0 {
			if err := c.run(x+start, i-start, state); err != nil {
				return err
			}
		}
	}
	return nil
}

// unexpected is err, or io.ErrUnexpectedEOF for an end of file where more must follow.
func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// writeNPY writes version 1.0, uint8, shape (H, W), C order.
func writeNPY(w *bufio.Writer, src grid.Source, meta Meta) error {
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	const align = 64 // of the data, for memory mapping
	header := fmt.Sprintf("{'descr': '|u1', 'fortran_order': False, 'shape': (%d, %d), }", rows.bounds.H, rows.bounds.W)
	length := len(npySignature) + 4 + len(header) + 1
	padding := (align - length%align) % align
	w.WriteString(npySignature + "\x01\x00")
	binary.Write(w, binary.LittleEndian, uint16(len(header)+padding+1))
	fmt.Fprintf(w, "%s%*s\n", header, padding, "")
	for y := rows.bounds.Y; y < rows.bounds.Y+rows.bounds.H; y++ {
		if err := rows.bytes(y, w, 0, 1); err != nil {
			return err
		}
	}
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

// bytes writes row y in full, a byte for each cell: zero for state 0, and step more for each state.
func (r *rows) bytes(y int, w *bufio.Writer, zero byte, step uint64) error {
	end := r.bounds.X // of what has been written
	zeros := uint64(zero) * spread[0xff]
	var cells [8]byte
	err := r.chunks(y, func(x, n int) {
		repeat(w, zero, x-end)
		end = x + n
		for i := 0; i < n; i += 8 {
			var eight uint64
			for plane := range r.planes {
				eight |= spread[uint8(r.words[plane][i>>6]>>(i&63))] << plane
			}
			binary.LittleEndian.PutUint64(cells[:], eight*step+zeros)
			w.Write(cells[:min(8, n-i)])
		}
	})
	if err != nil {
		return err
	}
	return repeat(w, zero, r.bounds.X+r.bounds.W-end)
}
