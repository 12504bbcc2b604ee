package census

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"github.com/gosper-life/gosper/topology"
)

func parseRule(t interface {
	Helper()
	Fatal(args ...any)
}, text string,
) rule.Rule {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestIntruded checks that a spaceship which overtakes a glider that was struck out is seen, and that the soup is
// then run with the glider.
func TestIntruded(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	flying := func(name string, dx, dy int) []Cell {
		_, cells := builtin(t, name)
		for _, turn := range topology.Symmetries {
			var s apgcode.Symmetry
			s.XX, s.YX = turn.Apply(1, 0)
			s.XY, s.YY = turn.Apply(0, 1)
			if o := c.Identify(apgcode.Turned(cells, s)); o.DX == dx && o.DY == dy {
				return apgcode.Turned(cells, s)
			}
		}
		t.Fatalf("no %s flies by %d,%d", name, dx, dy)
		return nil
	}
	glider, ship := flying("glider", 1, 1), flying("lwss", 2, 0)
	for _, test := range []struct {
		x, y     int // of the ship
		intrudes bool
	}{{-70, 90, true}, {-160, 150, true}, {-70, -40, false}, {-70, 20, false}} {
		s := &soup{cells: append(moved(ship, test.x, test.y), glider...)}
		s.start(true, c.every)
		struck := false
		for !c.advance(s) {
			c.batch.Pass([]*sparse.Universe{&s.Universe}, sparse.PassGenerations)
			struck = struck || len(s.Escaped()) > 0
		}
		var found []string
		for _, number := range s.found {
			found = append(found, c.codes[number])
		}
		slices.Sort(found)
		if !slices.Equal(found, []string{"xq4_153", "xq4_6frc"}) || !struck || s.strike == test.intrudes {
			t.Errorf("a ship at %d,%d: found %v, struck %v, still striking %v", test.x, test.y, found, struck, s.strike)
		}
	}
}
