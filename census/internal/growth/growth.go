// Package growth names what grows for ever by its population.
package growth

import (
	"crypto/md5"
	"fmt"
)

// window is how many generations are compared to find a period. It exceeds the longest period.
const window = 4800

// Generations is how many populations Code is given.
const Generations = 3 * window

// Code names linear growth as apgsearch does, from the populations n of successive generations, Generations of them:
//
//	yl〈p〉_〈q〉_〈a〉_〈MD5 of "b#c"〉
//
// p is the least period of d(t) = n(t+p) − n(t) that is also a period of d. q is the least period of d. a, b and c are the sums over one p of n(t+q)
// − n(t), of its squares and of its cubes. Guns, puffers, rakes and breeders of the first kind have such a name, once their start is over. ok is false
// if there is no period p within the window, or no growth.
func Code(n []int) (code string, period int, ok bool) {
	p := leastPeriod(func(p int) func(t int) int { return func(t int) int { return n[t+p] - n[t] } })
	if p == 0 {
		return "", 0, false
	}
	d := func(t int) int { return n[t+p] - n[t] }
	q := leastPeriod(func(int) func(int) int { return d })
	a, b, cubes := 0, 0, 0
	for t := range p {
		v := n[t+q] - n[t]
		a, b, cubes = a+v, b+v*v, cubes+v*v*v
	}
	if a == 0 {
		return "", 0, false
	}
	return fmt.Sprintf("yl%d_%d_%d_%x", p, q, a, md5.Sum(fmt.Appendf(nil, "%d#%d", b, cubes))), p, true
}

// leastPeriod is the least p for which sequence(p) repeats after p throughout the window; 0 if there is none.
func leastPeriod(sequence func(p int) func(t int) int) int {
next:
	for p := 1; p < window; p++ {
		d := sequence(p)
		for t := range window {
			if d(t) != d(t+p) {
				continue next
			}
		}
		return p
	}
	return 0
}
