package census

import (
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Growth says how a pattern grows up to the last generation seen. Populations do not prove that it goes on like this
// forever. The zero value is that of a pattern that does not grow, or grows in no known way.
type Growth struct {
	From int // the generation from which on it does
	To   int // the last generation seen
	// linear: by how many cells it grows in a period, on average; quadratic: how many more these are than in the
	// period before
	Cells float64
	Code  string // linear: the apgcode of the growth from then on; "" if too few generations were seen

	Left, Up, Right, Down Speed // at which the sides of its bounding box move, outwards
}

// Speed is a number of cells in a number of generations, without a common divisor. With 0 generations it is not known.
type Speed struct{ Cells, Generations int }

// boxEvery is the number of generations between two boxes of a course: a multiple of the periods of many spaceships.
const boxEvery = 12

// course is a universe that is followed: its population at every generation, and its box at every boxEvery-th.
type course struct {
	sparse.Universe
	population []int
	boxes      []sparse.Box
	over       bool // it is dead, or beyond a limit
}

// follow goes on until the given number of populations of a course is known, or until the course is over. It runs all
// generations that a name needs, for any width of the box.
func (c *classifier) follow(h *course, generations int) {
	for !h.over && len(h.population) < generations {
		n, t := h.Population(), len(h.population)
		if n == 0 || n > c.limits.Population || t >= growthGenerations && t%sweepEvery == 0 && h.IsWider(c.limits.Box) {
			h.over = true
			return
		}
		if h.population = append(h.population, n); t%boxEvery == 0 {
			box, _ := h.Bounds()
			h.boxes = append(h.boxes, box)
		}
		c.step(&h.Universe)
		if t%sweepEvery == 0 {
			h.Sweep()
		}
	}
}

// linearGrowth finds out whether cells on their own grow by the same amount every period as far as they are followed,
// and names the growth by their populations.
func (c *classifier) linearGrowth(cells []Cell) (Object, bool) {
	var h course
	h.Load(cells)
	c.follow(&h, growthGenerations)
	return h.atOnce()
}

// atOnce describes a course that grows by the same amount every period from the first generation on, if it does so
// for all generations that a name needs. It must have been followed that long.
func (h *course) atOnce() (Object, bool) {
	if len(h.population) < growthGenerations {
		return Object{}, false
	}
	g, ok := growthInTheEnd(h.population[:growthGenerations])
	if !ok || g.Code == "" || g.From > 0 {
		return Object{}, false
	}
	o := h.grows(g)
	o.Code = g.Code
	return o, true
}

// inTheEnd describes a course that grows in a known way up to its last generation.
func (h *course) inTheEnd() (Object, bool) {
	g, ok := growthInTheEnd(h.population)
	return h.grows(g), ok
}

// grows describes a course that grows in a known way.
func (h *course) grows(g linearGrowth) Object {
	o := Object{Kind: LinearGrowth, Period: g.Period, Growth: Growth{From: g.From, To: g.To, Cells: g.Cells, Code: g.Code}}
	if g.Order == 2 {
		o.Kind = QuadraticGrowth
	}
	boxes := h.boxes[min(len(h.boxes), (g.From+boxEvery-1)/boxEvery):]
	o.Growth.Left = speed(boxes, func(b sparse.Box) int { return -b.Left })
	o.Growth.Up = speed(boxes, func(b sparse.Box) int { return -b.Top })
	o.Growth.Right = speed(boxes, func(b sparse.Box) int { return b.Right })
	o.Growth.Down = speed(boxes, func(b sparse.Box) int { return b.Bottom })
	return o
}

// speed finds the speed of a side of boxes from its motion, which must repeat in the latter two thirds of them.
func speed(boxes []sparse.Box, side func(sparse.Box) int) Speed {
	boxes = boxes[len(boxes)/3:]
next:
	for k := 1; 2*k < len(boxes); k++ {
		moved := side(boxes[k]) - side(boxes[0])
		for i := range len(boxes) - k {
			if side(boxes[i+k])-side(boxes[i]) != moved {
				continue next
			}
		}
		generations := k * boxEvery
		divisor := generations
		for rest := moved; rest != 0; {
			divisor, rest = rest, divisor%rest
		}
		return Speed{moved / max(divisor, -divisor), generations / max(divisor, -divisor)}
	}
	return Speed{}
}
