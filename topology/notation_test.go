package topology_test

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/topology"
)

// The canonical forms are what Golly 3.3 prints, except for shifts beyond half a torus, which are printed as the
// shorter way round.
func TestParse(t *testing.T) {
	const h, v = topology.Horizontal, topology.Vertical
	tests := []struct {
		in        string
		want      topology.Topology
		canonical string
	}{
		{":T30,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20}, "T30,20"},
		{"T30", topology.Topology{Kind: topology.Torus, W: 30, H: 30}, "T30,30"},
		{"T30,", topology.Topology{Kind: topology.Torus, W: 30, H: 30}, "T30,30"},
		{"T1", topology.Topology{Kind: topology.Torus, W: 1, H: 1}, "T1,1"},
		{":t30+5,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: h, Shift: 5}, "T30+5,20"},
		{"T30+35,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: h, Shift: 5}, "T30+5,20"},
		{"T30-5,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: h, Shift: -5}, "T30-5,20"},
		{"T30+25,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: h, Shift: -5}, "T30-5,20"},
		{"T30-15,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: h, Shift: 15}, "T30+15,20"},
		{"T30,20-2", topology.Topology{Kind: topology.Torus, W: 30, H: 20, Axis: v, Shift: -2}, "T30,20-2"},
		{"T30+30,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20}, "T30,20"},
		{"T30+,20", topology.Topology{Kind: topology.Torus, W: 30, H: 20}, "T30,20"},
		{"T0,20", topology.Topology{Kind: topology.Torus, H: 20}, "T0,20"},
		{"T,20", topology.Topology{Kind: topology.Torus, H: 20}, "T0,20"},
		{"T30,0", topology.Topology{Kind: topology.Torus, W: 30}, "T30,0"},
		{"T0", topology.Topology{}, "T0"},
		{"T", topology.Topology{}, "T0"},
		{"T0,0", topology.Topology{}, "T0"},
		{"P0", topology.Topology{}, "T0"},
		{"P30", topology.Topology{Kind: topology.Plane, W: 30, H: 30}, "P30,30"},
		{"T30,20,10", topology.Topology{Kind: topology.Torus, W: 30, H: 200, D: 10}, "T30,20,10"},
		{":p3,2,1", topology.Topology{Kind: topology.Plane, W: 3, H: 2, D: 1}, "P3,2,1"},
		{"T30+0,20,10", topology.Topology{Kind: topology.Torus, W: 30, H: 200, D: 10}, "T30,20,10"},
		{"p30,0", topology.Topology{Kind: topology.Plane, W: 30}, "P30,0"},
		{"K30,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: v}, "K30,20*"},
		{"K30*,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: h}, "K30*,20"},
		{"K30*+1,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: h, Axis: h, Shift: 1}, "K30*+1,20"},
		{"K30*+3,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: h, Axis: h, Shift: 1}, "K30*+1,20"},
		{"K30*-1,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: h, Axis: h, Shift: 1}, "K30*+1,20"},
		{"K30*+2,20", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: h, Axis: h, Shift: 1}, "K30*+1,20"},
		{"K31*+1,20", topology.Topology{Kind: topology.Klein, W: 31, H: 20, Twist: h}, "K31*,20"},
		{"K30,20*+1", topology.Topology{Kind: topology.Klein, W: 30, H: 20, Twist: v, Axis: v, Shift: 1}, "K30,20*+1"},
		{"K1", topology.Topology{Kind: topology.Klein, W: 1, H: 1, Twist: v}, "K1,1*"},
		{"C30", topology.Topology{Kind: topology.Cross, W: 30, H: 30}, "C30,30"},
		{"C30,20", topology.Topology{Kind: topology.Cross, W: 30, H: 20}, "C30,20"},
		{"S30", topology.Topology{Kind: topology.Sphere, W: 30, H: 30}, "S30"},
		{"T2000000000", topology.Topology{Kind: topology.Torus, W: 2e9, H: 2e9}, "T2000000000,2000000000"},
	}
	for _, test := range tests {
		got, err := topology.Parse(test.in)
		if err != nil || got != test.want || got.String() != test.canonical {
			t.Errorf("%q: got %+v, %v, printed %q, want %+v, printed %q", test.in, got, err, got, test.want, test.canonical)
		}
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct {
		in     string
		offset int
	}{
		{"", 0},
		{":", 1},
		{"30", 0},
		{":X30", 1},
		{"T30x", 3},
		{"T30,20x", 6},
		{"T30,20,10,5", 9},
		{"T30,20,10x", 9},
		{"T30,20,", 6},
		{"T30,20,0", 6},
		{"T30,0,10", 5},
		{"T0,20,10", 5},
		{"T30+1,20,10", 8},
		{"C30,20,10", 6},
		{"K30*,20,10", 7},
		{"T1,2000000000,2", 13},
		{"T1,1,2000000001", 5},
		{"T-5", 1},
		{"T2000000001", 1},
		{"T30,99999999999999999999", 4},
		{"T30*,20", 3},
		{"T30+1,20+1", 8},
		{"T0+1,20", 2},
		{"T30,0+1", 5},
		{"T30+1,0", 7},
		{"P30+1,20", 3},
		{"C30+1,20", 3},
		{"C30,0", 5},
		{"K0", 2},
		{"K30+1,20*", 3},
		{"K30,20+1", 6},
		{"K30+1", 3},
		{"K30*,20*", 7},
		{"K30*,20+1", 7},
		{"S30,30", 3},
		{"S0", 2},
		{"S", 1},
		{"S30+1", 3},
	}
	for _, test := range tests {
		_, err := topology.Parse(test.in)
		var syntax *topology.SyntaxError
		if !errors.As(err, &syntax) || syntax.Offset != test.offset || syntax.Input != test.in {
			t.Errorf("%q: got %v, want a mistake at %d", test.in, err, test.offset)
		}
	}
}

func TestSyntaxErrorQuotesTheSurroundings(t *testing.T) {
	err := &topology.SyntaxError{
		What: "rule", Input: strings.Repeat("a", 100) + "!" + strings.Repeat("b", 100),
		Offset: 100, Msg: "no",
	}
	want := `rule "…` + strings.Repeat("a", 40) + "!" + strings.Repeat("b", 39) + `…", character 101: no`
	if err.Error() != want {
		t.Errorf("got %s\nwant %s", err, want)
	}
}

func TestNew(t *testing.T) {
	tests := []struct {
		kind string
		w, h int
		want string // empty: refused
	}{
		{"torus", 30, 20, "T30,20"},
		{"Plane", 30, 20, "P30,20"},
		{"klein", 30, 20, "K30,20*"},
		{"cross", 30, 20, "C30,20"},
		{"sphere", 30, 30, "S30"},
		{"unbounded", 0, 0, "T0"},
		{"torus", 0, 0, "T0"},
		{"torus", 0, 5, "T0,5"},
		{"plane", 5, 0, "P5,0"},
		{"sphere", 30, 20, ""},
		{"klein", 0, 20, ""},
		{"cross", 30, 0, ""},
		{"unbounded", 30, 20, ""},
		{"torus", -1, 20, ""},
		{"torus", 1, 2_000_000_001, ""},
	}
	for _, test := range tests {
		kind, err := topology.ParseKind(test.kind)
		if err != nil {
			t.Fatal(err)
		}
		got, err := topology.New(kind, test.w, test.h)
		if (err == nil) != (test.want != "") || err == nil && got.String() != test.want {
			t.Errorf("%s of %d×%d: got %s, %v, want %q", test.kind, test.w, test.h, got, err, test.want)
		}
	}
	if _, err := topology.ParseKind("doughnut"); err == nil || !strings.Contains(err.Error(), "torus") {
		t.Errorf("an unknown kind: got %v", err)
	}
}

func TestValidateRefuses(t *testing.T) {
	for _, bad := range []topology.Topology{
		{Kind: 9},
		{Kind: topology.Torus, W: 5, H: 5, Shift: 1},
		{Kind: topology.Torus, W: 5, H: 5, Axis: 3, Shift: 1},
		{Kind: topology.Torus, W: 5, Axis: topology.Horizontal, Shift: 1},
		{Kind: topology.Torus, W: 5, H: 5, Twist: topology.Vertical},
		{Kind: topology.Plane, W: 5, H: 5, Axis: topology.Horizontal, Shift: 1},
		{Kind: topology.Klein, W: 5, H: 5},
		{Kind: topology.Torus, W: 5, H: 5, D: 2},
		{Kind: topology.Torus, W: 5, H: 5, D: -5},
		{Kind: topology.Torus, W: 5, D: 5},
		{Kind: topology.Torus, W: 5, H: 5, D: 5, Axis: topology.Horizontal, Shift: 1},
		{Kind: topology.Sphere, W: 5, H: 5, D: 1},
		{D: 5},
		{Kind: topology.Klein, W: 5, H: 6, Twist: topology.Horizontal, Axis: topology.Vertical, Shift: 1},
	} {
		if err := bad.Validate(); err == nil {
			t.Errorf("%+v is accepted", bad)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		top := drawTopology(t)
		if top.Kind == topology.Torus && top.Axis == topology.NoAxis && rapid.Bool().Draw(t, "volume") {
			top.D = rapid.IntRange(1, 9).Draw(t, "d")
			top.H *= top.D
		}
		if err := top.Validate(); err != nil {
			t.Fatalf("%+v: %v", top, err)
		}
		again, err := topology.Parse(top.Suffix())
		if err != nil || again != top {
			t.Fatalf("%+v is printed %q, read back %+v, %v", top, top, again, err)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		":T30,20", "t30+5,20", "T30,20-2", "K30*+1,20", "k7", "C30,20", "S33", "P0,7", "T0",
		"T3,4,5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		top, err := topology.Parse(s)
		if err != nil {
			return
		}
		if err := top.Validate(); err != nil {
			t.Fatalf("%q: %v", s, err)
		}
		again, err := topology.Parse(top.String())
		if err != nil || again != top {
			t.Fatalf("%q is printed %q, read back %+v, %v", s, top, again, err)
		}
		for _, v := range []int{-1, 0, top.W, top.H, -1 << 63, 1<<63 - 1} {
			fold := top.Fold
			if top.Volume() {
				fold = func(x, y int) (int, int, bool) { return top.FoldVolume(x, y, v) }
			}
			if x, y, inside := fold(v, v); inside && (top.W > 0 && uint(x) >= uint(top.W) ||
				top.H > 0 && uint(y) >= uint(top.H)) {
				t.Fatalf("%s: (%d, %d) folds to (%d, %d)", top, v, v, x, y)
			}
		}
	})
}
