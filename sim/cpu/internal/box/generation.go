package box

import (
	"bytes"
	"encoding/binary"

	"github.com/gosper-life/gosper/grid"
)

// generation is the cells of a rectangle as bytes, in rows that are far enough apart for any. A few bytes to the right of it are 0.
type generation struct {
	rect   grid.Rect
	first  int         // where its first cell is
	states []uint8     // of the cells
	ones   []uint8     // 1 for state 1 and 0 for all others: of two states, the states themselves
	totals [side]uint8 // of ones by column, from column 0 of the rows on
	lives  [side]uint8 // 0 in columns where all cells are in state 0
}

func newGeneration(states int) *generation {
	g := &generation{states: make([]uint8, widest*side)}
	g.ones = g.states
	if states > 2 {
		g.ones = make([]uint8, widest*side)
	}
	return g
}

// at is where a row of the rectangle begins.
func (g *generation) at(y int) int { return g.first + y*side }

// set copies the rectangle of another generation. What is beside it is not kept.
func (g *generation) set(other *generation) {
	g.rect, g.first = other.rect, 0
	for y := range g.rect.H {
		copy(g.states[g.at(y):], other.states[other.at(y):][:g.rect.W])
	}
}

// looksLike reports whether both have the same cells, here or elsewhere.
func (g *generation) looksLike(other *generation) bool {
	if g.rect.W != other.rect.W || g.rect.H != other.rect.H {
		return false
	}
	for y := range g.rect.H {
		if !bytes.Equal(g.states[g.at(y):][:g.rect.W], other.states[other.at(y):][:g.rect.W]) {
			return false
		}
	}
	return true
}

// shrink leaves out the rows and columns on all sides that have only cells in state 0. Its first cell must be the first of a row.
func (g *generation) shrink() {
	r := &g.rect
	for r.H > 0 && empty(g.states[g.at(r.H-1):], r.W) {
		r.H--
	}
	top := 0
	for top < r.H && empty(g.states[g.at(top):], r.W) {
		top++
	}
	if r.H -= top; r.H == 0 {
		g.rect = grid.Rect{}
		return
	}
	left := 0
	for g.lives[left] == 0 {
		left++
	}
	for g.lives[r.W-1] == 0 {
		r.W--
	}
	r.X, r.Y, r.W = r.X+left, r.Y+top, r.W-left
	g.first += left + top*side
}

// empty reports whether n bytes, and those behind them to a multiple of atOnce, are 0.
func empty(row []uint8, n int) bool {
	for i := 0; i < n; i += atOnce {
		if binary.LittleEndian.Uint64(row[i:]) != 0 {
			return false
		}
	}
	return true
}

// add adds n bytes, and those behind them to a multiple of atOnce, to as many others. No sum is larger than a byte.
func add(to, row []uint8, n int) {
	for i := 0; i < n; i += atOnce {
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

// row computes a row of the next generation from what the columns of squares count.
func (s *Stepper) row(t *table, to *generation, at int, columns []uint8, width int) {
	sum := 0
	for _, c := range columns[:2*s.radius] {
		sum += int(c)
	}
	enter, leave, before := columns[2*s.radius:][:width], columns[:width], s.before[:width]
	states := to.states[at:][:width]
	if s.states == 2 {
		for i, e := range enter {
			sum += int(e)
			states[i] = t.alive[sum&(mostCounts-1)] >> (before[i] & 1) & 1
			sum -= int(leave[i])
		}
		return
	}
	ones := to.ones[at:][:width]
	for i, e := range enter {
		sum += int(e)
		state := t.next[uint(before[i])<<2|uint(t.alive[sum&(mostCounts-1)]&3)]
		states[i], ones[i] = state, 0
		if state == 1 {
			ones[i] = 1
		}
		sum -= int(leave[i])
	}
}

// margins is how far beyond each side of a generation cells can be born: where too few live cells are near, none are.
func (s *Stepper) margins(g *generation, least int) (up, down, left, right int) {
	w, h := g.rect.W, g.rect.H
	totals := g.totals[g.first%side:]
	ofRow := func(y int) int { return total(g.ones[g.at(y):], w) }
	up = s.margin(h, least, ofRow)
	down = s.margin(h, least, func(k int) int { return ofRow(h - 1 - k) })
	left = s.margin(w, least, func(x int) int { return int(totals[x]) })
	right = s.margin(w, least, func(k int) int { return int(totals[w-1-k]) })
	return up, down, left, right
}

// margin is how far outside the first of n lines of cells others can be born. count says how many live cells a line has.
func (s *Stepper) margin(n, least int, count func(line int) int) int {
	sum := 0
	for k := range min(n, s.radius) {
		if sum += count(k); sum >= least {
			return s.radius - k
		}
	}
	return 0
}

// total adds up n bytes, and those behind them to a multiple of atOnce. It is at most a byte.
func total(row []uint8, n int) int {
	sum := uint64(0)
	for i := 0; i < n; i += atOnce {
		sum += binary.LittleEndian.Uint64(row[i:])
	}
	return int(sum * 0x0101010101010101 >> 56)
}

// read takes the cells of the present rectangle from a universe.
func (s *Stepper) read(u Universe) error {
	g := s.now
	r := g.rect
	clear(g.totals[:])
	for y := range r.H {
		states, ones := g.states[g.at(y):][:r.W+atOnce], g.ones[g.at(y):][:r.W+atOnce]
		clear(states)
		for plane := range s.planes {
			if err := u.ReadRow(s.words[:], plane, r.X, r.Y+y, r.W); err != nil {
				return err
			}
			for x := range r.W {
				states[x] |= uint8(s.words[x>>6]>>(x&63)&1) << plane
			}
		}
		if s.states > 2 {
			clear(ones)
			for x, state := range states {
				if state == 1 {
					ones[x] = 1
				}
			}
		}
		add(g.totals[:], ones, r.W)
	}
	return nil
}

// write clears a box of a universe and stores the present cells in it.
func (s *Stepper) write(u Universe, box grid.Rect) error {
	clear(s.words[:])
	for y := range box.H {
		for plane := range s.planes {
			if err := u.WriteRow(s.words[:], plane, box.X, box.Y+y, box.W); err != nil {
				return err
			}
		}
	}
	g := s.now
	r := g.rect
	for y := range r.H {
		for plane := range s.planes {
			clear(s.words[:])
			for x, state := range g.states[g.at(y):][:r.W] {
				s.words[x>>6] |= uint64(state>>plane&1) << (x & 63)
			}
			if err := u.WriteRow(s.words[:], plane, r.X, r.Y+y, r.W); err != nil {
				return err
			}
		}
	}
	return nil
}
