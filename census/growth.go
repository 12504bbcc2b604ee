package census

import (
	"crypto/md5"
	"fmt"
)

// growthWindow is how many generations of a population are compared to find a period of its growth. It exceeds the longest period.
const growthWindow = 4800

// linearGrowth finds out whether cells on their own grow by the same amount every period. It names the growth as apgsearch does, from the populations
// n(t):
//
//	yl〈p〉_〈q〉_〈a〉_〈MD5 of "b#c"〉
//
// p is the least period of d(t) = n(t+p) − n(t) that is also a period of d. q is the least period of d. a, b and c are the sums over one p of n(t+q)
// − n(t), of its squares and of its cubes. Guns, puffers, rakes and breeders of the first kind have such a name, once their start is over.
func (c *classifier) linearGrowth(cells []Cell) (Object, bool) {
	w := &c.alone
	w.Load(cells)
	n := make([]int, 3*growthWindow)
	for t := range n {
		if n[t] = w.Population(); n[t] == 0 || n[t] > c.limits.Population {
			return Object{}, false
		}
		c.step(w)
		if t%sweepEvery == 0 {
			w.Sweep()
		}
	}
	p := leastPeriod(func(p int) func(t int) int { return func(t int) int { return n[t+p] - n[t] } })
	if p == 0 {
		return Object{}, false
	}
	d := func(t int) int { return n[t+p] - n[t] }
	q := leastPeriod(func(int) func(int) int { return d })
	a, b, cubes := 0, 0, 0
	for t := range p {
		v := n[t+q] - n[t]
		a, b, cubes = a+v, b+v*v, cubes+v*v*v
	}
	if a == 0 {
		return Object{}, false
	}
	sum := md5.Sum(fmt.Appendf(nil, "%d#%d", b, cubes))
	return Object{Code: fmt.Sprintf("yl%d_%d_%d_%x", p, q, a, sum), Kind: LinearGrowth, Period: p}, true
}

// leastPeriod is the least p for which sequence(p) repeats after p throughout the window; 0 if there is none.
func leastPeriod(sequence func(p int) func(t int) int) int {
next:
	for p := 1; p < growthWindow; p++ {
		d := sequence(p)
		for t := range growthWindow {
			if d(t) != d(t+p) {
				continue next
			}
		}
		return p
	}
	return 0
}
