package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestSetEngine: another engine takes the universe over as it is, and what is loaded later runs on it, too.
func TestSetEngine(t *testing.T) {
	ctx := t.Context()
	s := start(t, soupOf(t, config(t, "345/2/4", topology.Torus, 70, 50), 0))
	all := scene.Region{W: 70, H: 50}
	must(t, s.Step(ctx, 20))
	want := cellsOf(look(t, s, all))
	reference := func(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, "reference", cfg) }
	must(t, s.SetEngine(ctx, "reference", reference))
	f := look(t, s, all)
	if got := cellsOf(f); got != want || f.Status.Generation != 20 || f.Status.Engine.Engine != "reference" ||
		f.Status.Chosen != "reference" {
		t.Fatalf("the universe that was taken over: %+v", f.Status)
	}
	must(t, s.Undo(ctx)) // the steps
	if f = look(t, s, all); f.Status.Generation != 0 || f.Status.Engine.Engine != "reference" {
		t.Errorf("after undo: %+v", f.Status)
	}
	must(t, s.Step(ctx, 20))
	if got := cellsOf(look(t, s, all)); got != want {
		t.Error("the other engine comes to other cells")
	}
	must(t, s.Load(ctx, origin(t, glider)))
	if got := s.Status().Engine.Engine; got != "reference" {
		t.Errorf("a loaded universe runs on %s", got)
	}

	must(t, s.Play(ctx))
	must(t, s.SetEngine(ctx, "cpu", open))
	if !s.Status().Playing {
		t.Error("a universe that played has stopped")
	}
	must(t, s.Pause(ctx))

	broken := errors.New("no such engine")
	if err := s.SetEngine(ctx, "broken", func(context.Context, sim.Config) (sim.Engine, error) {
		return nil, broken
	}); !errors.Is(err, broken) {
		t.Errorf("SetEngine with an engine that does not open: %v", err)
	}
	if st := s.Status(); st.Chosen != "cpu" || st.Engine.Engine != "cpu" {
		t.Errorf("after an engine that does not open: %+v", st)
	}
}
