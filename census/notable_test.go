package census

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/run"
	"github.com/gosper-life/gosper/topology"
)

// lifespanOf is the lifespan of cells as a run on the unbounded plane finds it.
func lifespanOf(t *testing.T, text string, cells []Cell) int {
	t.Helper()
	cfg := sim.Config{Rule: parseRule(t, text), Topology: topology.Topology{}}
	e, err := sim.Open(t.Context(), "cpu", cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, c := range cells {
		if err := e.WriteRow([]uint64{1}, 0, c.X, c.Y, 1); err != nil {
			t.Fatal(err)
		}
	}
	if cfg.Rule.BirthOnEmpty() {
		return lifespanIn(t, e, 800, 48)
	}
	r, err := run.Run(t.Context(), e, run.Options{
		Config: cfg, Target: 40000, Until: run.UntilStable, Lifespan: true,
	})
	if err != nil || r.Lifespan == nil {
		t.Fatalf("%v, %v", r, err)
	}
	return int(*r.Lifespan)
}

// lifespanIn is the first generation of a number of them from which all cells come back after a period.
func lifespanIn(t *testing.T, e sim.Engine, generations, period int) int {
	t.Helper()
	var all []string
	for len(all) < generations {
		cells, err := CellsOf(e)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, fmt.Sprint(cells))
		if _, err := e.Step(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	last := len(all) - 1 - period
	for g := last; g >= 0; g-- {
		if all[g] != all[g+period] {
			if g == last {
				t.Fatalf("no period of %d within %d generations", period, generations)
			}
			return g + 1
		}
	}
	return 0
}

// TestNotableSoups compares the soups that stand out with those that a run of every soup and a count of its objects
// find.
func TestNotableSoups(t *testing.T) {
	for _, test := range []struct {
		rule     string
		symmetry string
		soups    uint64
	}{
		{"B3/S23", "C1", 50},
		{"B36/S23", "C1", 30},
		{"B36/S23", "D8_4", 80},
		{"B38/S23", "C1", 20},
		{"B368/S245", "C1", 20},
		{"12/34/3", "C1", 40},
		{wideRules[1], "C1", 40},
		{wideRules[10], "C1", 40},
		{"B01245/S0125", "C1", 60},
	} {
		symmetry, err := ParseSymmetry(test.symmetry)
		if err != nil {
			t.Fatal(err)
		}
		s := &Search{
			Rule: parseRule(t, test.rule), Root: "n_notable", Symmetry: symmetry, Soups: test.soups, Engine: engineCPU,
		}
		found, err := s.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		c, err := NewCounter(s.Rule, s.Limits)
		if err != nil {
			t.Fatal(err)
		}
		var want Notable
		for i := range test.soups {
			cells := s.cells(i)
			tally := c.Count(cells)
			if tally.Endless {
				want.Endless = append(want.Endless, Endless{Soup: i, Codes: []string{Pathological}, Limit: tally.Limit})
				continue
			}
			population := 0
			for code, n := range tally.Objects {
				population += n * leastCells(t, c, code)
			}
			if population > 0 {
				want.Largest = append(want.Largest, Ash{i, population})
			}
			if n := lifespanOf(t, test.rule, cells); n >= leastLifespan {
				want.Methuselahs = append(want.Methuselahs, Lived{i, n})
				if len(tally.Objects) == 0 {
					want.Diehards = append(want.Diehards, Lived{i, n})
				}
			}
		}
		for _, list := range []*[]Lived{&want.Methuselahs, &want.Diehards} {
			slices.SortStableFunc(*list, func(a, b Lived) int { return cmp.Compare(b.Lifespan, a.Lifespan) })
			*list = (*list)[:min(len(*list), MostNotable)]
		}
		slices.SortStableFunc(want.Largest, func(a, b Ash) int { return cmp.Compare(b.Cells, a.Cells) })
		want.Largest = want.Largest[:min(len(want.Largest), MostNotable)]
		want.Endless = want.Endless[:min(len(want.Endless), MostNotable)]
		if diff := gocmp.Diff(want, found.Notable); diff != "" {
			t.Errorf("%s, %s (-want +got): %s", test.rule, test.symmetry, diff)
		}
	}
}

// TestBounds compares the bounds of lifespans with lifespans. The lower limit ends the first look before some soups
// settle.
func TestBounds(t *testing.T) {
	late := 0
	for text, limits := range map[string]Limits{
		wideRules[0]: {Generations: 300}, "B36/S23": {}, wideRules[10]: {}, "B01245/S0125": {},
	} {
		c, err := NewCounter(parseRule(t, text), limits)
		if err != nil {
			t.Fatal(err)
		}
		for i := range uint64(25) {
			s := c.settledSoup("bounds", i)
			if s == nil {
				continue
			}
			n := lifespanOf(t, text, s.cells)
			if n < s.least || n > s.most {
				t.Errorf("%s, soup %d: lifespan %d, bounds %d and %d", text, i, n, s.least, s.most)
			}
			if got := c.Lifespan(s.cells, Tally{least: s.least, most: s.most}); got != n && s.limit == "" {
				t.Errorf("%s, soup %d: lifespan %d, want %d", text, i, got, n)
			}
			if limits.Generations > 0 && n > limits.Generations {
				late++
			}
		}
	}
	if late == 0 {
		t.Error("no soup settled after the limit")
	}
}

// leastCells is the number of cells of the smallest phase of an object.
func leastCells(t *testing.T, c *Counter, text string) int {
	t.Helper()
	code, err := ParseCode(text, c.rule.States)
	if err != nil {
		t.Fatal(err)
	}
	o := c.Identify(code.Cells)
	least := len(code.Cells)
	for t, cells := range c.phases(sorted(code.Cells), o.Period) {
		if t%c.turns == 0 {
			least = min(least, len(cells))
		}
	}
	return least
}

// TestBoard offers soups of which only bounds are known, and checks that none is lost that may be listed.
func TestBoard(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var b board
		var all []lived // with the true lifespans
		known := map[uint64]int{}
		for i := range uint64(500) {
			n := leastLifespan + random.IntN(60)
			known[i] = n
			all = append(all, lived{i, n, n})
		}
		slices.SortFunc(all, func(x, y lived) int {
			return cmp.Or(cmp.Compare(y.least, x.least), cmp.Compare(x.soup, y.soup))
		})
		for _, i := range random.Perm(500) {
			l := lived{uint64(i), 0, known[uint64(i)] + random.IntN(20)}
			if random.IntN(3) > 0 {
				l.least = known[l.soup] - random.IntN(20)
			}
			for some := []lived{l}; b.wants(l.most) && len(some) > 0; {
				if some = b.offer(some...); len(some) > 0 {
					for i := range some {
						some[i].least, some[i].most = known[some[i].soup], known[some[i].soup]
					}
				}
			}
		}
		for i := range b.soups {
			b.soups[i].least, b.soups[i].most = known[b.soups[i].soup], known[b.soups[i].soup]
		}
		b.prune()
		if diff := gocmp.Diff(all[:MostNotable], b.soups, gocmp.AllowUnexported(lived{})); diff != "" {
			t.Fatalf("-want +got: %s", diff)
		}
	}
}
