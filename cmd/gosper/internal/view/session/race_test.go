package session_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
)

const gunRLE = "x = 36, y = 9, rule = B3/S23\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$" +
	"2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!"

// rival is an engine that never gets anywhere.
type rival struct {
	sim.Engine
	stepped chan struct{} // holds a token once it has been stepped
	closed  atomic.Bool
}

func (r *rival) Step(ctx context.Context, _ uint64) (uint64, error) {
	select {
	case r.stepped <- struct{}{}:
	default:
	}
	<-ctx.Done()
	return 0, ctx.Err()
}

func (r *rival) Info() sim.Info { return sim.Info{Engine: "rival", Leaps: true} }

func (r *rival) Close() error {
	r.closed.Store(true)
	return r.Engine.Close()
}

// racing is a session with a gun on an engine that takes a millisecond for a generation, and with a rival. own counts
// the generations of the engine.
func racing(t *testing.T, open session.Opener) (s *session.Session, own *atomic.Uint64) {
	t.Helper()
	own = new(atomic.Uint64)
	slow := func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := sim.Open(ctx, "cpu", cfg)
		return stepper{e, func(ctx context.Context, n uint64) (uint64, error) {
			time.Sleep(time.Duration(min(n, 1000)) * time.Millisecond)
			own.Add(n)
			return e.Step(ctx, n)
		}}, err
	}
	s = session.StartOn(t.Context(), session.Terms{Rival: open}, slow,
		func(context.Context) (session.Origin, error) { return origin(t, gunRLE), nil })
	t.Cleanup(func() { must(t, s.Close()) })
	must(t, s.Ready(t.Context()))
	return s, own
}

func hashed(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	return sim.Open(ctx, "hashlife", cfg)
}

// gunAt is hashed life with the gun at a generation.
func gunAt(t *testing.T, generation uint64) sim.Engine {
	t.Helper()
	from := origin(t, gunRLE)
	e, err := hashed(t.Context(), from.Config)
	must(t, err)
	t.Cleanup(func() { must(t, e.Close()) })
	must(t, from.Load(t.Context(), e, progress))
	_, err = e.Step(t.Context(), generation)
	must(t, err)
	return e
}

// TestJumpRaces: a gun goes a million generations by hashed life, in bounded memory, and goes on by the session's own
// engine. One undo takes the jump back.
func TestJumpRaces(t *testing.T) {
	const target = 1_000_000
	memory := uint64(0)
	s, own := racing(t, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		memory = cfg.Memory
		return hashed(ctx, cfg)
	})
	ann, bob := session.As(t.Context(), 1), session.As(t.Context(), 2)
	must(t, s.Jump(ann, target))
	if st := s.Status(); !st.Playing || st.Target != target {
		t.Errorf("on the way: %+v", st)
	}
	must(t, s.Idle(t.Context()))
	st := s.Status()
	if st.Generation != target || st.Failure != "" || st.Engine.Engine != "cpu" || own.Load() > target/2 {
		t.Errorf("generation %d, engine %s, which ran %d generations, %s", st.Generation, st.Engine.Engine, own.Load(),
			st.Failure)
	}
	if memory == 0 || memory > 256<<20 {
		t.Errorf("the rival was given %d bytes", memory)
	}
	e := gunAt(t, target)
	population, err := e.Population()
	must(t, err)
	box, err := e.Extent()
	must(t, err)
	if st.Population != population || st.Box != box {
		t.Errorf("population %d in %v, want %d in %v", st.Population, st.Box, population, box)
	}
	sameCells(t, look(t, s, scene.Region{X: box.X + box.W - 1000, Y: box.Y + box.H - 1000, W: 1000, H: 1000}), e)
	if st.Undos(2) > 0 || !errors.Is(s.Undo(bob), session.ErrNothing) {
		t.Error("somebody else can take the jump back")
	}
	must(t, s.Undo(ann))
	if st := look(t, s, scene.Region{W: 8, H: 8}).Status; st.Generation != 0 || st.Population != 36 || st.Undos(1) > 0 {
		t.Errorf("after undo: generation %d, %d cells, undo %v", st.Generation, st.Population, st.Undos(1))
	}
}

// TestJumpTooFar: cells that are too far apart for the session's own engine stay in the one that has won.
func TestJumpTooFar(t *testing.T) {
	s, _ := racing(t, hashed)
	must(t, s.Jump(t.Context(), 1e12))
	must(t, s.Idle(t.Context()))
	if st := s.Status(); st.Generation != 1e12 || st.Engine.Engine != "hashlife" || st.Failure != "" {
		t.Errorf("generation %d, engine %s, %s", st.Generation, st.Engine.Engine, st.Failure)
	}
	must(t, s.Jump(t.Context(), 30))
	must(t, s.Idle(t.Context()))
	live := uint64(0) // the status has it a little later
	must(t, s.ReadHeld(t.Context(), func(src grid.Source, _ pattern.Meta) error {
		counts, err := grid.StateCounts(src, 2)
		live = counts[1]
		return err
	}))
	if st := s.Status(); st.Generation != 30 || st.Engine.Engine != "cpu" || live != 41 {
		t.Errorf("back: generation %d, engine %s, %d cells", st.Generation, st.Engine.Engine, live)
	}
}

// TestRacesEnd: a jump that somebody pauses stays where it is, and its rival is dropped, as it is if another universe
// comes or somebody chooses an engine.
func TestRacesEnd(t *testing.T) {
	for name, end := range map[string]func(s *session.Session) error{
		"pause": func(s *session.Session) error { return s.Pause(t.Context()) },
		"load":  func(s *session.Session) error { return s.Load(t.Context(), origin(t, gunRLE)) },
		"rule":  func(s *session.Session) error { return s.SetRule(t.Context(), "B36/S23") },
		"reset": func(s *session.Session) error { return s.Reset(t.Context()) },
		"undo":  func(s *session.Session) error { return s.Undo(t.Context()) },
		"jump":  func(s *session.Session) error { return s.Jump(t.Context(), 0) },
		"close": func(s *session.Session) error { return s.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			stepped := make(chan *rival, 1)
			s, _ := racing(t, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
				e, err := hashed(ctx, cfg)
				if err != nil { // the turn ended meanwhile, so it is opened again
					return nil, err
				}
				r := &rival{Engine: e, stepped: make(chan struct{}, 1)}
				stepped <- r
				return r, nil
			})
			must(t, s.Jump(t.Context(), 1e9))
			r := <-stepped
			<-r.stepped
			must(t, end(s))
			_, err := s.Series(t.Context()) // the engine's goroutine has gone on
			if closed := r.closed.Load(); !closed || name != "close" && err != nil {
				t.Errorf("the rival is closed: %v, %v", closed, err)
			}
			if st := s.Status(); name != "close" && (st.Playing || st.Generation >= 1e9) {
				t.Errorf("playing %v at generation %d", st.Playing, st.Generation)
			}
			if st := s.Status(); name == "pause" {
				sameCells(t, look(t, s, scene.Region{X: -100, Y: -100, W: 1000, H: 1000}), gunAt(t, st.Generation))
			}
		})
	}
}

// TestEditsDuringJumps: cells that somebody draws during a jump are in what comes out, because the rival begins again
// with them. Both people take back what they have done, and nothing else.
func TestEditsDuringJumps(t *testing.T) {
	const target = 100_000
	first := &rival{stepped: make(chan struct{}, 1)}
	opened := 0
	s, own := racing(t, func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := hashed(ctx, cfg)
		if err != nil { // the turn ended meanwhile, so it is opened again
			return nil, err
		}
		if opened++; opened == 1 {
			first.Engine = e
			return first, nil
		}
		return e, nil
	})
	ann, bob := session.As(t.Context(), 1), session.As(t.Context(), 2)
	must(t, s.Jump(ann, target))
	<-first.stepped
	block := []session.Cell{{-500, -500, 1}, {-499, -500, 1}, {-500, -499, 1}, {-499, -499, 1}}
	must(t, s.Edit(bob, block))
	if !first.closed.Load() {
		t.Error("the rival goes on with earlier cells")
	}
	must(t, s.Idle(t.Context()))
	alone, err := gunAt(t, target).Population()
	must(t, err)
	st := s.Status()
	if st.Generation != target || st.Population != alone+4 || opened != 2 || own.Load() > target/2 {
		t.Errorf("generation %d, %d cells, want %d; %d rivals, %d generations of the engine", st.Generation, st.Population,
			alone+4, opened, own.Load())
	}
	if err := s.Undo(ann); !errors.Is(err, session.ErrNothing) {
		t.Errorf("undo of a jump during which another person has drawn: %v", err)
	}
	must(t, s.Undo(bob))
	if st := look(t, s, scene.Region{W: 8, H: 8}).Status; st.Generation != target || st.Population != alone {
		t.Errorf("without the block: generation %d, %d cells, want %d", st.Generation, st.Population, alone)
	}
	must(t, s.Undo(ann))
	if st := look(t, s, scene.Region{W: 8, H: 8}).Status; st.Generation != 0 || st.Population != 36 {
		t.Errorf("without the jump: generation %d, %d cells", st.Generation, st.Population)
	}
}

// TestJumpsBackAreUndoneAtOnce: a jump to an earlier generation is one thing to undo, also after what others have run.
func TestJumpsBackAreUndoneAtOnce(t *testing.T) {
	s := ofPattern(t, gunRLE)
	ann, bob := session.As(t.Context(), 1), session.As(t.Context(), 2)
	must(t, s.Step(bob, 100))
	must(t, s.Idle(t.Context()))
	must(t, s.Jump(ann, 50))
	must(t, s.Idle(t.Context()))
	if st := s.Status(); st.Generation != 50 {
		t.Fatalf("generation %d", st.Generation)
	}
	must(t, s.Undo(ann))
	if st := s.Status(); st.Generation != 100 || st.Undos(1) > 0 || st.Undos(2) == 0 {
		t.Errorf("generation %d, undo %v and %v", st.Generation, st.Undos(1), st.Undos(2))
	}
}
