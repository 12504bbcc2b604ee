package census

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/census/internal/apgcode"
)

// TestSymmetriesOf counts the orientations in which objects of a rule are the same.
func TestSymmetriesOf(t *testing.T) {
	for text, want := range map[string]int{
		"B3/S23": 8, "B2-a/S12": 8, "B2/S013V": 8, "345/2/4": 8, "2/13/3V": 8,
		"B2/S34H": 12, "B2o/S2m34H": 12, "34/2/3H": 12, "B/S0H": 12, "B/S012345678": 8,
		"W30": 1, "W22": 2,
		"R2,C0,M0,S2..3,B3..3,NM": 8, "R3,C0,M0,S2..3,B3..3,NN": 8, "R3,C0,M0,S2..3,B3..3,NH": 12,
		"R4,C0,M0,S2..3,B3..3,N3": 2, "R2,C2,S2-3,B3,N@0000f0": 1,
	} {
		r := parseRule(t, text)
		if got := len(apgcode.SymmetriesOf(r)); got != want {
			t.Errorf("%s has %d symmetries, want %d", text, got, want)
		}
		table, ok := r.AsTable()
		if !ok || want != 12 || text == "B/S0H" {
			continue
		}
		r.Table, r.Neighbourhood.Letter = table, 'M'
		if got := len(apgcode.SymmetriesOf(r)); got != want {
			t.Errorf("%s as a table of squares has %d symmetries, want %d", text, got, want)
		}
	}
}

// TestHexagonsTurn checks that hexagonal rules are the same in all 12 orientations, and that an object has the same
// code in all of them.
func TestHexagonsTurn(t *testing.T) {
	for _, text := range []string{"B2/S34H", "B2o/S2m34H", "34/2/3H", "B0135/S01H"} {
		c, err := NewCounter(parseRule(t, text), Limits{Period: 60})
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			cells := someCells(t, c.rule.States, 6)
			s := rapid.SampledFrom(c.symmetries).Draw(t, "symmetry")
			for g := range c.turns {
				if got, want := sorted(c.local.After(apgcode.Turned(cells, s), g)),
					sorted(apgcode.Turned(c.local.After(cells, g), s)); !slices.Equal(got, want) {
					t.Fatalf("%s: turned by %v it becomes %v, want %v", text, s, got, want)
				}
			}
			o, ok := c.identify(cells, c.limits.Period)
			if p, other := c.identify(sorted(apgcode.Turned(cells, s)), c.limits.Period); ok != other || o.Code != p.Code ||
				o.Kind != p.Kind {
				t.Fatalf("%s: %v is %s, and turned by %v %s", text, cells, o.Code, s, p.Code)
			}
		})
	}
}
