// Package mcell reads the files of MCell (.mcl).
package mcell

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
	"github.com/gosper-life/gosper/rule"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "mcell", Suffixes: []string{".mcl"}, Signatures: []string{"#MCell"}, States: 256, Rule: true,
	Read: read,
}

// read reads MCell's .mcl as Golly does. "#RULE" (or "#GOLLY") is the rule, by default Conway's, and "#GAME"
// its family. "#BOARD WxH" restricts it to a plane of that size, or to a torus with "#WRAP 1"; the cells go in
// the middle. "#D" is a comment. "#L" lines hold runs: "." is dead, "A" to "X" are states 1 to 24, a letter "a"
// to "j" before them adds 24 each, "$" ends a row, and counts come first.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	r := reader{Scanner: codec.NewScanner(in), p: p, c: c, wrap: "P"}
	for {
		if _, err := r.SkipSpace(); err == io.EOF {
			break
		} else if err != nil {
			return err
		}
		line, err := r.Rest()
		if err != nil {
			return err
		}
		if err := r.lineOf(line); err != nil {
			return err
		}
		r.Next()
	}
	if !r.known && c.Blank() {
		return codec.ErrNoPattern
	}
	switch {
	case r.golly != "":
		p.Rule = codec.BirthFirst(r.golly)
	case p.Rule == wireWorldTable:
		p.Rule = "WireWorld"
	case p.Rule != "":
		notation, err := rule.OfMCell(r.game, p.Rule)
		if err != nil {
			r.at.Err = err
			return &r.at
		}
		p.Rule = codec.BirthFirst(notation)
	}
	if r.board.Empty() || strings.Contains(p.Rule, ":") {
		return nil
	}
	p.Rule = fmt.Sprintf("%s:%s%d,%d", cmp.Or(p.Rule, "B3/S23"), r.wrap, r.board.W, r.board.H)
	box, err := c.Box()
	if err != nil {
		return err
	}
	p.X, p.Y, p.HasPosition = middle(box.W, r.board.W), middle(box.H, r.board.H), true
	return nil
}

// middle returns where Golly puts the first column of a pattern with the given number of columns in a bounded
// grid, whose own first column is -⌊grid/2⌋. Rows work in the same way. A pattern that does not fit begins
// where the grid does.
func middle(pattern, grid int) int { return -(min(pattern, grid) / 2) }

// wireWorldTable is WireWorld as MCell writes it.
const wireWorldTable = "1,0,0,0,0,0,0,0,0,0,0,0,0,2,2,2,2,2,2,2,2,2,0,3,3,3,3,3,3,3,3,3,0,3,1,1,3,3,3,3,3,3"

type reader struct {
	*codec.Scanner
	p     *codec.File
	c     *codec.Canvas
	board grid.Rect
	wrap  string            // Golly's letter for the edges
	golly string            // the rule for Golly, which has priority over the other
	game  string            // the family of the rule
	at    codec.SyntaxError // where the rule begins
	known bool              // there is a rule or a board
	x, y  int
}

// lineOf reads one line.
func (r *reader) lineOf(line string) error {
	key, value, _ := strings.Cut(line, " ")
	value = strings.TrimSpace(value)
	column := r.Column + len(line) - len(strings.TrimLeft(line[len(key):], " \t"))
	var err error
	switch key {
	default:
		if key[0] != '#' {
			return r.Errorf(r.Column, "a line of an MCell file begins with #, this one with %q", key[0])
		}
		return nil // Golly ignores these, too
	case "#MCell":
	case "#GAME":
		r.game = value
	case "#RULE", "#GOLLY":
		r.known = true
		words := strings.Fields(value)
		switch {
		case len(words) == 0:
		case key == "#GOLLY":
			r.golly = words[0]
		default: // long rules take as many lines as they need
			if r.p.Rule == "" {
				r.at = codec.SyntaxError{Line: r.Line, Column: column}
			}
			r.p.Rule += words[0]
		}
	case "#BOARD":
		r.known = true
		w, h, ok := strings.Cut(value, "x")
		if !ok {
			return r.Errorf(column, "board %s must be WxH", codec.Quote(value))
		}
		if r.board.W, err = r.Integer(w, column); err != nil {
			return err
		}
		if r.board.H, err = r.Integer(h, column+len(w)+1); err != nil {
			return err
		}
		if r.board.W < 0 || r.board.H < 0 {
			return r.Errorf(column, "board %s has a negative side", codec.Quote(value))
		}
	case "#WRAP":
		switch value {
		case "0":
			r.wrap = "P"
		case "1":
			r.wrap = "T"
		default:
			return r.Errorf(column, "wrap %s must be 0 or 1", codec.Quote(value))
		}
	case "#D":
		err = r.Comment(&r.p.Comments, value)
	case "#L":
		err = r.runs(value, column)
	}
	return err
}

// runs reads the run lengths of an "#L" line.
func (r *reader) runs(text string, column int) error {
	count, more := 0, 0 // more is the amount that the letter before the symbol adds to the state
	for i := range len(text) {
		ch := text[i]
		switch {
		case ch >= '0' && ch <= '9' && more == 0:
			if count > codec.MaxCoordinate/10-1 {
				return r.Errorf(column+i, "count is larger than %d", codec.MaxCoordinate)
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
			if err = r.c.Row(r.y); err == nil {
				err = r.c.Run(r.x, n, uint8(state))
			}
			r.x += n
		case more == 0 && ch == '.':
			if r.x += n; r.x >= codec.MaxCoordinate {
				err = fmt.Errorf("row is longer than %d", codec.MaxCoordinate)
			}
		case more == 0 && ch == '$':
			if r.x, r.y = 0, r.y+n; r.y >= codec.MaxCoordinate {
				err = fmt.Errorf("more than %d rows", codec.MaxCoordinate)
			}
		default:
			err = fmt.Errorf(`unknown symbol %q; allowed are . A to X, aA to jO and $`, ch)
		}
		if err != nil {
			return &codec.SyntaxError{Line: r.Line, Column: column + i, Err: err}
		}
		count, more = 0, 0
	}
	if count != 0 || more != 0 {
		return r.Errorf(column+len(text), "count or letter without a symbol at the end of the line")
	}
	return nil
}
