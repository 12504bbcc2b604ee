package census

import (
	"reflect"
	"slices"
	"testing"
)

// TestFrames finds what well-known patterns make by comparing two generations, also if other objects are far away.
func TestFrames(t *testing.T) {
	glider, none := map[string]int{"xq4_153": 1}, map[string]int{}
	for _, test := range []struct {
		pattern string
		periods int // of the population, until the pattern is the same in its frame
		want    Output
	}{
		{"gosper-gun", 1, Output{"gun", 30, glider, none}},
		{"simkin-gun", 1, Output{"gun", 120, glider, none}},
		{"space-rake", 1, Output{"rake", 20, glider, none}},
		{"block-laying-switch-engine", 2, Output{"puffer", 288, none, map[string]int{"xs4_33": 8}}},
		{"blinker-puffer", 1, Output{"puffer", 8, none, map[string]int{"xp2_7": 1}}},
		{"max", 1, Output{}},
	} {
		for _, others := range [][]Cell{nil, {{X: -9000}, {X: -9000, Y: 1}, {X: -9000, Y: 2}}, {
			{X: 9001, Y: -9002}, {X: 9002, Y: -9002}, {X: 9002, Y: -9001}, {X: 9000, Y: -9001}, {X: 9002, Y: -9000},
		}} {
			r, cells := builtin(t, test.pattern)
			c, err := NewCounter(r, Limits{Generations: 3000})
			if err != nil {
				t.Fatal(err)
			}
			h := c.courseOf(sorted(cells))
			c.follow(h, 3600)
			o, _ := h.inTheEnd()
			generations := test.periods * o.Period
			h.Load(slices.Concat(h.Cells(), others))
			before := h.Cells()
			c.run(&h.Universe, generations)
			if got := c.outputByFrame(before, h.Cells(), generations, o.Growth); !reflect.DeepEqual(got, test.want) {
				t.Errorf("%s with %d other cells makes %+v, want %+v", test.pattern, len(others), got, test.want)
			}
		}
	}
}

// TestStretched: a wick that grows between a base and an end that moves, and patterns that are none.
func TestStretched(t *testing.T) {
	line := func(base, end, head int) []Cell {
		cells := []Cell{{X: base, Y: 0}}
		for x := 1; x < end; x++ {
			cells = append(cells, Cell{X: x, Y: 1})
		}
		return append(cells, Cell{X: head, Y: 2})
	}
	for _, test := range []struct {
		name          string
		before, after []Cell
		want          bool
	}{
		{"a wick", line(0, 10, 10), line(0, 14, 14), true},
		{"its base has moved", line(0, 10, 10), line(1, 14, 14), false},
		{"its end moves at another speed", line(0, 10, 10), line(0, 14, 15), false},
		{"a gap", line(0, 10, 10), slices.DeleteFunc(line(0, 14, 14), func(c Cell) bool { return c.X%4 == 1 }), false},
		{"nothing moves", line(0, 10, 10), line(0, 10, 10), false},
	} {
		if got := isStretched(test.before, test.after, 4, 0); got != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
	}
}
