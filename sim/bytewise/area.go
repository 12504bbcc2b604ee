package bytewise

import (
	"encoding/binary"
	"math"

	"github.com/gosper-life/gosper/grid"
)

// area is the cells of a rectangle, a byte for each, in rows that are stride bytes apart.
type area struct {
	rect    grid.Rect
	first   int // where its first cell is
	stride  int
	states  []uint8
	counted []uint8 // the weights of the cells as neighbours; the same slice if these are their states
}

// reset makes the area a rectangle of dead cells.
func (a *area) reset(r grid.Rect) {
	a.rect, a.first, a.stride, a.states = r, 0, r.W, zeroed(a.states, r.W*r.H)
}

// at returns the index of the first cell of a row.
func (a *area) at(y int) int { return a.first + y*a.stride }

// row returns the states of a row.
func (a *area) row(y int) []uint8 { return a.states[a.at(y):][:a.rect.W] }

// margin returns how far outside the first of n lines of cells others can be born under a rule of a radius, if births
// need at least so much. count returns the largest weight of a line.
func margin(radius, n, least int, count func(line int) int) int {
	if least <= 0 {
		return radius
	}
	sum := 0
	for k := range min(n, radius) {
		if sum += count(k); sum >= least {
			return radius - k
		}
	}
	return 0
}

// aging returns the next state of a cell by 4·state + alive; alive has bit 0 if it would be born, and bit 1 if
// it would survive. A cell that does not survive goes through the states above 1.
func aging(states int) (next [4 * 256]uint8) {
	for state := range states {
		for alive := range 4 {
			switch {
			case state < 2 && alive>>state&1 == 1:
				next[4*state+alive] = 1
			case state > 0 && state+1 < states:
				next[4*state+alive] = uint8(state + 1)
			}
		}
	}
	return next
}

// pack sets bits of a row, from the given one on, where the states have the bit of a plane. The bits must be 0.
func pack(row []uint64, from int, states []uint8, plane int) {
	for i, state := range states {
		row[(from+i)>>6] |= uint64(state>>plane&1) << ((from + i) & 63)
	}
}

// unpack gives states the bit of a plane from the bits of a row, from the given one on.
func unpack(states []uint8, row []uint64, from, plane int) {
	for i, state := range states {
		bit := uint8(row[(from+i)>>6]>>((from+i)&63)) & 1
		states[i] = state&^(1<<plane) | bit<<plane
	}
}

// farthest bounds the coordinates of cells that are advanced.
const farthest = math.MaxInt / 8

// atOnce is the number of bytes that are added at once.
const atOnce = 8

// empty reports whether n bytes, and those behind them to a multiple of atOnce, are 0.
func empty(row []uint8, n int) bool {
	for i := 0; i < n; i += atOnce {
		if binary.LittleEndian.Uint64(row[i:]) != 0 {
			return false
		}
	}
	return true
}

// add adds n bytes of row to those of to. It rounds n up to a multiple of atOnce. All sums must fit in a byte.
func add(to, row []uint8, n int) {
	for i := 0; i < n; i += atOnce {
		// Eight sums at once: as each fits in its byte, none carries into the next one.
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(to[i:])+binary.LittleEndian.Uint64(row[i:]))
	}
}

// subtract undoes add.
func subtract(from, row []uint8, n int) {
	for i := 0; i < n; i += atOnce {
		binary.LittleEndian.PutUint64(from[i:], binary.LittleEndian.Uint64(from[i:])-binary.LittleEndian.Uint64(row[i:]))
	}
}

// collect is add with OR.
func collect(to, row []uint8, n int) {
	for i := 0; i < n; i += atOnce {
		binary.LittleEndian.PutUint64(to[i:], binary.LittleEndian.Uint64(to[i:])|binary.LittleEndian.Uint64(row[i:]))
	}
}

// total adds up n bytes, and those behind them to a multiple of atOnce. It is at most a byte.
//
// The highest byte of the product is the sum of all eight bytes of the other factor.
func total(row []uint8, n int) int {
	sum := uint64(0)
	for i := 0; i < n; i += atOnce {
		sum += binary.LittleEndian.Uint64(row[i:])
	}
	return int(sum * 0x0101010101010101 >> 56)
}
