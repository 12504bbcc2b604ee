package bytewise

import (
	"bytes"

	"github.com/gosper-life/gosper/grid"
)

// generation is the cells of a creature, in rows that are far enough apart for any. A few bytes to the right of them
// are 0. A cell weighs 1 in state 1 and 0 in all others.
type generation struct {
	area
	totals [pitch]uint8 // of weights by column, from column 0 of the rows on
	lives  [pitch]uint8 // 0 in columns where all cells are in state 0
}

func newGeneration(states int) *generation {
	g := &generation{area: area{stride: pitch, states: make([]uint8, widest*pitch)}}
	g.counted = g.states
	if states > 2 {
		g.counted = make([]uint8, widest*pitch)
	}
	return g
}

// set copies the rectangle of another generation. Cells beside it are dropped.
func (g *generation) set(other *generation) {
	g.rect, g.first = other.rect, 0
	for y := range g.rect.H {
		copy(g.states[g.at(y):], other.row(y))
	}
}

// looksLike reports whether both have the same cells, here or elsewhere.
func (g *generation) looksLike(other *generation) bool {
	if g.rect.W != other.rect.W || g.rect.H != other.rect.H {
		return false
	}
	for y := range g.rect.H {
		if !bytes.Equal(g.row(y), other.row(y)) {
			return false
		}
	}
	return true
}

// shrink leaves out the rows and columns on all sides that have only cells in state 0. Its first cell must be
// the first of a row.
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
	g.first += left + top*pitch
}

// row computes a row of the next generation from the counts in the columns of squares.
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
	ones := to.counted[at:][:width]
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

// margins returns how far beyond each side of a generation cells can be born: where too few live cells are
// near, none are.
func (s *Stepper) margins(g *generation, least int) (up, down, left, right int) {
	w, h := g.rect.W, g.rect.H
	totals := g.totals[g.first%pitch:]
	ofRow := func(y int) int { return total(g.counted[g.at(y):], w) }
	up = margin(s.radius, h, least, ofRow)
	down = margin(s.radius, h, least, func(k int) int { return ofRow(h - 1 - k) })
	left = margin(s.radius, w, least, func(x int) int { return int(totals[x]) })
	right = margin(s.radius, w, least, func(k int) int { return int(totals[w-1-k]) })
	return up, down, left, right
}

// read takes the cells of the present rectangle from a universe.
func (s *Stepper) read(u universe) error {
	g := s.now
	r := g.rect
	clear(g.totals[:])
	for y := range r.H {
		states, ones := g.states[g.at(y):][:r.W+atOnce], g.counted[g.at(y):][:r.W+atOnce]
		clear(states)
		for plane := range s.planes {
			if err := u.ReadRow(s.words[:], plane, r.X, r.Y+y, r.W); err != nil {
				return err
			}
			unpack(states[:r.W], s.words[:], 0, plane)
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
func (s *Stepper) write(u universe, box grid.Rect) error {
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
