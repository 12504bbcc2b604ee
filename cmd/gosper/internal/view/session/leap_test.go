package session_test

import (
	"context"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/hashlife"
)

// TestLeaps: an engine that leaps is stepped by powers of two that divide the generation, longer and longer.
func TestLeaps(t *testing.T) {
	type step struct{ g, n uint64 }
	steps := make(chan step, 1<<16)
	far := make(chan struct{}, 1) // room for one: the engine may be at the end of time before the test waits
	from := origin(
		t, "x = 36, y = 9, rule = B3/S23\n24bo$22bobo$12b2o6b2o12b2o$11bo3bo4b2o12b2o$2o8bo5bo3b2o$2o8bo3bob2o4bobo$10bo5bo7bo$11bo3bo$12b2o!")
	s, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := sim.Open(ctx, "hashlife", cfg)
		return stepper{e, func(ctx context.Context, n uint64) (uint64, error) {
			select {
			case steps <- step{e.Generation(), n}:
			default:
			}
			if e.Generation() >= 1<<30 {
				select {
				case far <- struct{}{}:
				default:
				}
			}
			return e.Step(ctx, n)
		}}, err
	}, from)
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	must(t, s.SetSpeed(t.Context(), session.Speed{}))
	must(t, s.Play(t.Context()))
	<-far
	must(t, s.Pause(t.Context()))
	for range len(steps) {
		if at := <-steps; at.n&(at.n-1) != 0 || at.g%at.n != 0 {
			t.Errorf("a step of %d generations from generation %d", at.n, at.g)
		}
	}
	must(t, s.Jump(t.Context(), 1000))
	must(t, s.Idle(t.Context()))
	if st := s.Status(); st.Generation != 1000 || st.Failure != "" {
		t.Errorf("after a jump to generation 1000: %+v", st)
	}
}
