package rle

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern/internal/codec"
)

// encoder turns parts of the cells into text without line ends.
type encoder struct {
	symbols [256]string
	left    int // the first column
	short   [2][256]token
}

// token is a run as text, in the low bytes of a word.
type token struct{ text, n uint32 }

// newEncoder prepares the texts of short runs, which are most of all.
func newEncoder(symbols [256]string, left int) *encoder {
	e := &encoder{symbols: symbols, left: left}
	for state := range e.short {
		for n := 1; n < len(e.short[state]); n++ {
			text := appendRun(nil, n, symbols[state])
			e.short[state][n].n = uint32(len(text))
			e.short[state][n].text = binary.LittleEndian.Uint32(append(text, 0, 0, 0))
		}
	}
	return e
}

// appendRun appends a symbol n times.
func appendRun(text []byte, n int, symbol string) []byte {
	for ; n > maxCount; n -= maxCount {
		text = appendRun(text, maxCount, symbol)
	}
	if n == 0 {
		return text
	}
	if n > 1 {
		text = strconv.AppendUint(text, uint64(n), 10)
	}
	return append(text, symbol...)
}

// run is n live cells of one state from (x, y) to the right. If n is 0, no cell from there on has been seen.
type run struct {
	y, x, n int
	state   uint8
}

// runs is a part as text. Its first and its last run may go on in the parts before and after, so they are kept
// apart. A part without live cells has neither; if there is only one run, it is both.
type runs struct {
	first, last run
	text        []byte // between them, with the dead cells and the ends of rows on both sides
}

// room is more than the text of a word of cells, if no run is longer than maxCount.
const room = 64 * longest

// longest is the size of a count and a symbol.
const longest = 12

// encode makes the text of a part. An edge between runs is a cell that differs in some plane from the cell before it:
//
//	plane     …01110011      edges = plane ^ (plane << 1 | last bit of the word before), or-ed over the planes
//	edges     …10010101      (least significant bit right); its bits are visited by counting trailing zeros
func (e *encoder) encode(p *codec.Part, r *runs) {
	var (
		text  = r.text[:0]
		first run
		row   int   // of the pieces
		y     int   // of the last live cell
		start int   // of the current run
		end   int   // of the cells seen
		state uint8 // of the current run
		fresh bool  // the next edge is the first in its row, or there is no first run yet
	)
	// long appends a run that may take many counts, and then makes room for the rest of the word.
	long := func(n int, symbol string) { text = slices.Grow(appendRun(text, n, symbol), room) }
	// live ends a run of live cells before column x.
	live := func(x int) {
		if first.n == 0 {
			first = run{row, start, x - start, state}
		} else {
			long(x-start, e.symbols[state])
		}
	}
	for i := range p.Pieces {
		piece := &p.Pieces[i]
		if i == 0 || piece.Y != row || piece.X != end {
			if state != 0 {
				live(end)
				start, state = end, 0
			}
			if i == 0 || piece.Y != row {
				row, start, fresh = piece.Y, e.left, true
			}
		}
		end = piece.X + piece.N
		var planes [grid.MaxPlanes][]uint64
		var before [grid.MaxPlanes]uint64 // the cell before a word
		for k := range p.Planes {
			planes[k] = p.Words(piece, k)
			before[k] = uint64(state >> k & 1)
		}
		for w, word := range planes[0] {
			edges := word ^ (word<<1 | before[0])
			before[0] = word >> 63
			for k := 1; k < p.Planes; k++ {
				word := planes[k][w]
				edges |= word ^ (word<<1 | before[k])
				before[k] = word >> 63
			}
			if rest := piece.N - w<<6; rest < 64 {
				edges &= 1<<rest - 1
			}
			if cap(text)-len(text) < room {
				text = slices.Grow(text, room)
			}
			for ; edges != 0; edges &= edges - 1 {
				bit := bits.TrailingZeros64(edges)
				x := piece.X + w<<6 + bit
				n := x - start
				switch {
				case !fresh && n < len(e.short[0]) && state < 2:
					t := e.short[state][n]
					size := len(text)
					binary.LittleEndian.PutUint32(text[size:size+4], t.text)
					text = text[:size+int(t.n)]
				case state != 0:
					live(x)
					fresh = false
				case first.n > 0:
					if fresh {
						long(row-y, "$")
					}
					long(n, e.symbols[0])
					fresh = false
				}
				start, y = x, row
				if state ^= 1; p.Planes > 1 {
					state = 0
					for k := range p.Planes {
						state |= uint8(planes[k][w]>>bit&1) << k
					}
				}
			}
		}
	}
	*r = runs{first, run{y: y, x: start}, text}
	if state != 0 {
		r.last = run{row, start, end - start, state}
		if first.n == 0 {
			r.first = r.last
		}
	}
}

// joiner writes the runs of parts.
type joiner struct {
	*encoder
	lines lines
	last  run // not yet written
	some  []byte
}

// take writes a part, except for its last run.
func (j *joiner) take(r *runs) error {
	if r.first.n == 0 {
		return nil
	}
	j.join(r.first)
	if r.last != r.first {
		j.flush()
		j.lines.write(r.text)
		j.last = r.last
	}
	return j.lines.err
}

// join adds a run of live cells.
func (j *joiner) join(r run) {
	last := &j.last
	if last.n > 0 && last.state == r.state && last.y == r.y && last.x+last.n == r.x {
		last.n += r.n
		return
	}
	j.flush()
	if last.y < r.y {
		j.write(r.y-last.y, "$")
		last.x = j.left
	}
	if last.x < r.x {
		j.write(r.x-last.x, j.symbols[0])
	}
	*last = r
}

// flush writes the last run.
func (j *joiner) flush() {
	if j.last.n > 0 {
		j.write(j.last.n, j.symbols[j.last.state])
		j.last.x, j.last.n = j.last.x+j.last.n, 0
	}
}

func (j *joiner) write(n int, symbol string) {
	j.some = appendRun(j.some[:0], n, symbol)
	j.lines.write(j.some)
}

func (j *joiner) end() error {
	j.flush()
	j.write(1, "!")
	j.lines.endLine()
	return j.lines.err
}
