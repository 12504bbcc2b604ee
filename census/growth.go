package census

import "github.com/gosper-life/gosper/census/internal/growth"

// linearGrowth finds out whether cells on their own grow by the same amount every period, and names the growth by their populations.
func (c *classifier) linearGrowth(cells []Cell) (Object, bool) {
	w := &c.alone
	w.Load(cells)
	n := make([]int, growth.Generations)
	for t := range n {
		if n[t] = w.Population(); n[t] == 0 || n[t] > c.limits.Population {
			return Object{}, false
		}
		c.step(w)
		if t%sweepEvery == 0 {
			w.Sweep()
		}
	}
	code, period, ok := growth.Code(n)
	if !ok {
		return Object{}, false
	}
	return Object{Code: code, Kind: LinearGrowth, Period: period}, true
}
