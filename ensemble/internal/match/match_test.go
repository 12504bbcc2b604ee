package match

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
	"github.com/gosper-life/gosper/topology"
)

// naive counts the boxes with sets of cells at which the images of patterns occur, cell by cell.
func naive(g *grid.Grid, t topology.Topology, phases [][]sparse.Cell) Counts {
	anywhere, isolated := map[string]bool{}, map[string]bool{}
	at := func(x, y int) (place [2]int, live bool) {
		x, y, inside := t.Fold(x, y)
		return [2]int{x, y}, inside && g.Get(x, y) == 1
	}
	for _, phase := range phases {
		for turn := range 8 {
			live := map[[2]int]bool{}
			for _, c := range phase {
				p := [2]int{c.X, c.Y}
				for range turn % 4 {
					p = [2]int{-p[1], p[0]}
				}
				if turn >= 4 {
					p[0] = -p[0]
				}
				live[p] = true
			}
			low, high := [2]int{99, 99}, [2]int{-99, -99}
			for p := range live {
				low, high = [2]int{min(low[0], p[0]), min(low[1], p[1])}, [2]int{max(high[0], p[0]), max(high[1], p[1])}
			}
			for y := range g.H() {
				for x := range g.W() {
					here, alone := true, true
					var where [][2]int
					for j := low[1] - 1; j <= high[1]+1; j++ {
						for i := low[0] - 1; i <= high[0]+1; i++ {
							place, alive := at(x+i, y+j)
							inside := i >= low[0] && i <= high[0] && j >= low[1] && j <= high[1]
							if inside && alive != live[[2]int{i, j}] {
								here = false
							}
							if live[[2]int{i, j}] {
								where = append(where, place)
							}
							for d := range 9 {
								if !inside && alive && live[[2]int{i + d%3 - 1, j + d/3 - 1}] {
									alone = false
								}
							}
						}
					}
					corner, _ := at(x+low[0], y+low[1])
					slices.SortFunc(where, func(a, b [2]int) int { return slices.Compare(a[:], b[:]) })
					if here {
						anywhere[fmt.Sprint(corner, high[0]-low[0], where)] = true
					}
					if here && alone {
						isolated[fmt.Sprint(corner, high[0]-low[0], where)] = true
					}
				}
			}
		}
	}
	return Counts{uint64(len(anywhere)), uint64(len(isolated))}
}

// TestCountIsThatOfCells compares counts with those cell by cell: random patterns in random cells, in which
// copies of them lie.
func TestCountIsThatOfCells(t *testing.T) {
	found := Counts{}
	rapid.Check(t, func(t *rapid.T) {
		on, err := topology.New(rapid.SampledFrom([]topology.Kind{topology.Torus, topology.Plane}).Draw(t, "kind"),
			rapid.IntRange(5, 140).Draw(t, "w"), rapid.IntRange(5, 12).Draw(t, "h"))
		if err != nil {
			t.Fatal(err)
		}
		if shift := rapid.IntRange(0, 4).Draw(t, "shift"); on.Kind == topology.Torus && shift > 0 {
			if on, err = topology.Parse(fmt.Sprintf("T%d+%d,%d", on.W, shift, on.H)); err != nil {
				t.Fatal(err)
			}
		}
		cells := cornered(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) sparse.Cell {
			return sparse.Cell{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: rapid.IntRange(0, 2).Draw(t, "y")}
		}), 1, 6).Draw(t, "cells"))
		p, err := Read(rle(cells), nil)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(on.W, on.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		for range rapid.IntRange(0, 12).Draw(t, "copies") {
			x, y := rapid.IntRange(0, on.W-1).Draw(t, "x"), rapid.IntRange(0, on.H-1).Draw(t, "y")
			for _, c := range rapid.SampledFrom(turned(cells)).Draw(t, "image") {
				if x, y, inside := on.Fold(x+c.X, y+c.Y); inside {
					g.Set(x, y, 1)
				}
			}
		}
		for range rapid.IntRange(0, 20).Draw(t, "others") {
			g.Set(rapid.IntRange(0, on.W-1).Draw(t, "x"), rapid.IntRange(0, on.H-1).Draw(t, "y"), 1)
		}
		if p.Fits(on) != nil {
			t.Skip()
		}
		got, want := Count(g, on, []*Pattern{p})[0], naive(g, on, [][]sparse.Cell{cells})
		if got != want {
			t.Fatalf("%s on %v occurs %+v, want %+v", p, on, got, want)
		}
		found.Anywhere, found.Isolated = found.Anywhere+got.Anywhere, found.Isolated+got.Isolated
	})
	if found.Isolated == 0 || found.Anywhere <= found.Isolated {
		t.Errorf("%+v were found in all: the test is blind", found)
	}
}

// TestPhases counts gliders, whose two phases differ, and a blinker in all its phases and orientations.
func TestPhases(t *testing.T) {
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text   string
		phases *rule.Rule
		shapes int
	}{
		{"glider", nil, 8},
		{"glider", &life, 16},
		{"xq4_153", &life, 16},
		{"bo$2bo$3o!", &life, 16},
		{"xs4_33", &life, 1},
		{"blinker", nil, 2},
		{"3o!", &life, 2},
		{"x = 3, y = 1\n3o!", &life, 2},
		{"lwss", &life, 16},
		{"bob$2bo$3o!", nil, 8},
	} {
		p, err := Read(test.text, test.phases)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(p.shapes) != test.shapes {
			t.Errorf("%q has %d shapes, want %d", test.text, len(p.shapes), test.shapes)
		}
		again, err := Read(p.String(), test.phases)
		if err != nil || again.String() != p.String() || len(again.shapes) != len(p.shapes) {
			t.Errorf("%q is written %s, which is read as %s, %v", test.text, p, again, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	life, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	brain, err := rule.Parse("B2/S/3")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		text   string
		phases *rule.Rule
		want   string
	}{
		{"", nil, "want the apgcode of an object of two states, the name of a known pattern, or RLE"},
		{"nothing like this", nil, "want the apgcode"},
		{"!", nil, "no pattern in it"},
		{"x = 2, y = 2\n2b!", nil, "no live cell"},
		{".A$B!", nil, "more than two states"},
		{"65o!", nil, "too many, want at most 64"},
		{"bo$2o$o!", &life, "does not come back under B3/S23"},
		{"o!", &life, "does not come back"},
		{"3o!", &brain, "has 3 states; want 2 for phases"},
	} {
		if _, err := Read(test.text, test.phases); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
	p, err := Read("glider", nil)
	if err != nil {
		t.Fatal(err)
	}
	for text, fits := range map[string]bool{
		"T3,9": false, "T9,3": false, "T4,4": true, "P2,2": true, "K9,9": false,
		"T9+2,9": true,
	} {
		on, err := topology.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Fits(on); (err == nil) != fits {
			t.Errorf("%s: %v", text, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, text := range []string{"glider", "xs4_33", "bo$2bo$3o!", "x = 3, y = 1\n3o!", "3o$$o", "!", "xq4_", "xs0_0", "o$22222222O!"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Read(text, nil)
		if err != nil {
			return
		}
		if again, err := Read(p.String(), nil); err != nil || again.String() != p.String() {
			t.Errorf("%q is written %s, which is read as %v, %v", text, p, again, err)
		}
	})
}

func BenchmarkCount(b *testing.B) {
	on, err := topology.Parse("T1024,1024")
	if err != nil {
		b.Fatal(err)
	}
	g, err := grid.New(on.W, on.H, 1)
	if err != nil {
		b.Fatal(err)
	}
	for i := range on.W * on.H / 30 {
		g.Set(i*7919%on.W, i*104729/on.W%on.H, 1)
	}
	life, err := rule.Parse("B3/S23")
	if err != nil {
		b.Fatal(err)
	}
	p, err := Read("glider", &life)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(on.W * on.H / 8))
	for b.Loop() {
		Count(g, on, []*Pattern{p})
	}
}

// TestNames: a pattern with a name is the same pattern, and its text keeps the name.
func TestNames(t *testing.T) {
	all, _, err := ReadAll([]string{
		"glider", "bar = count(3o!)", "xs4_33", "box=2o$obo$bo!", "x = 2, y = 1\noo!",
	}, "")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := Names(all), []string{"1", "bar", "3", "box", "5"}; !slices.Equal(got, want) {
		t.Errorf("names %q, want %q", got, want)
	}
	if got := all[1].String(); got != "bar=3o!" {
		t.Errorf("the text of a pattern with a name is %q", got)
	}
	if again, err := Read(all[1].String(), nil); err != nil || again.String() != all[1].String() {
		t.Errorf("read again: %v, %v", again, err)
	}
	for _, texts := range [][]string{{"bar=3o!", "bar=2o!"}, {"bar=3o!", "3o!"}, {"bar="}, {"bar=count()"}, {"Bar=3o!"}} {
		if _, _, err := ReadAll(texts, ""); err == nil {
			t.Errorf("%q: no error", texts)
		}
	}
}
