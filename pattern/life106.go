package pattern

import (
	"bufio"
	"io"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// readLife106 reads a list of live cells, "x y" on each line.
func readLife106(in *bufio.Reader, p *Pattern, c *canvas) error {
	s := newScanner(in)
	p.HasPosition = true
	signed := false
	for {
		first, err := s.skipSpace()
		if err == io.EOF {
			if !signed && c.blank() {
				return errNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		line, err := s.rest()
		if err != nil {
			return err
		}
		signed = signed || strings.HasPrefix(line, "#Life")
		if first != '#' {
			if err := s.cell(c, line); err != nil {
				return err
			}
		}
		s.next()
	}
}

// cell draws the live cell of a line "x y".
func (s *scanner) cell(c *canvas, line string) error {
	list := fields(line)
	if len(list) != 2 {
		return s.errorf(s.column, `%d words on a line; a cell is "x y"`, len(list))
	}
	x, err := s.integer(list[0].text, s.column+list[0].column)
	if err != nil {
		return err
	}
	y, err := s.integer(list[1].text, s.column+list[1].column)
	if err != nil {
		return err
	}
	if err := c.row(y); err != nil {
		return s.errorf(s.column, "%w", err)
	}
	if err := c.run(x, 1, 1); err != nil {
		return s.errorf(s.column, "%w", err)
	}
	return nil
}

// writeLife106 lists the live cells row by row.
func writeLife106(w *bufio.Writer, src grid.Source, meta Meta) error {
	if err := meta.twoStates(); err != nil {
		return err
	}
	w.WriteString("#Life 1.06\n")
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	var line []byte
	for y, ok := rows.next(rows.bounds.Y); ok; y, ok = rows.next(y + 1) {
		err := rows.chunks(y, func(x, n int) {
			for i, word := range rows.words[0][:(n+63)>>6] {
				for ; word != 0; word &= word - 1 {
					line = strconv.AppendInt(line[:0], int64(meta.X+x+i<<6+bits.TrailingZeros64(word)), 10)
					line = append(line, ' ')
					line = strconv.AppendInt(line, int64(meta.Y+y), 10)
					line = append(line, '\n')
					w.Write(line)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}
