package run

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu"
)

// laid returns a universe of a rule with a pattern in it.
func laid(t *testing.T, open sim.Opener, notation, rle string) (sim.Engine, sim.Config) {
	t.Helper()
	r, on, err := rule.ParseApart(notation)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r, Threads: 1}
	if on != nil {
		cfg.Topology = *on
	}
	p, err := pattern.Read(strings.NewReader(rle+"!"), "test.rle")
	if err != nil {
		t.Fatal(err)
	}
	e, err := open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	for _, part := range p.Cells.OccupiedRows() {
		grid.InMemory(grid.Copy(e, p.Cells, part, part.X, part.Y))
	}
	return e, cfg
}

// TestFinder shows a finder every generation of universes until it finds a return. Those that come back to their first
// state are found after one period. The others, after most generations at the latest, are compared with a twin.
func TestFinder(t *testing.T) {
	const rpentomino = "b2o$2o$bo"
	for _, c := range []struct {
		name, rule, rle string
		want            Return // From: only whether it is 0 is compared
		most            int
	}{
		{"block", "B3/S23", "2o$2o", Return{Period: 1, Still: true}, 1},
		{"block by turns", "B3/S23|B3/S123", "2o$2o", Return{Period: 2, Still: true}, 2},
		{"blinker", "B3/S23", "3o", Return{Period: 2}, 2},
		{"blinker by turns of three", "B3/S23|B3/S23|B3/S23", "3o", Return{Period: 6}, 6},
		{"glider", "B3/S23", "bo$2bo$3o", Return{Period: 4, DX: 1, DY: 1}, 4},
		{"glider around a tube", "B3/S23:T0,9", "bo$2bo$3o", Return{Period: 36, DX: 9}, 36},
		{"ball on a torus", "bbm:T8,6", "o", Return{Period: 24}, 24},
		{"becomes four blinkers", "B3/S23", "3o$bo", Return{From: 1, Period: 2}, 100},
		{"becomes a block", "B3/S23", "2o$o", Return{From: 1, Period: 1, Still: true}, 4},
		{"of long life", "B3/S23:T64,64", rpentomino, Return{From: 1, Period: 2}, 2 * 1024},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, cfg := laid(t, cpu.Open, c.rule, c.rle)
			f, err := NewFinder(t.Context(), e, cfg)
			if err != nil || f.Blind() {
				t.Fatal("blind", err)
			}
			var got Return
			for again := false; !again; {
				if _, err := e.Step(t.Context(), 1); err != nil || e.Generation() > uint64(c.most) {
					t.Fatalf("nothing found by generation %d: %v", e.Generation(), err)
				}
				if got, again, err = f.Look(t.Context(), e); err != nil {
					t.Fatal(err)
				}
			}
			if from := got.From; (from == 0) != (c.want.From == 0) || got.From+got.Period != e.Generation() {
				t.Errorf("from generation %d, found in %d", from, e.Generation())
			}
			twin, _ := laid(t, cpu.Open, c.rule, c.rle)
			if _, err := twin.Step(t.Context(), got.From); err != nil {
				t.Fatal(err)
			}
			box, err := e.Extent()
			if err != nil {
				t.Fatal(err)
			}
			before := box
			before.X, before.Y = box.X-got.DX, box.Y-got.DY
			if same, err := equal(e, box, twin, before); err != nil || !same {
				t.Errorf("it is not as it was at generation %d (%v)", got.From, err)
			}
			got.From = c.want.From
			if got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestFinderIsBlind checks that a finder copies no area that is too large, and then finds nothing.
func TestFinderIsBlind(t *testing.T) {
	e, cfg := laid(t, cpu.Open, "B3/S23", "2o$2o")
	now, err := outlineOf(e)
	if err != nil {
		t.Fatal(err)
	}
	f, err := newFinder(t.Context(), e, cfg, now, 1)
	if err != nil || !f.Blind() {
		t.Fatal("not blind", err)
	}
	if _, again, err := f.Look(t.Context(), e); again || err != nil {
		t.Error("it finds something", err)
	}
}
