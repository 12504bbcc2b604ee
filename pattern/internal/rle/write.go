package rle

import (
	"bufio"
	"context"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// columns is the length at which lines are broken, as in Golly.
const columns = 70

// maxCount is the longest run that is written as one, because Golly reads counts as 32-bit integers.
const maxCount = 1 << 30

// maxSide is the largest width and height of a pattern in RLE. With more, the gaps alone would fill files.
const maxSide = 1 << 40

// write writes the format that read reads.
func write(ctx context.Context, w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(ctx, src, meta.States)
	if err != nil {
		return err
	}
	if b := rows.Bounds; b.W > maxSide || b.H > maxSide {
		return fmt.Errorf(
			"the format holds at most 2^40 cells on each side, the pattern has %d×%d; macrocell and Life 1.06 hold more", b.W,
			b.H)
	}
	if meta.HasPosition || meta.Generation > 0 {
		w.WriteString("#CXRLE")
		if meta.HasPosition {
			fmt.Fprintf(w, " Pos=%d,%d", meta.X+rows.Bounds.X, meta.Y+rows.Bounds.Y)
		}
		if meta.Generation > 0 {
			fmt.Fprintf(w, " Gen=%d", meta.Generation)
		}
		w.WriteByte('\n')
	}
	codec.WriteLabel(w, "#N ", meta.Name)
	codec.WriteLabel(w, "#O ", meta.Author)
	codec.WriteWords(w, "#C ", meta.Comments...)
	fmt.Fprintf(w, "x = %d, y = %d", rows.Bounds.W, rows.Bounds.H)
	if meta.Rule != "" {
		fmt.Fprintf(w, ", rule = %s", meta.Rule)
	}
	w.WriteByte('\n')

	e := newEncoder(symbolsOf(meta.States > 2), rows.Bounds.X)
	j := joiner{encoder: e, lines: lines{w: w}, last: run{y: rows.Bounds.Y, x: rows.Bounds.X}}
	if err := codec.Encode(rows, false, e.encode, j.take); err != nil {
		return err
	}
	if err := j.end(); err != nil {
		return err
	}
	for _, text := range meta.RuleFiles {
		fmt.Fprintf(w, "\n%s", text)
	}
	return nil
}

// symbolsOf is the symbol of each state.
func symbolsOf(multi bool) (symbols [256]string) {
	if !multi {
		symbols[0], symbols[1] = "b", "o"
		return symbols
	}
	symbols[0] = "."
	for state := 1; state < len(symbols); state++ {
		letter := string(rune('A' + (state-1)%24))
		if state > 24 {
			letter = string(rune('p'+(state-25)/24)) + letter
		}
		symbols[state] = letter
	}
	return symbols
}
