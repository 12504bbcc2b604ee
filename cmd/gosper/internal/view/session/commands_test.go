package session_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/cmd/gosper/internal/view/scene"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/session"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/background"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

func config(t testing.TB, ruleText string, kind topology.Kind, w, h int) sim.Config {
	t.Helper()
	r, err := rule.Parse(ruleText)
	if err != nil {
		t.Fatal(err)
	}
	tp, err := topology.New(kind, w, h)
	if err != nil {
		t.Fatal(err)
	}
	return sim.Config{Rule: r, Topology: tp}
}

func soupOf(t testing.TB, cfg sim.Config, side int) session.Origin {
	t.Helper()
	from, err := session.FromSoup(cfg, side, side, 7, 0.4)
	if err != nil {
		t.Fatal(err)
	}
	return from
}

// must ends a test if a command fails.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestSessionRunsAsTheEngineDoes: however a universe is stepped, jumped and looked at, its cells are those of
// an engine that ran straight on.
func TestSessionRunsAsTheEngineDoes(t *testing.T) {
	for _, c := range []struct {
		rule string
		kind topology.Kind
		side int
	}{
		{"B3/S23", topology.Torus, 96},
		{"B3/S23", topology.Unbounded, 0},
		{"345/2/4", topology.Klein, 70},
		{"B02/S", topology.Plane, 33},
		{"R2,C2,S2-5,B3-4,NM", topology.Torus, 64},
	} {
		t.Run(c.rule+" "+c.kind.String(), func(t *testing.T) {
			cfg := config(t, c.rule, c.kind, c.side, c.side)
			from := soupOf(t, cfg, 64)
			e, err := open(t.Context(), cfg)
			must(t, err)
			defer e.Close()
			must(t, from.Load(t.Context(), e, progress))
			s := start(t, from)
			at := uint64(0)
			for _, g := range []uint64{1, 5, 6, 60, 90} {
				if g%2 == 0 {
					must(t, s.Jump(t.Context(), g))
				} else {
					must(t, s.Step(t.Context(), g-at))
				}
				_, err := e.Step(t.Context(), g-at)
				must(t, err)
				at = g
				f := look(t, s, scene.Region{X: -40, Y: -40, W: 200, H: 180})
				if f.Status.Generation != g || f.Status.Counted != g || f.Status.Population != gridtest.Population(t, e) {
					t.Fatalf("generation %d, population %d at %d: want %d, %d", f.Status.Generation, f.Status.Population,
						f.Status.Counted,
						g, gridtest.Population(t, e))
				}
				sameCells(t, f, e)
			}
			must(t, s.Jump(t.Context(), 3)) // back to the start and on
			e2, err := open(t.Context(), cfg)
			must(t, err)
			defer e2.Close()
			must(t, from.Load(t.Context(), e2, progress))
			_, err = e2.Step(t.Context(), 3)
			must(t, err)
			sameCells(t, look(t, s, scene.Region{X: -40, Y: -40, W: 200, H: 180}), e2)
		})
	}
}

func sameCells(t *testing.T, f *session.Frame, src grid.Source) {
	t.Helper()
	row := make([]uint64, (f.W+63)/64)
	for k := range src.Planes() {
		for y := range f.H {
			grid.InMemory(src.ReadRow(row, k, f.X, f.Y+y, f.W))
			for i, v := range f.Bits[(k*f.H+y)*len(row):][:len(row)] {
				if v != row[i] {
					t.Fatalf("generation %d, row %d of plane %d: words %d are %x, want %x", f.Status.Generation, f.Y+y, k, i, v,
						row[i])
				}
			}
		}
	}
}

// TestUndoTakesEverythingBack does random commands, takes all of them back, one state after the other, and does
// them all again.
func TestUndoTakesEverythingBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		ctx := t.Context()
		kind := rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Unbounded}).Draw(rt, "kind")
		side := 40
		if kind == topology.Unbounded {
			side = 0
		}
		s, err := session.New(ctx, open, soupOf(t, config(t, "B3/S23", kind, side, side), 40))
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		all := scene.Region{X: -64, Y: -64, W: 192, H: 192}
		state := func() string {
			f := look(t, s, all)
			return fmt.Sprintf("%d %s %x", f.Status.Generation, f.Status.Rule, f.Bits)
		}
		var states []string // before each thing that can be taken back
		running := false
		for range rapid.IntRange(1, 8).Draw(rt, "commands") {
			before := state()
			coordinate := rapid.IntRange(-20, 60)
			stepped := false
			what := rapid.IntRange(0, 5).Draw(rt, "command")
			switch what {
			case 0:
				err = s.Step(ctx, rapid.Uint64Range(1, 5).Draw(rt, "n"))
				stepped = true
			case 1, 2:
				var cells []session.Cell
				for range rapid.IntRange(1, 5).Draw(rt, "n") {
					cells = append(cells, session.Cell{X: coordinate.Draw(rt, "x"), Y: coordinate.Draw(rt, "y"), State: 1})
				}
				cells = append(cells, session.Cell{X: cells[0].X, Y: cells[0].Y, State: 0}) // the same again
				err = s.Edit(ctx, cells)
			case 3:
				err = s.SetRule(ctx, rapid.SampledFrom([]string{"B36/S23", "345/2/4", "B3/S23:T50", "B3/S23:T0", "B3/S23:P20,30"}).
					Draw(rt, "rule"))
			case 4:
				err = s.Load(ctx, soupOf(t, config(t, "B3/S12", topology.Plane, 30, 30), 0))
			case 5:
				err = s.Reset(ctx)
			}
			if err != nil {
				rt.Fatal(err)
			}
			edit := what == 1 || what == 2
			if stepped && running || edit && state() == before {
				look(t, s, all)
				continue // taken back together with the steps before, or nothing has changed
			}
			states, running = append(states, before), stepped
		}
		states = append(states, state())
		for i := len(states) - 2; i >= 0; i-- {
			if err := s.Undo(ctx); err != nil {
				rt.Fatal(err)
			}
			if got := state(); got != states[i] {
				rt.Fatalf("after undo the state is %.60s, want %.60s", got, states[i])
			}
		}
		if err := s.Undo(ctx); !errors.Is(err, session.ErrNothing) {
			rt.Fatalf("undo of nothing: %v", err)
		}
		for _, want := range states[1:] {
			if err := s.Redo(ctx); err != nil {
				rt.Fatal(err)
			}
			if got := state(); got != want {
				rt.Fatalf("after redo the state is %.60s, want %.60s", got, want)
			}
		}
		if err := s.Redo(ctx); !errors.Is(err, session.ErrNothing) {
			rt.Fatalf("redo of nothing: %v", err)
		}
	})
}

func TestResetKeepsWhatWasDrawnFirst(t *testing.T) {
	s := ofPattern(t, "x = 0, y = 0, rule = B3/S23\n!")
	ctx := t.Context()
	must(t, s.Edit(ctx, []session.Cell{{X: 0, State: 1}, {X: 1, State: 1}, {X: 2, State: 1}}))
	must(t, s.Step(ctx, 1))
	must(t, s.Idle(ctx))
	must(t, s.Edit(ctx, []session.Cell{{X: 50, State: 1}}))
	must(t, s.Reset(ctx))
	f := look(t, s, scene.Region{X: -1, Y: -1, W: 60, H: 3})
	if f.Status.Population != 3 || f.State(1, 1) != 1 || f.Status.Generation != 0 {
		t.Errorf("after reset: %+v", f.Status)
	}
}

func TestStatesBeyondTheRule(t *testing.T) {
	s := start(t, soupOf(t, config(t, "345/2/8", topology.Torus, 50, 50), 0))
	ctx := t.Context()
	var cells []session.Cell
	for state := range uint8(8) {
		cells = append(cells, session.Cell{X: int(state), Y: 0, State: state})
	}
	must(t, s.Edit(ctx, cells))
	must(t, s.SetRule(ctx, "345/2/6"))
	if got := cellsOf(look(t, s, scene.Region{W: 8, H: 1})); got != "01234555" {
		t.Errorf("with six states the cells are %s", got)
	}
	must(t, s.SetRule(ctx, "B3/S23"))
	if got := cellsOf(look(t, s, scene.Region{W: 8, H: 1})); got != "01111111" {
		t.Errorf("with two states the cells are %s", got)
	}
	if err := s.Edit(ctx, []session.Cell{{State: 2}}); err == nil || err.Error() != "state 2: the rule has states 0 to 1" {
		t.Errorf("an edit with a state too many: %v", err)
	}
	for _, c := range []session.Cell{
		{X: math.MinInt},
		{X: math.MaxInt},
		{Y: math.MinInt},
		{Y: math.MaxInt},
		{X: 1<<60 + 1},
	} {
		if err := s.Edit(ctx, []session.Cell{{}, c}); err == nil {
			t.Errorf("cell %d,%d is drawn", c.X, c.Y)
		}
	}
	must(t, s.Edit(ctx, []session.Cell{{X: 1 << 60}, {X: -1 << 60}})) // dropped: outside
	if err := s.SetRule(ctx, "B3/S2x"); err == nil {
		t.Error("a rule nobody can read is set")
	}
}

// slowed is a session of a glider on an engine that takes so long for a generation. It is for a bubble of synctest.
func slowed(t *testing.T, each time.Duration, ran func(n uint64)) *session.Session {
	t.Helper()
	s, err := session.New(t.Context(), func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		e, err := open(ctx, cfg)
		return stepper{e, func(ctx context.Context, n uint64) (uint64, error) {
			time.Sleep(time.Duration(n) * each)
			ran(n)
			return e.Step(ctx, n)
		}}, err
	}, origin(t, glider))
	must(t, err)
	t.Cleanup(func() { must(t, s.Close()) })
	return s
}

// TestSpeedShowsWholeSteps: at 16 generations a step all frames are of multiples of 16, although the engine is so slow
// that it takes them in several parts.
func TestSpeedShowsWholeSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx := t.Context()
		parts := 0
		s := slowed(t, 3*time.Millisecond, func(n uint64) {
			if n < 16 {
				parts++
			}
		})
		must(t, s.SetSpeed(ctx, session.Speed{Step: 16, PerSecond: 200}))
		must(t, s.Play(ctx))
		var f session.Frame
		for f.Status.Generation < 200 {
			must(t, s.Frame(ctx, scene.Region{W: 10, H: 10}, f.Status.Version, &f))
			if f.Status.Generation%16 != 0 {
				t.Fatalf("a frame shows generation %d", f.Status.Generation)
			}
		}
		must(t, s.Pause(ctx))
		if got := s.Status(); got.Playing {
			t.Errorf("after a pause: %+v", got)
		}
		if parts < 24 {
			t.Errorf("%d parts of steps, want two or more of each step", parts)
		}
		if err := s.SetSpeed(ctx, session.Speed{Step: 1}); err == nil {
			t.Error("no steps a second are allowed")
		}
	})
}

// TestSlowUniversesAreShown: viewers get frames of a universe whose engine cannot keep the pace.
func TestSlowUniversesAreShown(t *testing.T) {
	for _, each := range []time.Duration{50 * time.Millisecond, 150 * time.Millisecond, time.Second} {
		synctest.Test(t, func(t *testing.T) {
			s := slowed(t, each, func(uint64) {})
			must(t, s.SetSpeed(t.Context(), session.Speed{Step: 1, PerSecond: 30}))
			must(t, s.Play(t.Context()))
			ctx, cancel := context.WithTimeout(t.Context(), 20*each)
			defer cancel()
			var f session.Frame
			for range 5 {
				if err := s.Frame(ctx, scene.Region{W: 10, H: 10}, f.Status.Version, &f); err != nil {
					t.Fatalf("%v a generation: %v", each, err)
				}
			}
		})
	}
}

// TestManyViewersComeAndGo: viewers at all paces, commands among them, and nothing grows.
func TestManyViewersComeAndGo(t *testing.T) {
	s := start(t, soupOf(t, config(t, "B3/S23", topology.Torus, 512, 512), 0))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	must(t, s.SetSpeed(ctx, session.Speed{}))
	goroutines := runtime.NumGoroutine()
	must(t, s.Play(ctx))
	var wg sync.WaitGroup
	for viewer := range 8 {
		wg.Go(func() {
			var f session.Frame
			for i := range 10 {
				r := scene.Region{X: 64 * i, W: 60, H: 40, Scale: (viewer + i) % 4}
				if err := s.Frame(ctx, r, f.Status.Version, &f); err != nil {
					t.Error(err)
				}
				if viewer == 0 { // one draws, one loses patience, one sleeps
					if err := s.Edit(ctx, []session.Cell{{X: i, Y: i, State: 1}}); err != nil {
						t.Error(err)
					}
				}
				if viewer == 1 {
					gone, leave := context.WithCancel(ctx)
					leave()
					if err := s.Frame(gone, r, f.Status.Version+1000, &f); !errors.Is(err, context.Canceled) {
						t.Errorf("a viewer that has gone gets %v", err)
					}
				}
				if viewer == 2 {
					time.Sleep(time.Millisecond)
				}
			}
		})
	}
	wg.Wait()
	must(t, s.Pause(ctx))
	for end := time.Now().Add(patience); runtime.NumGoroutine() > goroutines; { // the last of them may be about to end
		if time.Now().After(end) {
			t.Fatalf("%d goroutines, %d before the viewers came", runtime.NumGoroutine(), goroutines)
		}
		time.Sleep(time.Millisecond)
	}
	f := look(t, s, scene.Region{W: 1, H: 1})
	got := make(chan error)
	go func() { got <- s.Frame(ctx, f.Region, f.Status.Version, f) }()
	select {
	case err := <-got:
		t.Errorf("a frame of a universe at rest: %v", err)
	case <-time.After(30 * time.Millisecond):
	}
	must(t, s.Step(ctx, 1))
	must(t, <-got)
}

func TestSeriesIsBounded(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	must(t, s.SetSpeed(ctx, session.Speed{Step: 1, PerSecond: 1000}))
	for range 60 {
		must(t, s.Step(ctx, 50))
		look(t, s, scene.Region{W: 1, H: 1})
	}
	samples, err := s.Series(ctx)
	must(t, err)
	if len(samples) < 10 || len(samples) > 1024 || samples[len(samples)-1].Generation != 3000 {
		t.Errorf("%d samples, the last %+v", len(samples), samples[len(samples)-1])
	}
	for i, p := range samples {
		if p.Population != 5 || i > 0 && p.Generation <= samples[i-1].Generation {
			t.Errorf("sample %d is %+v", i, p)
		}
	}
	must(t, s.Undo(ctx))
	if samples, err = s.Series(ctx); err != nil || len(samples) > 1 {
		t.Errorf("after going back: %d samples, %v", len(samples), err)
	}
}

func TestSavedCellsGoBackWhereTheyWere(t *testing.T) {
	for _, text := range []string{glider, "x = 3, y = 3, rule = B3/S23:T20,30\nbob$2bo$3o!"} {
		s := ofPattern(t, text)
		must(t, s.Step(t.Context(), 12))
		f := look(t, s, scene.Region{X: -10, Y: -10, W: 50, H: 50})
		var file strings.Builder
		must(t, s.Read(t.Context(), func(cells grid.Source, meta pattern.Meta) error {
			return pattern.Write(&file, pattern.RLE, cells, meta)
		}))
		again := look(t, ofPattern(t, file.String()), f.Region)
		if cellsOf(again) != cellsOf(f) || again.Status.Generation != 12 || again.Status.Rule != f.Status.Rule {
			t.Errorf("saved and loaded: %+v, want %+v", again.Status, f.Status)
		}
	}
}

func TestClosedSessionsSaySo(t *testing.T) {
	s, err := session.New(t.Context(), open, soupOf(t, config(t, "B3/S23", topology.Torus, 64, 64), 0))
	must(t, err)
	must(t, s.Play(t.Context()))
	waiting := make(chan error)
	go func() { waiting <- s.Frame(t.Context(), scene.Region{W: 1, H: 1}, 1<<60, new(session.Frame)) }()
	must(t, s.Close())
	if err := <-waiting; !errors.Is(err, session.ErrClosed) {
		t.Errorf("a viewer that waits gets %v", err)
	}
	if err := s.Play(t.Context()); !errors.Is(err, session.ErrClosed) {
		t.Errorf("a command gets %v", err)
	}
}

// TestFailedLoadsLeaveTheUniverse: what cannot be opened or loaded changes nothing.
func TestFailedLoadsLeaveTheUniverse(t *testing.T) {
	s := ofPattern(t, glider)
	bad := soupOf(t, config(t, "B3/S23", topology.Torus, 64, 64), 0)
	bad.Load = func(context.Context, sim.Engine, func(done, total uint64)) error { return errors.New("torn file") }
	if err := s.Load(t.Context(), bad); err == nil || err.Error() != "torn file" {
		t.Errorf("a load that fails gives %v", err)
	}
	if f := look(t, s, scene.Region{W: 3, H: 3}); cellsOf(f) != "010001111" || f.Status.Undos(0) > 0 {
		t.Errorf("after a failed load: %+v", f.Status)
	}
}

// TestLivingBackgrounds: if all cells but finitely many are alive at odd generations, frames and saved files record
// that. The universe can be continued on another engine and under another rule.
func TestLivingBackgrounds(t *testing.T) {
	s := ofPattern(t, "x = 1, y = 1, rule = B0/S\no!")
	ctx := t.Context()
	region := scene.Region{X: -3, Y: -3, W: 7, H: 7}
	must(t, s.Step(ctx, 1))
	f := look(t, s, region)
	// The cell and its eight neighbours are dead now, all others live: these nine differ from the background.
	const nine = "0000000000000000111000011100001110000000000000000"
	if f.Status.Background != 1 || f.Status.Population != 9 || cellsOf(f) != nine {
		t.Errorf("generation 1: background %d, population %d, cells %s", f.Status.Background, f.Status.Population, cellsOf(f))
	}
	if err := s.Read(ctx, func(grid.Source, pattern.Meta) error { return nil }); err == nil {
		t.Error("a living background is read as if it were dead")
	}
	var saved strings.Builder
	must(t, s.ReadHeld(ctx, func(src grid.Source, meta pattern.Meta) error {
		return pattern.Write(&saved, pattern.RLE, src, meta)
	}))
	again := ofPattern(t, saved.String())
	if f := look(t, again, region); f.Status.Generation != 1 || f.Status.Background != 1 || cellsOf(f) != nine {
		t.Errorf("saved and read again: %+v, cells %s", f.Status, cellsOf(f))
	}
	must(t, s.SetEngine(ctx, "reference", func(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
		return sim.Open(ctx, "reference", cfg)
	}))
	for range 3 {
		if f, g := look(t, s, region), look(t, again, region); cellsOf(f) != cellsOf(g) ||
			f.Status.Background != g.Status.Background {
			t.Errorf("generation %d: cells %s, background %d, on another engine %s, %d", g.Status.Generation, cellsOf(g),
				g.Status.Background, cellsOf(f), f.Status.Background)
		}
		for _, s := range []*session.Session{s, again} {
			must(t, s.Step(ctx, 1))
			must(t, s.Idle(ctx))
		}
	}
	must(t, again.Undo(ctx)) // back to generation 1
	must(t, again.SetRule(ctx, "B3/S23"))
	if f := look(t, again, region); f.Status.Background != 0 || f.Status.Population != 9 || cellsOf(f) != nine {
		t.Errorf("under a rule without B0: background %d, cells %s", f.Status.Background, cellsOf(f))
	}
}

// TestEditsOfLivingBackgrounds: a drawn state is shown, on any background.
func TestEditsOfLivingBackgrounds(t *testing.T) {
	s := ofPattern(t, "x = 1, y = 1, rule = B0/S/4\nA!")
	ctx := t.Context()
	for g := range uint8(4) {
		var cells []session.Cell
		for state := range 4 {
			cells = append(cells, session.Cell{X: 100 + state, State: uint8(state)})
		}
		must(t, s.Edit(ctx, cells))
		f := look(t, s, scene.Region{X: 100, W: 4, H: 1})
		if f.Status.Background != g {
			t.Fatalf("generation %d has background %d", g, f.Status.Background)
		}
		for state := range 4 {
			if got := background.Exchange(f.State(state, 0), g); got != uint8(state) {
				t.Errorf("on background %d a cell drawn in state %d is in state %d", g, state, got)
			}
		}
		must(t, s.Step(ctx, 1))
		must(t, s.Idle(ctx))
	}
}

// TestResetPauses: playing at a set pace, generations come until a reset.
func TestResetPauses(t *testing.T) {
	s := ofPattern(t, glider)
	ctx := t.Context()
	must(t, s.SetSpeed(ctx, session.Speed{Step: 1, PerSecond: 50}))
	must(t, s.Play(ctx))
	var f session.Frame
	for seen := uint64(0); seen < 5; {
		must(t, s.Frame(ctx, scene.Region{W: 5, H: 5}, f.Status.Version, &f))
		seen = f.Status.Generation
	}
	must(t, s.Reset(ctx))
	if got := s.Status(); got.Playing || got.Generation != 0 {
		t.Errorf("after a reset: %+v", got)
	}
}
