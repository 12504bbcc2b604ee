package census

import (
	"reflect"
	"testing"
)

// TestOutput says what well-known guns, puffers and rakes make.
func TestOutput(t *testing.T) {
	glider, none := map[string]int{"xq4_153": 1}, map[string]int{}
	for _, test := range []struct {
		pattern string
		want    Output
	}{
		{"gosper-gun", Output{"gun", 30, glider, none}},
		{"new-gun", Output{"gun", 46, glider, none}},
		{"p24-gun", Output{"gun", 24, glider, none}},
		{"simkin-gun", Output{"gun", 120, glider, none}},
		{"space-rake", Output{"rake", 20, glider, none}},
		{"block-laying-switch-engine", Output{"puffer", 144, none, map[string]int{"xs4_33": 4}}},
		{"blinker-puffer", Output{"puffer", 8, none, map[string]int{"xp2_7": 1}}},
		{"max", Output{}},
		{"rpentomino", Output{}},
	} {
		r, cells := builtin(t, test.pattern)
		c, err := NewCounter(r, Limits{Period: 100, Generations: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := c.IdentifyAndCount(cells); !reflect.DeepEqual(got.Output, test.want) {
			t.Errorf("%s makes %+v, want %+v", test.pattern, got.Output, test.want)
		}
	}
}

// TestLimit names the limit that ends a count.
func TestLimit(t *testing.T) {
	for _, test := range []struct {
		pattern, want string
		limits        Limits
	}{
		{"acorn", "generations", Limits{Generations: 1000}},
		{"acorn", "population", Limits{Population: 200}},
		{"acorn", "box", Limits{Box: 100}},
		{"pulsar", "period", Limits{Period: 2}},
		{"acorn", "work", Limits{Work: 1000}},
		{"acorn", "", Limits{Work: 1 << 20}},
		{"acorn", "", Limits{}},
	} {
		r, cells := builtin(t, test.pattern)
		c, err := NewCounter(r, test.limits)
		if err != nil {
			t.Fatal(err)
		}
		got := c.Count(cells)
		if got.Limit != test.want || got.Endless != (test.want != "") || got.Endless != (got.Generation > 0) {
			t.Errorf("%s within %+v: %q at generation %d, want %q", test.pattern, test.limits, got.Limit, got.Generation,
				test.want)
		}
	}
}

// TestWorkOfParts: the limit on work ends no look at a part of a pattern that was followed to the end within it.
func TestWorkOfParts(t *testing.T) {
	r, cells := builtin(t, "block-laying-switch-engine")
	var tallies []Tally
	for _, limits := range []Limits{{Generations: 1000}, {Generations: 1000, Work: 5000}} {
		c, err := NewCounter(r, limits)
		if err != nil {
			t.Fatal(err)
		}
		tallies = append(tallies, c.Count(cells))
		if limits.Work > 0 && c.work <= limits.Work {
			t.Errorf("the parts take only %d passes of tiles in all, within the limit of %d", c.work, limits.Work)
		}
	}
	if !reflect.DeepEqual(tallies[0], tallies[1]) || tallies[0].Objects[Pathological] > 0 {
		t.Errorf("%+v without a limit on work, %+v with one", tallies[0], tallies[1])
	}
}
