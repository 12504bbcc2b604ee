package census

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"testing"

	builtins "github.com/gosper-life/gosper/pattern/builtin"
)

// field is a rectangle of cells of Life, a byte each.
type field [][]byte

// next applies the rule as it is defined.
func (f field) next() field {
	after := make(field, len(f))
	for y := range f {
		after[y] = make([]byte, len(f[y]))
		for x := range f[y] {
			n := 0
			for dy := -1; dy <= 1; dy++ {
				for dx := -1; dx <= 1; dx++ {
					if (dx != 0 || dy != 0) && y+dy >= 0 && y+dy < len(f) && x+dx >= 0 && x+dx < len(f[y]) {
						n += int(f[y+dy][x+dx])
					}
				}
			}
			if n == 3 || n == 2 && f[y][x] == 1 {
				after[y][x] = 1
			}
		}
	}
	return after
}

// trimmed is the part of a field with live cells.
func (f field) trimmed() field {
	live := func(row []byte) bool { return bytes.IndexByte(row, 1) >= 0 }
	top := slices.IndexFunc(f, live)
	bottom := len(f)
	for !live(f[bottom-1]) {
		bottom--
	}
	left, right := len(f[0]), 0
	for _, row := range f {
		if live(row) {
			left, right = min(left, bytes.IndexByte(row, 1)), max(right, bytes.LastIndexByte(row, 1)+1)
		}
	}
	var part field
	for _, row := range f[top:bottom] {
		part = append(part, row[left:right])
	}
	return part
}

// flipped is the mirror image with left and right exchanged, transposed that with rows and columns exchanged.
func (f field) flipped() field {
	var image field
	for _, row := range f {
		row = bytes.Clone(row)
		slices.Reverse(row)
		image = append(image, row)
	}
	return image
}

func (f field) transposed() field {
	image := make(field, len(f[0]))
	for _, row := range f {
		for x, state := range row {
			image[x] = append(image[x], state)
		}
	}
	return image
}

func (f field) equal(g field) bool { return slices.EqualFunc(f, g, bytes.Equal) }

// byDefinition measures an object of Life cell by cell.
func byDefinition(cells []Cell, period int, moves bool) Traits {
	const margin = 66
	right, bottom := 0, 0
	left, top := cells[0].X, cells[0].Y
	for _, c := range cells {
		left, right, top, bottom = min(left, c.X), max(right, c.X), min(top, c.Y), max(bottom, c.Y)
	}
	f := make(field, bottom-top+1+2*margin)
	for y := range f {
		f[y] = make([]byte, right-left+1+2*margin)
	}
	for _, c := range cells {
		f[c.Y-top+margin][c.X-left+margin] = 1
	}
	phases := []field{f}
	for range period {
		phases = append(phases, phases[len(phases)-1].next())
	}
	var t Traits
	t.LeastHeat = 1 << 30
	for i := range period {
		n := 0
		for y := range f {
			for x := range f[y] {
				if phases[i][y][x] != phases[i+1][y][x] {
					n++
				}
			}
		}
		t.LeastHeat, t.MostHeat, t.Heat = min(t.LeastHeat, n), max(t.MostHeat, n), t.Heat+float64(n)
	}
	t.Heat /= float64(period)
	for y := range f {
		for x := range f[y] {
			lives, own := 0, period
			for i := range period {
				lives += int(phases[i][y][x])
			}
			for d := period - 1; d > 0 && lives > 0 && !moves; d-- {
				i := 0
				for i < period && phases[i][y][x] == phases[(i+d)%period][y][x] {
					i++
				}
				if i == period {
					own = d
				}
			}
			switch {
			case moves || lives == 0:
			case lives == period:
				t.Stator++
			default:
				t.Rotor++
				if own == period {
					t.Strict++
				}
			}
		}
	}
	first := phases[0].trimmed()
	quarter := func(f field) field { return f.transposed().flipped() }
	half := func(f field) field { return quarter(quarter(f)) }
	upside := func(f field) field { return half(f.flipped()) }
	images := []struct {
		name string
		of   func(field) field
	}{
		{"", func(f field) field { return f }},
		{"turned by 90°", quarter},
		{"turned by 90°", func(f field) field { return quarter(half(f)) }},
		{"turned by 180°", half},
		{"mirrored", field.flipped},
		{"mirrored", upside},
		{"mirrored diagonally", field.transposed},
		{"mirrored diagonally", func(f field) field { return half(f.transposed()) }},
	}
	for t.Mod = 1; ; t.Mod++ {
		later := phases[t.Mod].trimmed()
		k := 0
		for k < len(images) && !images[k].of(first).equal(later) {
			k++
		}
		if k < len(images) {
			t.Image = images[k].name
			break
		}
	}
	is := func(of func(field) field) bool { return of(first).equal(first) }
	w, h := len(first[0])%2, len(first)%2
	size := map[[2]int]string{{1, 1}: "1", {0, 1}: "2", {1, 0}: "2", {0, 0}: "4"}[[2]int{w, h}]
	switch {
	case is(quarter) && is(field.flipped):
		t.Symmetry = "D8_" + size
	case is(quarter):
		t.Symmetry = "C4_" + size
	case is(field.flipped) && is(upside):
		t.Symmetry = "D4_+" + size
	case is(field.transposed) && is(half):
		t.Symmetry = "D4_x" + size
	case is(half):
		t.Symmetry = "C2_" + size
	case is(field.flipped):
		t.Symmetry = fmt.Sprint("D2_+", 2-w)
	case is(upside):
		t.Symmetry = fmt.Sprint("D2_+", 2-h)
	case is(field.transposed), is(func(f field) field { return half(f.transposed()) }):
		t.Symmetry = "D2_x"
	default:
		t.Symmetry = "C1"
	}
	return t
}

// TestTraits measures well-known objects of Life by the definitions of the words, on bytes.
func TestTraits(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	objects := map[string][]Cell{}
	for _, p := range publishedCodes(t) {
		if p.rule == "B3/S23" && p.code[0] == 'x' {
			code, err := ParseCode(p.code, 2)
			if err != nil {
				t.Fatal(err)
			}
			objects[p.code] = code.Cells
		}
	}
	for _, b := range builtins.All() {
		if b.Rule == "B3/S23" {
			_, objects[b.Name] = builtin(t, b.Name)
		}
	}
	oscillators := 0
	for name, cells := range objects {
		o, ok := c.IdentifySoon(cells, 120)
		if !ok || o.Kind == Dead {
			continue
		}
		if o.Kind == Oscillator {
			oscillators++
		}
		got, want := c.Traits(cells, o), byDefinition(cells, o.Period, o.Kind == Spaceship)
		if got != want {
			t.Errorf("%s is measured as %+v, want %+v", name, got, want)
		}
	}
	if oscillators < 60 {
		t.Errorf("only %d oscillators were measured", oscillators)
	}
}

// TestPublishedTraits holds traits to those in LifeWiki's pages, which round heat to one decimal and volatility to two.
func TestPublishedTraits(t *testing.T) {
	for _, test := range []struct {
		name        string
		heat        float64
		all, strict float64 // volatility
		mod         int
		symmetry    string
	}{
		{"block", 0, 0, 0, 1, "D8_4"},
		{"blinker", 4, 0.8, 0.8, 1, "D4_+1"},
		{"toad", 8, 0.8, 0.8, 2, "C2_4"},
		{"beacon", 2, 0.25, 0.25, 2, "D4_x4"},
		{"glider", 4, 0, 0, 2, "C1"},
		{"jam", 7.3, 0.55, 0.55, 3, "C1"},
		{"caterer", 14.7, 0.88, 0.88, 3, "C1"},
		{"pulsar", 42.7, 0.73, 0.73, 3, "D8_1"},
		{"mold", 7, 0.63, 0.53, 2, "C1"},
		{"mazing", 14, 1, 0.92, 2, "D2_x"},
		{"pinwheel", 4, 0.2, 0.2, 1, "C1"},
		{"octagon2", 16, 0.8, 0.8, 5, "D8_4"},
		{"fumarole", 12.8, 0.72, 0.72, 5, "D2_+2"},
		{"unix", 11.3, 0.8, 0.8, 6, "D2_x"},
		{"figure-eight", 16.5, 1, 1, 8, "D4_x4"},
		{"koks-galaxy", 39, 1, 1, 8, "C4_1"},
		{"tumbler", 10.3, 1, 0.88, 7, "D2_+1"},
		{"pentadecathlon", 22.4, 1, 1, 15, "D4_+2"},
	} {
		r, cells := builtin(t, test.name)
		c, err := NewCounter(r, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got := c.Traits(cells, c.Identify(cells))
		all, strict := got.Volatility()
		if math.Round(10*got.Heat)/10 != test.heat || math.Round(100*all)/100 != test.all ||
			math.Round(100*strict)/100 != test.strict || got.Mod != test.mod || got.Symmetry != test.symmetry {
			t.Errorf("%s: %+v, volatility %g and %g", test.name, got, all, strict)
		}
	}
}
