package census

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/census/internal/islands"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// TestMeetings compares the meetings of islands with their cells. It runs every choice of the islands of a zone on
// its own, for a generation from each phase. The result must differ from the evolution in the zone if and only if a
// meeting says so, also when islands have been joined.
func TestMeetings(t *testing.T) {
	right, wrong, fewer := 0, 0, 0
	look := func(c *Counter, cells []Cell) {
		period, dx, dy := c.period(cells, c.limits.Period)
		if period == 0 {
			return
		}
		all, meetings := islands.Of(&c.local, cells, dx, dy, c.history(cells, period))
		if len(all) < 2 || len(all) > 6 {
			return
		}
		apart := len(all)
		phases := c.phases(cells, period)
		for range 2 {
			for mask := uint(1); mask < 1<<len(all); mask++ {
				want := c.astray(among(phases, islands.Some(all, mask), c.local.Radius), dx, dy)
				if got := slices.ContainsFunc(meetings, func(m islands.Meeting) bool { return m.Births(mask) }); got != want {
					t.Fatalf("%v: %v: islands %b: %v, want %v", c.rule, cells, mask, got, want)
				}
				if want {
					wrong++
				} else {
					right++
				}
			}
			all, meetings = islands.Joined(all, meetings)
		}
		if len(all) < apart {
			fewer++
		}
	}
	for _, notation := range slices.Concat([]string{"B3/S23", "B36/S23", "B2/S34H", "23/3/4"}, wideRules, rulesWithB0) {
		c, err := NewCounter(parseRule(t, notation), Limits{Generations: 2000, Population: 4000, Period: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range publishedCodes(t) {
			if code, err := ParseCode(p.code, c.rule.States); p.rule == notation && err == nil {
				look(c, code.Cells)
			}
		}
		for i := range uint64(60) {
			s := &soup{cells: Soup("meetings", i, Symmetry{})}
			s.start(false, c.every)
			for !c.advance(s) {
				c.batch.Pass([]*sparse.Universe{&s.Universe}, c.batch.Generations())
			}
			if c.batch.Envelope(&s.Universe, 60); c.zones.Load(&s.Universe) {
				c.zones.Zones(func(q sparse.Square, _ sparse.Box) {
					look(c, q.Cells())
				}, func(cells []Cell, _ sparse.Box) { look(c, cells) })
			}
		}
	}
	if right < 1000 || wrong < 20 || fewer < 5 {
		t.Errorf("%d right, %d wrong, %d zones with joined islands", right, wrong, fewer)
	}
}

// among finds the cells of some islands in all phases from those in the first one. A cell is there only if another one
// of its island was in reach of it in the phase before.
func among(phases [][]Cell, some []Cell, radius int) [][]Cell {
	all := [][]Cell{sorted(some)}
	for t, cells := range phases[1:] {
		all = append(all, slices.DeleteFunc(slices.Clone(cells), func(at Cell) bool {
			return !slices.ContainsFunc(all[t], func(c Cell) bool {
				return max(c.X-at.X, at.X-c.X, c.Y-at.Y, at.Y-c.Y) <= radius
			})
		}))
	}
	return all
}

// astray reports whether cells, which come back after some phases, moved by (dx, dy), would evolve differently
// without the cells around them.
func (c *classifier) astray(phases [][]Cell, dx, dy int) bool {
	for t, cells := range phases {
		next := phases[(t+1)%len(phases)]
		if t+1 == len(phases) {
			next = moved(next, dx, dy)
		}
		if !slices.Equal(sorted(c.local.After(cells, t)), sorted(next)) {
			return true
		}
	}
	return false
}

// moved returns cells moved by (dx, dy).
func moved(cells []Cell, dx, dy int) []Cell {
	out := make([]Cell, len(cells))
	for i, c := range cells {
		out[i] = Cell{X: c.X + dx, Y: c.Y + dy, Age: c.Age}
	}
	return out
}
