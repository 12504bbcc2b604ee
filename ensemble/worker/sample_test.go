package worker

import (
	"math"
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
			want := 0.0
			for _, n := range patterns {
				p := float64(n) / float64(blocks)
				want -= p * math.Log2(p) / float64(side*side*side)
			}
			e := entropyOf(g, on, side)
			if math.Abs(e.plugIn-want) > 1e-8 || e.blocks != uint64(blocks) || e.patterns != uint64(len(patterns)) ||
				e.millerMadow < e.plugIn {
				t.Errorf("%s, side %d: %+v, want %v of %d blocks with %d patterns", suffix, side, e, want, blocks, len(patterns))
			}
		}
	}
}
