package session_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/cells"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/topology"
)

// rows is cells as lines of digits.
func rows(g *grid.Grid) string {
	var b strings.Builder
	for y := range g.H() {
		for x := range g.W() {
			b.WriteByte('0' + g.Get(x, y))
		}
		b.WriteByte('/')
	}
	return b.String()
}

// gridOf is the cells of lines of digits.
func gridOf(t *testing.T, text string) *grid.Grid {
	t.Helper()
	lines := strings.Split(strings.TrimSuffix(text, "/"), "/")
	g, err := grid.New(len(lines[0]), len(lines), 2)
	must(t, err)
	for y, line := range lines {
		for x, c := range line {
			g.Set(x, y, uint8(c-'0'))
		}
	}
	return g
}

func TestTurns(t *testing.T) {
	const f = "120/300/"
	for turn, want := range map[cells.Turn]string{
		cells.Right: "31/02/00/", cells.Left: "00/20/13/", cells.Across: "021/003/", cells.Over: "300/120/",
	} {
		got, err := turn.Of(gridOf(t, f))
		must(t, err)
		if rows(got) != want {
			t.Errorf("turn %d of %s is %s, want %s", turn, f, rows(got), want)
		}
	}
}

// TestAreas changes areas of a universe of four states on a small plane, and takes everything back.
func TestAreas(t *testing.T) {
	s := start(t, soupOf(t, config(t, "//4", topology.Plane, 6, 5), 0))
	ctx := t.Context()
	all := grid.Rect{W: 6, H: 5}
	see := func() string {
		t.Helper()
		g, err := s.Cells(ctx, all)
		must(t, err)
		return rows(g)
	}
	begin := see()
	const empty, f = "000000/000000/000000/000000/000000/", "000000/012000/030000/000000/000000/"
	var seen []string
	for _, c := range []struct {
		name string
		do   func() error
		want string
	}{
		{"clear", func() error { return s.Fill(ctx, all, 0) }, empty},
		{"paste", func() error { return s.Paste(ctx, gridOf(t, "12/30/"), 1, 1, cells.Or) }, f},
		{"turn", func() error {
			to, err := s.Turn(ctx, grid.Rect{X: 1, Y: 1, W: 3, H: 2}, cells.Right)
			if want := (grid.Rect{X: 1, Y: 0, W: 2, H: 3}); to != want {
				t.Errorf("turned into %v, want %v", to, want)
			}
			return err
		}, "031000/002000/000000/000000/000000/"},
		{"flip", func() error {
			_, err := s.Turn(ctx, grid.Rect{X: 0, Y: 0, W: 6, H: 5}, cells.Over)
			return err
		}, "000000/000000/000000/002000/031000/"},
		{"paste over", func() error {
			return s.Paste(ctx, gridOf(t, "23/01/"), 2, 3, cells.Or)
		}, "000000/000000/000000/002300/031100/"},
		{"paste xor", func() error {
			return s.Paste(ctx, gridOf(t, "23/13/"), 2, 3, cells.Xor)
		}, "000000/000000/000000/000000/030300/"},
		{"paste replace", func() error {
			return s.Paste(ctx, gridOf(t, "101/000/"), 1, 3, cells.Replace)
		}, "000000/000000/000000/010100/000000/"},
		{"fill beyond the edge", func() error {
			return s.Fill(ctx, grid.Rect{X: -3, Y: -1, W: 5, H: 2}, 3)
		}, "330000/000000/000000/010100/000000/"},
		{"turned off the edge", func() error {
			_, err := s.Turn(ctx, grid.Rect{X: 0, Y: 0, W: 2, H: 2}, cells.Left)
			return err
		}, "300000/300000/000000/010100/000000/"},
	} {
		seen = append(seen, see())
		if err := c.do(); err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if got := see(); got != c.want {
			t.Fatalf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	if box, err := s.Shrink(ctx, all); err != nil || box != (grid.Rect{W: 4, H: 4}) {
		t.Errorf("the live cells are in %v, %v", box, err)
	}
	for i := len(seen) - 1; i >= 0; i-- {
		must(t, s.Undo(ctx))
		if got := see(); got != seen[i] {
			t.Fatalf("undo to step %d: %s, want %s", i, got, seen[i])
		}
	}
	if see() != begin {
		t.Error("not back at the start")
	}
	must(t, s.Redo(ctx))
	if see() != empty {
		t.Error("redo does not clear again")
	}
}

// TestAreasOfLivingBackgrounds: on any background, areas are filled with the requested states, and copied unchanged.
func TestAreasOfLivingBackgrounds(t *testing.T) {
	s := ofPattern(t, "x = 1, y = 1, rule = B0/S/4\nA!")
	ctx := t.Context()
	area := grid.Rect{X: 100, Y: 100, W: 4, H: 2}
	for g := range uint8(4) {
		see := func(want string) {
			t.Helper()
			got, err := s.Cells(ctx, area)
			must(t, err)
			if rows(got) != want {
				t.Errorf("on background %d: %s, want %s", g, rows(got), want)
			}
		}
		if got := s.Status().Background; got != g {
			t.Fatalf("generation %d has background %d", g, got)
		}
		for state := range uint8(4) {
			must(t, s.Fill(ctx, area, state))
			see(strings.Repeat(strings.Repeat(string('0'+rune(state)), 4)+"/", 2))
			if state != g { // else nothing has changed
				must(t, s.Undo(ctx))
			}
		}
		empty := string('0' + rune(g))
		see(strings.Repeat(strings.Repeat(empty, 4)+"/", 2))
		must(t, s.Paste(ctx, gridOf(t, "0123/3210/"), 100, 100, cells.Replace))
		see("0123/3210/")
		_, err := s.Turn(ctx, area, cells.Across)
		must(t, err)
		see("3210/0123/")
		around := grid.Rect{X: 90, Y: 90, W: 30, H: 30}
		if box, err := s.Shrink(ctx, around); err != nil || box != area {
			t.Errorf("on background %d the cells that differ are in %v, %v", g, box, err)
		}
		must(t, s.Undo(ctx))
		must(t, s.Undo(ctx))
		see(strings.Repeat(strings.Repeat(empty, 4)+"/", 2))
		must(t, s.Scatter(ctx, area, 7, 1))
		see("1111/1111/")
		must(t, s.Fill(ctx, area, g))
		must(t, s.Step(ctx, 1))
		must(t, s.Idle(ctx))
	}
}

func TestAreasRefuse(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	for _, c := range []struct {
		err error
		why string
	}{
		{s.Fill(ctx, grid.Rect{W: 4, H: 4}, 2), "states 0 to 1"},
		{s.Fill(ctx, grid.Rect{W: 0, H: 4}, 1), "without cells"},
		{s.Fill(ctx, grid.Rect{W: 1 << 40, H: 1 << 40}, 1), "at most"},
		{s.Fill(ctx, grid.Rect{X: 1 << 61, W: 4, H: 4}, 1), "too far"},
		{s.Scatter(ctx, grid.Rect{W: 4, H: 4}, 1, 2), "density"},
		{s.Paste(ctx, gridOf(t, "3/"), 0, 0, cells.Or), "states 0 to 1"},
		{func() error { _, err := s.Turn(ctx, grid.Rect{W: 1, H: 1 << 20}, cells.Left); return err }(), "at most"},
	} {
		if c.err == nil || !strings.Contains(c.err.Error(), c.why) {
			t.Errorf("%v, want %s", c.err, c.why)
		}
	}
	if got := cellsOf(look(t, s, scene.Region{W: 3, H: 3})); got != "010001111" || s.Status().Edited {
		t.Errorf("a refused change has changed cells: %s", got)
	}
}

// TestScatter fills an area far from the origin with the soup of its seed; others' areas stay.
func TestScatter(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	area := grid.Rect{X: 1000, Y: -500, W: 100, H: 70}
	must(t, s.Scatter(ctx, area, 7, 0.3))
	got, err := s.Cells(ctx, area)
	must(t, err)
	if n := got.Population(); n < 1800 || n > 2400 {
		t.Errorf("%d of 7000 cells at density 0.3", n)
	}
	must(t, s.Scatter(ctx, area, 7, 0.3))
	if again, err := s.Cells(ctx, area); err != nil || !again.Equal(got) {
		t.Error("the same seed gives other cells")
	}
	if f := look(t, s, scene.Region{W: 3, H: 3}); cellsOf(f) != "010001111" || f.Status.Population != got.Population()+5 {
		t.Errorf("cells elsewhere have changed: %+v", f.Status)
	}
}

// TestTurnsComeBack: four quarters, or a reflection twice, change nothing.
func TestTurnsComeBack(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		w, h := rapid.IntRange(1, 90).Draw(r, "w"), rapid.IntRange(1, 90).Draw(r, "h")
		g, err := grid.New(w, h, 2)
		must(t, err)
		for range rapid.IntRange(0, 20).Draw(r, "cells") {
			g.Set(rapid.IntRange(0, w-1).Draw(r, "x"), rapid.IntRange(0, h-1).Draw(r, "y"),
				rapid.Uint8Range(0, 3).Draw(r, "state"))
		}
		for turns, n := range map[cells.Turn]int{cells.Right: 4, cells.Left: 4, cells.Across: 2, cells.Over: 2} {
			turned := g
			for range n {
				turned, err = turns.Of(turned)
				must(t, err)
			}
			if !turned.Equal(g) {
				r.Fatalf("%d times turn %d is not nothing", n, turns)
			}
		}
	})
}
