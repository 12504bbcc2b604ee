package census

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/census/internal/apgcode"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	builtins "github.com/gosper-life/gosper/pattern/builtin"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// builtin is a built-in pattern and its rule.
func builtin(t testing.TB, name string) (rule.Rule, []Cell) {
	t.Helper()
	famous, ok := builtins.Lookup(name)
	if !ok {
		t.Fatalf("no pattern %s", name)
	}
	p, err := pattern.Read(strings.NewReader(famous.RLE), name+".rle")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := CellsOf(p.Cells)
	if err != nil {
		t.Fatal(err)
	}
	return parseRule(t, famous.Rule), cells
}

// TestPublishedSoup compares a soup with the one in lifelib's own tests.
func TestPublishedSoup(t *testing.T) {
	c, err := newClassifier(parseRule(t, "B3/S23"), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	var w sparse.Universe
	w.Load(SoupOf([]byte("n_GcpqZ62YqD3310086454"), Symmetry{}))
	for range 1000 {
		c.step(&w)
	}
	if o, _ := c.identify(w.Cells(), c.limits.Period); o.Code != "xp46_033y133zzzckgsxsgkczydciczy4ccy0222" {
		t.Errorf("after 1000 generations it is %s", o.Code)
	}
}

func TestIdentify(t *testing.T) {
	for _, test := range []struct {
		pattern string
		want    Object
	}{
		{"block", Object{Code: "xs4_33", Kind: StillLife, Period: 1}},
		{"blinker", Object{Code: "xp2_7", Kind: Oscillator, Period: 2}},
		{"glider", Object{Code: "xq4_153", Kind: Spaceship, Period: 4, DX: 1, DY: 1}},
		{"boscos-bug", Object{Code: "xq1_0ouvvfvvuoz7fvhxhvf7zx11311", Kind: Spaceship, Period: 1, DX: 1}},
		{"oblique-bug", Object{Code: "xq4_gosuvffesoz37ffvso8c7", Kind: Spaceship, Period: 4, DX: 2, DY: -1}},
		{"jitterbug", Object{Code: "xq40_fvvvjvuzw111", Kind: Spaceship, Period: 40, DX: 4}},
		{"copperhead", Object{Code: "xq10_o5995ozes88sezw33", Kind: Spaceship, Period: 10, DY: -1}},
		{"gosper-gun", Object{
			Code: "yl30_1_5_74055a5f5e513fd2e62fb8d6117d3f03", Kind: LinearGrowth, Period: 30,
			Growth: Growth{
				To: 14399, Cells: 5, Code: "yl30_1_5_74055a5f5e513fd2e62fb8d6117d3f03", Left: Speed{0, 1}, Up: Speed{0, 1},
				Right: Speed{1, 4}, Down: Speed{1, 4},
			},
		}},
		// Gosper's puffer moves 64 cells up in 128 generations, after a start that lacks the debris.
		{"puffer1", Object{Kind: LinearGrowth, Period: 128, Growth: Growth{
			From: 12, To: 14999, Cells: 26, Code: "yl128_1_26_ca608988cdf47a55a0ca90e80c540752", Left: Speed{0, 1},
			Up: Speed{1, 2}, Right: Speed{0, 1}, Down: Speed{0, 1},
		}}},
		{"diehard", Object{Code: "xs0_0", Kind: Dead}},
		{"rpentomino", Object{Kind: Unstable}},
		{"max", Object{Code: Pathological}},
	} {
		r, cells := builtin(t, test.pattern)
		limits := Limits{Period: 100, Generations: 3000}
		if test.want.Growth.From > 0 {
			limits.Generations = 15000 // and all that it takes to name growth
		}
		o, err := Identify(r, cells, limits)
		if o.box.Empty() == (o.Kind == StillLife || o.Kind == Oscillator || o.Kind == Spaceship) {
			t.Errorf("%s: its box is %v", test.pattern, o.box)
		}
		o.box, o.least = test.want.box, test.want.least
		if err != nil || o != test.want {
			t.Errorf("%s is %+v (%v), want %+v", test.pattern, o, err, test.want)
		}
	}
}

// cellsOfCode returns a counter for a rule and the cells of a code under it, in order: none if the code names no cells.
func cellsOfCode(t *testing.T, rule, code string) (*Counter, []Cell) {
	t.Helper()
	c, err := NewCounter(parseRule(t, rule), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := ParseCode(code, c.rule.States)
	if err != nil {
		return c, nil
	}
	return c, sorted(parsed.Cells)
}

// TestObject compares the numbers and codes of objects with what all their phases say.
func TestObject(t *testing.T) {
	kinds := map[Kind]int{}
	for _, p := range publishedCodes(t) {
		c, cells := cellsOfCode(t, p.rule, p.code)
		period, dx, dy := c.period(cells, c.limits.Period)
		if period == 0 {
			continue
		}
		var box grid.Rect
		var comparable [][]Cell
		least := len(cells)
		for k, phase := range c.phases(cells, period) {
			box = box.Union(apgcode.BoxOf(phase))
			if k%c.turns == 0 {
				comparable = append(comparable, phase)
				least = min(least, len(phase))
			}
		}
		text := apgcode.Canonical(comparable, c.symmetries, c.rule.States)
		o := c.object(cells, period, dx, dy)
		if o.box != box || o.least != least || !strings.HasSuffix(o.Code, "_"+text) {
			t.Errorf("%s: %+v, want box %v, %d cells and text %s", p.code, o, box, least, text)
		}
		kinds[o.Kind]++
	}
	if kinds[StillLife] == 0 || kinds[Oscillator] == 0 || kinds[Spaceship] == 0 {
		t.Errorf("only kinds %v", kinds)
	}
}

// TestCountOfLongPeriods counts an oscillator that has another population at every check of a soup for longer
// than a rhythm may take.
func TestCountOfLongPeriods(t *testing.T) {
	r, cells := builtin(t, "beluchenko-p37")
	c, err := NewCounter(r, Limits{Generations: 3000})
	if err != nil {
		t.Fatal(err)
	}
	o := c.Identify(cells)
	got := c.Count(cells)
	want := Tally{Objects: map[string]int{o.Code: 1}, most: got.most}
	if o.Period != 37 || !reflect.DeepEqual(got, want) {
		t.Errorf("%+v counts as %+v, want %+v", o, got, want)
	}
}

// TestTraveller compares the footprints of objects at many generations with those of their cells, which come from their
// phases.
func TestTraveller(t *testing.T) {
	moving, standing := 0, 0
	for i, p := range publishedCodes(t) {
		c, cells := cellsOfCode(t, p.rule, p.code)
		period, dx, dy := c.period(cells, c.limits.Period)
		if period == 0 {
			continue
		}
		if dx != 0 || dy != 0 {
			moving++
		} else if period > 1 {
			standing++
		}
		from := 1000 + i
		one := c.traveller(cells, period, dx, dy, from)
		phases := c.phases(cells, period)
		for k := -2 * period; k < 3*period; k++ {
			phase := (k + 2*period) % period
			periods := (k - phase) / period
			var got footprint
			one.addTo(&got, from+k)
			if want := footprintOf(moved(phases[phase], periods*dx, periods*dy)); got != want {
				t.Fatalf("%s, %d generations later: %+v, want %+v", p.code, k, got, want)
			}
		}
	}
	if moving < 5 || standing < 5 {
		t.Errorf("%d spaceships, %d oscillators", moving, standing)
	}
}

// TestFootprintsAndShapes: two lists of cells have the same footprint only if they are the same, in any order, and the
// same shape only if one is the other one moved.
func TestFootprintsAndShapes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SampledFrom([]int{2, 3, 9}).Draw(t, "states")
		a, b := someCells(t, states, 12), someCells(t, states, 12)
		if rapid.Bool().Draw(t, "nearly the same") {
			b = slices.Clone(a)
			at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
			b[at].X += rapid.IntRange(-1, 1).Draw(t, "x")
			b[at].Y += rapid.IntRange(-1, 1).Draw(t, "y")
			b[at].Age = uint8(rapid.IntRange(0, states-2).Draw(t, "age"))
			b = sorted(b)
		}
		if same := slices.Equal(a, b); same != (footprintOf(a) == footprintOf(rapid.Permutation(b).Draw(t, "order"))) {
			t.Errorf("%v and %v: the same %v, footprints %v and %v", a, b, same, footprintOf(a), footprintOf(b))
		}
		far := moved(b, rapid.IntRange(-500, 500).Draw(t, "dx"), rapid.IntRange(-500, 500).Draw(t, "dy"))
		if _, _, same := displacement(a, b); same != (zoneShape(a) == zoneShape(far)) {
			t.Errorf("%v and %v: the same shape %v", a, b, same)
		}
	})
}

// TestFewShapes: the shapes of zones are forgotten when they take too much memory, and looked up until then.
func TestFewShapes(t *testing.T) {
	c, err := NewCounter(parseRule(t, "B3/S23"), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var pair, other []Cell // blocks, too far apart for a square
	for i := range 8 {
		pair = append(pair, Cell{X: i/4*30 + i%2, Y: i / 2 % 2})
		other = append(other, Cell{X: i/4*40 + i%2, Y: i / 2 % 2})
	}
	first := c.large(sorted(pair))
	if again := c.large(moved(sorted(pair), 7, -9)); again != first || len(first.codes) != 2 {
		t.Errorf("a pair of blocks is %+v, and %+v again", first, again)
	}
	if z := c.large(nil); z.period != 0 { // cells of the envelope that have died
		t.Errorf("no cells are %+v", z)
	}
	c.shapeBytes = mostShapeBytes
	c.large(sorted(other))
	if len(c.shapes) != 1 || c.shapeBytes == 0 || c.shapeBytes > 1000 {
		t.Errorf("%d shapes of %d bytes", len(c.shapes), c.shapeBytes)
	}
}
