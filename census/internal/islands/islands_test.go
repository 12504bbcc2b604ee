package islands

import (
	"cmp"
	"maps"
	"math/bits"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// seenRules differ in radius, neighbourhood and states. Two of one entry take turns.
var seenRules = [][]string{
	{"B3/S23"},
	{"B2/S34H"},
	{"/2/3"},
	{"B1e2-a/S"},
	{"B3/S23", "B2/S"},
	{"R2,C2,S4-7,B3-6,NN"},
	{"R3,C3,S4-8,B3-13,NM"},
	{"R2,C2,S1-2,B3-4,N3", "R2,C2,S,B2,N3"},
}

// phased is a pattern of random cells. Its phases need not be those of a rule.
type phased struct {
	rule   Rule
	phases [][]sparse.Cell
	dx, dy int
}

// somePhases draws a pattern. Some phases are nearly the same as those before, others are not.
func somePhases(t *rapid.T) (p phased) {
	var turns []rule.Rule
	for _, text := range rapid.SampledFrom(seenRules).Draw(t, "rule") {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		turns = append(turns, r)
	}
	var ok bool
	if p.rule, ok = RuleOf(turns...); !ok {
		t.Fatalf("%v: no rule of a census", turns)
	}
	offset, place := rapid.IntRange(-4, 4), rapid.IntRange(-14, 14)
	p.dx, p.dy = offset.Draw(t, "dx"), offset.Draw(t, "dy")
	now := map[[2]int]uint8{} // ages
	for range rapid.IntRange(1, 5).Draw(t, "period") * len(turns) {
		if rapid.IntRange(0, 3).Draw(t, "anew") == 0 {
			clear(now)
		}
		for range rapid.IntRange(0, 12).Draw(t, "changes") {
			at := [2]int{place.Draw(t, "x"), place.Draw(t, "y")}
			if state := rapid.IntRange(0, turns[0].States-1).Draw(t, "state"); state > 0 {
				now[at] = uint8(state - 1)
			} else {
				delete(now, at)
			}
		}
		var cells []sparse.Cell
		for at, age := range now {
			cells = append(cells, sparse.Cell{X: at[0], Y: at[1], Age: age})
		}
		slices.SortFunc(cells, sparse.ByRow)
		p.phases = append(p.phases, cells)
	}
	return p
}

// history gives the changes from phase to phase, row by row.
func (p *phased) history(yield func([]Change) bool) {
	for t := range p.phases {
		states := map[[2]int][2]uint8{}
		for _, c := range p.phases[t] {
			states[[2]int{c.X, c.Y}] = [2]uint8{c.Age + 1, 0}
		}
		later, dx, dy := t+1, 0, 0
		if later == len(p.phases) {
			later, dx, dy = 0, p.dx, p.dy
		}
		for _, c := range p.phases[later] {
			at := [2]int{c.X + dx, c.Y + dy}
			states[at] = [2]uint8{states[at][0], c.Age + 1}
		}
		var changes []Change
		for at, s := range states {
			if s[0] != s[1] {
				changes = append(changes, Change{X: at[0], Y: at[1], From: s[0], To: s[1]})
			}
		}
		slices.SortFunc(changes, func(a, b Change) int {
			return cmp.Or(cmp.Compare(a.Y, b.Y), cmp.Compare(a.X, b.X))
		})
		if !yield(changes) {
			return
		}
	}
}

// TestOf compares islands with a search of all pairs of cells, and their meetings with a look at every place in every
// phase.
func TestOf(t *testing.T) {
	several, meet, births := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := somePhases(t)
		got, meetings := Of(&p.rule, p.phases[0], p.dx, p.dy, p.history)
		all := allPairs(p.phases, p.dx, p.dy, p.rule.Radius)
		if len(got) != len(all) {
			t.Fatalf("%+v: %d islands, want %d", p, len(got), len(all))
		}
		for k := range all {
			if !slices.Equal(got[k], all[k][0]) {
				t.Errorf("%+v: island %d is %v, want %v", p, k, got[k], all[k][0])
			}
		}
		want := everywhere(&p.rule, all)
		kinds := map[Meeting]bool{}
		for _, m := range meetings {
			kinds[m] = true
			births += bits.OnesCount16(m.births)
		}
		if len(kinds) != len(meetings) || !maps.Equal(kinds, want) {
			t.Errorf("%+v: meetings %v, want %v", p, meetings, want)
		}
		several += min(1, len(all)/2)
		meet += min(1, len(meetings))
	})
	if several == 0 || meet == 0 || births == 0 {
		t.Errorf("%d patterns of several islands, %d with meetings, %d sets of islands give life", several, meet, births)
	}
}

// everywhere lists the meetings of islands, which are given by their phases.
func everywhere(r *Rule, islands [][][]sparse.Cell) map[Meeting]bool {
	kinds := map[Meeting]bool{}
	if len(islands) == 0 {
		return kinds
	}
	for t := range islands[0] {
		taken := map[[2]int]bool{}
		places := map[[2]int]bool{}
		for _, island := range islands {
			for _, c := range island[t] {
				taken[[2]int{c.X, c.Y}] = true
				for _, add := range r.adds {
					places[[2]int{c.X + add.dx, c.Y + add.dy}] = true
				}
			}
		}
		for at := range places {
			var a around
			for k, island := range islands {
				sum, seen := 0, false
				for _, c := range island[t] {
					for _, add := range r.adds {
						if c.Age == 0 && at == [2]int{c.X + add.dx, c.Y + add.dy} {
							sum, seen = sum+add.sum, true
						}
					}
				}
				if seen {
					a.islands[a.n], a.sums[a.n] = k, sum
					a.n++
				}
			}
			if a.n > 1 && !taken[at] {
				kinds[meetingAt(r, t, a)] = true
			}
		}
	}
	return kinds
}

// allPairs finds the islands of phases cell by cell, each as its cells in every phase. Of two cells that see each
// other, both get the lower number, until no two of them differ.
func allPairs(phases [][]sparse.Cell, dx, dy, radius int) (islands [][][]sparse.Cell) {
	number := make([][]int, len(phases))
	cells := 0
	for t := range phases {
		for range phases[t] {
			number[t] = append(number[t], cells)
			cells++
		}
	}
	for changed := true; changed; {
		changed = false
		for t, cells := range phases {
			for i, a := range cells {
				for _, later := range []int{t, t + 1} {
					x, y := a.X, a.Y
					if later == len(phases) {
						later, x, y = 0, x-dx, y-dy
					}
					for j, b := range phases[later] {
						m, n := &number[t][i], &number[later][j]
						if max(b.X-x, x-b.X, b.Y-y, y-b.Y) <= radius && *m != *n {
							*m, *n = min(*m, *n), min(*m, *n)
							changed = true
						}
					}
				}
			}
		}
	}
	for n := range cells {
		island, any := make([][]sparse.Cell, len(phases)), false
		for t, cells := range phases {
			for i, c := range cells {
				if number[t][i] == n {
					island[t], any = append(island[t], c), true
				}
			}
		}
		if any {
			islands = append(islands, island)
		}
	}
	return islands
}
