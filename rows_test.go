package gosper

import (
	"slices"
	"strings"
	"testing"
)

// TestRowsUnderEveryPlan writes the rows of a universe of two planes into another one, whose engine and plan
// are chosen. Both go on alike.
func TestRowsUnderEveryPlan(t *testing.T) {
	const notation, w, h = "345/2/4:T100,60", 100, 60
	from, err := Open(notation, WithEngine("reference"))
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	if err := from.Fill(t.Context(), Soup{Density: 0.4, Seed: 5}); err != nil {
		t.Fatal(err)
	}
	for range 3 { // now there are cells of all states
		if err := from.Step(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ engine, plan, says string }{
		{"cpu", "portable", "portable,"},
		{"cpu", "portable,threads=2", "threads=2"},
		{"lookup", "", ""},
	} {
		if !slices.Contains(Engines(), c.engine) {
			t.Errorf("%s is not among the engines %v", c.engine, Engines())
		}
		u, err := Open(notation, WithEngine(c.engine), WithPlan(c.plan))
		if err != nil {
			t.Fatal(err)
		}
		if got := u.Info(); got.Engine != c.engine || !strings.Contains(got.Plan, c.says) {
			t.Errorf("asked for %s and %q, got %+v", c.engine, c.plan, got)
		}
		if u.Planes() != 2 {
			t.Errorf("four states in %d planes", u.Planes())
		}
		row := make([]uint64, (w+63)/64)
		for y := range h {
			for plane := range u.Planes() {
				if err := from.ReadRow(row, plane, 0, y, w); err != nil {
					t.Fatal(err)
				}
				if err := u.WriteRow(row, plane, 0, y, w); err != nil {
					t.Fatal(err)
				}
			}
		}
		twin, err := Open(notation, WithEngine("reference"))
		if err != nil {
			t.Fatal(err)
		}
		for y := range h {
			for x := range w {
				state, err := from.Cell(x, y)
				if err == nil {
					err = twin.SetCell(x, y, state)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
		}
		for range 2 { // before and after some generations
			got, err := u.Hash(t.Context())
			want, err2 := twin.Hash(t.Context())
			if err != nil || err2 != nil || got != want {
				t.Errorf("%s %s: hash %s (%v), want %s (%v)", c.engine, c.plan, got, err, want, err2)
			}
			if err := u.Step(t.Context(), 20); err != nil {
				t.Fatal(err)
			}
			if err := twin.Step(t.Context(), 20); err != nil {
				t.Fatal(err)
			}
		}
		u.Close()
		twin.Close()
	}
	if u, err := Open(notation, WithEngine("cpu"), WithPlan("nonsense")); err == nil {
		u.Close()
		t.Error("a text that is not a plan was taken")
	}
}
