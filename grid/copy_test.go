package grid

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A copy within one universe must act as if all cells were read before any is written.
func TestCopyWithinAUniverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g, cells := randomGrid(t)
		from := Rect{
			rapid.IntRange(-5, g.w).Draw(t, "x"), rapid.IntRange(-5, g.h).Draw(t, "y"),
			rapid.IntRange(0, g.w).Draw(t, "w"), rapid.IntRange(0, g.h).Draw(t, "h"),
		}
		toX, toY := rapid.IntRange(-5, g.w).Draw(t, "to x"), rapid.IntRange(-5, g.h).Draw(t, "to y")
		want := cellMap{}
		for at, state := range cells {
			want.set(at[0], at[1], state)
		}
		for y := range from.H {
			for x := range from.W {
				if g.Bounds().Contains(toX+x, toY+y) {
					want.set(toX+x, toY+y, cells[[2]int{from.X + x, from.Y + y}])
				}
			}
		}
		InMemory(Copy(g, g, from, toX, toY))
		checkGrid(t, g, want)
	})
}

func TestCopyBetweenPlaneCounts(t *testing.T) {
	two, eight := newGrid(t, 4, 1, 1), newGrid(t, 4, 1, 3)
	two.Set(1, 0, 1)
	for x := range 4 {
		eight.Set(x, 0, 7)
	}
	InMemory(Copy(eight, two, Rect{0, 0, 3, 1}, 0, 0))
	checkGrid(t, eight, cellMap{{1, 0}: 1, {3, 0}: 7})
	eight.Set(2, 0, 6)
	InMemory(Copy(two, eight, Rect{0, 0, 4, 1}, 0, 0)) // bits without a plane are lost
	checkGrid(t, two, cellMap{{1, 0}: 1, {3, 0}: 1})
}

// difference is FirstDifference of sources in memory.
func difference(a, b Source) (x, y int, found bool) {
	x, y, found, err := FirstDifference(a, b)
	InMemory(err)
	return x, y, found
}

func TestFirstDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, cells := randomGrid(t)
		b, err := a.Copy()
		if err != nil {
			t.Fatal(err)
		}
		if x, y, found := difference(a, b); found {
			t.Fatalf("equal grids differ at (%d, %d)", x, y)
		}
		firstX, firstY := math.MaxInt, math.MaxInt
		for range rapid.IntRange(1, 5).Draw(t, "changes") {
			x, y := rapid.IntRange(0, a.w-1).Draw(t, "x"), rapid.IntRange(0, a.h-1).Draw(t, "y")
			b.Set(x, y, cells[[2]int{x, y}]^uint8(rapid.IntRange(1, 1<<a.planes-1).Draw(t, "bits")))
			if y < firstY || y == firstY && x < firstX {
				firstX, firstY = x, y
			}
		}
		if x, y, found := difference(a, source{b}); !found || x != firstX || y != firstY {
			t.Fatalf("first difference (%d, %d) %v, want (%d, %d)", x, y, found, firstX, firstY)
		}
	})
}

func TestFirstDifferenceOfUnequalShapes(t *testing.T) {
	small, large := newGrid(t, 5, 5, 1), newGrid(t, 200, 9, 4)
	if _, _, found := difference(small, large); found {
		t.Error("two dead universes differ")
	}
	large.Set(150, 8, 8)
	for _, pair := range [][2]Source{{small, large}, {large, small}} {
		if x, y, found := difference(pair[0], pair[1]); !found || x != 150 || y != 8 {
			t.Errorf("first difference (%d, %d) %v, want (150, 8)", x, y, found)
		}
	}
}

func TestRect(t *testing.T) {
	far := math.MaxInt - 3
	for _, c := range []struct{ a, b, intersection, union Rect }{
		{Rect{0, 0, 4, 3}, Rect{2, 1, 9, 9}, Rect{2, 1, 2, 2}, Rect{0, 0, 11, 10}},
		{Rect{0, 0, 4, 3}, Rect{4, 0, 4, 3}, Rect{}, Rect{0, 0, 8, 3}},
		{Rect{-5, -5, 3, 3}, Rect{-4, -6, 1, 9}, Rect{-4, -5, 1, 3}, Rect{-5, -6, 3, 9}},
		{Rect{1, 1, 2, 2}, Rect{9, 9, 0, 5}, Rect{}, Rect{1, 1, 2, 2}},
		{Rect{far, 0, 9, 1}, Rect{far, 0, 2, 1}, Rect{far, 0, 2, 1}, Rect{far, 0, 3, 1}},
		{Rect{far, 0, 9, 1}, Rect{0, 0, 9, 1}, Rect{}, Rect{0, 0, math.MaxInt, 1}},
	} {
		for _, pair := range [][2]Rect{{c.a, c.b}, {c.b, c.a}} {
			if got := pair[0].Intersect(pair[1]); got != c.intersection {
				t.Errorf("%v ∩ %v = %v, want %v", pair[0], pair[1], got, c.intersection)
			}
			if got := pair[0].Union(pair[1]); got != c.union {
				t.Errorf("%v ∪ %v = %v, want %v", pair[0], pair[1], got, c.union)
			}
		}
	}
}

func TestPlanesOf(t *testing.T) {
	for states, want := range map[int]int{0: 1, 1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 8: 3, 9: 4, 255: 8, 256: 8} {
		if got := PlanesOf(states); got != want {
			t.Errorf("%d states: %d planes, want %d", states, got, want)
		}
	}
}
