package soup

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"pgregory.net/rapid"
)

func TestParseStart(t *testing.T) {
	for text, want := range map[string]string{
		"soup": "soup", " Soup": "soup", "soup~flip=0.1": "soup~flip=0.1", "soup~flip=0": "soup",
		"exact": "exact", "exact~2=20,1=3e7": "exact~1=30000000,2=20", "EXACT~1=5,set0=.25": "exact~1=5,set0=0.25",
		"shares~1=0.99,2=0.01": "shares~1=0.99,2=0.01", "bits~5+3=0.25,0=1e-3": "bits~0=0.001,3+5=0.25",
		"blocks~side=8": "blocks~side=8", "Symmetric~as=d2X": "symmetric~as=D2x", "BONDS~flip=.1": "bonds~flip=0.1", "gauss~length=2.50": "gauss~length=2.5",
		"gauss~power=2": "gauss~power=2",
		"cell":          "cell", "pattern~set2=0.5,set1=0.5": "pattern~set1=0.5,set2=0.5", "repeat": "repeat",
		"regions~1=.1:1.0,2=5e-1,flip=0": "regions~1=0.1:1,2=0.5", "repeAt~of=~": "repeat~of=~", "repeat~dy=3,x=20,y=30,dx=0": "repeat~x=20,y=30,dy=3",
	} {
		s, err := ParseStart(text)
		if err != nil || s.String() != want {
			t.Errorf("%q reads %q, error %v, want %q", text, s, err, want)
		}
	}
	for text, want := range map[string]string{
		"":                       `start "": want one of soup, exact, shares, bits, blocks, gauss, cell, pattern, repeat`,
		"glider":                 "want one of soup,",
		"soup~":                  "want flip=P or set0=P",
		"soup~flip=2":            `"flip=2": want a number from 0 to 1`,
		"soup~flip=NaN":          "want a number from 0 to 1",
		"soup~flip=0.1,flip=0.2": `"flip" is there twice`,
		"soup~set1=1,set01=1":    "set1 is there twice",
		"soup~set1=1,set2=.1":    "with a probability of more than 1",
		"soup~set300=1":          "want a state, 0 to 255",
		"exact~0=4":              "state 0 has the cells that are left",
		"exact~1=4.5":            "want a whole number",
		"exact~1+2=4":            "not several states",
		"exact~1=4,01=5":         "1 is there twice",
		"exact~n=4":              "want 1=N, 2=N, …, flip=P",
		"shares":                 "want 1=P, 2=P, …",
		"shares~1=0.9,2=0.2":     "the shares are more than 1 together",
		"bits~8=0.1":             "bits are 0 to 7",
		"bits~1+1=0.1":           "1 is there twice",
		"blocks":                 "want side=N",
		"symmetric":              "want as=C2, as=C4",
		"symmetric~as=D5":        "want C2, C4, D2, D2x, D4, D4x, D8",
		"blocks~side=0":          "want a number from 1 to",
		"gauss":                  "want length=L or power=A above 0",
		"gauss~length=2,power=2": "want length=L or power=A above 0",
		"gauss~sigma=2":          "want length=L or power=A, flip=P",
		"regions":                "want 1=P:P:…, 2=P:P:…, …",
		"regions~2=0.5":          "want 1=P:P:…, 2=P:P:…, …, in this order",
		"regions~1=0.5:":         "want a number from 0 to 1",
		"regions~1=0.5:2":        "want a number from 0 to 1",
		"repeat~x=0":             "want a number from 1 to",
		"cell~x=1":               "want flip=P or set0=P",
	} {
		if s, err := ParseStart(text); err == nil || !strings.Contains(err.Error(), want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%q reads %v, error %v, want %s", text, s, err, want)
		}
	}
}

func FuzzParseStart(f *testing.F) {
	for _, s := range []string{
		"soup", "exact~1=5,2=7", "shares~1=0.3,2=1e-9", "bits~0+3=0.1,1=1,set1=0.1", "gauss~length=3",
		"gauss~power=1.5,flip=0.1", "blocks~side=3", "repeat~x=3,dx=5", "pattern~set0=1", "repeat~of=a b=c,x=9", "repeat~of=~",
		"regions~1=0:1:.5,2=1", "cell~flip=-0", "exact~1=-0", "repeat~dx=-0", "soup~,", "~", "shares~1=.5,1=.5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := ParseStart(text)
		if err != nil {
			return
		}
		again, err := ParseStart(s.String())
		if err != nil || again.String() != s.String() {
			t.Fatalf("%q is written %q, which reads %q, error %v", text, s, again, err)
		}
		if s.Check(2, 30, 20) == nil && !s.HasPattern() && s.side < 1<<20 {
			if made := start(t, s.String(), Setting{W: 30, H: 20, States: 2, Seed: 1, Density: 0.3}); !made.Equal(start(t,
				again.String(), Setting{W: 30, H: 20, States: 2, Seed: 1, Density: 0.3})) {
				t.Fatalf("%q and %q make different cells", text, s)
			}
		}
	})
}

// TestRegions compares each cell with the soup of its region's density.
func TestRegions(t *testing.T) {
	for _, size := range [][2]int{{200, 90}, {64, 64}, {7, 3}, {1, 1}, {300, 2}} {
		w, h := size[0], size[1]
		densities := [][]float64{{0.1, 0.9, 0, 1, 0.5, 0.25, 0.75}, {0.5}, {0.3, 0.6}}
		in := Setting{W: w, H: h, States: 3, Seed: 7}
		g := start(t, "regions~1=0.1:0.9:0:1:0.5:0.25:0.75,2=0.5,3=0.3:0.6", in)
		for y := range h {
			for x := range w {
				row := densities[y*len(densities)/h]
				s, err := New(in.Seed, row[x*len(row)/w])
				if err != nil {
					t.Fatal(err)
				}
				if g.Get(x, y) != 0 != s.Alive(uint64(y*w+x)) || g.Get(x, y) > 1 {
					t.Fatalf("%d×%d: cell (%d, %d) is %d, otherwise than in the soup of its density", w, h, x, y, g.Get(x, y))
				}
			}
		}
		if soup := start(t, "regions~1=0.3", in); !soup.Equal(start(t, "shares~1=0.3", in)) {
			t.Errorf("%d×%d: one region is not a soup", w, h)
		}
	}
	if err := parsed(t, "regions~1=0.3").CheckLayers(4); err == nil {
		t.Error("regions of a volume were not refused")
	}
}

func parsed(t rapid.TB, text string) Start {
	t.Helper()
	s, err := ParseStart(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// start makes the cells of a notation.
func start(t rapid.TB, text string, in Setting) *grid.Grid {
	t.Helper()
	g, err := grid.New(in.W, in.H, grid.PlanesOf(in.States))
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed(t, text).Fill(context.Background(), g, in, nil); err != nil {
		t.Fatal(err)
	}
	return g
}

// letters is a pattern of more than two states, not at the origin.
func letters(t rapid.TB) *grid.Tiles {
	p, err := grid.NewTiles(2)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range []string{"1.2", ".33", "21."} {
		for j, c := range row {
			if c != '.' {
				p.Set(j-1, i+4, uint8(c-'0'))
			}
		}
	}
	return p
}

// plain hides that it is a Grid, as an engine does.
type plain struct{ *grid.Grid }

var everyStart = []string{
	"soup", "soup~flip=0.3", "exact", "exact~1=7,2=3", "exact~1=2,3=1,set2=0.2", "shares~1=0.3,3=0.2", "bits~0=0.7,1=0.2",
	"blocks~side=3", "blocks~side=70", "symmetric~as=C2", "symmetric~as=D4", "gauss~length=2", "gauss~power=2.5",
	"cell", "pattern", "pattern~set1=0.1,set3=0.2", "repeat", "repeat~x=5,y=4,dx=12,dy=3", "repeat~x=64,y=3,set0=0.5",
}

// Every start makes the same cells with any number of threads, on a grid and on an engine, over any earlier cells.
// With another seed it makes other cells.
func TestStartsAreTheirSeed(t *testing.T) {
	for _, text := range everyStart {
		for _, size := range [][2]int{{1, 11}, {7, 3}, {64, 64}, {65, 63}, {200, 9}, {700, 400}} {
			states := 4
			if strings.Contains(text, "flip") {
				states = 2
			}
			in := Setting{
				W: size[0], H: size[1], States: states, Seed: 5, Density: 0.37, Pattern: letters(t), X: 2, Y: -3,
				Threads: 1,
			}
			want := start(t, text, in)
			for _, threads := range []int{0, 3} {
				in.Threads = threads
				if !start(t, text, in).Equal(want) {
					t.Errorf("%s, %v: other cells with %d threads", text, size, threads)
				}
			}
			full, err := grid.New(in.W, in.H, 3)
			if err != nil {
				t.Fatal(err)
			}
			for x := range min(in.W, 300) {
				full.Set(x, in.H/2, 7)
			}
			if err := parsed(t, text).Fill(t.Context(), plain{full}, in, nil); err != nil {
				t.Fatal(err)
			}
			if x, y, differs, err := grid.FirstDifference(full, want); differs || err != nil {
				t.Errorf("%s, %v: another cell at %d, %d on an engine (%v)", text, size, x, y, err)
			}
			in.Seed = 6
			chancy := !strings.HasPrefix(text, "cell") && text != "pattern" && !strings.HasPrefix(text, "repeat") ||
				strings.Contains(text, "set")
			if same := start(t, text, in).Equal(want); in.W > 60 && same == chancy && text != "blocks~side=70" {
				t.Errorf("%s, %v: the same cells with another seed: %v", text, size, same)
			}
		}
	}
}

// A soup of this package is a start, and shares of one state are a soup.
func TestStartsThatAreSoups(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Setting{
			W: rapid.IntRange(1, 200).Draw(t, "w"), H: rapid.IntRange(1, 20).Draw(t, "h"), States: 2,
			Seed: rapid.Uint64().Draw(t, "seed"), Density: rapid.Float64Range(0, 1).Draw(t, "density"),
		}
		want, err := grid.New(in.W, in.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		if err := Fill(context.Background(), want, in.W, in.H, in.Seed, in.Density, 1, nil); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"soup", fmt.Sprintf("shares~1=%v", in.Density), "blocks~side=1"} {
			if !start(t, text, in).Equal(want) {
				t.Fatalf("%s is no soup", text)
			}
		}
	})
}

// Exact numbers are exact, of every state, on any size.
func TestExactCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Setting{
			W: rapid.IntRange(1, 150).Draw(t, "w"), H: rapid.IntRange(1, 40).Draw(t, "h"), States: 4,
			Seed: rapid.Uint64().Draw(t, "seed"),
		}
		left, want, text := in.W*in.H, []uint64{0, 0, 0, 0}, "exact~"
		for state := 1; state < 4; state++ {
			n := rapid.IntRange(0, left).Draw(t, "n")
			left -= n
			want[state] = uint64(n)
			text += fmt.Sprintf("%d=%d,", state, n)
		}
		want[0] = uint64(left)
		if got := start(t, strings.TrimSuffix(text, ","), in).Counts(); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s makes %v, want %v", text, got, want)
		}
	})
	for _, density := range []float64{0, 0.25, 0.3, 0.5, 1} {
		in := Setting{W: 101, H: 77, States: 2, Seed: 8, Density: density}
		if got, want := start(t, "exact", in).Population(), uint64(density*101*77+0.5); got != want {
			t.Errorf("density %v: %d cells, want %d", density, got, want)
		}
	}
}

// All ways to place cells are equally likely, whether a soup comes first (with no, one or six standard
// deviations to spare) or not.
func TestExactIsUnbiased(t *testing.T) {
	const samples = 8000
	for _, c := range []struct {
		counts []uint64
		ways   int
	}{{[]uint64{5, 4}, 126}, {[]uint64{5, 1, 3}, 504}} {
		for _, deviations := range []float64{0, 1, 6} {
			seen := map[uint64]int{}
			for seed := range uint64(samples) {
				g, err := grid.New(3, 3, grid.PlanesOf(len(c.counts)))
				if err != nil {
					t.Fatal(err)
				}
				if err := place(t.Context(), g, c.counts, seed, 1, deviations); err != nil {
					t.Fatal(err)
				}
				key := uint64(0)
				for i := range 9 {
					key = key*3 + uint64(g.Get(i%3, i/3))
				}
				seen[key]++
			}
			mean, chi := float64(samples)/float64(c.ways), 0.0
			for _, n := range seen {
				chi += (float64(n) - mean) * (float64(n) - mean) / mean
			}
			free := float64(c.ways - 1)
			if z := (chi - free) / math.Sqrt(2*free); len(seen) != c.ways || math.Abs(z) > 4 {
				t.Errorf("%v, %v deviations: %d ways of %d, χ² %.1f", c.counts, deviations, len(seen), c.ways, chi)
			}
		}
	}
}

// near checks that a number of independent events is within 5 standard deviations.
func near(t *testing.T, what string, got, n, p float64) {
	t.Helper()
	if math.Abs(got-n*p) > 5*math.Sqrt(n*p*(1-p))+1e-9 {
		t.Errorf("%s: %v of %v, want a share of %v", what, got, n, p)
	}
}

// Shares of states, bits and noise are what they should be, and independent.
func TestShares(t *testing.T) {
	const n = 500 * 400
	in := Setting{W: 500, H: 400, States: 8, Seed: 11}
	counts := start(t, "shares~1=0.01,2=0.3,7=0.2", in).Counts()
	for state, p := range []float64{0.49, 0.01, 0.3, 0, 0, 0, 0, 0.2} {
		near(t, fmt.Sprintf("state %d", state), float64(counts[state]), n, p)
	}
	if got := start(t, "shares~1=0.99,2=0.01", in).Counts(); got[0] != 0 {
		t.Errorf("shares of 1 together leave %d cells", got[0])
	}
	p := []float64{0.3, 0.05, 0.05}
	counts = start(t, "bits~0=0.3,1+2=0.05", in).Counts()
	for state, got := range counts {
		want := 1.0
		for bit, p := range p {
			if state>>bit&1 == 0 {
				p = 1 - p
			}
			want *= p
		}
		near(t, fmt.Sprintf("bits %03b", state), float64(got), n, want)
	}
	in.States = 2
	for _, other := range []Setting{
		{W: 500, H: 400, States: 2, Seed: 12},
		{W: 500, H: 400, States: 2, Seed: ^uint64(11)},
	} {
		for _, text := range []string{"soup", "exact", "bits~0=0.5", "soup~flip=0.5", "gauss~length=0.1", "blocks~side=1"} {
			in.Density, other.Density = 0.5, 0.5
			a, b := start(t, text, in), start(t, text, other)
			near(t, text+" of two seeds", float64(apart(a, b)), n, 0.5)
		}
	}
	dead := Setting{W: 500, H: 400, States: 2, Seed: 11, Density: 0}
	plainSoup, flips, field := start(t, "shares~1=0.5", in), start(t, "soup~flip=0.5", dead),
		start(t, "gauss~length=0.1", in)
	sets, bit := start(t, "cell~set1=0.5", in), start(t, "bits~0=0.5", in)
	all := []*grid.Grid{plainSoup, flips, field, sets, bit}
	for i := range all {
		for j := range i {
			near(t, fmt.Sprintf("uses %d and %d", i, j), float64(apart(all[i], all[j])), n, 0.5)
		}
	}
}

// apart is in how many cells two grids differ.
func apart(a, b *grid.Grid) (n int) {
	for y := range a.H() {
		for k, w := range a.Row(0, y) {
			n += bits.OnesCount64(w ^ b.Row(0, y)[k])
		}
	}
	return n
}

// Noise on a pattern is the pattern with a soup over it; cells that are set have their state regardless of what was
// there.
func TestNoise(t *testing.T) {
	in := Setting{W: 300, H: 200, States: 4, Seed: 3, Pattern: letters(t), X: 150, Y: 90}
	was := start(t, "pattern", in)
	if got, want := fmt.Sprint(was.Counts()), "[59994 2 2 2]"; got != want || was.Get(149, 94) != 1 ||
		was.Get(151, 95) != 3 {
		t.Errorf("the pattern has states %v, want %s", got, want)
	}
	noisy := start(t, "pattern~set1=0.02,set3=0.1", in)
	var set [4]int
	for y := range in.H {
		for x := range in.W {
			if noisy.Get(x, y) != was.Get(x, y) {
				set[noisy.Get(x, y)]++
			}
		}
	}
	if set[0] != 0 || set[2] != 0 {
		t.Errorf("cells are set to %v", set)
	}
	near(t, "set to 1", float64(set[1]), 60000, 0.02)
	near(t, "set to 3", float64(set[3]), 60000, 0.1)
	in.States, in.Pattern = 2, start(t, "soup", Setting{W: 300, H: 200, States: 2, Seed: 9, Density: 0.5})
	in.X, in.Y = 0, 0
	was, noisy = start(t, "pattern", in), start(t, "pattern~flip=0.07", in)
	near(t, "flipped", float64(apart(was, noisy)), 60000, 0.07)
	if got := start(t, "pattern~flip=1", in); apart(was, got) != 60000 {
		t.Error("certain flips leave cells as they are")
	}
}

func TestRepeat(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := Setting{
			W: rapid.IntRange(1, 200).Draw(t, "w"), H: rapid.IntRange(1, 20).Draw(t, "h"), States: 4,
			Pattern: letters(t),
		}
		x, y := rapid.IntRange(3, 100).Draw(t, "x"), rapid.IntRange(3, 10).Draw(t, "y")
		dx, dy := rapid.IntRange(0, 250).Draw(t, "dx"), rapid.IntRange(0, 30).Draw(t, "dy")
		p := letters(t)
		g := start(t, fmt.Sprintf("repeat~x=%d,y=%d,dx=%d,dy=%d", x, y, dx, dy), in)
		for cy := range in.H {
			for cx := range in.W {
				px, py := ((cx-dx)%x+x)%x, ((cy-dy)%y+y)%y
				want := uint8(0)
				if px < 3 && py < 3 {
					want = p.Get(px-1, py+4)
				}
				if got := g.Get(cx, cy); got != want {
					t.Fatalf("cell %d, %d is %d, want %d", cx, cy, got, want)
				}
			}
		}
	})
	g, _ := grid.New(10, 10, 2)
	err := parsed(t, "repeat~x=2").Fill(t.Context(), g, Setting{W: 10, H: 10, States: 4, Pattern: letters(t)}, nil)
	if err == nil || !strings.Contains(err.Error(), "the pattern's 3×3 cells do not fit a period of 2×3") {
		t.Errorf("got %v", err)
	}
}

// Soups with a symmetry are left as they are by its moves and by no other one, and their first cell is that of a soup.
func TestSymmetric(t *testing.T) {
	const side = 31
	at := map[string]func(x, y int) (int, int){
		"turn by 180°": func(x, y int) (int, int) { return side - 1 - x, side - 1 - y },
		"turn by 90°":  func(x, y int) (int, int) { return side - 1 - y, x },
		"left-right":   func(x, y int) (int, int) { return side - 1 - x, y },
		"top-bottom":   func(x, y int) (int, int) { return x, side - 1 - y },
		"diagonal":     func(x, y int) (int, int) { return y, x },
		"antidiagonal": func(x, y int) (int, int) { return side - 1 - y, side - 1 - x },
	}
	for as, want := range map[string][]string{
		"C2": {"turn by 180°"}, "C4": {"turn by 180°", "turn by 90°"}, "D2": {"left-right"}, "D2x": {"diagonal"},
		"D4": {"left-right", "top-bottom", "turn by 180°"}, "D4x": {"antidiagonal", "diagonal", "turn by 180°"},
		"D8": {"antidiagonal", "diagonal", "left-right", "top-bottom", "turn by 180°", "turn by 90°"},
	} {
		in := Setting{W: side, H: side, States: 2, Seed: 4, Density: 0.4}
		g := start(t, "symmetric~as="+as, in)
		var kept []string
		for name, move := range at {
			same := true
			for i := range side * side {
				x, y := move(i%side, i/side)
				same = same && g.Get(i%side, i/side) == g.Get(x, y)
			}
			if same {
				kept = append(kept, name)
			}
		}
		slices.Sort(kept)
		if !slices.Equal(kept, want) {
			t.Errorf("%s is kept by %q, want %q", as, kept, want)
		}
		whole, err := New(in.Seed, in.Density)
		if err != nil {
			t.Fatal(err)
		}
		for i := range side { // the cells of the first row from the corner to the middle are their own first images
			if i <= side/2 && (g.Get(i, 0) == 1) != whole.Alive(uint64(i)) {
				t.Errorf("%s: cell %d is not that of the soup", as, i)
			}
		}
	}
	for _, as := range []string{"C4", "D2x", "D4x", "D8"} {
		if err := parsed(t, "symmetric~as="+as).Check(2, 30, 31); err == nil || !strings.Contains(err.Error(), "square") {
			t.Errorf("%s of 30×31 cells: %v", as, err)
		}
	}
}

// Blocks are cells of a soup, enlarged, and rows that are made in parts are those that are made whole.
func TestBlocks(t *testing.T) {
	for _, c := range []struct{ side, w, h int }{
		{1, 70, 5},
		{7, 100, 30},
		{64, 200, 100},
		{100, 99, 3},
		{3, 1<<22 + 100, 1},
	} {
		in := Setting{W: c.w, H: c.h, States: 2, Seed: 4, Density: 0.6}
		g := start(t, fmt.Sprintf("blocks~side=%d", c.side), in)
		small, err := New(4, 0.6)
		if err != nil {
			t.Fatal(err)
		}
		across := (c.w + c.side - 1) / c.side
		for y := range c.h {
			for x := range c.w {
				if got := g.Get(x, y) == 1; got != small.Alive(uint64(y/c.side*across+x/c.side)) {
					t.Fatalf("side %d: cell %d, %d is %v", c.side, x, y, got)
				}
			}
		}
	}
	in := Setting{W: 1<<22 + 100, H: 1, States: 4, Seed: 4, Pattern: letters(t)}
	g := start(t, "repeat~x=5,set2=0.3", in)
	sets, err := newLayers(derived(4, useSet), []part{{[]int{2}, 0.3}})
	if err != nil {
		t.Fatal(err)
	}
	for x := 1<<22 - 500; x < in.W; x++ {
		want := uint8(0)
		if x%5 < 3 {
			want = letters(t).Get(x%5-1, 4)
		}
		if sets.soups[0].Alive(uint64(x)) {
			want = 2
		}
		if got := g.Get(x, 0); got != want {
			t.Fatalf("cell %d of a long row is %d, want %d", x, got, want)
		}
	}
}

// Two-point correlations of a thresholded field are those of the Gaussian field, by the arcsine law of half-full ones.
func TestGaussianFields(t *testing.T) {
	const universes = 150
	for _, c := range []struct {
		text string
		w, h int
		rho  func(x, y, w, h int) float64
	}{
		{"gauss~length=3", 48, 40, periodic(3)},
		{"gauss~length=0.7", 35, 27, periodic(0.7)},
		{"gauss~power=2", 32, 30, ofPower(2)},
		{"gauss~power=3.5", 31, 33, ofPower(3.5)},
	} {
		distances := [][2]int{{0, 0}, {1, 0}, {0, 1}, {2, 0}, {0, 3}, {2, 2}, {5, 0}, {0, 8}, {10, 3}}
		sums, squares := make([]float64, len(distances)), make([]float64, len(distances))
		density := 0.0
		for seed := range uint64(universes) {
			g := start(t, c.text, Setting{W: c.w, H: c.h, States: 2, Seed: seed, Density: 0.5})
			density += float64(g.Population())
			for i, d := range distances {
				sum := 0
				for y := range c.h {
					for x := range c.w {
						sum += (2*int(g.Get(x, y)) - 1) * (2*int(g.Get((x+d[0])%c.w, (y+d[1])%c.h)) - 1)
					}
				}
				v := float64(sum) / float64(c.w*c.h)
				sums[i] += v
				squares[i] += v * v
			}
		}
		for i, d := range distances {
			mean := sums[i] / universes
			deviation := math.Sqrt(max(0, squares[i]/universes-mean*mean)/(universes-1)) + 1e-12
			want := 2 / math.Pi * math.Asin(min(1, c.rho(d[0], d[1], c.w, c.h)))
			if math.Abs(mean-want) > 4.5*deviation || deviation > 0.03 {
				t.Errorf("%s at %v: correlation %.4f ± %.4f, want %.4f", c.text, d, mean, deviation, want)
			}
		}
		if share := density / universes / float64(c.w*c.h); math.Abs(share-0.5) > 0.02 {
			t.Errorf("%s: density %v", c.text, share)
		}
	}
	for _, density := range []float64{0, 0.1, 0.9, 1} {
		sum := 0.0
		for seed := range uint64(100) {
			sum += float64(start(t, "gauss~length=1", Setting{W: 50, H: 50, States: 2, Seed: seed, Density: density}).
				Population())
		}
		if share := sum / 250000; math.Abs(share-density) > 0.01*math.Sqrt(density*(1-density)) {
			t.Errorf("density %v: %v", density, share)
		}
	}
}

// periodic is exp(-r²/2L²), summed over the images on a torus.
func periodic(length float64) func(x, y, w, h int) float64 {
	line := func(x, n int) float64 {
		at := func(x int) (sum float64) {
			for m := -20; m <= 20; m++ {
				r := float64(x+m*n) / length
				sum += math.Exp(-r * r / 2)
			}
			return sum
		}
		return at(x) / at(0)
	}
	return func(x, y, w, h int) float64 { return line(x, w) * line(y, h) }
}

// ofPower is the Fourier sum of the spectrum k^-a without k = 0.
func ofPower(a float64) func(x, y, w, h int) float64 {
	return func(x, y, w, h int) float64 {
		sum, all := 0.0, 0.0
		for q := range h {
			for p := range w {
				if p == 0 && q == 0 {
					continue
				}
				kx, ky := float64(min(p, w-p))/float64(w), float64(min(q, h-q))/float64(h)
				s := math.Pow(kx*kx+ky*ky, -a/2)
				sum += s * math.Cos(2*math.Pi*(float64(p*x)/float64(w)+float64(q*y)/float64(h)))
				all += s
			}
		}
		return sum / all
	}
}

func TestStartRefuses(t *testing.T) {
	for _, c := range []struct {
		text   string
		states int
		want   string
	}{
		{"soup~flip=0.1", 3, "flip is for two states: with 3, say to which"},
		{"pattern~set2=0.1", 2, "want set0 to set1"},
		{"exact~1=60,2=41", 3, "101 cells are more than the 10×10 there are"},
		{"exact~3=1", 3, "state 3 is not among the rule's states, 0 to 2"},
		{"shares~2=0.1", 2, "state 2 is not among the rule's states"},
		{"bits~0+1=0.1", 3, "state 3 is not among the rule's states"},
		{"bits~1=0.1", 2, "state 2 is not among the rule's states"},
	} {
		if err := parsed(t, c.text).Check(c.states, 10, 10); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s of %d states: %v, want %s", c.text, c.states, err, c.want)
		}
	}
	if err := parsed(t, "gauss~length=1").Check(2, 1<<20, 1<<20); err == nil ||
		!strings.Contains(err.Error(), "want at most 2^29 cells") {
		t.Errorf("got %v", err)
	}
	for n, want := range map[int]int{1: 1, 2: 2, 64: 2, 97: 97, 97 * 4: 97, 1009 * 1013: 1013, 9: 3} {
		if got := greatestPrime(n); got != want {
			t.Errorf("greatest prime factor of %d: %d, want %d", n, got, want)
		}
	}
	if err := parsed(t, "gauss~length=1").Check(2, 64, 2*1031); err == nil ||
		!strings.Contains(err.Error(), "prime factors are at most 1024") {
		t.Errorf("got %v", err)
	}
	g, _ := grid.New(4, 4, 1)
	for _, text := range []string{"exact", "gauss~length=1", "blocks~side=2", "soup", "soup~flip=0.1"} {
		for _, density := range []float64{-0.1, 1.1, math.NaN()} {
			if err := parsed(t, text).Fill(t.Context(), g, Setting{W: 4, H: 4, States: 2, Density: density}, nil); err == nil ||
				!strings.Contains(err.Error(), "from 0 to 1") {
				t.Errorf("%s of density %v: %v", text, density, err)
			}
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, text := range everyStart {
		if !strings.Contains(text, "flip") {
			big, _ := grid.New(400, 300, 2)
			if err := parsed(t, text).Fill(ctx, big, Setting{W: 400, H: 300, States: 4, Density: 0.5, Pattern: letters(t)},
				nil); err != context.Canceled {
				t.Errorf("%s: %v though it was cancelled", text, err)
			}
		}
	}
}
