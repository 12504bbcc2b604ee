package bytewise

import (
	"context"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/rule/neighbourhood"
)

// Stepper advances creatures by a rule, or by rules that take turns. It is for one goroutine. It needs no code made for
// the rule, so it begins at once, and it computes only what lives and what can be born around that.
//
// It is for rules that count the cells of a square. The count of a square is a running sum of the counts of its
// columns, and these are running sums, too.
type Stepper struct {
	steps   []rule.Rule
	tables  []table // by step; nil before the first run
	radius  int
	states  int
	planes  int
	limit   int       // the most cells that a generation computes
	bounds  grid.Rect // of a bounded universe, else empty
	wraps   bool      // its edges are joined
	looked  uint64    // the generation of the last look for a creature that found none
	wait    uint64    // generations from one look to the next
	now     *generation
	then    *generation  // the place before or after
	past    *generation  // an earlier one
	columns []uint8      // the live cells of each column of a square; column 2·radius is the first of the box
	before  [pitch]uint8 // a row of cells with the margins that are computed left and right of it
	words   [pitch / 64]uint64
	work    uint64 // nanoseconds: see Work
}

const (
	// widest is the largest number of columns and rows that a generation computes. Numbers of columns and rows therefore
	// fit in bytes.
	widest = 255
	// pitch is the bytes of a row. A few behind the cells are 0.
	pitch = 320
	// mostRadius is the largest radius. Larger squares would be too large for a creature anyway.
	mostRadius = 40
	// mostCounts is a power of two of more counts than its squares have.
	mostCounts = 1 << 13
)

// NewStepper returns a stepper for the given steps of a rule, which take turns. It returns nil if they are not rules
// that it is for.
func NewStepper(steps []rule.Rule) *Stepper {
	first := steps[0]
	s := &Stepper{
		steps: steps, radius: first.Radius(), states: first.States, planes: first.Planes(),
		limit: mostCells(first.Radius()),
	}
	for _, r := range steps {
		if !suits(r) || r.States != first.States || r.Radius() != first.Radius() {
			return nil
		}
	}
	return s
}

// prepare allocates the buffers of a run. Most universes never have one.
func (s *Stepper) prepare() {
	for _, r := range s.steps {
		s.tables = append(s.tables, newTable(r))
	}
	s.columns = make([]uint8, widest+4*s.radius+atOnce)
	s.now, s.then, s.past = newGeneration(s.states), newGeneration(s.states), newGeneration(s.states)
}

// suits reports whether a rule counts the cells in state 1 of a square and leaves dead cells among dead ones dead.
func suits(r rule.Rule) bool {
	if r.Kind() != rule.KindCounting || r.StateWeights != nil || r.Radius() < 1 || r.Radius() > mostRadius ||
		r.BirthOnEmpty() {
		return false
	}
	square, err := neighbourhood.New('M', r.Radius())
	return err == nil && r.Neighbourhood.Equal(square)
}

// mostCells is the limit by the radius of a rule: beyond it tiles are faster. A cell takes about a nanosecond here.
func mostCells(radius int) int {
	switch {
	case radius == 1:
		return 24 * 24
	case radius <= 3:
		return 48 * 48
	}
	return 100 * 100
}

// table gives the next state of a cell in a step.
type table struct {
	least int                // the least live cells of a square whose middle cell is born
	alive *[mostCounts]uint8 // by the live cells of a square with its middle: bit 0 for births, bit 1 for survivals
	next  [4 * 256]uint8     // by 4 · state + alive
}

// newTable prepares the lookup of counts. The counts include the cell itself, so those of survivals
// are one higher.
func newTable(r rule.Rule) table {
	most := (2*r.Radius() + 1) * (2*r.Radius() + 1)
	t := table{least: most + 1, alive: new([mostCounts]uint8), next: aging(r.States)}
	for count := range most + 1 {
		if r.Birth.Has(count) {
			t.alive[count] |= 1
			t.least = min(t.least, count)
		}
		if count > 0 && r.Survival.Has(count-1) {
			t.alive[count] |= 2
		}
	}
	return t
}

const (
	stepWork    = 200 // nanoseconds of a generation without its cells
	cellsInWork = 2   // cells in a nanosecond
)

// Work is about the nanoseconds that all generations until now take on a usual core.
func (s *Stepper) Work() uint64 { return s.work }

// Steps is the number of steps of the rule.
func (s *Stepper) Steps() uint64 { return uint64(len(s.steps)) }

// Takes reports whether a creature in a box is small enough, and far enough from edges.
func (s *Stepper) Takes(box grid.Rect) bool {
	w, h := box.W+2*s.radius, box.H+2*s.radius
	return w <= widest && h <= widest && w*h <= s.limit && s.inside(box)
}

const (
	firstWait = 64
	// longestWait keeps looks rare. A look may take as long as a few generations.
	longestWait = 1 << 16
)

// Due reports whether to look for a creature at a generation.
func (s *Stepper) Due(generation uint64) bool { return generation-s.looked >= s.wait }

// Vain says that a look has found no creature. The next one is due later.
func (s *Stepper) Vain(generation uint64) {
	s.looked, s.wait = generation, min(max(2*s.wait, firstWait), longestWait)
}

// universe is the source of a creature's cells and the place where they are stored at the end.
type universe interface {
	grid.Source
	grid.Sink
}

// Run advances a universe of which only the cells of a box are not in state 0; Takes must allow it. It returns how
// many generations it has done: fewer than n if ctx is done, or where the creature becomes too large. step returns
// the step that follows after the given number of generations.
func (s *Stepper) Run(ctx context.Context, u universe, box grid.Rect, n uint64,
	step func(done uint64) int,
) (done uint64, err error) {
	if s.tables == nil {
		s.prepare()
	}
	u = s.within(u)
	s.now.rect, s.now.first = box, 0
	if err := s.read(u); err != nil {
		return 0, err
	}
	s.past.set(s.now)
	saved := uint64(0) // the generation of s.past
	for done < n && s.Takes(s.now.rect) && (done%64 != 0 || ctx.Err() == nil) {
		s.advance(&s.tables[step(done)])
		done++
		if s.now.looksLike(s.past) && step(done) == step(saved) {
			done += s.leap(done-saved, n-done)
			s.past.rect, saved = s.now.rect, done
		}
		if done >= 2*saved {
			s.past.set(s.now)
			saved = done
		}
	}
	return done, s.write(u, box)
}

// leap advances a creature that looks as it did in s.past, one period ago, by the whole periods in n generations. The
// creature returns to its place, or moves on by the same distance in each period.
func (s *Stepper) leap(period, n uint64) (done uint64) {
	r := &s.now.rect
	dx, dy := r.X-s.past.rect.X, r.Y-s.past.rect.Y
	times := n / period
	if pace := max(dx, -dx, dy, -dy); pace > 0 {
		if !s.bounds.Empty() && !s.wraps {
			return 0 // it comes to an edge
		}
		times = min(times, uint64(max(0, (farthest-max(r.X, -r.X, r.Y, -r.Y))/pace)))
	}
	r.X, r.Y = r.X+int(times)*dx, r.Y+int(times)*dy
	return times * period
}

// advance makes the next generation.
func (s *Stepper) advance(t *table) {
	from, to, r := s.now, s.then, s.radius
	s.now, s.then = to, from
	if to.rect, to.first = from.rect, 0; from.rect.Empty() {
		return
	}
	w, h := from.rect.W, from.rect.H
	up, down, left, right := s.margins(from, t.least)
	s.work += stepWork + uint64((w+left+right)*(h+up+down))/cellsInWork
	to.rect = grid.Rect{X: from.rect.X - left, Y: from.rect.Y - up, W: left + w + right, H: up + h + down}
	width := to.rect.W
	clear(s.columns[:w+4*r+atOnce])
	clear(s.before[:width])
	clear(to.totals[:width+atOnce])
	clear(to.lives[:width+atOnce])
	inside := s.columns[2*r:][:w+atOnce]
	for y := range min(h, r-up) {
		add(inside, from.counted[from.at(y):], w)
	}
	for y := -up; y < h+down; y++ {
		if y+r < h {
			add(inside, from.counted[from.at(y+r):], w)
		}
		if y-r-1 >= 0 {
			subtract(inside, from.counted[from.at(y-r-1):], w)
		}
		if y >= 0 && y < h {
			copy(s.before[left:], from.states[from.at(y):][:w])
		} else if y == h {
			clear(s.before[:width])
		}
		at := to.at(y + up)
		s.row(t, to, at, s.columns[r-left:], width)
		clear(to.states[at+width:][:atOnce])
		clear(to.counted[at+width:][:atOnce])
		add(to.totals[:], to.counted[at:], width)
		collect(to.lives[:], to.states[at:], width)
	}
	to.shrink()
}
