package session_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	_ "github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/topology"
)

func open(ctx context.Context, cfg sim.Config) (sim.Engine, error) { return sim.Open(ctx, "cpu", cfg) }

// ofPattern is a session that pauses at the start of a pattern.
func ofPattern(t *testing.T, rle string) *session.Session {
	t.Helper()
	return start(t, origin(t, rle))
}

// origin is a pattern to start from.
func origin(t *testing.T, rle string) session.Origin {
	t.Helper()
	p, err := pattern.Read(strings.NewReader(rle), "x.rle")
	if err != nil {
		t.Fatal(err)
	}
	from, err := session.FromPattern(t.Context(), p, "", sim.Config{})
	if err != nil {
		t.Fatal(err)
	}
	return from
}

func start(t *testing.T, from session.Origin) *session.Session {
	t.Helper()
	s, err := session.New(t.Context(), open, from)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// patience is the longest time that a test waits for an event. It is long because the machine may be busy.
const patience = 2 * time.Minute

// look is a frame of a session at rest.
func look(t *testing.T, s *session.Session, r scene.Region) *session.Frame {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := s.Idle(ctx); err != nil {
		t.Fatal(err)
	}
	var f session.Frame
	if err := s.Frame(ctx, r, 0, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

const glider = "x = 3, y = 3, rule = B3/S23\nbob$2bo$3o!"

func TestGliderFliesBackAndForth(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	if err := s.Step(ctx, 4); err != nil {
		t.Fatal(err)
	}
	f := look(t, s, scene.Region{X: 1, Y: 1, W: 3, H: 3})
	want := "010001111"
	if got := cellsOf(f); got != want || f.Status.Generation != 4 || f.Status.Population != 5 {
		t.Errorf("after 4 generations: cells %s, want %s; status %+v", got, want, f.Status)
	}
	if err := s.Undo(ctx); err != nil {
		t.Fatal(err)
	}
	f = look(t, s, scene.Region{W: 3, H: 3})
	if got := cellsOf(f); got != want || f.Status.Generation != 0 {
		t.Errorf("after undo: cells %s, want %s; status %+v", got, want, f.Status)
	}
}

func cellsOf(f *session.Frame) string {
	var b strings.Builder
	for y := range f.H {
		for x := range f.W {
			b.WriteByte('0' + f.State(x, y))
		}
	}
	return b.String()
}

// progress is told how far a Load is.
func progress(_, _ uint64) {}

// TestStepsAddUp: steps that come faster than they are done are all done.
func TestStepsAddUp(t *testing.T) {
	s := ofPattern(t, glider)
	for range 50 {
		if err := s.Step(t.Context(), 2); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Idle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if g := s.Status().Generation; g != 100 {
		t.Errorf("generation %d after 50 steps of 2", g)
	}
}

// TestEveryCallReturns: a command that arrives while a playing session is being closed is carried out or refused.
// None waits forever.
func TestEveryCallReturns(t *testing.T) {
	for range 25 {
		s, err := session.New(t.Context(), open, origin(t, "x = 3, y = 1, rule = B3/S23\n3o!\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(s.SetSpeed(t.Context(), session.Speed{}), s.Play(t.Context())); err != nil {
			t.Fatal(err)
		}
		var callers sync.WaitGroup
		for range 8 {
			callers.Go(func() {
				for {
					if err := s.SetSpeed(t.Context(), session.Speed{}); err != nil {
						if !errors.Is(err, session.ErrClosed) {
							t.Error(err)
						}
						return
					}
				}
			})
		}
		time.Sleep(time.Millisecond)
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		returned := make(chan struct{})
		go func() {
			callers.Wait()
			close(returned)
		}()
		select {
		case <-returned:
		case <-time.After(patience):
			t.Fatal("a command waits for a session that is closed")
		}
	}
}

// TestLargeRegionsAreOfVolumes: only a volume gives more cells at once than a plane does.
func TestLargeRegionsAreOfVolumes(t *testing.T) {
	s := ofPattern(t, glider)
	region := scene.Region{W: 1 << 12, H: 1<<10 + 1}
	for ruleText, refused := range map[string]bool{"B3/S23": true, "3D4,5/5": false} {
		cfg := config(t, ruleText, topology.Torus, 8, 8)
		if !refused {
			var err error
			if cfg.Topology, err = topology.NewVolume(topology.Torus, 4, 4, 4); err != nil {
				t.Fatal(err)
			}
		}
		from, err := session.FromSoup(cfg, cfg.Topology.W, cfg.Topology.H, 7, 0.4)
		if err != nil {
			t.Fatal(err)
		}
		must(t, s.Load(t.Context(), from))
		var f session.Frame
		must(t, s.Frame(t.Context(), region, 0, &f))
		if (f.Err != nil) != refused || f.Status.Population == 0 {
			t.Errorf("%s: %v", ruleText, f.Err)
		}
	}
}
