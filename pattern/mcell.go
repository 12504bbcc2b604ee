package pattern

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// readMCell reads MCell's .mcl as Golly does: "#BOARD WxH" is the size, "#RULE" (or "#GOLLY") the rule, which "#WRAP"
// bounds to a torus (1) or a plane (0) of that size, "#D" a comment. "#L" lines hold runs: "." dead, "A" to "X" states
// 1 to 24, a letter "a" to "j" before them 24 more each, "$" a row's end, counts first. The upper left cell is (0, 0).
func readMCell(in *bufio.Reader, p *Pattern, c *canvas) error {
	r := mcellReader{scanner: newScanner(in), p: p, c: c}
	for {
		if _, err := r.skipSpace(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		line, err := r.rest()
		if err != nil {
			return err
		}
		if err := r.lineOf(line); err != nil {
			return err
		}
		r.next()
	}
	if p.Rule != "" && r.wrap != "" && p.Bounds.W > 0 && p.Bounds.H > 0 && !strings.Contains(p.Rule, ":") {
		p.Rule = fmt.Sprintf("%s:%s%d,%d", p.Rule, r.wrap, p.Bounds.W, p.Bounds.H)
	}
	return nil
}

type mcellReader struct {
	*scanner
	p    *Pattern
	c    *canvas
	wrap string // Golly's letter for the edges
	x, y int
}

// lineOf reads one line.
func (r *mcellReader) lineOf(line string) error {
	key, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	column := r.column + len(line) - len(strings.TrimLeft(line[len(key):], " \t"))
	var err error
	switch key {
	case "#RULE", "#GOLLY":
		if words := strings.Fields(value); len(words) > 0 {
			r.p.Rule = birthFirst(words[0])
		}
	case "#BOARD":
		w, h, ok := strings.Cut(value, "x")
		if !ok {
			return r.errorf(column, "board %s must be WxH", quote(value))
		}
		var bounds grid.Rect
		if bounds.W, err = r.integer(w, column); err != nil {
			return err
		}
		if bounds.H, err = r.integer(h, column+len(w)+1); err != nil {
			return err
		}
		if bounds.W < 0 || bounds.H < 0 {
			return r.errorf(column, "board %s has a negative side", quote(value))
		}
		r.p.Bounds = bounds
	case "#WRAP":
		switch value {
		case "0":
			r.wrap = "P"
		case "1":
			r.wrap = "T"
		default:
			return r.errorf(column, "wrap %s must be 0 or 1", quote(value))
		}
	case "#D":
		err = r.comment(&r.p.Comments, value)
	case "#L":
		err = r.runs(value, column)
	}
	return err
}

// runs reads the run lengths of an "#L" line.
func (r *mcellReader) runs(text string, column int) error {
	count, more := 0, 0 // more: what the letter before the symbol adds to the state
	for i := range len(text) {
		ch := text[i]
		switch {
		case ch >= '0' && ch <= '9' && more == 0:
			if count > maxCoordinate/10-1 {
				return r.errorf(column+i, "count is larger than %d", maxCoordinate)
			}
			count = count*10 + int(ch-'0')
			continue
		case ch >= 'a' && ch <= 'j' && more == 0:
			more = 24 * int(ch-'a'+1)
			continue
		}
		n := max(count, 1)
		var err error
		switch state := more + int(ch-'A') + 1; {
		case ch >= 'A' && ch <= 'X' && state <= 255:
			if err = r.c.row(r.y); err == nil {
				err = r.c.run(r.x, n, uint8(state))
			}
			r.x += n
		case more == 0 && ch == '.':
			if r.x += n; r.x >= maxCoordinate {
				err = fmt.Errorf("row is longer than %d", maxCoordinate)
			}
		case more == 0 && ch == '$':
			if r.x, r.y = 0, r.y+n; r.y >= maxCoordinate {
				err = fmt.Errorf("more than %d rows", maxCoordinate)
			}
		default:
			err = fmt.Errorf(`unknown symbol %q; allowed are . A to X, aA to jO and $`, ch)
		}
		if err != nil {
			return &SyntaxError{r.line, column + i, err}
		}
		count, more = 0, 0
	}
	if count != 0 || more != 0 {
		return r.errorf(column+len(text), "count or letter without a symbol at the end of the line")
	}
	return nil
}
