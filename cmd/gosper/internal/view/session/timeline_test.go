package session_test

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestTimeline goes to and fro in the life of a universe, and draws at some generations. The picture always agrees
// with a new engine that runs the same history. Cells that were drawn after the generation that it went back to are
// not part of this history.
func TestTimeline(t *testing.T) {
	const side = 24
	all := scene.Region{W: side, H: side}
	rapid.Check(t, func(r *rapid.T) {
		from := soupOf(t, config(t, "B3/S23", topology.Torus, side, side), 0)
		s := start(t, from)
		ctx := t.Context()
		type drawn struct {
			at   uint64
			cell session.Cell
		}
		var life []drawn
		now := uint64(0)
		for range rapid.IntRange(1, 12).Draw(r, "deeds") {
			switch rapid.IntRange(0, 3).Draw(r, "deed") {
			case 0:
				n := rapid.Uint64Range(1, 40).Draw(r, "steps")
				must(t, s.Step(ctx, n))
				now += n
			case 1, 2:
				to := rapid.Uint64Range(0, 120).Draw(r, "generation")
				must(t, s.Jump(ctx, to))
				for to < now && len(life) > 0 && life[len(life)-1].at > to {
					life = life[:len(life)-1]
				}
				now = to
			case 3:
				c := session.Cell{
					X: rapid.IntRange(0, side-1).Draw(r, "x"), Y: rapid.IntRange(0, side-1).Draw(r, "y"),
					State: rapid.Uint8Range(0, 1).Draw(r, "state"),
				}
				must(t, s.Edit(ctx, []session.Cell{c}))
				life = append(life, drawn{now, c})
			}
			must(t, s.Idle(ctx))
		}
		e, err := open(ctx, from.Config)
		must(t, err)
		defer e.Close()
		must(t, from.Load(ctx, e, progress))
		step := func(to uint64) {
			if to > e.Generation() {
				_, err := e.Step(ctx, to-e.Generation())
				must(t, err)
			}
		}
		for _, d := range life {
			step(d.at)
			must(t, e.WriteRow([]uint64{uint64(d.cell.State)}, 0, d.cell.X, d.cell.Y, 1))
		}
		step(now)
		var want session.Frame
		must(t, want.Read(e, all, scene.Unlimited))
		if f := look(t, s, all); f.Status.Generation != now || cellsOf(f) != cellsOf(&want) {
			r.Fatalf("generation %d, want %d; cells drawn: %+v", f.Status.Generation, now, life)
		}
		samples, err := s.Series(ctx)
		must(t, err)
		for i := 1; i < len(samples); i++ {
			if samples[i].Generation <= samples[i-1].Generation {
				r.Fatalf("the graph goes back at %+v", samples[i])
			}
		}
	})
}

// TestTimelineIsKept: going back is to a copy, not to the start, and undo goes back to before everything was run.
func TestTimelineIsKept(t *testing.T) {
	loads := 0
	from := origin(t, glider)
	load := from.Load
	from.Load = func(ctx context.Context, e sim.Engine, progress func(done, total uint64)) error {
		loads++
		return load(ctx, e, progress)
	}
	s := start(t, from)
	ctx := t.Context()
	must(t, s.Step(ctx, 100))
	must(t, s.Idle(ctx))
	for _, g := range []uint64{60, 99, 3, 100, 0} {
		must(t, s.Jump(ctx, g))
		must(t, s.Idle(ctx))
		if st := s.Status(); st.Generation != g {
			t.Fatalf("at generation %d, want %d", st.Generation, g)
		}
	}
	must(t, s.Step(ctx, 20))
	must(t, s.Back(ctx, 5)) // from where the step ends, whether it has ended or not
	must(t, s.Back(ctx, 5))
	must(t, s.Idle(ctx))
	if st := s.Status(); st.Generation != 10 {
		t.Errorf("20 generations on and twice 5 back lead to generation %d", st.Generation)
	}
	must(t, s.Back(ctx, 11))
	must(t, s.Idle(ctx))
	if err := s.Back(ctx, 1); s.Status().Generation != 0 || err == nil {
		t.Errorf("back at generation %d: error %v", s.Status().Generation, err)
	}
	if loads != 1 {
		t.Errorf("the pattern was loaded %d times", loads)
	}
	samples, err := s.Series(ctx)
	must(t, err)
	if n := len(samples); n == 0 || samples[n-1].Generation != 100 {
		t.Errorf("the graph has forgotten what comes: %+v", samples)
	}
	must(t, s.Jump(ctx, 50))
	must(t, s.Idle(ctx))
	must(t, s.Undo(ctx))
	if st := s.Status(); st.Generation != 0 || st.Undos(0) > 0 {
		t.Errorf("undo goes to %+v", st)
	}
}
