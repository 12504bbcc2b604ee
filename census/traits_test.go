package census

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
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

// hickerson has Hickerson's names of the symmetries of a phase, by Catagolue's.
var hickerson = map[string]string{
	"C1": "n", "D2_+1": "-c", "D2_+2": "-e", "D2_x": "/", "C2_1": ".c", "C2_2": ".e", "C2_4": ".k",
	"D4_+1": "+c", "D4_+2": "+e", "D4_+4": "+k", "D4_x1": "xc", "D4_x4": "xk", "C4_1": "rc", "C4_4": "rk",
	"D8_1": "*c", "D8_4": "*k",
}

// kinetic is Hickerson's name of the symmetry of an oscillator: that of a phase, and if the phase comes back turned or
// mirrored, then also that of all its images together.
func kinetic(c *Counter, cells []Cell, o Object, t Traits) string {
	if t.Mod == o.Period {
		return hickerson[t.Symmetry]
	}
	var images []Cell
	for i, phase := range c.phases(sorted(cells), o.Period) {
		if i%t.Mod == 0 {
			images = append(images, phase...)
		}
	}
	return hickerson[t.Symmetry] + hickerson[spatialSymmetry(slices.Compact(sorted(images)), c.symmetries)]
}

// rounded reports whether a published figure is a value, rounded to as many decimals. It may be missing.
func rounded(published string, value float64) bool {
	_, decimals, _ := strings.Cut(published, ".")
	scale := math.Pow10(len(decimals))
	return published == "" || published == strconv.FormatFloat(math.Round(value*scale)/scale, 'f', len(decimals), 64)
}

// TestPublishedTraits holds traits to the figures that others have published. They come from LifeWiki's pages, from the
// header of Dean Hickerson's stamp collection of 2000 (mod and symmetry), from the Life Lexicon (rotor), and from the
// list of known rotors of Hickerson's program dr (rotor). The cells are those of the same page, or the Life Lexicon's;
// their codes are partly this package's own. A symmetry is named as Hickerson does, or as Catagolue does. Some rotors
// are said in words: "four diagonal on-off rotors" are 8 cells.
func TestPublishedTraits(t *testing.T) {
	file, err := os.ReadFile("testdata/published_traits.tsv")
	if err != nil {
		t.Fatal(err)
	}
	c := counters(t)("B3/S23")
	oscillators := 0
	for _, line := range slices.Collect(strings.Lines(string(file)))[1:] {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		name, figures, symmetry := fields[0], fields[2:9], fields[9]
		code, err := ParseCode(fields[1], 2)
		if err != nil {
			t.Fatal(err)
		}
		o := c.Identify(code.Cells)
		if o.Kind == Oscillator {
			oscillators++
		}
		got := c.Traits(code.Cells, o)
		all, strict := got.Volatility()
		for i, value := range []float64{
			float64(o.Period), float64(got.Mod), got.Heat, all, strict, float64(got.Rotor), float64(got.Stator),
		} {
			if !rounded(figures[i], value) {
				t.Errorf("%s: figure %d is %g, published as %s", name, i, value, figures[i])
			}
		}
		// With a period of 2 or 3, a cell of the rotor changes twice in it (Life Lexicon, heat).
		if o.Kind == Oscillator && o.Period <= 3 && !rounded(figures[2], 2*float64(got.Rotor)/float64(o.Period)) {
			t.Errorf("%s: a rotor of %d cells, published heat %s", name, got.Rotor, figures[2])
		}
		if k := kinetic(c, code.Cells, o, got); symmetry != "" && symmetry != got.Symmetry && symmetry != k {
			t.Errorf("%s: symmetry %s, kinetic %s, published as %s", name, got.Symmetry, k, symmetry)
		}
	}
	if oscillators < 99 {
		t.Errorf("only %d oscillators were measured", oscillators)
	}
}
