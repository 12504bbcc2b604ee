package run_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/sim/run"
)

// plane opens a rule on the unbounded plane with the cells of a pattern in RLE.
func plane(t testing.TB, notation, rle string) (sim.Engine, sim.Config) {
	r, err := rule.Parse(notation)
	if err != nil {
		t.Fatal(err)
	}
	cfg := sim.Config{Rule: r}
	e, err := cpu.Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	p, err := pattern.Read(strings.NewReader(rle), "test.rle")
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range p.Cells.Occupied() {
		grid.InMemory(grid.Copy(e, p.Cells, part, part.X, part.Y))
	}
	return e, cfg
}

func TestWhatLeavesDoesNotKeepAUniverseFromSettling(t *testing.T) {
	const glider, blinker, block = "bo$2bo$3o", "3o", "2o$2o"
	below := func(rows, columns string, what string) string {
		return rows + "$" + columns + "b" + strings.ReplaceAll(what, "$", "$"+columns+"b")
	}
	for _, c := range []struct {
		name, rle string
		leaving   int    // -1: not before the target, -2: some
		period    uint64 // of what stays, which the recurrence is a multiple of
	}{
		{"a glider alone", glider, 1, 1},
		{"a glider that leaves a blinker", blinker + "20$" + below("", "30", glider), 1, 2},
		{"a glider on its way to a far block", glider + below("3000", "3000", block), -1, 1},
		{"a glider that passes a far block", glider + below("3000", "2000", block), 1, 1},
		{"gliders side by side", glider + "100$" + glider, 1, 1},
		{"R-pentomino", "b2o$2o$bo", -2, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			e, cfg := plane(t, "B3/S23", c.rle+"!")
			r, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 10_000, Until: run.UntilStable})
			switch {
			case err != nil:
				t.Fatal(err)
			case c.leaving == -1:
				if r.Reason != run.ReasonTarget {
					t.Errorf("ended as %s at %d", r.Reason, r.Generation)
				}
			case r.Reason != run.ReasonStable || r.Recurrence%c.period != 0 || c.leaving == -2 && r.Leaving == 0 || c.leaving >= 0 && r.Leaving != c.leaving:
				t.Errorf("ended as %s at %d, repeating every %d, %d groups leave; want %d", r.Reason, r.Generation, r.Recurrence, r.Leaving, c.leaving)
			}
		})
	}
}

// TestSettledMeansSettled runs soups on: what was the same after so many generations is so again, far later, and
// nothing else is there.
func TestSettledMeansSettled(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		rows := make([]string, 12)
		for y := range rows {
			rows[y] = string(rapid.SliceOfN(rapid.SampledFrom([]byte("bo")), 12, 12).Draw(r, "row"))
		}
		e, cfg := plane(t, rapid.SampledFrom([]string{"B3/S23", "B36/S23", "B3/S12", "B2/S34H"}).Draw(r, "rule"), strings.Join(rows, "$")+"!")
		result, err := run.Run(t.Context(), e, run.Options{Config: cfg, Target: 20_000, Until: run.UntilStable})
		if err != nil {
			t.Fatal(err)
		}
		if result.Reason != run.ReasonStable {
			r.Skip("a switch engine, or gliders that cross far away")
		}
		populations := func() (list []uint64) {
			for range result.Recurrence {
				if _, err := e.Step(t.Context(), 1); err != nil {
					t.Fatal(err)
				}
				list = append(list, gridtest.Population(t, e))
			}
			return list
		}
		first := populations()
		if _, err := e.Step(t.Context(), 20*result.Recurrence); err != nil {
			t.Fatal(err)
		}
		if again := populations(); !slices.Equal(first, again) {
			t.Errorf("populations of a period were %v, later %v", first, again)
		}
	})
}
