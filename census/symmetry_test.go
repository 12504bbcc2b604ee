package census

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

// linear is a rotation or reflection of squares as a linear map.
func linear(s topology.Symmetry) symmetry {
	var m symmetry
	m.xx, m.yx = s.Apply(1, 0)
	m.xy, m.yy = s.Apply(0, 1)
	return m
}

// TestKeeping holds the symmetries of squares to package topology's, and those of hexagons to what a hexagon's are: all powers of a sixth of a turn, and
// their products with a reflection.
func TestKeeping(t *testing.T) {
	squares := keeping(ofSquare)
	for _, s := range topology.Symmetries {
		if !slices.Contains(squares, linear(s)) {
			t.Errorf("%v is missing", s)
		}
	}
	if len(squares) != len(topology.Symmetries) {
		t.Errorf("%d symmetries of squares", len(squares))
	}
	after := func(a, b symmetry) symmetry {
		x0, y0 := b.apply(1, 0)
		x1, y1 := b.apply(0, 1)
		var m symmetry
		m.xx, m.yx = a.apply(x0, y0)
		m.xy, m.yy = a.apply(x1, y1)
		return m
	}
	sixth := symmetry{1, -1, 1, 0} // right goes to right and down
	reflection := linear(topology.Transpose)
	var want []symmetry
	for s, i := (symmetry{1, 0, 0, 1}), 0; i < 6; i++ {
		want = append(want, s, after(s, reflection))
		s = after(s, sixth)
	}
	hexagons := keeping(ofHexagon)
	for _, s := range want {
		if !slices.Contains(hexagons, s) {
			t.Errorf("%v is missing", s)
		}
	}
	if len(hexagons) != 12 {
		t.Errorf("%d symmetries of hexagons", len(hexagons))
	}
}

// TestSymmetriesOf counts the orientations in which objects of a rule are the same.
func TestSymmetriesOf(t *testing.T) {
	for text, want := range map[string]int{
		"B3/S23": 8, "B2-a/S12": 8, "B2/S013V": 8, "345/2/4": 8, "2/13/3V": 8,
		"B2/S34H": 12, "B2o/S2m34H": 12, "34/2/3H": 12, "B/S0H": 12, "B/S012345678": 8,
		"W30": 1, "W22": 2,
	} {
		r := parseRule(t, text)
		table, ok := r.AsTable()
		if !ok {
			t.Fatal(text)
		}
		if got := len(symmetriesOf(r, table)); got != want {
			t.Errorf("%s has %d symmetries, want %d", text, got, want)
		}
		if r.Neighbourhood.Letter = 'M'; want != 12 || text == "B/S0H" {
			continue
		}
		if got := len(symmetriesOf(r, table)); got != want {
			t.Errorf("%s as a table of squares has %d symmetries, want %d", text, got, want)
		}
	}
}

// TestHexagonsTurn holds that hexagonal rules do the same in all 12 orientations, and that an object has the same code in all of them.
func TestHexagonsTurn(t *testing.T) {
	for _, text := range []string{"B2/S34H", "B2o/S2m34H", "34/2/3H"} {
		c, err := NewCounter(parseRule(t, text), Limits{Period: 60})
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(t *rapid.T) {
			cells := someCells(t, c.rule.States, 6)
			s := rapid.SampledFrom(c.symmetries).Draw(t, "symmetry")
			if got, want := sorted(c.after(turned(cells, s))), sorted(turned(c.after(cells), s)); !slices.Equal(got, want) {
				t.Fatalf("%s: turned by %v it becomes %v, want %v", text, s, got, want)
			}
			o, ok := c.identify(cells)
			if p, other := c.identify(sorted(turned(cells, s))); ok != other || o.Code != p.Code || o.Kind != p.Kind {
				t.Fatalf("%s: %v is %s, and turned by %v %s", text, cells, o.Code, s, p.Code)
			}
		})
	}
}
