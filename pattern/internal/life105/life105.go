// Package life105 is the format Life 1.05: blocks of characters with positions.
package life105

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// Codec is the format.
var Codec = codec.Codec{
	Name: "life 1.05", Suffixes: []string{".lif"}, Signatures: []string{signature}, States: 2, Rule: true, Read: read,
	Write: write,
}

const signature = "#Life 1.05"

// columns is the largest width of a block in Life 1.05.
const columns = 80

// read reads blocks of cells, each with the position of its upper left cell ("#P x y"). A missing number is
// that of the row that would follow, as in Golly, whose own files have a bare "#P". "#N" means Conway's rule.
// "#R" names another rule, either survival before birth ("23/36") or in Golly's form. "#D" is a comment. Blocks
// may overlap: their live cells are combined.
func read(in *bufio.Reader, p *codec.File, c *codec.Canvas) error {
	s := codec.NewScanner(in)
	p.HasPosition = true
	x, y := 0, 0
	signed := false
	for {
		first, err := s.In.Peek(1)
		if err == io.EOF {
			if !signed && c.Blank() {
				return codec.ErrNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		if first[0] != '#' {
			if _, err := s.CellRow(c, x, y); err != nil {
				return err
			}
			y++
			continue
		}
		text, err := s.Rest()
		if err != nil {
			return err
		}
		words := codec.Fields(text)
		signed = signed || strings.HasPrefix(text, "#Life")
		switch {
		case len(text) < 2:
		case text[1] == 'P':
			for i, n := range []*int{&x, &y} {
				if i+1 == len(words) {
					break
				}
				if *n, err = s.Integer(words[i+1].Text, 1+words[i+1].Column); err != nil {
					return err
				}
			}
		case text[1] == 'N':
			p.Rule = "B3/S23"
		case text[1] == 'R':
			if rule := strings.Fields(text[2:]); len(rule) > 0 {
				p.Rule = codec.BirthFirst(rule[0])
			}
		case text[1] == 'D' || text[1] == 'C':
			err = s.Describe(p, strings.TrimRight(strings.TrimPrefix(text[2:], " "), " \t"))
		}
		if err != nil {
			return err
		}
		s.Next()
	}
}

// survivalFirst turns "B36/S23" into "23/36". Other rules stay unchanged.
func survivalFirst(rule string) string {
	birth, survival, ok := strings.Cut(strings.ToUpper(rule), "/S")
	digits, isBirth := strings.CutPrefix(birth, "B")
	if !ok || !isBirth || strings.Trim(digits+survival, "012345678") != "" {
		return rule
	}
	return survival + "/" + digits
}

// write divides the cells into strips of 80 columns and writes each group of rows that are not empty as a block.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	w.WriteString(signature + "\n")
	codec.WriteLabel(w, "#D Name: ", meta.Name)
	codec.WriteLabel(w, "#D Author: ", meta.Author)
	codec.WriteWords(w, "#D ", meta.Comments...)
	switch rule := survivalFirst(meta.Rule); rule {
	case "":
	case "23/3":
		w.WriteString("#N\n")
	default:
		fmt.Fprintf(w, "#R %s\n", rule)
	}
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	for strip := range rows.Strips(columns) {
		part, err := codec.NewRows(ctx, crop{src, strip}, meta.States)
		if err != nil {
			return err
		}
		next := strip.Y - 1 // the row after the last one written
		for y := strip.Y; y < strip.Y+strip.H; y++ {
			empty := true
			err := part.Runs(y, func(state uint8, n int) {
				if empty && next != y {
					fmt.Fprintf(w, "#P %d %d\n", meta.X+strip.X, meta.Y+y)
				}
				empty = false
				codec.Repeat(w, ".*"[state], n)
			})
			if err != nil {
				return err
			}
			if !empty {
				w.WriteByte('\n')
				next = y + 1
			}
		}
	}
	return nil
}

// crop is a part of a source.
type crop struct {
	grid.Source
	part grid.Rect
}

// Extent implements grid.Source: the part.
func (c crop) Extent() (grid.Rect, error) { return c.part, nil }
