package rle

import (
	"bufio"
	"fmt"
	"strconv"

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
func write(w *bufio.Writer, src grid.Source, meta codec.Meta) error {
	rows, err := codec.NewRows(src, meta.States)
	if err != nil {
		return err
	}
	if b := rows.Bounds; b.W > maxSide || b.H > maxSide {
		return fmt.Errorf("the format holds at most 2^40 cells on each side, the pattern has %d×%d; macrocell and life106 hold more", b.W, b.H)
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

	out := writer{w: w, symbols: symbolsOf(meta.States > 2)}
	last := rows.Bounds.Y // the row that the next symbol would be in
	for y, ok := rows.Next(rows.Bounds.Y); ok; y, ok = rows.Next(y + 1) {
		err := rows.Runs(y, func(state uint8, n int) {
			if last < y {
				out.run("$", y-last)
				last = y
			}
			out.run(out.symbols[state], n)
		})
		if err != nil {
			return err
		}
	}
	out.run("!", 1)
	return out.endLine()
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

// writer collects lines and breaks them between symbols.
type writer struct {
	w       *bufio.Writer
	symbols [256]string
	line    []byte
}

// run appends a symbol n times.
func (o *writer) run(symbol string, n int) {
	for ; n > maxCount; n -= maxCount {
		o.run(symbol, maxCount)
	}
	const longest = 12 // a count and a symbol
	if len(o.line) > columns-longest {
		o.breakLine(n, len(symbol))
	}
	switch {
	case n == 1:
	case n < 10:
		o.line = append(o.line, '0'+byte(n))
	default:
		o.line = strconv.AppendUint(o.line, uint64(n), 10)
	}
	if o.line = append(o.line, symbol[0]); len(symbol) > 1 {
		o.line = append(o.line, symbol[1])
	}
}

// breakLine starts a new line if a run does not fit on this one.
func (o *writer) breakLine(n, symbol int) {
	digits := 0
	if n > 1 {
		digits = len(strconv.Itoa(n))
	}
	if len(o.line)+digits+symbol > columns {
		o.endLine()
	}
}

func (o *writer) endLine() error {
	_, err := o.w.Write(append(o.line, '\n'))
	o.line = o.line[:0]
	return err
}
