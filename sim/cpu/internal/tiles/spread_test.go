package tiles

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gosper-life/gosper/grid"
)

// TestSpread compares the code that fills four lanes with that which fills one: blocks anywhere in a tile, with
// and without tiles around it.
func TestSpread(t *testing.T) {
	if !hasSpread() {
		t.Skip("this processor has no AVX2")
	}
	random := rand.New(rand.NewPCG(5, 2))
	for _, notation := range []string{"B3/S23", "345/2/4"} {
		e := unbounded(t, notation)
		if err := e.pass(e.plan.Depth); err != nil { // opens it
			t.Fatal(err)
		}
		b := e.workers[0]
		s := b.blocks[0]
		if b.columns != 1 || b.lanes%spreadLanes != 0 {
			t.Skipf("blocks of %d words in %d lanes", b.columns, b.lanes)
		}
		for _, at := range []grid.TileAt{{}, {X: 1}, {Y: 1}, {X: 1, Y: 1}, {X: -1, Y: 3}} {
			for i := range e.at(at).words {
				e.at(at).words[i] = random.Uint64()
			}
		}
		var all []job
		for tile := range e.all {
			for i := range 64 {
				all = append(all, job{tile: tile, bx: i % 8, by: i / 8})
			}
		}
		words := s.Input().Words
		for range 300 {
			jobs := make([]job, 1+random.IntN(spreadLanes))
			for i := range jobs {
				jobs[i] = all[random.IntN(len(all))]
			}
			lane := random.IntN(b.lanes/spreadLanes) * spreadLanes
			clear(words)
			for i := range jobs {
				b.gatherWords(s, &jobs[i], lane+i)
			}
			want := slices.Clone(words)
			clear(words)
			b.gatherLanes(s, jobs, lane)
			for i := range words {
				if in := i % b.lanes; in < lane || in >= lane+len(jobs) {
					words[i] = 0 // lanes that are not taken
				}
			}
			if !slices.Equal(words, want) {
				t.Fatalf("%s: lanes from %d on differ, jobs %v", notation, lane, jobs)
			}
		}
	}
}
