package objects

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/sim"
)

// watched is a session of a pattern.
func watched(t *testing.T, rle string) *session.Session {
	t.Helper()
	p, err := pattern.Read(strings.NewReader(rle), "")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	s, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return sim.Open(ctx, "cpu", cfg)
	}, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// TestOf lists objects of Life, also of Life on a live plane.
func TestOf(t *testing.T) {
	for _, text := range []string{"B3/S23", "B0123478/S01234678"} {
		t.Run(text, func(t *testing.T) { listOfLife(t, text) })
	}
}

func listOfLife(t *testing.T, text string) {
	s := watched(t, "x = 40, y = 3, rule = "+text+"\n2o7b2o8bo$2o7b2o9bo$18b3o!")
	block := Kind{Code: "xs4_33", Name: "block", Class: "still life", Period: 1}
	glider := Kind{Code: "xq4_153", Name: "glider", Class: "spaceship", Period: 4, Moves: [2]int{1, 1}}
	of := func(k Kind, n int) Kind {
		k.Count = n
		return k
	}
	for _, test := range []struct {
		name string
		area grid.Rect
		want List
	}{
		{"everywhere", grid.Rect{}, List{
			Kinds: []Kind{of(block, 2), of(glider, 1)},
			At:    [][5]int{{0, 0, 2, 2, 0}, {18, 0, 3, 3, 1}, {9, 0, 2, 2, 0}},
		}},
		{
			"a part, and what reaches into it",
			grid.Rect{X: 10, Y: 0, W: 9, H: 1},
			List{Kinds: []Kind{of(glider, 1), of(block, 1)}, At: [][5]int{{18, 0, 3, 3, 0}, {9, 0, 2, 2, 1}}},
		},
		{"where nothing is", grid.Rect{X: 100, Y: 0, W: 9, H: 1}, List{Kinds: []Kind{}, At: [][5]int{}}},
	} {
		list, err := Of(t.Context(), s, test.area)
		if err != nil {
			t.Fatal(err)
		}
		less := func(a, b [5]int) bool { return a[0] < b[0] }
		if diff := cmp.Diff(test.want, *list, cmpopts.SortSlices(less)); diff != "" {
			t.Errorf("%s (- want, + found):\n%s", test.name, diff)
		}
	}
	if err := s.Step(t.Context(), 40); err != nil {
		t.Fatal(err)
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	list, err := Of(t.Context(), s, grid.Rect{})
	if err != nil || list.Generation != 40 || len(list.At) != 3 {
		t.Errorf("after 40 generations: %v, %v", list, err)
	}
}

// TestOfGrowing: a gun and a puffer are known as a whole, beside the objects in them. An acorn is not.
func TestOfGrowing(t *testing.T) {
	for name, want := range map[string]Kind{
		"gosper-gun": {
			Code: "yl30_1_5_74055a5f5e513fd2e62fb8d6117d3f03", Name: "Gosper glider gun", Class: "linear growth", Period: 30,
			Count: 1,
		},
		"puffer-1": {Class: "linear growth", Period: 128, Count: 1},
		"acorn":    {},
	} {
		known, ok := builtin.Lookup(name)
		if !ok {
			t.Fatal(name)
		}
		list, err := Of(t.Context(), watched(t, known.RLE), grid.Rect{})
		if err != nil {
			t.Fatal(err)
		}
		var got Kind
		for _, k := range list.Kinds {
			if strings.HasSuffix(k.Class, "growth") {
				got = k
			}
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

func TestOfRefuses(t *testing.T) {
	if _, err := Of(t.Context(), watched(t, "x = 3, y = 1, rule = B3/S23:T32768,32768\n3o!"), grid.Rect{}); err == nil ||
		!strings.Contains(err.Error(), "select a part") {
		t.Errorf("2^30 cells: %v, want a word on what to do", err)
	}
	if _, err := Of(t.Context(), watched(t, "x = 3, y = 1, rule = WireWorld\n3C!"), grid.Rect{}); err == nil {
		t.Error("WireWorld has a census")
	}
}
