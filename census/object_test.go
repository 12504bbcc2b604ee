package census

import (
	"strings"
	"testing"

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

// TestPublishedSoup holds soups to the one that lifelib publishes in its own tests.
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
	if o, _ := c.identify(w.Cells()); o.Code != "xp46_033y133zzzckgsxsgkczydciczy4ccy0222" {
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
		{"copperhead", Object{Code: "xq10_o5995ozes88sezw33", Kind: Spaceship, Period: 10, DY: -1}},
		{"gosper-gun", Object{Code: "yl30_1_5_74055a5f5e513fd2e62fb8d6117d3f03", Kind: LinearGrowth, Period: 30}},
		{"diehard", Object{Code: "xs0_0", Kind: Dead}},
		{"rpentomino", Object{Kind: Unstable}},
		{"max", Object{Code: Pathological}},
	} {
		r, cells := builtin(t, test.pattern)
		o, err := Identify(r, cells, Limits{Period: 100, Generations: 3000})
		if o.box.Empty() == (o.Kind == StillLife || o.Kind == Oscillator || o.Kind == Spaceship) {
			t.Errorf("%s: its box is %v", test.pattern, o.box)
		}
		o.box = test.want.box
		if err != nil || o != test.want {
			t.Errorf("%s is %+v (%v), want %+v", test.pattern, o, err, test.want)
		}
	}
}
