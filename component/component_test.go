package component

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

func newGrid(t interface{ Fatal(...any) }, w, h, planes int) *grid.Grid {
	g, err := grid.New(w, h, planes)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// topologies are every way to join the edges of w×h cells.
func topologies(w, h int) []topology.Topology {
	all := []topology.Topology{{}}
	for _, text := range []string{
		"T%d,%d", "P%d,%d", "T%d+1,%d", "T%d-2,%d", "T%d,%d+1", "K%d*,%d", "K%d,%d*",
		"K%d*+1,%d", "K%d,%d*+1", "C%d,%d",
	} {
		if t, err := topology.Parse(fmt.Sprintf(text, w, h)); err == nil {
			all = append(all, t)
		}
	}
	if w == h {
		all = append(all, topology.Topology{Kind: topology.Sphere, W: w, H: h})
	}
	return all
}

// TestFlood compares with a flood fill that knows cells and topology.Fold only.
func TestFlood(t *testing.T) {
	var l Labeller
	kinds := map[topology.Kind]int{}
	spans := map[Span]int{}
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.SampledFrom([]int{1, 2, 3, 5, 31, 63, 64, 65, 129}).Draw(t, "w")
		h := rapid.SampledFrom([]int{1, 2, 3, 5, 8, 31}).Draw(t, "h")
		if rapid.Bool().Draw(t, "square") {
			h = min(w, 31)
			w = h
		}
		planes := rapid.IntRange(1, 2).Draw(t, "planes")
		density := rapid.SampledFrom([]float64{0.03, 0.2, 0.41, 0.6, 1}).Draw(t, "density")
		g := newGrid(t, w, h, planes)
		fill(t, g, rapid.Uint64().Draw(t, "seed"), density)
		for _, topo := range topologies(w, h) {
			for _, c := range []Connectivity{Eight, Four, Six} {
				if c.Fits(topo) != nil {
					continue
				}
				got, err := l.Label(g, topo, c)
				if err != nil {
					t.Fatal(err)
				}
				want := flood(g, topo, c)
				if diff := cmp.Diff(want.sizes, got.sizes()); diff != "" || want.span != got.Span {
					t.Fatalf("%v %s-connected: span %v, want %v; sizes (-want +got): %s", topo, c, got.Span, want.span, diff)
				}
				kinds[topo.Kind]++
				spans[got.Span]++
			}
		}
	})
	if len(kinds) != 6 || len(spans) != 4 {
		t.Errorf("of the topologies only %v were seen, of the spans only %v", kinds, spans)
	}
}

func fill(t interface{ Fatal(...any) }, g *grid.Grid, seed uint64, density float64) {
	for k := range g.Planes() {
		s, err := soup.New(seed+uint64(k), density)
		if err != nil {
			t.Fatal(err)
		}
		for y := range g.H() {
			s.Row(g.Row(k, y), uint64(y*g.W()), g.W())
		}
	}
}

func (c *Clusters) sizes() map[uint64]uint64 {
	m := map[uint64]uint64{}
	for size, n := range c.Sizes.All() {
		m[size] = n
	}
	return m
}

type flooded struct {
	sizes map[uint64]uint64
	span  Span
}

// flood walks through every cluster, cell by cell, on the plane that covers the universe, and remembers in
// which copy of it each cell was met first. A cell met again in another copy closes a path around the universe.
func flood(g *grid.Grid, t topology.Topology, c Connectivity) flooded {
	type cell struct{ x, y int }
	f := flooded{sizes: map[uint64]uint64{}}
	met, seen := make([]winding, g.W()*g.H()), make([]bool, g.W()*g.H())
	gr := groupOf(t)
	for y := range g.H() {
		for x := range g.W() {
			if seen[y*g.W()+x] || g.Get(x, y) != 1 {
				continue
			}
			seen[y*g.W()+x] = true
			todo := []cell{{x, y}}
			var left, right, top, bottom bool
			n := uint64(0)
			for len(todo) > 0 {
				at := todo[len(todo)-1]
				todo = todo[:len(todo)-1]
				n++
				left, right = left || at.x == 0, right || at.x == g.W()-1
				top, bottom = top || at.y == 0, bottom || at.y == g.H()-1
				for dy := -1; dy <= 1; dy++ {
					for dx := -1; dx <= 1; dx++ {
						if c == Four && dx != 0 && dy != 0 || c == Six && dx*dy < 0 {
							continue
						}
						fx, fy, inside := t.Fold(at.x+dx, at.y+dy)
						if !inside || g.Get(fx, fy) != 1 {
							continue
						}
						copyOf := met[at.y*g.W()+at.x]
						if t.Bounded() {
							copyOf = gr.compose(copyOf, winding{x: beyond(at.x+dx, t.W), y: beyond(at.y+dy, t.H)})
						}
						if to := fy*g.W() + fx; !seen[to] {
							seen[to], met[to] = true, copyOf
							todo = append(todo, cell{fx, fy})
						} else if t.Kind != topology.Plane {
							f.span |= gr.span(gr.compose(copyOf, gr.inverse(met[to])))
						}
					}
				}
			}
			f.sizes[n]++
			if t.Kind == topology.Plane {
				if left && right {
					f.span |= SpanX
				}
				if top && bottom {
					f.span |= SpanY
				}
			}
		}
	}
	return f
}

// TestGroup holds the windings to what a group is, and to the universe: a path that crosses edges one by one
// ends in the copy of the universe that their product names, so cells there must be the ones topology.Fold
// finds.
func TestGroup(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		topo := rapid.SampledFrom(topologies(6, 5)[1:]).Draw(t, "topology")
		g := groupOf(topo)
		some := rapid.Custom(func(t *rapid.T) winding {
			w := winding{x: rapid.IntRange(-3, 3).Draw(t, "x"), y: rapid.IntRange(-3, 3).Draw(t, "y")}
			if topo.Kind == topology.Cross {
				w = winding{x: w.x & 1, y: w.y & 1}
			}
			return w
		})
		a, b, c := some.Draw(t, "a"), some.Draw(t, "b"), some.Draw(t, "c")
		if x, y := g.compose(g.compose(a, b), c), g.compose(a, g.compose(b, c)); x != y {
			t.Fatalf("(ab)c = %v, a(bc) = %v", x, y)
		}
		if x := g.compose(a, g.inverse(a)); x != (winding{}) {
			t.Fatalf("a·a⁻¹ = %v", x)
		}
		// Where a closed path begins does not matter.
		if x := g.span(g.compose(g.compose(b, a), g.inverse(b))); x != g.span(a) {
			t.Fatalf("span of b·a·b⁻¹ is %v, of a %v", x, g.span(a))
		}
	})
}

// TestSpan names what spans a universe by hand.
func TestSpan(t *testing.T) {
	cells := func(rows ...string) *grid.Grid {
		g := newGrid(t, len(rows[0]), len(rows), 1)
		for y, row := range rows {
			for x, v := range row {
				if v == 'o' {
					g.Set(x, y, 1)
				}
			}
		}
		return g
	}
	across := cells("....", "oooo", "....", "....")
	down := cells(".o..", ".o..", ".o..", ".o..")
	both := cells(".o..", "oooo", ".o..", ".o..")
	diagonal := cells("o...", ".o..", "..o.", "...o")
	bent := cells("....", "oo..", ".ooo", "....") // ends a row lower than it began
	middle := cells("....", ".oo.", "oooo", "....")
	for _, test := range []struct {
		name     string
		cells    *grid.Grid
		topology string
		want     Span
	}{
		{"a row", across, "T4,4", SpanX},
		{"a row", across, "P4,4", SpanX},
		{
			"a row on a shifted torus does not meet itself", cells("......", "......", "oooooo", "......", "......", "......"),
			"T6,6+3", SpanNone,
		},
		{"a column", down, "T4,4", SpanY},
		{"a column", down, "P4,4", SpanY},
		{"a cross", both, "T4,4", SpanBoth},
		{"a diagonal", diagonal, "T4,4", SpanBoth},
		{"a diagonal", diagonal, "P4,4", SpanBoth},
		{"a bent row", bent, "T4,4", SpanX},
		{"the rows that a Klein bottle joins", middle, "K4,4*", SpanX},
		{"any row of a sphere", across, "S4", SpanNone},
		{"a row of a cross-surface and its mirror image", middle, "C4,4", SpanBoth},
		{"a row of the unbounded plane", across, "", SpanNone},
	} {
		var topo topology.Topology
		if test.topology != "" {
			var err error
			if topo, err = topology.Parse(test.topology); err != nil {
				t.Fatal(err)
			}
		}
		got, err := Label(test.cells, topo, Eight)
		if err != nil || got.Span != test.want {
			t.Errorf("%s on %s: spans %v (%v), want %v", test.name, test.topology, got.Span, err, test.want)
		}
	}
}

// TestScattered labels tiles of the unbounded plane, some of them far away, like the cells in a grid.
func TestScattered(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tiles, err := grid.NewTiles(1)
		if err != nil {
			t.Fatal(err)
		}
		want := map[uint64]uint64{}
		for _, at := range []grid.TileAt{{X: 0, Y: 0}, {X: 1 << 40, Y: -1 << 40}, {X: -5, Y: 1 << 40}} {
			g := newGrid(t, 400, 300, 1) // across the edges of tiles
			fill(t, g, rapid.Uint64().Draw(t, "seed"), rapid.SampledFrom([]float64{0.05, 0.3}).Draw(t, "density"))
			x, y := at.X+rapid.IntRange(-300, 300).Draw(t, "x"), at.Y+rapid.IntRange(-300, 300).Draw(t, "y")
			grid.InMemory(grid.Copy(tiles, g, g.Bounds(), x, y))
			for size, n := range flood(g, topology.Topology{}, Eight).sizes {
				want[size] += n
			}
		}
		got, err := Label(tiles, topology.Topology{}, Eight)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got.sizes()); diff != "" {
			t.Fatalf("sizes (-want +got): %s", diff)
		}
	})
}

// listed lists some rows of a grid, outside which all cells are dead, and counts those that are read.
type listed struct {
	*grid.Grid
	parts []grid.Rect
	rows  int
}

func (l *listed) Occupied() []grid.Rect { return l.parts }

func (l *listed) ReadRow(dst []uint64, plane, x, y, n int) error {
	l.rows++
	return l.Grid.ReadRow(dst, plane, x, y, n)
}

// TestDeadRowsAreSkipped labels cells in a few rows of a tall universe, some of them at its edges.
func TestDeadRowsAreSkipped(t *testing.T) {
	const w, h = 130, 4001
	for _, of := range topologies(w, h) {
		if !of.Bounded() {
			continue
		}
		for _, tops := range [][]int{nil, {0}, {h - 5}, {1, 3000}, {0, 7, 2001, h - 5}} {
			l := &listed{Grid: newGrid(t, w, h, 1)}
			soup := newGrid(t, w, 5, 1)
			for i, top := range tops {
				fill(t, soup, uint64(i), 0.5)
				grid.InMemory(grid.Copy(l.Grid, soup, soup.Bounds(), 0, top))
				l.parts = append(l.parts, grid.Rect{Y: top, W: w, H: 5})
			}
			for _, c := range []Connectivity{Four, Eight} {
				l.rows = 0
				got, err := Label(l, of, c)
				if err != nil {
					t.Fatal(err)
				}
				want, err := Label(l.Grid, of, c)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want.sizes(), got.sizes()); diff != "" || got.Span != want.Span {
					t.Errorf("%v, rows from %v: %v, want %v; sizes (-want +got): %s", of, tops, got.Span, want.Span, diff)
				}
				if most := 10*len(tops) + 4; l.rows > most {
					t.Errorf("%v, rows from %v: %d rows were read, want at most %d", of, tops, l.rows, most)
				}
			}
		}
	}
}

// TestSweep makes more clusters than are kept at once.
func TestSweep(t *testing.T) {
	g := newGrid(t, 600, 400, 1)
	fill(t, g, 5, 0.2)
	for _, topo := range topologies(600, 400)[:4] {
		got, err := Label(g, topo, Four)
		if err != nil {
			t.Fatal(err)
		}
		if want := flood(g, topo, Four); !cmp.Equal(want.sizes, got.sizes()) || want.span != got.Span {
			t.Errorf("%v: sizes differ", topo)
		}
	}
}

// vast is cells that say they are scattered.
type vast struct{ grid.Source }

func (vast) Extent() (grid.Rect, error) { return grid.Rect{W: 1 << 40, H: 1 << 40}, nil }

func TestRefusals(t *testing.T) {
	g := newGrid(t, 4, 4, 1)
	for _, topo := range []topology.Topology{
		{Kind: topology.Torus, W: 5, H: 4},
		{Kind: topology.Torus, W: 4},
		{Kind: topology.Sphere, W: 4, H: 3},
	} {
		if _, err := Label(g, topo, Eight); err == nil {
			t.Errorf("%v was labelled", topo)
		}
	}
	if _, err := Label(vast{g}, topology.Topology{}, Eight); err == nil {
		t.Error("cells over 2^80 were labelled")
	}
	if _, err := ParseConnectivity("5"); err == nil {
		t.Error("5-connected was accepted")
	}
	if _, err := Label(g, topology.Topology{Kind: topology.Klein, W: 4, H: 4}, Six); err == nil {
		t.Error("hexagons on a Klein bottle were labelled")
	}
}

func TestHistogram(t *testing.T) {
	var h, o Histogram
	for _, size := range []uint64{3, 3, 500, 500, 7} {
		h.Add(size, 1)
	}
	o.Add(500, 1)
	o.Add(9, 2)
	h.Merge(&o)
	if h.Count() != 8 || h.Largest() != 500 || h.Cells() != 3+3+7+9+9+1500 {
		t.Errorf("count %d, largest %d, cells %d", h.Count(), h.Largest(), h.Cells())
	}
	h.Reset()
	if h.Count() != 0 || h.Largest() != 0 {
		t.Error("an empty histogram has clusters")
	}
}
