package builtin

import "slices"

// This stepper shares no code with the engines. It checks the patterns and need not be fast.

type cell struct{ x, y int }

type universe map[cell]uint8 // live cells and their states

// life is a rule of the built-in patterns: a Moore neighbourhood of some radius, the centre not counted, and perhaps
// decay.
type life struct {
	radius          int
	birth, survival func(count int) bool
	states          uint8
}

var lives = map[string]life{
	"B3/S23":                      {1, counts(3), counts(2, 3), 2},
	"B36/S23":                     {1, counts(3, 6), counts(2, 3), 2},
	"/2/3":                        {1, counts(2), counts(), 3},
	"345/2/4":                     {1, counts(2), counts(3, 4, 5), 4},
	"R5,C0,M1,S34..58,B34..45,NM": {5, countsFrom(34, 45), countsFrom(33, 57), 2},
	"R4,C0,M1,S24..38,B22..31,NM": {4, countsFrom(22, 31), countsFrom(23, 37), 2},
}

func counts(list ...int) func(int) bool { return func(n int) bool { return slices.Contains(list, n) } }

func countsFrom(lo, hi int) func(int) bool { return func(n int) bool { return lo <= n && n <= hi } }

func (l life) step(u universe) universe {
	sums := make(map[cell]int, 4*len(u))
	for at, state := range u {
		sums[at] += 0 // a cell without neighbours has a future too
		if state != 1 {
			continue
		}
		for y := at.y - l.radius; y <= at.y+l.radius; y++ {
			for x := at.x - l.radius; x <= at.x+l.radius; x++ {
				sums[cell{x, y}]++
			}
		}
		sums[at]--
	}
	next := make(universe, len(u))
	for at, sum := range sums {
		switch state := u[at]; {
		case state == 0 && l.birth(sum), state == 1 && l.survival(sum):
			next[at] = 1
		case state > 0 && state+1 < l.states:
			next[at] = state + 1
		}
	}
	return next
}

func (l life) run(u universe, generations int) universe {
	for range generations {
		u = l.step(u)
	}
	return u
}

// populations returns the populations of generations 0 to last.
func (l life) populations(u universe, last int) []int {
	list := []int{len(u)}
	for range last {
		u = l.step(u)
		list = append(list, len(u))
	}
	return list
}

func (u universe) moved(dx, dy int) universe {
	v := make(universe, len(u))
	for at, state := range u {
		v[cell{at.x + dx, at.y + dy}] = state
	}
	return v
}

func (u universe) contains(v universe) bool {
	for at, state := range v {
		if u[at] != state {
			return false
		}
	}
	return true
}

func (u universe) corner() cell {
	var low cell
	first := true
	for at := range u {
		if first {
			low, first = at, false
		}
		low = cell{min(low.x, at.x), min(low.y, at.y)}
	}
	return low
}
