package session_test

import (
	"context"
	"errors"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// slowly is an origin whose loading waits for a signal, and says when it has begun.
func slowly(from session.Origin) (slow session.Origin, begun <-chan struct{}, release chan<- struct{}) {
	b, r := make(chan struct{}), make(chan struct{})
	load := from.Load
	from.Load = func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
		progress(1, 4)
		close(b)
		select {
		case <-r:
		case <-ctx.Done():
			return ctx.Err()
		}
		return load(ctx, e, progress)
	}
	return from, b, r
}

// TestNobodyWaitsForALoad: while one person's universe is being loaded, the present one can be watched, edited and
// played.
func TestNobodyWaitsForALoad(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	next, begun, release := slowly(soupOf(t, config(t, "B3/S23", topology.Torus, 64, 64), 0))
	loaded := make(chan error)
	go func() { loaded <- s.Load(ctx, next) }()
	<-begun
	if p := s.Status().Loading; p == nil || *p != (session.Progress{Done: 1, Total: 4}) {
		t.Errorf("while it is loaded: progress %v", p)
	}
	must(t, s.Step(ctx, 4))
	must(t, s.Idle(ctx))
	must(t, s.Edit(ctx, []session.Cell{{X: -20, State: 1}}))
	f := look(t, s, scene.Region{X: 1, Y: 1, W: 3, H: 3})
	if cellsOf(f) != "010001111" || f.Status.Population != 6 {
		t.Errorf("the present universe: %s, %+v", cellsOf(f), f.Status)
	}
	if err := s.Load(ctx, next); !errors.Is(err, session.ErrMaking) {
		t.Errorf("a second load: %v", err)
	}
	close(release)
	must(t, <-loaded)
	if st := s.Status(); st.Topology.W != 64 || st.Loading != nil || st.Generation != 0 {
		t.Errorf("after the load: %+v", st)
	}
	must(t, s.Undo(ctx))
	if f := look(t, s, f.Region); cellsOf(f) != "010001111" || f.Status.Generation != 4 || f.Status.Population != 6 {
		t.Errorf("after undo: %s, %+v", cellsOf(f), f.Status)
	}
}

// TestLoadsEndWithTheirPerson: who asks for a universe and leaves leaves nothing behind, and a session closes
// while one is loaded.
func TestLoadsEndWithTheirPerson(t *testing.T) {
	s := ofPattern(t, glider)
	for _, closed := range []bool{false, true} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		next, begun, _ := slowly(soupOf(t, config(t, "B3/S23", topology.Torus, 64, 64), 0))
		loaded := make(chan error)
		go func() { loaded <- s.Load(ctx, next) }()
		<-begun
		want := context.Canceled
		if cancel(); closed {
			want = session.ErrClosed
			must(t, s.Close())
		}
		if err := <-loaded; !errors.Is(err, want) && !errors.Is(err, context.Canceled) {
			t.Errorf("the load ends with %v, want %v", err, want)
		}
		if !closed {
			if f := look(t, s, scene.Region{W: 3, H: 3}); cellsOf(f) != "010001111" || f.Status.Loading != nil {
				t.Errorf("after it: %+v", f.Status)
			}
		}
	}
}

// TestFirstUniverseComesLater: viewers attach to a session that has nothing to show yet, and commands say so.
func TestFirstUniverseComesLater(t *testing.T) {
	ctx := t.Context()
	found := make(chan struct{})
	s := session.Start(ctx, open, func(ctx context.Context) (session.Origin, error) {
		select {
		case <-found:
			return origin(t, glider), nil
		case <-ctx.Done():
			return session.Origin{}, ctx.Err()
		}
	})
	defer s.Close()
	f := look(t, s, scene.Region{W: 3, H: 3})
	if f.Status.Loading == nil || f.Status.Loaded != 0 || f.Status.Rule != "" || cellsOf(f) != "000000000" {
		t.Errorf("before the universe is there: %s, %+v", cellsOf(f), f.Status)
	}
	for name, err := range map[string]error{
		"play": s.Play(ctx), "step": s.Step(ctx, 1), "jump": s.Jump(ctx, 5), "edit": s.Edit(ctx, []session.Cell{{State: 1}}),
		"reset": s.Reset(ctx),
		"rule":  s.SetRule(ctx, "B36/S23"), "undo": s.Undo(ctx), "redo": s.Redo(ctx), "load": s.Load(ctx, origin(t, glider)),
		"read": s.Read(ctx, nil),
	} {
		if !errors.Is(err, session.ErrMaking) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, s.SetSpeed(ctx, session.Speed{}))
	close(found)
	must(t, s.Ready(ctx))
	if f = look(t, s, f.Region); cellsOf(f) != "010001111" || f.Status.Loaded != 1 || f.Status.Loading != nil {
		t.Errorf("when it is there: %s, %+v", cellsOf(f), f.Status)
	}
	if f.Status.Undos(0) > 0 {
		t.Error("there is something to undo")
	}

	bad := session.Start(ctx, open, func(context.Context) (session.Origin, error) {
		return session.Origin{}, errors.New("torn file")
	})
	if err := bad.Ready(ctx); err == nil || err.Error() != "torn file" {
		t.Errorf("what cannot be found: %v", err)
	}
	must(t, bad.Close())
}

// TestManyCellsAreDrawnInPieces: a drawing that takes long lets others in between, and is one thing to undo all
// the same.
func TestManyCellsAreDrawnInPieces(t *testing.T) {
	s := start(t, empty(t, config(t, "B/S012345678", topology.Torus, 8192, 8192)))
	ctx := t.Context()
	var cells []session.Cell
	for i := range 1 << 15 {
		cells = append(cells, session.Cell{X: i % 128 * 64, Y: i / 128 * 32, State: 1})
	}
	version := s.Status().Version
	must(t, s.Edit(ctx, cells))
	if f := look(t, s, scene.Region{W: 1, H: 1}); f.Status.Population != 1<<15 || f.Status.Version == version+1 {
		t.Errorf("population %d after %d pieces", f.Status.Population, f.Status.Version-version)
	}
	must(t, s.Undo(ctx))
	if f := look(t, s, scene.Region{W: 1, H: 1}); f.Status.Population != 0 || f.Status.Undos(0) > 0 {
		t.Errorf("after undo: population %d, %v", f.Status.Population, f.Status.Undos(0))
	}
	must(t, s.Redo(ctx))
	if f := look(t, s, scene.Region{W: 1, H: 1}); f.Status.Population != 1<<15 {
		t.Errorf("after redo: population %d", f.Status.Population)
	}
}

// TestUniversesHaveNames: a universe keeps its name while it runs and is changed, and after others have come and gone.
// All others have other names, also in other sessions.
func TestUniversesHaveNames(t *testing.T) {
	s, other := ofPattern(t, "bo$2bo$3o!"), ofPattern(t, "bo$2bo$3o!")
	name := func() string { return s.Status().Universe }
	first := name()
	if first == "" || first == other.Status().Universe {
		t.Errorf("two sessions have the universes %q and %q", first, other.Status().Universe)
	}
	must(t, s.Jump(t.Context(), 8))
	must(t, s.Idle(t.Context()))
	must(t, s.Edit(t.Context(), []session.Cell{{X: 1, State: 1}}))
	must(t, s.SetRule(t.Context(), "B36/S23"))
	must(t, s.Reset(t.Context()))
	if name() != first {
		t.Errorf("what was %q is %q", first, name())
	}
	must(t, s.Load(t.Context(), origin(t, "bo$2bo$3o!")))
	if second := name(); second == first || second == "" {
		t.Errorf("after %q came %q", first, second)
	}
	must(t, s.Undo(t.Context()))
	if name() != first {
		t.Errorf("%q came back as %q", first, name())
	}
	void := session.Start(t.Context(), open, func(ctx context.Context) (session.Origin, error) {
		<-ctx.Done()
		return session.Origin{}, ctx.Err()
	})
	t.Cleanup(func() { must(t, void.Close()) })
	if got := void.Status().Universe; got != "" {
		t.Errorf("before there is a universe it is %q", got)
	}
}
