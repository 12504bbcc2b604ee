package run

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/bytewise"
	"github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/reference"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestLeap compares universes that repeat, and have been leapt over many periods, with the same universes advanced by
// single generations.
func TestLeap(t *testing.T) {
	for _, c := range []struct {
		name, rule, rle string
		open            sim.Opener
		period          uint64
		shift           [2]int
	}{
		{"blinker", "B3/S23", "3o", reference.Open, 2, [2]int{}},
		{"glider", "B3/S23", "bo$2bo$3o", reference.Open, 4, [2]int{1, 1}},
		{"lightweight spaceship", "B3/S23", "bo2bo$o$o3bo$4o", cpu.Open, 4, [2]int{-2, 0}},
		{"pentadecathlon", "B3/S23", "2bo4bo$2ob4ob2o$2bo4bo", cpu.Open, 15, [2]int{}},
		{"glider on a torus", "B3/S23:T11,9", "bo$2bo$3o", cpu.Open, 396, [2]int{}},
		{"glider on a Klein bottle", "B3/S23:K6*,7", "bo$2bo$3o", reference.Open, 168, [2]int{}},
		{"spaceship in a tube", "B3/S23:T0,40", "bo2bo$o$o3bo$4o", cpu.Open, 4, [2]int{-2, 0}},
		{"glider around a tube", "B3/S23:T0,9", "bo$2bo$3o", cpu.Open, 36, [2]int{9, 0}},
		{"glider around a tube, cell by cell", "B3/S23:T9,0", "bo$2bo$3o", reference.Open, 36, [2]int{0, 9}},
		{"ball of a billiard", "bbm", "o", reference.Open, 2, [2]int{2, 2}},
		{"ball on a torus", "bbm:T8,6", "o", cpu.Open, 24, [2]int{}},
		{"by turns", "B3/S23|B3/S123", "2o$2o", cpu.Open, 2, [2]int{}},
		{"background that blinks", "B0/S", "o", cpu.Open, 2, [2]int{}},
		{"a cell that has died", "B3/S23", "o", cpu.Open, 1, [2]int{}},
		{"two that part", "B3/S23", "bo$2bo$3o60$60b3o", cpu.Open, 0, [2]int{}},
		{"circular neighbourhood", "R2,C0,M0,S2..4,B3..3,NC", "4b$3ob$3ob$3bo", cpu.Open, 4, [2]int{}},
		{
			"large radius", "R5,C0,M1,S34..58,B34..45,NM",
			"4b3o$3b6o$2b9o$b2o3b6o$bo5b5o$2o6b4o$bo5b5o$b2o3b6o$2b9o$3b6o$4b3o", openSums, 1,
			[2]int{1, 0},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			open := func() sim.Engine {
				e, _ := laid(t, c.open, c.rule, c.rle)
				return e
			}
			e, cfg := laid(t, c.open, c.rule, c.rle)
			e, l := search(t, e, cfg, 8, 400)
			if l.period != c.period || l.shift != c.shift {
				t.Fatalf("period %d, moved by %v, want %d and %v", l.period, l.shift, c.period, c.shift)
			}
			compareLeap(t, e, open(), l, cfg)
		})
	}
}

// TestLeapsOfSoups does the same with soups on small tori.
func TestLeapsOfSoups(t *testing.T) {
	leapt := 0
	rapid.Check(t, func(t *rapid.T) {
		r, err := rule.Parse(rapid.SampledFrom([]string{"B3/S23", "B2/S/3", "B3/S23|B3/S3", "B03/S23", "B2/S34H"}).
			Draw(t, "rule"))
		if err != nil {
			t.Fatal(err)
		}
		w, h := rapid.IntRange(3, 12).Draw(t, "w"), rapid.IntRange(3, 12).Draw(t, "h")
		cfg := sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}, Threads: 1}
		seed := rapid.Uint64().Draw(t, "seed")
		open := func() sim.Engine {
			e, err := cpu.Open(t.Context(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if err := soup.Fill(t.Context(), e, w, h, seed, 0.4, 1, nil); err != nil {
				t.Fatal(err)
			}
			return e
		}
		e, l := search(t, open(), cfg, rapid.Uint64Range(0, 500).Draw(t, "from"), 200)
		defer e.Close()
		twin := open()
		defer twin.Close()
		if l.period > 0 {
			leapt++
		}
		compareLeap(t, e, twin, l, cfg)
	})
	if leapt < 3 {
		t.Errorf("only %d soups were found to repeat", leapt)
	}
}

// tester is a test, of rapid or not.
type tester interface {
	rapid.TB
	Context() context.Context
}

// search advances an engine to about a generation and then looks for its period, for at most the given number of
// strides.
func search(t tester, e sim.Engine, cfg sim.Config, from, looks uint64) (sim.Engine, *leaper) {
	l := newLeaper(e, Options{Config: cfg}, 1)
	if l.stride == 0 {
		t.Fatal("no search")
	}
	if _, err := e.Step(t.Context(), max(from, l.once)/l.stride*l.stride+l.stride); err != nil {
		t.Fatal(err)
	}
	l.stepped(leapTold, 1, 0)
	far := looks * leapWorth * l.stride
	begun, err := l.searching(t.Context(), e, sim.Info{}, far, time.Hour)
	if err != nil || !begun {
		t.Fatal("no search begins:", err)
	}
	l.end = time.Hour
	for range looks {
		if again, err := l.searching(t.Context(), e, sim.Info{}, far, time.Hour); err != nil || !again {
			t.Fatal("the search ends:", err)
		}
		if _, err := e.Step(t.Context(), l.stride); err != nil {
			t.Fatal(err)
		}
		if err := l.look(t.Context(), e, &clock{begin: time.Now()}); err != nil {
			t.Fatal(err)
		}
		if l.period > 0 {
			break
		}
	}
	return e, &l
}

// compareLeap leaps with an engine, and compares it with its twin, which has all generations before it.
func compareLeap(t tester, e, twin sim.Engine, l *leaper, cfg sim.Config) {
	before := e.Generation()
	n := 7*l.period + 5
	leapt, err := l.leap(t.Context(), e, cfg, n)
	if err != nil || leapt != (l.period > 0) {
		t.Fatalf("leapt %v, %v", leapt, err)
	}
	if leapt && e.Generation() != before+n/l.period*l.period {
		t.Fatalf("leapt from %d to %d", before, e.Generation())
	}
	for range 3 { // the engine goes on from there
		if _, err := twin.Step(t.Context(), e.Generation()-twin.Generation()); err != nil {
			t.Fatal(err)
		}
		x, y, differ, err := grid.FirstDifference(e, twin)
		if err != nil || differ {
			t.Fatalf("generation %d: cell %d,%d differs (%v)", e.Generation(), x, y, err)
		}
		if _, err := e.Step(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
	}
}

// A glider that would leave the coordinates goes as far as it can, and is then left to the engine.
func TestLeapEndsBeforeTheCoordinatesDo(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r, Threads: 1}
	e, err := cpu.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for _, at := range [][2]int{{1, 0}, {2, 1}, {0, 2}, {1, 2}, {2, 2}} {
		if err := e.WriteRow([]uint64{1}, 0, at[0], at[1], 1); err != nil {
			t.Fatal(err)
		}
	}
	_, l := search(t, e, cfg, 8, 8)
	if leapt, err := l.leap(t.Context(), e, cfg, 1<<63); err != nil || !leapt {
		t.Fatal(leapt, err)
	}
	box, err := e.Extent()
	if err != nil || box.X > farthest || box.X < farthest-1000 {
		t.Errorf("the glider is at %d (%v)", box.X, err)
	}
	if leapt, err := l.leap(t.Context(), e, cfg, 1<<62); err != nil || leapt {
		t.Error("it leapt on", leapt, err)
	}
}

// TestSettledTilesAreLeapt checks that a run over tiles in which nothing changes looks for its period. Its passes
// compute no block, but they count as work.
func TestSettledTilesAreLeapt(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r, Threads: 1}
	e, err := cpu.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for x := range 2 {
		for y := range 2 {
			grid.InMemory(e.WriteRow([]uint64{3}, 0, 300*x, 300*x+y, 2))
		}
	}
	const target = 1_000_000_000_000_000
	got, err := Run(t.Context(), e, Options{Config: cfg, Target: target})
	if err != nil || e.Generation() != target || got.Leapt < target/2 {
		t.Errorf("at generation %d, of which %d are leapt, %v", e.Generation(), got.Leapt, err)
	}
}

// TestNoSearchWithoutARest checks that runs whose universe is never at rest again, or never is, begin at all.
func TestNoSearchWithoutARest(t *testing.T) {
	for _, text := range []string{"B03/S238/3", "B0/S", "B0/S8", "B3/S23"} {
		r, err := rule.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		cfg := sim.Config{Rule: r, Threads: 1}
		e, err := cpu.Open(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for rest, want := range map[uint64]bool{0: false, 1: true, sim.Forever: false} {
			if got := newLeaper(e, Options{Config: cfg}, rest).stride > 0; got != want {
				t.Errorf("%s at rest every %d: searches %v, want %v", text, rest, got, want)
			}
		}
	}
}

// TestLeapsOfPlans checks that a plan that is asked for computes every generation, unless it says that it leaps.
func TestLeapsOfPlans(t *testing.T) {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := cpu.Open(t.Context(), sim.Config{Rule: r, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for plan, want := range map[string]bool{
		"": true, "portable": false, "portable,leap": true, "leap": true, "leap,portable": false,
	} {
		if got := newLeaper(e, Options{Config: sim.Config{Rule: r, Plan: plan}}, 1).stride > 0; got != want {
			t.Errorf("plan %q: searches %v, want %v", plan, got, want)
		}
	}
}

// openSums opens the engine sums.
func openSums(ctx context.Context, cfg sim.Config) (sim.Engine, error) {
	return sim.Open(ctx, "sums", cfg)
}
