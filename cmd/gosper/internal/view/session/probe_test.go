package session_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// TestActivity: the share of cells that differ from six generations before, of a torus or of the box that cells
// began in.
func TestActivity(t *testing.T) {
	for name, c := range map[string]struct {
		pattern string
		w, h    int
	}{
		"a blinker and a block repeat themselves": {"x = 8, y = 2, rule = B3/S23:T10,10\n3o3b2o$6b2o!", 10, 10},
		"a glider does not":                       {"x = 3, y = 3, rule = B3/S23:T10,10\nbob$2bo$3o!", 10, 10},
		"a glider leaves its box":                 {glider, 3, 3},
		"states that die":                         {"x = 2, y = 2, rule = /2/5:T8,8\n2A$2B!", 8, 8},
		"a background that blinks":                {"x = 3, y = 1, rule = B03/S23\n3o!", 3, 1},
	} {
		s := ofPattern(t, c.pattern)
		region := scene.Region{W: c.w, H: c.h}
		before := cellsOf(look(t, s, region))
		must(t, s.Step(t.Context(), 6))
		after := cellsOf(look(t, s, region))
		changed := 0
		for i := range before {
			if before[i] != after[i] {
				changed++
			}
		}
		samples, err := s.Series(t.Context())
		must(t, err)
		if got, want := samples[len(samples)-1].Activity, float64(changed)/float64(c.w*c.h); got != want {
			t.Errorf("%s: activity %v, want %v", name, got, want)
		}
	}
}

// stepper is an engine whose steps are watched.
type stepper struct {
	sim.Engine
	step func(ctx context.Context, n uint64) (uint64, error)
}

func (s stepper) Step(ctx context.Context, n uint64) (uint64, error) { return s.step(ctx, n) }

// watched plays a soup of 64² cells on an engine that steps as step has it.
func watched(t *testing.T, step func(e sim.Engine) func(ctx context.Context, n uint64) (uint64,
	error),
) *session.Session {
	t.Helper()
	s, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := open(ctx, cfg)
		return stepper{e, step(e)}, err
	}, soupOf(t, config(t, "B3/S23", topology.Torus, 64, 64), 64))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	must(t, s.SetSpeed(t.Context(), session.Speed{}))
	must(t, s.Play(t.Context()))
	return s
}

// TestNoShortSteps: an engine that takes many generations at a time gets no shorter steps for being watched,
// which would have it compute again what repeats.
func TestNoShortSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var steps []uint64
		s := watched(t, func(e sim.Engine) func(context.Context, uint64) (uint64, error) {
			return func(ctx context.Context, n uint64) (uint64, error) {
				steps = append(steps, n)
				time.Sleep(time.Duration(n) * 100 * time.Microsecond)
				return e.Step(ctx, n)
			}
		})
		for { // until activity has been measured twice
			samples, err := s.Series(t.Context())
			must(t, err)
			if n := len(samples); n > 2 && samples[n-1].Activity >= 0 && samples[n-1].Activity != samples[1].Activity {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		must(t, s.Pause(t.Context()))
		long, short := 0, 0
		for _, n := range steps {
			switch {
			case n >= 6:
				long++
			case long > 0: // the steps have found their length
				short++
			}
		}
		if long < 10 || short > 0 {
			t.Errorf("%d steps of 6 generations or more, then %d shorter ones", long, short)
		}
	})
}

// TestStepsThatTakeTooLongEnd: commands take effect even if a step suddenly never ends that took no time before.
func TestStepsThatTakeTooLongEnd(t *testing.T) {
	slow := make(chan struct{}, 1)
	s := watched(t, func(e sim.Engine) func(context.Context, uint64) (uint64, error) {
		return func(ctx context.Context, n uint64) (uint64, error) {
			if n < 100 {
				return e.Step(ctx, n)
			}
			done, err := e.Step(ctx, 12)
			if err != nil {
				return done, err
			}
			select {
			case slow <- struct{}{}:
			default:
			}
			<-ctx.Done()
			return done, ctx.Err()
		}
	})
	<-slow
	must(t, s.Pause(t.Context()))
	if st := s.Status(); st.Playing || st.Failure != "" || st.Generation == 0 {
		t.Errorf("after a step that was cut short: %+v", st)
	}
}
