package census

import "slices"

// A soup has settled when nothing is awake: then everything has a period that divides that of a pass. What else there is, oscillators of
// other periods and spaceships, is seen by the population, which repeats; whether it has settled indeed is then found out by looking at
// every object.

// checkEvery is the generations between two looks at a world: a multiple of many periods, and not too many for gliders to fly.
const checkEvery = 48

// history is the populations of a world, one each checkEvery generations.
type history struct {
	populations []int
	next        int // generation of the next look
}

// longestRhythm is how many looks a repeating population may need to come back.
const longestRhythm = 24

// repeats reports whether the population has come back often enough that an examination is due.
func (h *history) repeats() bool {
	n := len(h.populations)
	for k := 1; k <= longestRhythm; k++ {
		need := max(10, 2*k)
		if n < need+k {
			return false
		}
		if slices.Equal(h.populations[n-need:], h.populations[n-need-k:n-k]) {
			return true
		}
	}
	return false
}

// restart begins anew, with populations from a generation on.
func (h *history) restart(generation int) {
	h.populations, h.next = h.populations[:0], generation+checkEvery
}

// envelop runs a world for some generations, one by one, and notes in its tiles which cells live in any of them.
func (c *classifier) envelop(w *world, generations int) {
	for _, t := range w.tiles {
		t.envelope = t.rows
	}
	w.rouse()
	for range generations {
		c.step(w)
		for i := range c.herd.jobs {
			j := &c.herd.jobs[i]
			if j.changed != 0 {
				t := j.tile
				for y, row := range t.rows {
					t.envelope[y] |= row
				}
			}
		}
	}
}
