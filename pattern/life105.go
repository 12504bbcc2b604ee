package pattern

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// life105Columns is how wide a block of Life 1.05 may be.
const life105Columns = 80

// readLife105 reads blocks of cells, each with the place of its upper left cell ("#P x y"); a number left out is that of the row
// that would follow, as in Golly, whose own files have a bare "#P". "#N" is Conway's rule, "#R" names another, survival before
// birth ("23/36") or in Golly's form; "#D" is a comment. Blocks may overlap: their live cells add up.
func readLife105(in *bufio.Reader, p *Pattern, c *canvas) error {
	s := newScanner(in)
	p.HasPosition = true
	x, y := 0, 0
	known := false // there is a signature or a row
	for {
		first, err := s.in.Peek(1)
		if err == io.EOF {
			if !known {
				return errNoPattern
			}
			return nil
		}
		if err != nil {
			return err
		}
		if first[0] != '#' {
			cells, err := s.cellRow(c, x, y)
			if err != nil {
				return err
			}
			y++
			known = known || cells > 0
			continue
		}
		text, err := s.rest()
		if err != nil {
			return err
		}
		words := fields(text)
		known = known || strings.HasPrefix(text, "#Life")
		switch {
		case len(text) < 2:
		case text[1] == 'P':
			for i, n := range []*int{&x, &y} {
				if i+1 == len(words) {
					break
				}
				if *n, err = s.integer(words[i+1].text, 1+words[i+1].column); err != nil {
					return err
				}
			}
		case text[1] == 'N':
			p.Rule = "B3/S23"
		case text[1] == 'R':
			if rule := strings.Fields(text[2:]); len(rule) > 0 {
				p.Rule = birthFirst(rule[0])
			}
		case text[1] == 'D' || text[1] == 'C':
			err = s.describe(p, strings.TrimRight(strings.TrimPrefix(text[2:], " "), " \t"))
		}
		if err != nil {
			return err
		}
		s.next()
	}
}

// birthFirst turns "23/36" into "B36/S23" and leaves other rules alone.
func birthFirst(rule string) string {
	survival, birth, ok := strings.Cut(rule, "/")
	if !ok || strings.Trim(rule, "012345678/") != "" || strings.Contains(birth, "/") {
		return rule
	}
	return "B" + birth + "/S" + survival
}

// survivalFirst turns "B36/S23" into "23/36" and leaves other rules alone.
func survivalFirst(rule string) string {
	birth, survival, ok := strings.Cut(strings.ToUpper(rule), "/S")
	digits, isBirth := strings.CutPrefix(birth, "B")
	if !ok || !isBirth || strings.Trim(digits+survival, "012345678") != "" {
		return rule
	}
	return survival + "/" + digits
}

// writeLife105 cuts the cells into strips of 80 columns and writes each group of rows that are not empty as a block.
func writeLife105(w *bufio.Writer, src grid.Source, meta Meta) error {
	if err := meta.twoStates(); err != nil {
		return err
	}
	w.WriteString("#Life 1.05\n")
	writeLabel(w, "#D Name: ", meta.Name)
	writeLabel(w, "#D Author: ", meta.Author)
	writeWords(w, "#D ", meta.Comments...)
	switch rule := survivalFirst(meta.Rule); rule {
	case "":
	case "23/3":
		w.WriteString("#N\n")
	default:
		fmt.Fprintf(w, "#R %s\n", rule)
	}
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	for strip := range rows.strips(life105Columns) {
		part, err := newRows(crop{src, strip}, meta)
		if err != nil {
			return err
		}
		next := strip.Y - 1 // the row after the last one written
		for y := strip.Y; y < strip.Y+strip.H; y++ {
			empty := true
			err := part.runs(y, func(state uint8, n int) {
				if empty && next != y {
					fmt.Fprintf(w, "#P %d %d\n", meta.X+strip.X, meta.Y+y)
				}
				empty = false
				repeat(w, ".*"[state], n)
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
