package sparse

import (
	"math/rand/v2"
	"testing"
)

// TestCopiers compares the code that copies four lanes with that which copies one, in vectors of four lanes and
// in both halves of vectors of eight.
func TestCopiers(t *testing.T) {
	if !hasCopiers() {
		t.Skip("this processor has no AVX2")
	}
	random := rand.New(rand.NewPCG(3, 1))
	for range 300 {
		var u Universe
		for range 1 + random.IntN(3000) {
			u.set(random.IntN(4*tileWidth), random.IntN(3*tileHeight), 1)
		}
		lanes := []int{copiedAtOnce, 2 * copiedAtOnce}[random.IntN(2)]
		lane := random.IntN(lanes/copiedAtOnce) * copiedAtOnce
		height := 1 + random.IntN(tileBlocks)
		side := random.IntN(2)
		var g group
		var firsts [mostLanes]int
		for _, i := range random.Perm(len(u.tiles))[:min(copiedAtOnce, len(u.tiles))] {
			for y := range tileHeight { // what is there before a pass
				u.tiles[i].sides[1][y] = u.tiles[i].sides[0][y] ^ random.Uint64()&random.Uint64()&random.Uint64()&tileBits
			}
		}
		for k := range copiedAtOnce {
			first := random.IntN(tileBlocks - height + 1)
			firsts[lane+k] = first
			g.tiles[lane+k], g.from[lane+k], g.to[lane+k] = u.tiles[random.IntN(len(u.tiles))], &places[side][first],
				&places[side][first+height]
		}
		rows := height*blockRows + 2*reach
		got, want := make([]uint64, rows*lanes), make([]uint64, rows*lanes)
		gather(&got[lane], &g, uintptr(lane), uintptr(lanes), uintptr(height))
		for k := lane; k < lane+copiedAtOnce; k++ {
			g.tiles[k].gather(want[k:], lanes, reach, 0, side, firsts[k], height)
		}
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("row %d of lane %d of %d is %x, want %x", i/lanes, i%lanes, lanes, got[i], want[i])
			}
		}

		after := make([]uint64, height*blockRows*lanes)
		for i := range after {
			after[i] = got[i+reach*lanes] // some blocks change in few places, others not at all
			if random.IntN(8) == 0 {
				after[i] ^= random.Uint64() & random.Uint64() & (random.Uint64() >> random.IntN(64))
			}
		}
		k := lane + random.IntN(copiedAtOnce) // a tile may be in several lanes
		tile := *g.tiles[k]
		var reached reached
		tile.scatter(after[k:], lanes, 0, side, firsts[k], height, &reached)
		for other := range g.tiles[lane : lane+copiedAtOnce] {
			if lane+other != k && g.tiles[lane+other] == g.tiles[k] {
				g.tiles[lane+other] = u.tile()
			}
		}
		scatter(&g, uintptr(lane), &after[lane], &got[reach*lanes+lane], uintptr(lanes), uintptr(height))
		if tile.sides != g.tiles[k].sides {
			t.Fatalf("lane %d of %d: a tile has other cells", k, lanes)
		}
		if g.middle[k] != uint64(reached.middle) || g.left[k] != uint64(reached.left) || g.right[k] != uint64(reached.right) {
			t.Fatalf("blocks %x, %x and %x are reached, want %x, %x and %x", g.left[k], g.middle[k], g.right[k], reached.left,
				reached.middle, reached.right)
		}
	}
}
