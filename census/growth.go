package census

import (
	"crypto/md5"
	"fmt"

	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/sim/cpu/sparse"
)

// Growth says how a pattern grows up to the last generation seen. Populations do not prove that it goes on like this
// forever. The zero value is that of a pattern that does not grow, or grows in no known way.
type Growth struct {
	From int // the generation from which on it does
	To   int // the last generation seen
	// Apart is the number of generations between two that were compared, from the first on. It is 0 if all were.
	// Otherwise the period that was found is a multiple of the least one.
	Apart int
	// linear: by how many cells it grows in a period, on average; quadratic: how many more these are than in the
	// period before
	Cells float64
	// the population grows about as this power of the time, if it is not known in which periods; else 0
	Power float64
	// quadratic: the share of its bounding box that its cells take in the end; 0 if that is not known
	Filled float64
	Code   string // linear: the apgcode of the growth from then on; "" if too few generations were seen

	Left, Up, Right, Down Speed // at which the sides of its bounding box move, outwards
}

// Speed is a number of cells in a number of generations, without a common divisor. With 0 generations it is not known.
type Speed struct{ Cells, Generations int }

// BoxEvery is the number of generations between two boxes of a course: a multiple of the periods of many spaceships.
const BoxEvery = 12

// course is a universe that is followed: its population at every generation, and its box at every BoxEvery-th.
type course struct {
	sparse.Universe
	population []int
	boxes      []sparse.Box
	every      int  // 0, or the number of generations between two populations, and between two boxes
	turns      int  // of the rule: a growth's period is a multiple
	over       bool // it is dead, or beyond a limit
}

// courseOf prepares to follow cells.
func (c *classifier) courseOf(cells []Cell) *course {
	h := &course{turns: c.turns}
	h.Load(cells)
	return h
}

// follow goes on until the given number of populations of a course is known, or until the course is over. It runs all
// generations that a name needs, for any width of the box. If rules take turns, it ends before the first one's turn.
func (c *classifier) follow(h *course, generations int) {
	for !h.over && (len(h.population) < generations || len(h.population)%c.turns != 0) {
		n, t := h.Population(), len(h.population)
		if n == 0 || n > c.limits.Population || t >= growthGenerations && t%sweepEvery == 0 && h.IsWider(c.limits.Box) {
			h.over = true
			return
		}
		c.reached(t, n)
		if c.worked(&h.Universe) {
			h.over = true
			return
		}
		if h.population = append(h.population, n); t%BoxEvery == 0 {
			box, _ := h.Bounds()
			h.boxes = append(h.boxes, box)
		}
		c.step(&h.Universe)
		if t%sweepEvery == 0 {
			h.Sweep()
		}
	}
}

// reached notes how far a pattern has been followed.
func (c *classifier) reached(generation, population int) {
	if int64(generation) >= c.followed.Load() {
		c.followed.Store(int64(generation))
		c.lived.Store(int64(population))
	}
}

// worked adds the next pass of a universe to the work that a pattern takes. It reports whether that is more than
// allowed.
func (c *classifier) worked(u *sparse.Universe) bool {
	c.work += u.Awake()
	return c.mostWork > 0 && c.work > c.mostWork
}

// linearGrowth finds out whether cells on their own grow by the same amount every period as far as they are followed,
// and names the growth by their populations.
func (c *classifier) linearGrowth(cells []Cell) (Object, bool) {
	h := c.courseOf(cells)
	c.follow(h, growthGenerations)
	return h.atOnce()
}

// atOnce describes a course that grows by the same amount every period from the first generation on, if it does so
// for all generations that a name needs. It must have been followed that long.
func (h *course) atOnce() (Object, bool) {
	if len(h.population) < growthGenerations {
		return Object{}, false
	}
	g, ok := growthInTheEnd(h.population[:growthGenerations], leastWindow, h.turns)
	if !ok || g.Code == "" || g.From > 0 {
		return Object{}, false
	}
	o := h.grows(g)
	o.Code = g.Code
	return o, true
}

// quadraticSoon describes a course that has grown quadratically for the latter half of its generations, long before
// all the populations are there that a name for linear growth needs: such courses soon have very many cells.
func (c *classifier) quadraticSoon(h *course) (Object, bool) {
	for n := growthSpan; n < growthGenerations; n *= 2 {
		if c.follow(h, n); len(h.population) < n {
			break
		}
		if g, ok := growthInTheEnd(h.population, leastWindow, h.turns); ok && g.Order == 2 && g.From <= n/2 {
			return h.grows(g), true
		}
	}
	return Object{}, false
}

// Grows describes a pattern that grows in a known way up to its last generation, from its populations at every
// generation and its bounding boxes at every BoxEvery-th. If every is not 0, both are of generations that are so far
// apart, and the period that is found is a multiple of the least one. ok is false if it does not grow in a known way.
func Grows(populations []int, boxes []grid.Rect, every int) (o Object, ok bool) {
	h := course{population: populations, turns: 1, every: every}
	for _, b := range boxes {
		h.boxes = append(h.boxes, boxOf(b))
	}
	return h.inTheEnd()
}

// inTheEnd describes a course that grows in a known way up to its last generation.
func (h *course) inTheEnd() (Object, bool) {
	least := leastWindow
	if h.every > 0 {
		least = leastLooks
	}
	g, ok := growthInTheEnd(h.population, least, h.turns)
	return h.grows(g), ok
}

// grows describes a course that grows in a known way.
func (h *course) grows(g linearGrowth) Object {
	every, perBox := 1, BoxEvery
	if h.every > 0 {
		every, perBox = h.every, h.every
	}
	o := Object{Kind: LinearGrowth, Period: g.Period * every, Growth: Growth{
		From: g.From * every, To: g.To * every, Apart: h.every, Cells: g.Cells, Code: g.Code,
	}}
	if g.Order == 2 {
		o.Kind, o.Growth.Filled = QuadraticGrowth, h.filled()
	}
	boxes := h.boxes[min(len(h.boxes), (o.Growth.From+perBox-1)/perBox):]
	o.Growth.Left = speed(boxes, perBox, func(b sparse.Box) int { return -b.Left })
	o.Growth.Up = speed(boxes, perBox, func(b sparse.Box) int { return -b.Top })
	o.Growth.Right = speed(boxes, perBox, func(b sparse.Box) int { return b.Right })
	o.Growth.Down = speed(boxes, perBox, func(b sparse.Box) int { return b.Bottom })
	return o
}

// filled is the share of the last box that the last cells take.
func (h *course) filled() float64 {
	if len(h.boxes) == 0 {
		return 0
	}
	b := h.boxes[len(h.boxes)-1]
	return float64(h.population[len(h.population)-1]) / (float64(b.Right-b.Left+1) * float64(b.Bottom-b.Top+1))
}

// speed finds the speed of a side of boxes, some generations apart, from its motion. This must repeat in the latter two
// thirds of them.
func speed(boxes []sparse.Box, every int, side func(sparse.Box) int) Speed {
	boxes = boxes[len(boxes)/3:]
next:
	for k := 1; 2*k < len(boxes); k++ {
		moved := side(boxes[k]) - side(boxes[0])
		for i := range len(boxes) - k {
			if side(boxes[i+k])-side(boxes[i]) != moved {
				continue next
			}
		}
		generations := k * every
		divisor := generations
		for rest := moved; rest != 0; {
			divisor, rest = rest, divisor%rest
		}
		return Speed{moved / max(divisor, -divisor), generations / max(divisor, -divisor)}
	}
	return Speed{}
}

// growthSpan is the number of generations that are compared to find a period. It exceeds the longest period that
// has a name.
const growthSpan = 4800

// growthGenerations is the number of populations it takes to name growth.
const growthGenerations = 3 * growthSpan

// longGrowth is the number of generations that a pattern is followed, within a limit on work, to find growth of a long
// period.
const longGrowth = 1 << 16

// leastWindow is the least length, in generations, of the windows that are compared. With fewer populations than that
// takes, no growth is found.
const leastWindow = 300

// leastLooks is the same for populations that are further apart, in their number.
const leastLooks = 64

// linearGrowth says how populations grow in the end.
type linearGrowth struct {
	// Code names linear growth as apgsearch does, from Generations of successive populations n:
	//
	//	yl〈p〉_〈q〉_〈a〉_〈MD5 of "b#c"〉
	//
	// p is the least period of d(t) = n(t+p) − n(t) that is also a period of d. q is the least period of d. a, b
	// and c are the sums over one p of n(t+q) − n(t), of its squares and of its cubes. Guns, puffers, rakes and
	// breeders of the first kind have such a name, once their start is over. It is "" if there are too few
	// populations, and for quadratic growth. If two rules take turns, only even t count.
	Code   string
	Order  int // 1 for linear growth, 2 for quadratic
	Period int // the least one after which differences of this order repeat
	// linear: by how many cells it grows in a period, on average; quadratic: how many more these are than in the
	// period before
	Cells float64
	From  int // the generation from which the growth is regular
	To    int // the last generation, up to which it is known
}

// growthInTheEnd finds out how populations, those of all generations up to some last one, grow in the end. ok is
// false if they do not, if they grow in no known way, or if there are too few of them. It compares the last ones: as
// many as a name for growth needs, then half as many, then all, and then nine tenths as many each time. Windows are no
// shorter than least.
func growthInTheEnd(n []int, least, turns int) (g linearGrowth, ok bool) {
	n = n[:len(n)-len(n)%turns]
	for order := 1; order <= 2; order++ {
		windows := []int{min(growthSpan, len(n)/(order+2))}
		windows = append(windows, windows[0]/2)
		for longer := len(n) / (order + 2); longer > windows[0]; longer = longer * 9 / 10 {
			windows = append(windows, longer)
		}
		for _, w := range windows {
			w -= w % turns
			if w < least {
				continue
			}
			tail := n[len(n)-(order+2)*w:]
			same := func(p, t int) bool { return difference(tail, order+1, p, t) == 0 }
			if p := leastPeriod(w, turns, same); p > 0 {
				if g, ok = growth(n, tail, order, p, turns); ok { // otherwise the growth may pause here
					return g, true
				}
			}
		}
	}
	return linearGrowth{}, false
}

// growth is that of populations whose differences of an order repeat with a period in their tail. ok is false
// if they do not grow.
func growth(n, tail []int, order, p, turns int) (g linearGrowth, ok bool) {
	sum := 0
	for t := 0; t < p; t += turns {
		sum += difference(tail, order, p, t)
	}
	if sum <= 0 {
		return linearGrowth{}, false
	}
	g = linearGrowth{
		Order: order, Period: p, Cells: float64(sum) / float64(p/turns), From: len(n) - len(tail), To: len(n) - turns,
	}
	for g.From > 0 && difference(n, order+1, p, g.From-turns) == 0 {
		g.From -= turns
	}
	if order == 1 && len(tail) == growthGenerations {
		g.Code = code(tail, p, turns)
	}
	return g, true
}

// difference is the difference of some order of populations p generations apart, from generation t on.
func difference(n []int, order, p, t int) int {
	switch order {
	case 1:
		return n[t+p] - n[t]
	case 2:
		return n[t+2*p] - 2*n[t+p] + n[t]
	}
	return n[t+3*p] - 3*n[t+2*p] + 3*n[t+p] - n[t]
}

// code names linear growth of period p.
func code(n []int, p, turns int) string {
	q := leastPeriod(growthSpan, turns, func(q, t int) bool { return n[t+p]-n[t] == n[t+q+p]-n[t+q] })
	a, b, cubes := 0, 0, 0
	for t := 0; t < p; t += turns {
		v := n[t+q] - n[t]
		a, b, cubes = a+v, b+v*v, cubes+v*v*v
	}
	return fmt.Sprintf("yl%d_%d_%d_%x", p, q, a, md5.Sum(fmt.Appendf(nil, "%d#%d", b, cubes)))
}

// leastPeriod returns the least p, shorter than a window, for which repeats is true at every t of the window. Both are
// multiples of the turns. It returns 0 if there is none.
func leastPeriod(window, turns int, repeats func(p, t int) bool) int {
next:
	for p := turns; p < window; p += turns {
		for t := 0; t < window; t += turns {
			if !repeats(p, t) {
				continue next
			}
		}
		return p
	}
	return 0
}
