package objects

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/pattern"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// found lists what Find finds among the cells of a pattern, each object with its place.
func found(t *testing.T, on topology.Topology, ruleText, rle string) []string {
	t.Helper()
	p, err := pattern.Read(strings.NewReader("x = 0, y = 0\n"+rle), "")
	if err != nil {
		t.Fatal(err)
	}
	cells, err := census.CellsOf(p.Cells)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rule.Parse(ruleText)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := Find(t.Context(), r, on, 0, cells)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, o := range objects {
		list = append(list, fmt.Sprintf("%s %s %d,%d %dx%d", o.Code, o.Kind, o.Box.X, o.Box.Y, o.Box.W, o.Box.H))
	}
	slices.Sort(list)
	return list
}

func TestFind(t *testing.T) {
	plane := topology.Topology{}
	torus, err := topology.New(topology.Torus, 10, 8)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name string
		on   topology.Topology
		rle  string
		want []string
	}{
		{"a block and a blinker", plane, "2o5b3o$2o!", []string{"xp2_7 oscillator 7,0 3x1", "xs4_33 still life 0,0 2x2"}},
		{
			"blocks side by side are two", plane, "2ob2o$2ob2o!",
			[]string{"xs4_33 still life 0,0 2x2", "xs4_33 still life 3,0 2x2"},
		},
		{"parts that need each other are one", plane, "2o$o$3bo$2b2o!", []string{"xp2_318c oscillator 0,0 4x4"}},
		{"a glider", plane, "bo$2bo$3o!", []string{"xq4_153 spaceship 0,0 3x3"}},
		{"a pulsar", plane, "2b3o3b3o2$o4bobo4bo$o4bobo4bo$o4bobo4bo$2b3o3b3o2$2b3o3b3o$o4bobo4bo$o4bobo4bo$o4bobo4bo2$2b3o3b3o!", []string{"xp3_co9nas0san9oczgoldlo0oldlogz1047210127401 oscillator 0,0 13x13"}},
		{"a row of ten, which becomes a pentadecathlon", plane, "10o!", []string{" unstable 0,0 10x1"}},
		{"a block over the corner of a torus", torus, "o8bo7$o8bo!", []string{"xs4_33 still life -1,-1 2x2"}},
		{"cells that become something else", plane, "b2o$2o$bo!", []string{" unstable 0,0 3x3"}},
	} {
		got := found(t, test.on, "B3/S23", test.rle)
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFindGenerations: cells that die belong to an object, and to what it is called. Cells that see each other
// belong to one, too.
func TestFindGenerations(t *testing.T) {
	torus, err := topology.New(topology.Torus, 12, 9)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, rule string
		on         topology.Topology
		rle        string
		want       []string
	}{
		{"a spaceship of Brian's Brain", "/2/3", topology.Topology{}, "AB$AB!", []string{"xq1_03_3 spaceship 0,0 2x2"}},
		{"over the edge of a torus", "/2/3", torus, "B10.A$B10.A!", []string{"xq1_03_3 spaceship -1,0 2x2"}},
		{
			"two apart", "/2/3",
			topology.Topology{},
			"AB9.AB$AB9.AB!",
			[]string{"xq1_03_3 spaceship 0,0 2x2", "xq1_03_3 spaceship 11,0 2x2"},
		},
		{"the same cells, which all die", "/2/3", topology.Topology{}, "2B$2B!", []string{"xs0_0 dead 0,0 2x2"}},
		{
			"squares with neighbours in common", "R2,C0,M0,S7..12,B8..11,NM",
			topology.Topology{},
			"3o$3o$3o3$4b3o$4b3o$4b3o!",
			[]string{"xs9_777 still life 0,0 3x3", "xs9_777 still life 4,5 3x3"},
		},
		{
			"a circle whose sides see each other", "R2,C0,M0,S7..12,B8..11,NM",
			topology.Topology{},
			"2b2o$b4o$2o2b2o$2o2b2o$b4o$2b2o!",
			[]string{"xs20_cujjuczw11 still life 0,0 6x6"},
		},
		{
			"on a plane that is live at odd generations", "B0156/S0",
			topology.Topology{},
			"2bo$o$o$2bo!",
			[]string{"xq2_609 spaceship 0,0 3x4"},
		},
	} {
		if got := found(t, test.on, test.rule, test.rle); !slices.Equal(got, test.want) {
			t.Errorf("%s: found %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFindAsh names all that a soup on a torus leaves, wherever on the torus it lies.
func TestFindAsh(t *testing.T) {
	const side = 128
	torus, err := topology.New(topology.Torus, side, side)
	if err != nil {
		t.Fatal(err)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), "cpu", sim.Config{Rule: life, Topology: torus, Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(t.Context(), e, side, side, 3, 0.37, 1, func(uint64, uint64) {}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), 6000); err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(side, side, 1)
	if err != nil {
		t.Fatal(err)
	}
	tally := func(dx, dy int) map[string]int {
		if err := grid.Copy(g, e, grid.Rect{W: side, H: side}, 0, 0); err != nil {
			t.Fatal(err)
		}
		cells, err := census.CellsOf(g)
		if err != nil {
			t.Fatal(err)
		}
		for i := range cells {
			cells[i].X, cells[i].Y = (cells[i].X+dx)%side, (cells[i].Y+dy)%side
		}
		objects, err := Find(t.Context(), life, torus, 0, cells)
		if err != nil {
			t.Fatal(err)
		}
		counts := map[string]int{}
		alive := 0
		for _, o := range objects {
			if !periodic(o.Object) {
				t.Errorf("at %v something is %s", o.Box, o.Kind)
			}
			counts[o.Code]++
			alive += o.Box.W * o.Box.H
		}
		if alive < len(cells) {
			t.Errorf("%d cells are in boxes of %d", len(cells), alive)
		}
		return counts
	}
	here := tally(0, 0)
	if len(here) < 4 || here["xs4_33"] < 5 {
		t.Errorf("the ash is %v", here)
	}
	if there := tally(41, 77); !maps.Equal(here, there) {
		t.Errorf("moved over the edges, the ash is %v, was %v", there, here)
	}
}

func TestFindRefuses(t *testing.T) {
	for _, test := range []struct {
		rule  string
		cells int
		want  string
	}{
		{"R7,C2,S2-5,B3-4,NM", 1, "census"},
		{"B3/S23", MaxCells + 1, "select a part"},
	} {
		r, err := rule.Parse(test.rule)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Find(t.Context(), r, topology.Topology{}, 0, make([]census.Cell, test.cells))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s, %d cells: the error is %v, want one line with %q", test.rule, test.cells, err, test.want)
		}
	}
	r, err := rule.Parse("B0156/S0")
	if err != nil {
		t.Fatal(err)
	}
	torus, err := topology.New(topology.Torus, 12, 9)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Find(t.Context(), r, torus, 0, nil); err == nil || !strings.Contains(err.Error(), "unbounded plane") {
		t.Errorf("on a torus: %v", err)
	}
	if _, err := Find(t.Context(), r, topology.Topology{}, 3, nil); err == nil ||
		!strings.Contains(err.Error(), "generation 3") {
		t.Errorf("at generation 3: %v", err)
	}
}

// BenchmarkFind measures Find on a field of gliders, blocks and cells that go on for long.
func BenchmarkFind(b *testing.B) {
	life, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	var cells []census.Cell
	for i := range 1000 {
		for _, c := range []census.Cell{{X: 1}, {X: 2}, {Y: 1}, {X: 1, Y: 1}, {X: 1, Y: 2}} { // the R-pentomino
			cells = append(cells, census.Cell{X: c.X + i%40*20, Y: c.Y + i/40*20})
		}
	}
	for b.Loop() {
		if _, err := Find(b.Context(), life, topology.Topology{}, 0, cells); err != nil {
			b.Fatal(err)
		}
	}
}
