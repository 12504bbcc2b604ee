package pattern

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/grid"
)

// rleColumns is where lines of RLE are broken, as Golly does.
const rleColumns = 70

// maxCount is the longest run written as one: Golly reads counts as 32-bit integers.
const maxCount = 1 << 30

// maxRLESide is the widest and highest pattern written as RLE: beyond it the gaps alone would fill files.
const maxRLESide = 1 << 40

// writeRLE writes what readRLE reads.
func writeRLE(w *bufio.Writer, src grid.Source, meta Meta) error {
	rows, err := newRows(src, meta)
	if err != nil {
		return err
	}
	if b := rows.bounds; b.W > maxRLESide || b.H > maxRLESide {
		return fmt.Errorf("holds at most 2^40 cells a side, the pattern has %d×%d; macrocell and life106 hold more", b.W, b.H)
	}
	if meta.HasPosition || meta.Generation > 0 {
		w.WriteString("#CXRLE")
		if meta.HasPosition {
			fmt.Fprintf(w, " Pos=%d,%d", meta.X+rows.bounds.X, meta.Y+rows.bounds.Y)
		}
		if meta.Generation > 0 {
			fmt.Fprintf(w, " Gen=%d", meta.Generation)
		}
		w.WriteByte('\n')
	}
	writeLabel(w, "#N ", meta.Name)
	writeLabel(w, "#O ", meta.Author)
	writeWords(w, "#C ", meta.Comments...)
	fmt.Fprintf(w, "x = %d, y = %d", rows.bounds.W, rows.bounds.H)
	if meta.Rule != "" {
		fmt.Fprintf(w, ", rule = %s", meta.Rule)
	}
	w.WriteByte('\n')

	out := rleWriter{w: w, symbols: rleSymbols(meta.States > 2)}
	last := rows.bounds.Y // the row that the next symbol would be in
	for y, ok := rows.next(rows.bounds.Y); ok; y, ok = rows.next(y + 1) {
		err := rows.runs(y, func(state uint8, n int) {
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

// writeLabel writes a name or an author after a prefix, where there is one.
func writeLabel(w *bufio.Writer, prefix, text string) {
	if text != "" {
		writeWords(w, prefix, text)
	}
}

// writeWords writes each line of each text after a prefix.
func writeWords(w *bufio.Writer, prefix string, texts ...string) {
	for _, text := range texts {
		for _, line := range strings.Split(text, "\n") {
			w.WriteString(strings.TrimRight(prefix+line, " \t\r"))
			w.WriteByte('\n')
		}
	}
}

// rleSymbols is the symbol of each state.
func rleSymbols(multi bool) (symbols [256]string) {
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

// rleWriter gathers lines and breaks them between symbols.
type rleWriter struct {
	w       *bufio.Writer
	symbols [256]string
	line    []byte
}

// run appends n times a symbol.
func (o *rleWriter) run(symbol string, n int) {
	for ; n > maxCount; n -= maxCount {
		o.run(symbol, maxCount)
	}
	const longest = 12 // a count and a symbol
	if len(o.line) > rleColumns-longest {
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

// breakLine starts a new line unless a run still fits this one.
func (o *rleWriter) breakLine(n, symbol int) {
	digits := 0
	if n > 1 {
		digits = len(strconv.Itoa(n))
	}
	if len(o.line)+digits+symbol > rleColumns {
		o.endLine()
	}
}

func (o *rleWriter) endLine() error {
	_, err := o.w.Write(append(o.line, '\n'))
	o.line = o.line[:0]
	return err
}
