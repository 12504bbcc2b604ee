package census

import (
	"crypto/md5"
	"fmt"
)

// growthWindow is the number of generations that are compared to find a period. It exceeds the longest period that
// has a name.
const growthWindow = 4800

// growthGenerations is the number of populations it takes to name growth.
const growthGenerations = 3 * growthWindow

// leastWindow is the least length, in generations, of the windows that are compared. With fewer populations than that
// takes, no growth is found.
const leastWindow = 300

// linearGrowth says how populations grow in the end.
type linearGrowth struct {
	// Code names linear growth as apgsearch does, from Generations of successive populations n:
	//
	//	yl〈p〉_〈q〉_〈a〉_〈MD5 of "b#c"〉
	//
	// p is the least period of d(t) = n(t+p) − n(t) that is also a period of d. q is the least period of d. a, b
	// and c are the sums over one p of n(t+q) − n(t), of its squares and of its cubes. Guns, puffers, rakes and
	// breeders of the first kind have such a name, once their start is over. It is "" if there are too few
	// populations, and for quadratic growth.
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
// false if they do not, if they grow in no known way, or if there are too few of them. It compares all populations,
// or as many as a name for growth needs, and then half as many.
func growthInTheEnd(n []int) (g linearGrowth, ok bool) {
	for order := 1; order <= 2; order++ {
		for half := 1; half <= 2; half++ {
			w := min(growthWindow, len(n)/(order+2)) / half
			if w < leastWindow {
				break
			}
			tail := n[len(n)-(order+2)*w:]
			if p := leastPeriod(w, func(p, t int) bool { return difference(tail, order+1, p, t) == 0 }); p > 0 {
				return growth(n, tail, order, p)
			}
		}
	}
	return linearGrowth{}, false
}

// growth is that of populations whose differences of an order repeat with a period in their tail. ok is false
// if they do not grow.
func growth(n, tail []int, order, p int) (g linearGrowth, ok bool) {
	sum := 0
	for t := range p {
		sum += difference(tail, order, p, t)
	}
	if sum <= 0 {
		return linearGrowth{}, false
	}
	g = linearGrowth{Order: order, Period: p, Cells: float64(sum) / float64(p), From: len(n) - len(tail), To: len(n) - 1}
	for g.From > 0 && difference(n, order+1, p, g.From-1) == 0 {
		g.From--
	}
	if order == 1 && len(tail) == growthGenerations {
		g.Code = code(tail, p)
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
func code(n []int, p int) string {
	q := leastPeriod(growthWindow, func(q, t int) bool { return n[t+p]-n[t] == n[t+q+p]-n[t+q] })
	a, b, cubes := 0, 0, 0
	for t := range p {
		v := n[t+q] - n[t]
		a, b, cubes = a+v, b+v*v, cubes+v*v*v
	}
	return fmt.Sprintf("yl%d_%d_%d_%x", p, q, a, md5.Sum(fmt.Appendf(nil, "%d#%d", b, cubes)))
}

// leastPeriod returns the least p, shorter than a window, such that repeats is true for every t of the window. It
// returns 0 if no p is.
func leastPeriod(window int, repeats func(p, t int) bool) int {
next:
	for p := 1; p < window; p++ {
		for t := range window {
			if !repeats(p, t) {
				continue next
			}
		}
		return p
	}
	return 0
}
