package census

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// someCells draws cells, sparse or dense, here or far away.
func someCells(t *rapid.T) []Cell {
	x0 := rapid.SampledFrom([]int{0, -30, 5000, -1 << 30}).Draw(t, "x0")
	y0 := rapid.SampledFrom([]int{0, -11, -4000, 1 << 30}).Draw(t, "y0")
	side := rapid.SampledFrom([]int{3, 20, 70}).Draw(t, "side")
	return sorted(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cell {
		return Cell{x0 + rapid.IntRange(0, side-1).Draw(t, "x"), y0 + rapid.IntRange(0, side-1).Draw(t, "y")}
	}), 1, 150).Draw(t, "cells"))
}

// TestWorld runs cells in passes of different lengths, many worlds side by side, and cell by cell.
func TestWorld(t *testing.T) {
	for _, text := range []string{"B3/S23", "B2/S", "B2-a/S12", "B3678/S34678", "B3/S012345678"} {
		c, err := newClassifier(parseRule(t, text), DefaultLimits)
		if err != nil {
			t.Fatal(err)
		}
		fast := c.herd.vectors
		rapid.Check(t, func(t *rapid.T) {
			worlds := make([]*world, rapid.IntRange(1, 3).Draw(t, "worlds"))
			var want [][]Cell
			for i := range worlds {
				worlds[i] = new(world)
				want = append(want, someCells(t))
				worlds[i].load(want[i])
			}
			last := 0
			for range 6 {
				n := rapid.SampledFrom([]int{1, 6, 6, 6, 4}).Draw(t, "n")
				for i, w := range worlds {
					if n != last {
						w.wakeAll()
					}
					for range n {
						want[i] = c.after(want[i])
					}
				}
				last = n
				c.herd.vectors = fast && rapid.Bool().Draw(t, "vectors")
				c.herd.pass(worlds, n)
				if rapid.Bool().Draw(t, "sweep") {
					worlds[0].sweep()
				}
				for i, w := range worlds {
					slices.SortFunc(want[i], byRow)
					if got := w.cells(); !slices.Equal(got, want[i]) {
						t.Fatalf("%s: world %d after a pass of %d has %d cells, want %d", text, i, n, len(got), len(want[i]))
					}
					if w.population() != len(want[i]) {
						t.Fatalf("population %d, want %d", w.population(), len(want[i]))
					}
				}
			}
		})
	}
}

// TestSettledIsPeriodic holds that a world in which nothing is awake comes back after a pass, and one that has come back does not wake.
func TestSettledIsPeriodic(t *testing.T) {
	c, err := newClassifier(parseRule(t, "B3/S23"), DefaultLimits)
	if err != nil {
		t.Fatal(err)
	}
	settled := 0
	for i := range uint64(60) {
		var w world
		w.load(Soup("settle", i, Symmetry{}))
		for w.generation < 2000 && len(w.awake) > 0 {
			c.herd.pass([]*world{&w}, reach)
			if w.generation%checkEvery == 0 {
				w.strikeGliders()
				w.sweep()
			}
		}
		if len(w.awake) > 0 {
			continue
		}
		settled++
		before := w.cells()
		now := before
		for range reach {
			now = c.after(now)
		}
		slices.SortFunc(now, byRow)
		if !slices.Equal(before, now) {
			t.Fatalf("soup %d sleeps and has not settled", i)
		}
	}
	if settled < 30 {
		t.Errorf("only %d soups settled", settled)
	}
}

// TestZones cuts envelopes into zones by words and cell by cell.
func TestZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := someCells(t)
		var w world
		w.load(cells)
		for _, tile := range w.tiles {
			tile.envelope = tile.sides[w.side]
			for y := range tile.envelope { // more cells that lived once
				tile.envelope[y] |= tile.envelope[y] << 1 & tileBits
			}
		}
		var b, slow board
		if !b.of(&w) || !slow.of(&w) {
			t.Fatal("the board is too large")
		}
		type zone struct {
			cells int
			box   box
		}
		var got, want []zone
		seen := 0
		b.zones(func(q square, bounds box) {
			got = append(got, zone{len(q.cells()), bounds})
			if encode(q.cells()) == "" {
				t.Fatal("an empty square")
			}
			seen += len(q.cells())
		}, func(cells []Cell, bounds box) {
			got = append(got, zone{len(cells), bounds})
			seen += len(cells)
		})
		for y := range slow.rows {
			for x := range 64 * slow.words {
				if slow.any[y*slow.words+x>>6]>>(x&63)&1 != 0 {
					cells, bounds := slow.flood(x, y)
					want = append(want, zone{len(cells), bounds})
				}
			}
		}
		if !slices.Equal(got, want) || seen != len(cells) {
			t.Fatalf("zones %v, want %v", got, want)
		}
	})
}

// TestMeets holds boxes in flight to stepping them on, one unit of time after the other.
func TestMeets(t *testing.T) {
	met := 0
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.Custom(func(t *rapid.T) mover {
			x, y := rapid.IntRange(-12, 12).Draw(t, "x"), rapid.IntRange(-12, 12).Draw(t, "y")
			return mover{
				box{x, y, x + rapid.IntRange(0, 5).Draw(t, "w"), y + rapid.IntRange(0, 5).Draw(t, "h")},
				rapid.IntRange(-3, 3).Draw(t, "dx"), rapid.IntRange(-3, 3).Draw(t, "dy"), rapid.SampledFrom([]int{1, 2, 3}).Draw(t, "period"),
			}
		})
		a, b := some.Draw(t, "a"), some.Draw(t, "b")
		vx, vy := a.dx*b.period-b.dx*a.period, a.dy*b.period-b.dy*a.period
		want := false
		const fine = 64 // parts of a unit of time
		for step := range 200 * fine {
			x, y := a.left*fine+vx*step, a.top*fine+vy*step
			if vx == 0 && vy == 0 {
				break
			}
			if x <= (b.right+apart)*fine && x+(a.right-a.left)*fine >= (b.left-apart)*fine &&
				y <= (b.bottom+apart)*fine && y+(a.bottom-a.top)*fine >= (b.top-apart)*fine {
				want = true
				break
			}
		}
		got := a.meets(b)
		if want {
			met++
		}
		// A touch of corners may fall between two steps.
		if want && !got || got != b.meets(a) {
			t.Fatalf("%v meets %v: %v, and the other way round %v; want %v", a, b, got, b.meets(a), want)
		}
		if got && !want {
			a.left, a.top, a.right, a.bottom = a.left-1, a.top-1, a.right+1, a.bottom+1
			if !a.meets(b) {
				t.Fatal("larger boxes do not meet")
			}
		}
	})
	if met == 0 {
		t.Error("no boxes met")
	}
}
