package run_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/run"
)

// rememberer is an engine that takes so long for any step, and knows what it has found out when it is cut short.
type rememberer struct {
	fake
	took   time.Duration
	spent  time.Duration
	closed bool
}

func (r *rememberer) Step(ctx context.Context, n uint64) (uint64, error) {
	begin := time.Now()
	select {
	case <-time.After(r.took - r.spent):
		r.generation += n
		r.spent = 0
		return n, nil
	case <-ctx.Done():
		r.spent += time.Since(begin)
		return 0, ctx.Err()
	}
}

func (r *rememberer) Info() sim.Info { return sim.Info{Engine: "rememberer", Leaps: true} }

func (r *rememberer) Close() error {
	r.closed = true
	return nil
}

func TestRival(t *testing.T) {
	for name, c := range map[string]struct {
		target uint64 // generations of a millisecond
		took   time.Duration
		wins   bool
		most   time.Duration
	}{
		"much faster":        {1 << 40, 1500 * time.Millisecond, true, 4 * time.Second},
		"faster":             {60_000, 7 * time.Second, true, 30 * time.Second},
		"slower":             {20_000, time.Hour, false, 28 * time.Second},
		"not worth a thing":  {250, time.Millisecond, false, time.Second},
		"just to the target": {1_000, time.Hour, false, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &fake{took: time.Millisecond}
				other := &rememberer{took: c.took}
				begin := time.Now()
				r, err := run.Run(t.Context(), e, run.Options{
					Config: life(64, 1), Target: c.target, Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
						return other, nil
					}),
				})
				if err != nil || r.Generation != c.target || r.Reason != run.ReasonTarget {
					t.Fatalf("%+v, %v", r, err)
				}
				if took := time.Since(begin); took > c.most {
					t.Errorf("it took %v", took)
				}
				switch {
				case (r.Engine != nil) != c.wins || (r.Replaced != nil) != c.wins:
					t.Errorf("won: %v, want %v", r.Engine != nil, c.wins)
				case c.wins && (other.closed || r.Engine.Generation() != c.target || r.Replaced.Engine != "fake" ||
					r.Replaced.Generation == 0):
					t.Errorf("%+v", r.Replaced)
				}
			})
		})
	}
}

// TestRivalOfFarRules: a rule of a large radius has no rival in runs of any length.
func TestRivalOfFarRules(t *testing.T) {
	for radius, want := range map[int]bool{64: true, 65: false} {
		synctest.Test(t, func(t *testing.T) {
			opened := false
			config := life(1024, 1024)
			config.Rule.Neighbourhood.Radius = radius
			r, err := run.Run(t.Context(), &fake{took: time.Millisecond}, run.Options{
				Config: config, Target: 60_000, Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
					opened = true
					return &rememberer{took: time.Hour}, nil
				}),
			})
			if err != nil || r.Generation != 60_000 || opened != want {
				t.Errorf("radius %d: rival %v, want %v; %+v, %v", radius, opened, want, r, err)
			}
		})
	}
}

// TestRivalOfLeaps: an engine that leaps has a rival that does not. Its steps are cut short for that, and a rival that
// is far too slow is only tried.
func TestRivalOfLeaps(t *testing.T) {
	for name, c := range map[string]struct {
		took time.Duration // of a step of the engine
		pace time.Duration // of a generation of the rival
		wins bool
		most time.Duration
	}{
		"the engine is quick":   {20 * time.Millisecond, time.Millisecond, false, 200 * time.Millisecond},
		"the rival is too slow": {1200 * time.Millisecond, time.Second, false, 20 * time.Second},
		"the rival is quick":    {time.Hour, 10 * time.Microsecond, true, 2 * time.Second},
		"the rival is slow":     {time.Hour, 100 * time.Microsecond, true, 12 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const target = 1 << 14
				e, other := &rememberer{took: c.took}, &fake{took: c.pace}
				begin := time.Now()
				r, err := run.Run(t.Context(), e, run.Options{
					Config: life(64, 1), Target: target, Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
						return other, nil
					}),
				})
				if err != nil || r.Generation != target || r.Reason != run.ReasonTarget {
					t.Fatalf("%+v, %v", r, err)
				}
				if won := r.Engine != nil; won != c.wins || won != e.closed {
					t.Errorf("won: %v, want %v; closed: %v", won, c.wins, e.closed)
				}
				if took := time.Since(begin); took > c.most {
					t.Errorf("it took %v", took)
				}
			})
		})
	}
}

// TestRivalOfStops checks that a rival runs to the next generation at which an observer reads the cells, and gets the
// cells again if it is late.
func TestRivalOfStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := &fake{took: time.Millisecond}
		var opened []*rememberer
		o := &observer{every: 10_000}
		r, err := run.Run(t.Context(), e, run.Options{
			Config: life(64, 1), Target: 100_000, Observers: []run.Observer{o},
			Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
				took := time.Hour
				if len(opened) == 2 {
					took = 300 * time.Millisecond
				}
				opened = append(opened, &rememberer{took: took})
				return opened[len(opened)-1], nil
			}),
		})
		if err != nil || r.Generation != 100_000 || len(o.seen) != 11 {
			t.Fatalf("%+v, %v, seen at %v", r, err, o.seen)
		}
		if len(opened) != 3 || !opened[0].closed || !opened[1].closed || opened[2].closed ||
			r.Engine != sim.Engine(opened[2]) {
			t.Errorf("%d rivals", len(opened))
		}
	})
}

// TestRivalOfManyRuns: a rival of runs with a quantum goes on from run to run, with turns that are no longer than the
// quantum. Once cells are changed it begins again, and closed it is no more.
func TestRivalOfManyRuns(t *testing.T) {
	for name, c := range map[string]struct {
		meanwhile func(*run.Rival) // after half a second
		opened    int
		wins      bool
	}{
		"undisturbed": {func(*run.Rival) {}, 1, true},
		"changed":     {(*run.Rival).Restart, 2, true},
		"closed":      {(*run.Rival).Close, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const quantum = 10 * time.Millisecond
				e := &fake{took: time.Millisecond}
				var opened []*rememberer
				v := run.NewRival(func(context.Context) (sim.Engine, error) {
					opened = append(opened, &rememberer{took: time.Second})
					return opened[len(opened)-1], nil
				})
				var tuner run.Tuner
				var r run.Result
				begin, changed, calls := time.Now(), false, 0
				for last := begin; r.Reason != run.ReasonTarget && time.Since(begin) < 10*time.Second; {
					if !changed && time.Since(begin) > time.Second/2 {
						changed = true
						c.meanwhile(v)
					}
					var err error
					r, err = run.Run(t.Context(), e, run.Options{
						Config: life(64, 1), Target: 1 << 40, Quantum: quantum, Tuner: &tuner, Rival: v,
						Hooks: []run.Hook{{Every: run.EveryStep, Call: func(context.Context, run.Stepper) error {
							if took := time.Since(last); took > 2*quantum {
								t.Errorf("%v until the next command", took)
							}
							last = time.Now()
							if calls++; calls%7 == 0 {
								return run.ErrStop
							}
							return nil
						}}},
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				if won := r.Engine != nil; won != c.wins || len(opened) != c.opened {
					t.Fatalf("won: %v, %d rivals", won, len(opened))
				}
				for i, o := range opened {
					if last := i == len(opened)-1; o.closed == (last && c.wins) {
						t.Errorf("rival %d of %d closed: %v", i+1, len(opened), o.closed)
					}
				}
			})
		})
	}
}

// TestRivalIsOpenedSlowly: a rival that takes longer to open than a turn, as on a busy machine, is opened in the end.
func TestRivalIsOpenedSlowly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		r, err := run.Run(t.Context(), &fake{took: time.Millisecond}, run.Options{
			Config: life(64, 1), Target: 1_000_000, Quantum: 10 * time.Millisecond,
			Rival: run.NewRival(func(ctx context.Context) (sim.Engine, error) {
				select {
				case <-time.After(70 * time.Millisecond):
					return &rememberer{took: time.Millisecond}, nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}),
		})
		if took := time.Since(begin); err != nil || r.Generation != 1_000_000 || r.Engine == nil || took > time.Second {
			t.Errorf("%+v, %v after %v", r, err, took)
		}
	})
}

// TestRivalIsOutOfMemory: it is heard no more of.
func TestRivalIsOutOfMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		opened := 0
		r, err := run.Run(t.Context(), &fake{took: time.Millisecond}, run.Options{
			Config: life(64, 1), Target: 5_000,
			Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
				opened++
				return nil, &sim.OutOfMemory{What: "it", Why: context.Canceled}
			}),
		})
		if err != nil || r.Generation != 5_000 || opened != 1 || r.Engine != nil {
			t.Errorf("%+v, %v, opened %d times", r, err, opened)
		}
	})
}

// teller is an engine that tells how far a step is.
type teller struct {
	fake
	mu    sync.Mutex // a hook asks from its own goroutine
	begin time.Time
}

func (e *teller) Step(_ context.Context, n uint64) (uint64, error) {
	e.mu.Lock()
	e.begin = time.Now()
	e.mu.Unlock()
	time.Sleep(time.Duration(n) * time.Second)
	e.mu.Lock()
	defer e.mu.Unlock()
	e.generation += n
	return n, nil
}

func (e *teller) Info() sim.Info { return sim.Info{Engine: "teller", Leaps: true} }

func (e *teller) Underway() uint64 {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.generation + uint64(time.Since(e.begin)/time.Second)
}

// TestDuring: hooks hear of a long step meanwhile, and never while they are called.
func TestDuring(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told []uint64
		calling := false
		_, err := run.Run(t.Context(), &teller{}, run.Options{
			Config: life(64, 1), Target: 15, Hooks: []run.Hook{{
				Every: 1500 * time.Millisecond,
				Call: func(context.Context, run.Stepper) error {
					calling = true
					time.Sleep(10 * time.Second)
					calling = false
					return nil
				},
				During: func(generation uint64) {
					if calling {
						t.Error("told while the hook is called")
					}
					told = append(told, generation)
				},
			}},
		})
		// Steps of 1, 1, 2, 4, 4, 2 and 1 generations, of a second each.
		if want := []uint64{3, 5, 7, 9, 11, 13}; err != nil || !slices.Equal(told, want) {
			t.Errorf("told of %v, %v, want %v", told, err, want)
		}
	})
}

// metered is an engine that counts its work. Time does not tell it: every generation lasts late longer.
type metered struct {
	fake
	late   time.Duration
	pace   func(g, n uint64) time.Duration // work of a step of n generations at generation g
	leaps  bool
	work   time.Duration
	begun  time.Duration // of the next step, which was cut short
	closed bool
}

func (m *metered) Work() time.Duration { return m.work }

func (m *metered) Step(ctx context.Context, n uint64) (uint64, error) {
	return m.StepWithin(ctx, n, 1<<62)
}

func (m *metered) StepWithin(_ context.Context, n uint64, most time.Duration) (uint64, error) {
	time.Sleep(m.late)
	if !m.leaps {
		for done := range n {
			one := m.pace(m.generation, 1)
			if most -= one; most < 0 {
				return done, sim.ErrWork
			}
			m.work, m.generation = m.work+one, m.generation+1
		}
		return n, nil
	}
	need := m.pace(m.generation, n) - m.begun
	if need > most {
		m.work, m.begun = m.work+most, m.begun+most
		return 0, sim.ErrWork
	}
	m.work, m.begun, m.generation = m.work+need, 0, m.generation+n
	return n, nil
}

func (m *metered) Info() sim.Info { return sim.Info{Engine: "metered", Leaps: m.leaps} }

func (m *metered) Close() error {
	m.closed = true
	return nil
}

// TestRivalOfGrowth: hashed life is not left for an engine that is faster only while the pattern is small.
func TestRivalOfGrowth(t *testing.T) {
	for name, c := range map[string]struct {
		pace func(g, n uint64) time.Duration
		wins bool
		most time.Duration
	}{
		"the pattern grows": {
			func(g, _ uint64) time.Duration { return time.Duration(g * g / 50) }, false, 110 * time.Millisecond,
		},
		"it keeps its size": {
			func(_, _ uint64) time.Duration { return 100 * time.Microsecond }, true, 1100 * time.Millisecond,
		},
		"it would take long": {
			func(_, _ uint64) time.Duration { return 2 * time.Millisecond }, false, 110 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := &metered{leaps: true, pace: func(_, n uint64) time.Duration {
					return time.Duration(n) * 340 * time.Microsecond
				}}
				other := &metered{pace: c.pace}
				r, err := run.Run(t.Context(), e, run.Options{
					Config: life(64, 1), Target: 10_000,
					Rival: run.NewRival(func(context.Context) (sim.Engine, error) { return other, nil }),
				})
				if err != nil || r.Generation != 10_000 {
					t.Fatalf("%+v, %v", r, err)
				}
				if won := r.Engine != nil; won != c.wins || other.work > c.most {
					t.Errorf("won: %v, want %v; work of %v, want %v at most", won, c.wins, other.work, c.most)
				}
			})
		})
	}
}

// TestRivalOfWork: a race of engines that count their work ends in the same way on every machine, and neither does
// much more than it should.
func TestRivalOfWork(t *testing.T) {
	const target = 10_000
	each := func(one time.Duration) func(g, n uint64) time.Duration {
		return func(_, n uint64) time.Duration { return time.Duration(n) * one }
	}
	for name, c := range map[string]struct {
		tiles, leaps func(g, n uint64) time.Duration
		wins         bool
		tilesMost    time.Duration
		leapsMost    time.Duration
	}{
		"it repeats at once": {
			each(20 * time.Microsecond), func(_, n uint64) time.Duration { return 20 * time.Microsecond }, true,
			2 * time.Millisecond, time.Millisecond,
		},
		"it repeats late": { // a generation takes five times as long at first
			each(40 * time.Microsecond), func(g, n uint64) time.Duration {
				return time.Duration(min(n, 200-min(g, 200))) * 200 * time.Microsecond
			}, true, 80 * time.Millisecond, 60 * time.Millisecond,
		},
		"its steps promise to repeat": { // the first 500 generations take nearly three times as long as by the engine
			each(8 * time.Microsecond), func(g, n uint64) time.Duration {
				if n <= 128 {
					return time.Duration(n) * 25 * time.Microsecond
				}
				return 2 * time.Millisecond
			}, true, 20 * time.Millisecond, 20 * time.Millisecond,
		},
		"it does not repeat": {
			each(20 * time.Microsecond), each(50 * time.Microsecond), false, 201 * time.Millisecond, 41 * time.Millisecond,
		},
		"it is short": {each(800 * time.Nanosecond), each(time.Nanosecond), false, 8 * time.Millisecond, 0},
		"it stops repeating": { // half way
			each(20 * time.Microsecond), func(g, n uint64) time.Duration {
				if g+n > target/2 {
					return time.Hour
				}
				return time.Microsecond
			}, false, 201 * time.Millisecond, 201 * time.Millisecond,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var generations []uint64
			for _, late := range []time.Duration{0, time.Millisecond, time.Second} {
				synctest.Test(t, func(t *testing.T) {
					e := &metered{pace: c.tiles, late: late}
					other := &metered{pace: c.leaps, leaps: true, late: late}
					r, err := run.Run(t.Context(), e, run.Options{
						Config: life(64, 1), Target: target, Rival: run.NewRival(func(context.Context) (sim.Engine, error) {
							time.Sleep(late)
							return other, nil
						}),
					})
					if err != nil || r.Generation != target || r.Reason != run.ReasonTarget {
						t.Fatalf("%+v, %v", r, err)
					}
					if won := r.Engine != nil; won != c.wins || won != e.closed {
						t.Fatalf("won: %v, want %v; closed: %v", won, c.wins, e.closed)
					}
					if e.work > c.tilesMost || other.work > c.leapsMost {
						t.Errorf("work of %v and %v, want %v and %v at most", e.work, other.work, c.tilesMost, c.leapsMost)
					}
					if c.wins {
						generations = append(generations, r.Replaced.Generation)
					}
				})
			}
			if len(slices.Compact(generations)) > 1 {
				t.Errorf("the rival began at generations %d", generations)
			}
		})
	}
}
