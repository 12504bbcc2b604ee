package worker

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/topology"
)

// TestMomentFits: sums of squares that 64 bits do not hold are refused, and the largest that they hold are not.
func TestMomentFits(t *testing.T) {
	const most = math.MaxUint32
	for _, c := range []struct {
		counts []batch.Count
		fits   bool
	}{
		{[]batch.Count{{Size: most, Count: 1}}, true},
		{[]batch.Count{{Size: 1, Count: most}, {Size: most, Count: 1}}, true},
		{[]batch.Count{{Size: most, Count: 2}}, false},
		{[]batch.Count{{Size: most - 1, Count: 1}, {Size: most, Count: 1}}, false},
	} {
		if got := momentFits(c.counts); got != c.fits {
			t.Errorf("the second moment of %v fits: %v", c.counts, got)
		}
	}
}

// The patterns of blocks of a volume are counted here from their definition.
func TestEntropyOfVolumes(t *testing.T) {
	for _, suffix := range []string{"T9,5,4", "P9,5,4", "T70,3,1", "P66,2,3", "T1,1,1"} {
		on, err := topology.Parse(suffix)
		if err != nil {
			t.Fatal(err)
		}
		g, err := grid.New(on.W, on.H, 1)
		if err != nil {
			t.Fatal(err)
		}
		for i := range on.W * on.H {
			if i*i%7 < 3 || i%11 == 0 {
				g.Set(i%on.W, i/on.W, 1)
			}
		}
		for side := 1; side <= 2; side++ {
			patterns, blocks := map[int]int{}, 0
			for i := range on.W * on.H {
				x, y, z := i%on.W, i/on.W%on.LayerRows(), i/on.W/on.LayerRows()
				pattern, whole := 0, true
				for k := range side * side * side {
					tx, ty, inside := on.FoldVolume(x+k%side, y+k/side%side, z+k/side/side)
					if whole = whole && inside; whole {
						pattern |= int(g.Get(tx, ty)) << k
					}
				}
				if whole {
					patterns[pattern]++
					blocks++
				}
			}
			want, third := 0.0, math.Log2(float64(blocks))/float64(side*side*side)
			for _, n := range patterns {
				p := float64(n) / float64(blocks)
				third -= p * grassbergerByDefinition(n) / math.Ln2 / float64(side*side*side)
				want -= p * math.Log2(p) / float64(side*side*side)
			}
			e := entropyOf(g, on, side)
			if math.Abs(e.plugIn-want) > 1e-8 || e.blocks != uint64(blocks) || e.patterns != uint64(len(patterns)) ||
				e.millerMadow < e.plugIn || math.Abs(e.grassberger-third) > 1e-7 {
				t.Errorf("%s, side %d: %+v, want %v of %d blocks with %d patterns", suffix, side, e, want, blocks, len(patterns))
			}
		}
	}
}

// TestEntropyOfNoise measures blocks of 3×3 cells of noise, of 512 patterns that occur twice on average: the estimate
// of Grassberger is within 0.002 of 1 bit a cell, those of the plug-in and of Miller and Madow are not. Blocks of 2×2
// cells of four states, of 256 patterns that occur four times, have 2 bits.
func TestEntropyOfNoise(t *testing.T) {
	on := topology.Topology{Kind: topology.Torus, W: 32, H: 32}
	for _, test := range []struct {
		planes, side int
		bits         float64
	}{{1, 3, 1}, {2, 2, 2}} {
		random := rand.New(rand.NewPCG(1, 2))
		var plugIn, madow, grassberger float64
		const universes = 100
		for range universes {
			g, err := grid.New(32, 32, test.planes)
			if err != nil {
				t.Fatal(err)
			}
			for i := range 32 * 32 {
				g.Set(i%32, i/32, uint8(random.IntN(1<<test.planes)))
			}
			e := entropyOf(g, on, test.side)
			plugIn, madow = plugIn+e.plugIn/universes, madow+e.millerMadow/universes
			grassberger += e.grassberger / universes
		}
		if math.Abs(grassberger-test.bits) > 0.002 || math.Abs(madow-test.bits) < 0.003 || plugIn > test.bits-0.03 {
			t.Errorf("%d planes, side %d: %v, %v and %v bits a cell, want %v", test.planes, test.side, plugIn, madow,
				grassberger, test.bits)
		}
	}
}
