package pattern

import (
	"bufio"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// readPlaintext reads a .cells file: comment lines start with "!" and come first, then a line for each row.
func readPlaintext(in *bufio.Reader, p *Pattern, c *canvas) error {
	s := newScanner(in)
	for y := 0; ; {
		first, err := s.in.Peek(1)
		if err == io.EOF {
			if p.Bounds.Empty() {
				return errNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		if first[0] != '!' {
			cells, err := s.cellRow(c, 0, y)
			if err != nil {
				return err
			}
			y++
			p.Bounds = grid.Rect{W: max(p.Bounds.W, cells), H: y}
			continue
		}
		line, err := s.rest()
		if err != nil {
			return err
		}
		if err := s.describe(p, strings.TrimRight(line[1:], " \t")); err != nil {
			return err
		}
		s.next()
	}
}

// writePlaintext writes every row of the bounds in full, so that the size comes back. Where there is none it writes a dead cell: a
// file without a row is none.
func writePlaintext(w *bufio.Writer, src grid.Source, meta Meta) error {
	if err := meta.twoStates(); err != nil {
		return err
	}
	writeLabel(w, "!Name: ", meta.Name)
	writeLabel(w, "!Author: ", meta.Author)
	writeWords(w, "!", meta.Comments...)
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	if rows.bounds.Empty() {
		w.WriteString(".\n")
	}
	for y := rows.bounds.Y; y < rows.bounds.Y+rows.bounds.H; y++ {
		if err := rows.bytes(y, w, '.', 'O'-'.'); err != nil {
			return err
		}
		w.WriteByte('\n')
	}
	return nil
}

// repeat writes a symbol n times. It returns the first error that any write to w met.
func repeat(w *bufio.Writer, symbol byte, n int) error {
	for ; n > 0; n-- {
		if err := w.WriteByte(symbol); err != nil {
			return err
		}
	}
	_, err := w.Write(nil)
	return err
}
