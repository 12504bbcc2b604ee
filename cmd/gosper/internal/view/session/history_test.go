package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestUndoIsEverybodysOwn: two people draw at one universe, and each takes back and does again what is their own.
func TestUndoIsEverybodysOwn(t *testing.T) {
	s := start(t, soupOf(t, config(t, "B/S012345678", topology.Torus, 8, 1), 0))
	must(t, s.Load(t.Context(), empty(t, config(t, "B/S012345678", topology.Torus, 8, 1))))
	ann, bob := session.As(t.Context(), 1), session.As(t.Context(), 2)
	shows := func(want string) {
		t.Helper()
		if got := cellsOf(look(t, s, scene.Region{W: 8, H: 1})); got != want {
			t.Fatalf("the cells are %s, want %s", got, want)
		}
	}
	nothing := func(err error) {
		t.Helper()
		if !errors.Is(err, session.ErrNothing) {
			t.Fatalf("%v, want that nothing is left", err)
		}
	}
	draw := func(who context.Context, cells ...session.Cell) {
		t.Helper()
		must(t, s.Edit(who, cells))
	}
	draw(ann, session.Cell{X: 0, State: 1}, session.Cell{X: 1, State: 1})
	draw(bob, session.Cell{X: 1, State: 0}, session.Cell{X: 2, State: 1})
	shows("10100000")
	must(t, s.Undo(ann)) // of her cells, Bob has changed one
	shows("00100000")
	nothing(s.Undo(ann))
	counts := func(undosOfAnn, undosOfBob, redosOfAnn, redosOfBob int) {
		t.Helper()
		st := s.Status()
		got := [4]int{st.Undos(1), st.Undos(2), st.Redos(1), st.Redos(2)}
		if want := [4]int{undosOfAnn, undosOfBob, redosOfAnn, redosOfBob}; got != want {
			t.Errorf("undos of Ann and Bob, redos of Ann and Bob: %v, want %v", got, want)
		}
	}
	counts(0, 1, 1, 0)
	draw(bob, session.Cell{X: 5, State: 1}) // and she can still do hers again
	must(t, s.Redo(ann))
	shows("11100100")
	nothing(s.Redo(ann))
	counts(1, 2, 0, 0)
	drawn := s.Status().Drawn
	must(t, s.Undo(bob))
	must(t, s.Undo(bob))
	if now := s.Status().Drawn; now != drawn+2 {
		t.Errorf("two undos count as %d changes", now-drawn)
	}
	counts(1, 0, 0, 2)
	shows("11000000")
	must(t, s.Redo(bob))
	shows("10100000")

	// A generation is Ann's: Bob does not undo it, nor what lies before it.
	must(t, s.Step(ann, 1))
	must(t, s.Idle(t.Context()))
	nothing(s.Undo(bob))
	nothing(s.Redo(bob))
	draw(bob, session.Cell{X: 7, State: 1})
	nothing(s.Undo(ann))
	counts(0, 1, 0, 0)
	must(t, s.Undo(bob))
	must(t, s.Undo(ann))
	if f := look(t, s, scene.Region{W: 8, H: 1}); f.Status.Generation != 0 || cellsOf(f) != "10100000" {
		t.Errorf("after undo: generation %d, cells %s", f.Status.Generation, cellsOf(f))
	}

	// Bob goes on with what Ann has begun to run. An undo of one person does not take back the other person's
	// generations.
	must(t, s.Step(ann, 1))
	must(t, s.Idle(t.Context()))
	must(t, s.Step(bob, 1))
	must(t, s.Idle(t.Context()))
	nothing(s.Undo(ann))
	must(t, s.Undo(bob))
	if st := look(t, s, scene.Region{W: 8, H: 1}).Status; st.Generation != 1 {
		t.Errorf("after Bob's undo: generation %d, want 1", st.Generation)
	}

	// A newcomer has nothing to undo, and does not stop what runs.
	must(t, s.Play(ann))
	nothing(s.Undo(session.As(t.Context(), 3)))
	if !s.Status().Playing {
		t.Error("an undo that was refused has stopped the universe")
	}
}

// empty is an origin without cells.
func empty(t *testing.T, cfg sim.Config) session.Origin {
	t.Helper()
	return session.Origin{Config: cfg, Load: func(context.Context, sim.Engine, func(done, total uint64)) error {
		return nil
	}}
}

// TestEditedPatternsHaveOtherNames: files and viewers get a name that says so, until everything is taken back.
func TestEditedPatternsHaveOtherNames(t *testing.T) {
	s := ofPattern(t, "#N three\nx = 3, y = 1, rule = B3/S23\n3o!")
	ctx := t.Context()
	named := func(want string) {
		t.Helper()
		st := s.Status()
		var saved, kept string
		must(t, s.Read(ctx, func(_ grid.Source, meta pattern.Meta) error {
			saved = meta.Name
			return nil
		}))
		must(t, s.Keep(ctx, func(_ grid.Source, from session.Origin) error {
			kept = from.Meta.Name
			return nil
		}))
		if st.Title() != want || saved != want || kept != want {
			t.Errorf("shown as %q, saved as %q, kept as %q, want %q", st.Title(), saved, kept, want)
		}
	}
	draw := func(by session.Person, x int) { must(t, s.Edit(session.As(ctx, by), []session.Cell{{X: x, State: 1}})) }
	named("three")
	must(t, s.Step(ctx, 1))
	must(t, s.Idle(ctx))
	named("three")
	draw(0, 10)
	draw(0, 11)
	named("three, edited")
	must(t, s.Undo(ctx))
	named("three, edited")
	must(t, s.Undo(ctx))
	named("three")
	must(t, s.Redo(ctx))
	named("three, edited")
	must(t, s.Undo(ctx))
	must(t, s.Fill(ctx, grid.Rect{X: 1, W: 1, H: 1}, 0))
	named("three, edited")
	must(t, s.Undo(ctx))
	named("three")
	draw(1, 10)
	draw(2, 11)
	must(t, s.Undo(session.As(ctx, 1)))
	named("three, edited") // the other person's cell is there
	must(t, s.Reset(ctx))
	named("three")
	must(t, s.SetRule(ctx, "B36/S23"))
	named("three, edited")
	must(t, s.Undo(ctx))
	named("three")

	s = ofPattern(t, "#N three, edited\nx = 3, y = 1, rule = B3/S23\n3o!")
	draw(0, 10)
	named("three, edited")
	s = ofPattern(t, glider)
	draw(0, 10)
	named("")
}

// TestUndoBringsBackWhatWasLoaded: the universe before a load comes back with its number, name, graph and start.
func TestUndoBringsBackWhatWasLoaded(t *testing.T) {
	s := ofPattern(t, "#N one\nx = 3, y = 1, rule = B3/S23\n3o!")
	ctx := t.Context()
	must(t, s.Edit(ctx, []session.Cell{
		{X: 10, State: 1},
		{X: 11, State: 1},
		{X: 10, Y: 1, State: 1},
		{X: 11, Y: 1, State: 1},
	}))
	for range 5 {
		must(t, s.Step(ctx, 1))
		look(t, s, scene.Region{W: 1, H: 1})
	}
	before := s.Status()
	samples, err := s.Series(ctx)
	must(t, err)
	must(t, s.Load(ctx, origin(t, "#N two\n"+glider)))
	look(t, s, scene.Region{W: 1, H: 1})
	if st := s.Status(); st.Loaded == before.Loaded || st.Name != "two" {
		t.Fatalf("after a load: %+v", st)
	}
	must(t, s.Undo(ctx))
	look(t, s, scene.Region{W: 1, H: 1})
	if st := s.Status(); st.Loaded != before.Loaded || st.Name != "one" || st.Generation != 5 || st.Population != 7 {
		t.Errorf("after undo: %+v", st)
	}
	if again, err := s.Series(ctx); err != nil || len(again) != len(samples) {
		t.Errorf("the graph has %d samples, had %d", len(again), len(samples))
	}
	must(t, s.Reset(ctx)) // to what was drawn first
	if f := look(t, s, scene.Region{W: 1, H: 1}); f.Status.Population != 7 || f.Status.Generation != 0 {
		t.Errorf("after reset: %+v", f.Status)
	}
}
