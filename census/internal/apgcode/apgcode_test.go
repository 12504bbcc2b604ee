package apgcode

import (
	"slices"
	"testing"

	"github.com/gosper-life/gosper/topology"
)

// TestBitsOf holds the bits of states to those of GenerationsMapper in lifelib.
func TestBitsOf(t *testing.T) {
	for _, test := range []struct{ states, state, bits int }{
		{2, 1, 1},
		{3, 1, 1},
		{3, 2, 2},
		{4, 2, 6},
		{4, 3, 2},
		{5, 2, 10},
		{5, 3, 6},
		{5, 4, 2},
		{6, 2, 14},
		{7, 2, 18},
		{256, 2, 1014},
		{256, 255, 2},
	} {
		if got := bitsOf(uint8(test.state-1), test.states); got != test.bits {
			t.Errorf("state %d of %d has bits %b, want %b", test.state, test.states, got, test.bits)
		}
		if age, ok := ageOf(test.bits, test.states); !ok || int(age)+1 != test.state {
			t.Errorf("bits %b of %d states are age %d (%v), want state %d", test.bits, test.states, age, ok, test.state)
		}
	}
	for _, bits := range []int{3, 4, 6, 8, 10, 1 << 20} {
		if age, ok := ageOf(bits, 3); ok {
			t.Errorf("bits %b of three states are age %d", bits, age)
		}
	}
}

// linear is a rotation or reflection of squares as a linear map.
func linear(s topology.Symmetry) Symmetry {
	var m Symmetry
	m.XX, m.YX = s.Apply(1, 0)
	m.XY, m.YY = s.Apply(0, 1)
	return m
}

// TestKeeping holds the symmetries of squares to package topology's, and those of hexagons to what a hexagon's
// are: all powers of a sixth of a turn, and their products with a reflection.
func TestKeeping(t *testing.T) {
	squares := Keeping(OfSquare)
	for _, s := range topology.Symmetries {
		if !slices.Contains(squares, linear(s)) {
			t.Errorf("%v is missing", s)
		}
	}
	if len(squares) != len(topology.Symmetries) {
		t.Errorf("%d symmetries of squares", len(squares))
	}
	after := func(a, b Symmetry) Symmetry {
		x0, y0 := b.Apply(1, 0)
		x1, y1 := b.Apply(0, 1)
		var m Symmetry
		m.XX, m.YX = a.Apply(x0, y0)
		m.XY, m.YY = a.Apply(x1, y1)
		return m
	}
	sixth := Symmetry{1, -1, 1, 0} // right goes to right and down
	reflection := linear(topology.Transpose)
	var want []Symmetry
	for s, i := (Symmetry{1, 0, 0, 1}), 0; i < 6; i++ {
		want = append(want, s, after(s, reflection))
		s = after(s, sixth)
	}
	hexagons := Keeping(OfHexagon)
	for _, s := range want {
		if !slices.Contains(hexagons, s) {
			t.Errorf("%v is missing", s)
		}
	}
	if len(hexagons) != 12 {
		t.Errorf("%d symmetries of hexagons", len(hexagons))
	}
}
