package codec

import "io"

// CellRow draws the rest of the current line, which has a symbol for each cell, from (x, y) to the right. It
// returns the number of cells in the line. The symbols are those of plaintext and Life 1.05: "." is dead, "O",
// "o" and "*" are live.
func (s *Scanner) CellRow(c *Canvas, x, y int) (cells int, err error) {
	if err := c.Row(y); err != nil {
		return 0, s.Errorf(s.Column, "%w", err)
	}
	ended := false // white space ends a row
	for {
		b, err := s.Buffered()
		if err == io.EOF {
			return cells, nil
		}
		if err != nil {
			return cells, err
		}
		for i := 0; i < len(b); i++ {
			switch ch := b[i]; {
			case ch == '\n':
				s.newline(i + 1)
				return cells, nil
			case IsSpace(ch):
				ended = true
			case ended:
				return cells, s.Errorf(s.Column+i, "cells after white space")
			case ch == '.':
				cells++
			case ch == 'O' || ch == 'o' || ch == '*':
				run := 1
				for i+1 < len(b) && b[i+1] == ch {
					run++
					i++
				}
				if err := c.Run(x+cells, run, 1); err != nil {
					return cells, s.Errorf(s.Column+i, "%w", err)
				}
				cells += run
			default:
				return cells, s.Errorf(s.Column+i, `unknown symbol %q; allowed are "." dead, "O", "o" and "*" live`, ch)
			}
		}
		s.Skip(len(b))
	}
}
