package pattern

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// readMCell reads MCell's .mcl as Golly does: "#RULE" (or "#GOLLY") is the rule, Conway's where there is none, which
// "#BOARD WxH" bounds to a plane of that size, or a torus with "#WRAP 1"; cells go in the middle. "#D" is a comment. "#L" lines hold runs: "." dead,
// "A" to "X" states 1 to 24, a letter "a" to "j" before them 24 more each, "$" a row's end, counts first.
func readMCell(in *bufio.Reader, p *Pattern, c *canvas) error {
	r := mcellReader{scanner: newScanner(in), p: p, c: c, wrap: "P"}
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
	if !r.known {
		return errNoPattern
	}
	switch {
	case r.golly != "":
		p.Rule = birthFirst(r.golly)
	case r.table && p.Rule == wireWorldTable:
		p.Rule = "WireWorld"
	}
	if r.board.Empty() || strings.Contains(p.Rule, ":") {
		return nil
	}
	p.Rule = fmt.Sprintf("%s:%s%d,%d", cmp.Or(p.Rule, "B3/S23"), r.wrap, r.board.W, r.board.H)
	if err := c.flush(); err != nil {
		return err
	}
	box := c.tiles.Bounds()
	p.X, p.Y, p.HasPosition = middle(box.W, r.board.W), middle(box.H, r.board.H), true
	return nil
}

// middle is where Golly puts the first column of a pattern of so many columns in a bounded grid of so many, whose own first one
// is -⌊grid/2⌋; rows likewise. What does not fit begins where the grid does.
func middle(pattern, grid int) int { return -(min(pattern, grid) / 2) }

// wireWorldTable is WireWorld as MCell has it.
const wireWorldTable = "1,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3,3,3,3,3,3,3,3,0,3,1,1,3,3,3,3,3,3"

type mcellReader struct {
	*scanner
	p     *Pattern
	c     *canvas
	board grid.Rect
	wrap  string // Golly's letter for the edges
	golly string // the rule that is meant for Golly, which goes before the other
	table bool   // the rule is a table, on as many lines as it takes
	known bool   // there is a rule, a board or a row
	x, y  int
}

// lineOf reads one line.
func (r *mcellReader) lineOf(line string) error {
	key, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	column := r.column + len(line) - len(strings.TrimLeft(line[len(key):], " \t"))
	var err error
	switch key {
	default:
		if key[0] != '#' {
			return r.errorf(r.column, "a line of an MCell file begins with #, this one with %q", key[0])
		}
		return nil // what Golly has no use for either
	case "#MCell":
	case "#GAME":
		r.table = value == "Rules table"
	case "#RULE", "#GOLLY":
		r.known = true
		words := strings.Fields(value)
		switch {
		case len(words) == 0:
		case key == "#GOLLY":
			r.golly = words[0]
		case r.table:
			r.p.Rule += words[0]
		default:
			r.p.Rule = birthFirst(words[0])
		}
	case "#BOARD":
		r.known = true
		w, h, ok := strings.Cut(value, "x")
		if !ok {
			return r.errorf(column, "board %s must be WxH", quote(value))
		}
		if r.board.W, err = r.integer(w, column); err != nil {
			return err
		}
		if r.board.H, err = r.integer(h, column+len(w)+1); err != nil {
			return err
		}
		if r.board.W < 0 || r.board.H < 0 {
			return r.errorf(column, "board %s has a negative side", quote(value))
		}
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
		r.known = true
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
