package quadtree

import (
	"context"
	"errors"
	"math"
	"math/big"
	"testing"

	"github.com/gosper-life/gosper/grid"

	"pgregory.net/rapid"
)

// squaresOf lists the squares of a level and below that a universe has around the centre of trees: those of
// more than two states down to 2×2 cells.
func squaresOf(cells *grid.Tiles, states, level int) []grid.Square {
	var list []grid.Square
	known := map[grid.Square]uint32{}
	var square func(level, x, y int) uint32
	square = func(level, x, y int) uint32 {
		s := grid.Square{Level: level}
		switch {
		case level == drawnLevel && states == 2:
			for i := range 64 {
				s.Cells |= uint64(cells.Get(x+i&7, y+i>>3)) << i
			}
		case level == statesLevel:
			for i := range s.Children {
				s.Children[i] = uint32(cells.Get(x+i&1, y+i>>1))
			}
		default:
			half := 1 << (level - 1)
			for i := range s.Children {
				s.Children[i] = square(level-1, x+i&1*half, y+i>>1*half)
			}
		}
		if s.Cells == 0 && s.Children == [4]uint32{} {
			return 0
		}
		if known[s] == 0 {
			list = append(list, s)
			known[s] = uint32(len(list))
		}
		return known[s]
	}
	half := 1 << (level - 1)
	square(level, -half, 1-half)
	return list
}

// drawTree draws random cells, in two states or more, and the same as a tree.
func drawTree(t *rapid.T, states, level int) (*grid.Tiles, *Tree) {
	cells, err := grid.NewTiles(grid.PlanesOf(states))
	grid.InMemory(err)
	half := 1 << (level - 1)
	for range rapid.IntRange(0, 30).Draw(t, "cells") {
		x, y := rapid.IntRange(-half, half-1).Draw(t, "x"), rapid.IntRange(1-half, half).Draw(t, "y")
		cells.Set(x, y, uint8(rapid.IntRange(1, states-1).Draw(t, "state")))
	}
	tree, err := New(squaresOf(cells, states, level), grid.PlanesOf(states))
	if err != nil {
		t.Fatal(err)
	}
	return cells, tree
}

func TestTreeIsTheSameCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SampledFrom([]int{2, 3, 200}).Draw(t, "states")
		cells, tree := drawTree(t, states, rapid.IntRange(4, 10).Draw(t, "level"))
		box, err := tree.Extent()
		grid.InMemory(err)
		if box != cells.Bounds() {
			t.Errorf("bounds %+v, want %+v", box, cells.Bounds())
		}
		if n := tree.Population(); n != cells.Population() {
			t.Errorf("%d cells, want %d", n, cells.Population())
		}
		copied, err := grid.TilesOf(context.Background(), tree)
		grid.InMemory(err)
		if x, y, differ, err := firstByRows(copied, cells); differ || err != nil {
			t.Errorf("cells differ at (%d, %d): %v", x, y, err)
		}
		for range 20 {
			x, y := rapid.IntRange(-700, 700).Draw(t, "x of a cell"), rapid.IntRange(-700, 700).Draw(t, "y of a cell")
			if got, want := tree.Get(x, y), cells.Get(x, y); got != want {
				t.Errorf("state %d at (%d, %d), want %d", got, x, y, want)
			}
		}
		for at := range cells.All() {
			for i := range grid.TileSide * grid.TileSide {
				x, y := at.X*grid.TileSide+i%grid.TileSide, at.Y*grid.TileSide+i/grid.TileSide
				if got, want := tree.Get(x, y), cells.Get(x, y); got != want {
					t.Fatalf("state %d at (%d, %d), want %d", got, x, y, want)
				}
			}
			break
		}
		// Rows in any order, beyond the tree too.
		row, want := make([]uint64, 20), make([]uint64, 20)
		for range 20 {
			plane, n := rapid.IntRange(0, 8).Draw(t, "plane"), rapid.IntRange(1, 1200).Draw(t, "n")
			x, y := rapid.IntRange(-700, 700).Draw(t, "x"), rapid.IntRange(-700, 700).Draw(t, "y")
			row[(n+63)/64-1] = math.MaxUint64
			grid.InMemory(tree.ReadRow(row, plane, x, y, n))
			grid.InMemory(cells.ReadRow(want, plane, x, y, n))
			for i := range (n + 63) / 64 {
				if row[i] != want[i] {
					t.Fatalf("plane %d, %d cells from (%d, %d): word %d is %x, want %x", plane, n, x, y, i, row[i], want[i])
				}
			}
		}
	})
}

// firstByRows is FirstDifference without trees.
func firstByRows(a, b grid.Source) (x, y int, found bool, err error) {
	type source struct{ grid.Source }
	return grid.FirstDifference(source{a}, source{b})
}

// TestTreesDifferWhereTheirCellsDo compares trees with each other and with other sources.
func TestTreesDifferWhereTheirCellsDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		states := rapid.SampledFrom([]int{2, 5}).Draw(t, "states")
		a, treeA := drawTree(t, states, rapid.IntRange(4, 9).Draw(t, "level of a"))
		level := rapid.IntRange(4, 9).Draw(t, "level of b")
		b, treeB := drawTree(t, rapid.SampledFrom([]int{2, 5}).Draw(t, "states of b"), level)
		if rapid.Bool().Draw(t, "nearly the same") {
			b, _ = grid.NewTiles(3)
			for _, part := range a.Occupied() {
				grid.InMemory(grid.Copy(b, a, part, part.X, part.Y))
			}
			if !rapid.Bool().Draw(t, "the same") {
				b.Set(rapid.IntRange(-200, 200).Draw(t, "x"), rapid.IntRange(-200, 200).Draw(t, "y"), 1)
			}
			var err error
			if treeB, err = New(squaresOf(b, 5, 10), 3); err != nil {
				t.Fatal(err)
			}
		}
		wantX, wantY, want, err := firstByRows(a, b)
		grid.InMemory(err)
		for name, pair := range map[string][2]grid.Source{
			"two trees": {treeA, treeB}, "a tree and tiles": {treeA, b},
			"tiles and a tree": {a, treeB},
		} {
			x, y, found, err := firstDifference(pair[0], pair[1])
			if err != nil || found != want || x != wantX || y != wantY {
				t.Errorf("%s: (%d, %d) %v, %v; want (%d, %d) %v", name, x, y, found, err, wantX, wantY, want)
			}
		}
	})
}

// chain returns a tree of a level whose squares are each four times the one below, or have it only in one place.
func chain(level int, place int) []grid.Square {
	list := []grid.Square{{Level: drawnLevel, Cells: 1<<9 | 1<<18}}
	for at := drawnLevel + 1; at <= level; at++ {
		below := uint32(len(list))
		s := grid.Square{Level: at, Children: [4]uint32{below, below, below, below}}
		if place >= 0 {
			s.Children = [4]uint32{}
			s.Children[place] = below
		}
		list = append(list, s)
	}
	return list
}

func TestVastTrees(t *testing.T) {
	full, err := New(chain(60, -1), 1)
	if err != nil {
		t.Fatal(err)
	}
	want := new(big.Int).Lsh(big.NewInt(2), 2*57)
	if n := full.BigPopulation(); n.Cmp(want) != 0 {
		t.Errorf("%d cells, want %d", n, want)
	}
	if full.Population() != math.MaxUint64 || full.Tiles() != math.MaxUint64 {
		t.Errorf("%d cells in %d tiles, want the largest numbers", full.Population(), full.Tiles())
	}
	// One cell more in the lower right corner.
	squares := chain(60, -1)
	more := grid.Square{Level: drawnLevel, Cells: 1<<9 | 1<<18 | 1<<63}
	for at := drawnLevel + 1; at <= 61; at++ {
		squares = append(squares, more)
		more = grid.Square{Level: at, Children: [4]uint32{
			uint32(at - drawnLevel), uint32(at - drawnLevel),
			uint32(at - drawnLevel), uint32(len(squares)),
		}}
	}
	other, err := New(squares, 1)
	if err != nil {
		t.Fatal(err)
	}
	if x, y, found, err := firstDifference(full, other); !found || err != nil || x != 1<<59-1 || y != 1<<59 {
		t.Errorf("first difference %d,%d %v, %v; want %d,%d", x, y, found, err, 1<<59-1, 1<<59)
	}
	if full.Get(1<<59-1, 1<<59) != 0 || other.Get(1<<59-1, 1<<59) != 1 {
		t.Error("the cell that differs is not the one in the corner")
	}
	if _, _, found, err := firstDifference(full, full); found || err != nil {
		t.Errorf("a tree differs from itself: %v", err)
	}
	if _, err := New(chain(treeEnd+1, 0), 1); err == nil {
		t.Error("cells at 2^61 are allowed")
	}
	near := chain(10, 0)
	for at := 11; at <= 100; at++ { // in the middle of 2^100 cells
		root := near[len(near)-1]
		var q [4]uint32
		for i, child := range root.Children {
			quarter := grid.Square{Level: at - 1}
			quarter.Children[3-i] = child
			near = append(near, quarter)
			q[i] = uint32(len(near))
		}
		near = append(near, grid.Square{Level: at, Children: q})
	}
	tree, err := New(near, 1)
	if err != nil {
		t.Fatal(err)
	}
	if box, err := tree.Extent(); err != nil || box != (grid.Rect{X: -512 + 1, Y: -512 + 2, W: 2, H: 2}) {
		t.Errorf("bounds %+v, %v", box, err)
	}
	if _, _, found, err := firstDifference(tree, mustTree(t, chain(10, 0))); found || err != nil {
		t.Errorf("a tree differs from itself in the middle of space: %v", err)
	}
	none := mustTree(t, nil)
	if box, err := none.Extent(); err != nil || !box.Empty() || none.Population() != 0 || len(none.Occupied()) != 0 {
		t.Errorf("no squares: %+v, %v", box, err)
	}
	grid.InMemory(none.ReadRow(make([]uint64, 1), 0, 0, 0, 1))
}

func mustTree(t *testing.T, squares []grid.Square) *Tree {
	t.Helper()
	tree, err := New(squares, 1)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestTilesOfEndsWithItsContext: a copy of many cells ends early.
func TestTilesOfEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := grid.TilesOf(ctx, mustTree(t, chain(16, -1))); !errors.Is(err, context.Canceled) {
		t.Errorf("the copy ends with %v", err)
	}
}
