package sparse

import (
	"math/bits"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/rule"
	"pgregory.net/rapid"
)

// batchOf prepares a batch, and returns its rule, as a table if it is of the 3×3 block. Rules that take turns are
// returned in their order.
func batchOf(t testing.TB, text string) (*Batch, []rule.Rule) {
	t.Helper()
	r, err := rule.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	b, err := NewBatch(r)
	if err != nil {
		t.Fatal(text, err)
	}
	turns := []rule.Rule{r}
	if r.Phases != nil {
		turns = slices.Clone(r.Phases)
	}
	for i := range turns {
		if table, ok := turns[i].AsTable(); ok {
			turns[i].Table = table
		}
	}
	return b, turns
}

// after is the cells a generation later, in order, counted cell by cell.
func after(cells []Cell, r rule.Rule) []Cell {
	if r.Table == nil {
		return afterCounting(cells, r)
	}
	around, states := map[Cell]int{}, map[Cell]uint8{}
	for _, c := range cells {
		at := Cell{X: c.X, Y: c.Y}
		states[at] = c.Age + 1
		around[at] |= 0
		for d := range 9 {
			if c.Age == 0 {
				// of the block around this neighbour the cell is the opposite one
				around[Cell{X: c.X + d%3 - 1, Y: c.Y + d/3 - 1}] |= 1 << d
			}
		}
	}
	var later []Cell
	for c, block := range around {
		if next := r.NextInBlock(states[c], block); next > 0 {
			c.Age = next - 1
			later = append(later, c)
		}
	}
	slices.SortStableFunc(later, ByRow)
	return later
}

// afterCounting is after for rules that count neighbours: it counts those of every cell that sees one.
func afterCounting(cells []Cell, r rule.Rule) []Cell {
	states := map[Cell]uint8{}
	for _, c := range cells {
		states[Cell{X: c.X, Y: c.Y}] = c.Age + 1
	}
	offsets, later, done := r.Neighbourhood.Offsets(), []Cell(nil), map[Cell]bool{}
	for _, c := range cells {
		for d := range 4*reach*reach + 4*reach + 1 {
			at := Cell{X: c.X + d%(2*reach+1) - reach, Y: c.Y + d/(2*reach+1) - reach}
			if done[at] {
				continue
			}
			done[at] = true
			count := 0
			for _, o := range offsets {
				if states[Cell{X: at.X + o.DX, Y: at.Y + o.DY}] == 1 {
					count += o.Weight
				}
			}
			if next := r.Next(states[at], count); next > 0 {
				later = append(later, Cell{X: at.X, Y: at.Y, Age: next - 1})
			}
		}
	}
	slices.SortStableFunc(later, ByRow)
	return later
}

// wideRules are rules of every radius and of some neighbourhoods, symmetric or not.
var wideRules = []string{
	"R2,C0,M0,S7..12,B8..11,NM", "R2,C2,S3-5,7,B4,6,NN", "R2,C2,S2-3,B3,N@0000f0", "R3,C3,S5-9,B6-8,NH", "R3,C2,S4-6,B5-6,NC",
	"R4,C0,M1,S24..38,B22..31,NM", "R5,C0,M1,S34..58,B34..45,NM", "R5,C4,S6-12,B7-9,N+", "R6,C2,S6-12,B7-9,N*",
	"R6,C0,M0,S6..12,B5..9,N2", "R2,C2,S2-3,B3,N@0739c0",
}

// someCells draws cells, sparse or dense, here or far away.
func someCells(t *rapid.T) []Cell {
	x0 := rapid.SampledFrom([]int{0, -30, 5000, -1 << 30}).Draw(t, "x0")
	y0 := rapid.SampledFrom([]int{0, -11, -4000, 1 << 30}).Draw(t, "y0")
	side := rapid.SampledFrom([]int{3, 20, 70}).Draw(t, "side")
	cells := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Cell {
		return Cell{X: x0 + rapid.IntRange(0, side-1).Draw(t, "x"), Y: y0 + rapid.IntRange(0, side-1).Draw(t, "y")}
	}), 1, 150).Draw(t, "cells")
	slices.SortStableFunc(cells, ByRow)
	return slices.Compact(cells)
}

// aged gives some cells states beyond 1.
func aged(t *rapid.T, cells []Cell, states int) []Cell {
	for i := range cells {
		cells[i].Age = uint8(rapid.IntRange(0, states-2).Draw(t, "age"))
	}
	return cells
}

// TestPass runs cells in passes of different lengths, many universes side by side, and cell by cell.
func TestPass(t *testing.T) {
	for _, text := range append([]string{
		"B3/S23", "B2/S", "B2-a/S12", "B3678/S34678", "B3/S012345678", "/2/3", "345/2/4",
		"B2-a/S12/G9", "B3/S23V", "3/2/3H", "B3/S23|B36/S23", "B1e/S|B2-a/S12", "B3/S23|B1/S|B36/S23H",
		"R2,C2,S3-6,B8-9,NH|R3,C2,S4-6,B5-6,NC",
	}, wideRules...) {
		b, turns := batchOf(t, text)
		fast := b.vectors
		rapid.Check(t, func(t *rapid.T) {
			universes := make([]*Universe, rapid.IntRange(1, 3).Draw(t, "universes"))
			var want [][]Cell
			for i := range universes {
				universes[i] = new(Universe)
				want = append(want, aged(t, someCells(t), turns[0].States))
				universes[i].Load(want[i])
			}
			last := 0
			for range 6 {
				n := min(rapid.SampledFrom([]int{1, 6, 6, 6, 4}).Draw(t, "n"), b.Generations())
				var before [][]Cell
				for i, u := range universes {
					before = append(before, want[i])
					if n != last {
						u.WakeAll()
					}
					for k := range n {
						want[i] = after(want[i], turns[(u.Generation()+k)%len(turns)])
					}
				}
				last = n
				if b.vectors = false; rapid.Bool().Draw(t, "vectors") {
					b.vectors = fast
				}
				b.Pass(universes, n)
				for i, u := range universes {
					if got := changed(before[i], u); !slices.Equal(got, want[i]) {
						t.Fatalf("%s: a pass of %d changes universe %d to %d cells, want %d", text, n, i, len(got), len(want[i]))
					}
				}
				if rapid.Bool().Draw(t, "sweep") {
					universes[0].Sweep()
				}
				for i, u := range universes {
					if got := u.Cells(); !slices.Equal(got, want[i]) {
						t.Fatalf("%s: universe %d after a pass of %d has %d cells, want %d", text, i, n, len(got), len(want[i]))
					}
					if u.Population() != len(want[i]) {
						t.Fatalf("population %d, want %d", u.Population(), len(want[i]))
					}
				}
			}
		})
	}
}

// changed makes the changes of the last pass of a universe in cells. It returns none if a change does not fit.
func changed(cells []Cell, u *Universe) (after []Cell) {
	states, fit := map[[2]int]uint8{}, true
	for _, c := range cells {
		states[[2]int{c.X, c.Y}] = c.Age + 1
	}
	u.Changes(func(x, y int, from, to uint8) {
		at := [2]int{x, y}
		fit = fit && states[at] == from && from != to
		states[at] = to
	})
	for at, state := range states {
		if state > 0 && fit {
			after = append(after, Cell{X: at[0], Y: at[1], Age: state - 1})
		}
	}
	slices.SortFunc(after, ByRow)
	return after
}

// TestTouching compares islands with those that all pairs of cells give.
func TestTouching(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells, distance := someCells(t), rapid.IntRange(1, 6).Draw(t, "distance")
		slices.SortFunc(cells, ByRow)
		var want [][]Cell
		for _, c := range cells {
			island := []Cell{c}
			var rest [][]Cell
			at := -1
			for _, other := range want {
				if !slices.ContainsFunc(other, func(o Cell) bool {
					return max(c.X-o.X, o.X-c.X, c.Y-o.Y, o.Y-c.Y) <= distance
				}) {
					rest = append(rest, other)
					continue
				}
				if at < 0 { // the place of the first one
					at = len(rest)
					rest = append(rest, nil)
				}
				island = append(island, other...)
			}
			if at < 0 {
				at = len(rest)
				rest = append(rest, nil)
			}
			slices.SortFunc(island, ByRow)
			rest[at], want = island, rest
		}
		if got := Touching(cells, distance); !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%v, up to %d apart: %v, want %v", cells, distance, got, want)
		}
	})
}

// TestSleep: tiles that are left alone are what they would be if all were computed. Other rules grow so much
// that nothing sleeps.
func TestSleep(t *testing.T) {
	for _, text := range []string{
		"B3/S23", "B36/S23", "B2-a/S12", "345/2/4", "B3/S23|B36/S23", "B1e2-a/S|B3/S2", wideRules[0], wideRules[1], wideRules[6],
	} {
		b, _ := batchOf(t, text)
		fast := b.vectors
		for seed := range uint64(8) {
			random := rand.New(rand.NewPCG(2, seed))
			side := []int{16, 16, 40, 100}[seed%4]
			var cells []Cell
			for k := range side * side {
				if random.IntN(3) == 0 {
					cells = append(cells, Cell{X: k % side, Y: k / side})
				}
			}
			var some, all Universe
			some.Load(cells)
			all.Load(cells)
			computed := 0
			for pass := range 40 {
				b.vectors = false
				if pass%3 > 0 {
					b.vectors = fast
				}
				b.Pass([]*Universe{&some, &all}, b.Generations())
				computed += len(all.computed) - len(some.computed)
				if got, want := some.Cells(), all.Cells(); !slices.Equal(got, want) {
					t.Fatalf("%s, seed %d: %d cells after pass %d, want %d", text, seed, len(got), pass, len(want))
				}
				if pass%8 == 7 {
					some.Sweep()
				}
				all.WakeAll()
				if all.Sweep() > 5000 {
					break
				}
			}
			if text == "B3/S23" && computed <= 0 {
				t.Errorf("%s, seed %d: sleep saved no tile", text, seed)
			}
		}
	}
}

// TestAsleepIsPeriodic: a universe that is asleep comes back after a pass.
func TestAsleepIsPeriodic(t *testing.T) {
	b, turns := batchOf(t, "B3/S23")
	settled := 0
	for i := range uint64(60) {
		var u Universe
		random := rand.New(rand.NewPCG(1, i))
		var cells []Cell
		for k := range 256 {
			if random.Uint32()%2 == 0 {
				cells = append(cells, Cell{X: k % 16, Y: k / 16})
			}
		}
		u.Load(cells)
		for u.generation < 2000 && !u.IsAsleep() {
			b.Pass([]*Universe{&u}, PassGenerations)
			if u.generation%48 == 0 {
				u.StrikeGliders()
				u.Sweep()
			}
		}
		if !u.IsAsleep() {
			continue
		}
		settled++
		before := u.Cells()
		now := before
		for range reach {
			now = after(now, turns[0])
		}
		if !slices.Equal(before, now) {
			t.Fatalf("soup %d sleeps and has not settled", i)
		}
	}
	if settled < 30 {
		t.Errorf("only %d soups settled", settled)
	}
}

// TestEnvelopeOfTwo compares envelopes with those that go generation by generation. Some soups have things in
// them that take longer than two.
func TestEnvelopeOfTwo(t *testing.T) {
	for _, text := range []string{"B3/S23", "B3/S23|B36/S23", "B3/S12|B3/S2"} {
		envelopesOfTwo(t, text)
	}
}

// envelopesOfTwo is TestEnvelopeOfTwo for a rule.
func envelopesOfTwo(t *testing.T, text string) {
	b, turns := batchOf(t, text)
	returned := 0
	rapid.Check(t, func(t *rapid.T) {
		var u, slow Universe
		u.Load(someCells(t))
		for range rapid.IntRange(0, 60).Draw(t, "passes") {
			b.Pass([]*Universe{&u}, PassGenerations)
		}
		before := u.Cells()
		want := slices.Equal(before, after(after(before, turns[0]), turns[len(turns)-1]))
		slow.Load(before)
		if got := b.EnvelopeOfTwo(&u); got != want {
			t.Fatalf("%v: comes back %v, want %v", before, got, want)
		}
		if !want {
			return
		}
		returned++
		b.Envelope(&slow, 2)
		if got, want := enveloped(&u), enveloped(&slow); !slices.Equal(got, want) {
			t.Fatalf("%v: envelope %v, want %v", before, got, want)
		}
	})
	if returned == 0 {
		t.Errorf("%s: no universe came back", text)
	}
}

// enveloped lists the cells of the envelope, row by row.
func enveloped(u *Universe) []Cell {
	var cells []Cell
	for _, t := range u.tiles {
		for y, row := range t.envelope {
			for ; row != 0; row &= row - 1 {
				cells = append(cells, Cell{X: t.x*tileWidth + bits.TrailingZeros64(row) - reach, Y: t.y*tileHeight + y})
			}
		}
	}
	slices.SortStableFunc(cells, ByRow)
	return cells
}

// TestBounds counts columns and rows cell by cell.
func TestBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := someCells(t)
		var u Universe
		u.Load(cells)
		box := Box{cells[0].X, cells[0].Y, cells[0].X, cells[0].Y}
		for _, c := range cells {
			box = box.With(c.X, c.Y)
		}
		if b, ok := u.Bounds(); !ok || b != box {
			t.Fatalf("cells of %+v have the bounds %+v (%v)", box, b, ok)
		}
		side := max(box.Right-box.Left, box.Bottom-box.Top) + 1
		if u.IsWider(side) || !u.IsWider(side-1) {
			t.Fatalf("cells of %+v: wider than %d is %v, than %d %v", box, side, u.IsWider(side), side-1, u.IsWider(side-1))
		}
	})
}

// TestZones cuts envelopes into zones by words and cell by cell.
func TestZones(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := aged(t, someCells(t), rapid.SampledFrom([]int{2, 2, 5}).Draw(t, "states"))
		var u Universe
		u.Load(cells)
		for _, tile := range u.tiles {
			for y := range tile.envelope { // more cells that lived once
				tile.envelope[y] = tile.occupied(u.side, y)
				tile.envelope[y] |= tile.envelope[y] << 1 & tileBits
			}
		}
		radius := rapid.SampledFrom([]int{1, 1, 2, 3, mostRadius}).Draw(t, "radius")
		b, slow := ZoneMap{Radius: radius}, ZoneMap{Radius: radius}
		if !b.Load(&u) || !slow.Load(&u) {
			t.Fatal("the map is too large")
		}
		type zone struct {
			cells int
			box   Box
		}
		var got, want []zone
		var states []Cell // of large zones
		seen := 0
		b.Zones(func(q Square, bounds Box) {
			got = append(got, zone{len(q.Cells()), bounds})
			if len(q.Cells()) == 0 {
				t.Fatal("an empty square")
			}
			seen += len(q.Cells())
		}, func(cells []Cell, bounds Box) {
			got = append(got, zone{len(cells), bounds})
			seen += len(cells)
			states = append(states, cells...)
		})
		slices.SortStableFunc(states, ByRow)
		if slices.ContainsFunc(cells, func(c Cell) bool { return c.Age > 0 }) && !slices.Equal(states, cells) {
			t.Fatalf("zones have the cells %v, want %v", states, cells)
		}
		for y := range slow.rows {
			for x := range 64 * slow.words {
				if slow.ever[y*slow.words+x>>6]>>(x&63)&1 != 0 {
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
