package ensemble

import "slices"

// span is the universes from first to end-1.
type span struct{ first, end int }

// cut divides n universes into jobs. Of the jobs that have results already, it takes those that leave the fewest universes to do. For the rest it makes
// new jobs, which end at multiples of perJob. Jobs do not overlap, because the counts of a job cannot be taken apart.
func cut(n, perJob int, there []span) []span {
	there = slices.DeleteFunc(slices.Clone(there), func(s span) bool { return s.end > n })
	// Places where a job may begin or end. The way from 0 to n goes from place to place: through universes that are to be done, or along a job that
	// is done.
	places := []int{0, n}
	ending := map[int][]int{} // where jobs begin, by their end
	for _, s := range there {
		places = append(places, s.first, s.end)
		ending[s.end] = append(ending[s.end], s.first)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	least := map[int]int{0: 0} // universes to do before a place
	before := map[int]int{}    // the place before, on the way that leaves the fewest
	adopted := map[int]bool{}  // whether a job that is there leads to it
	for i, at := range places[1:] {
		previous := places[i]
		least[at], before[at] = least[previous]+at-previous, previous
		for _, first := range ending[at] {
			if d := least[first]; d < least[at] || d == least[at] && (!adopted[at] || first < before[at]) {
				least[at], before[at], adopted[at] = d, first, true
			}
		}
	}
	var jobs []span // backwards
	for at := n; at > 0; {
		if adopted[at] {
			jobs = append(jobs, span{before[at], at})
			at = before[at]
			continue
		}
		first := before[at]
		for first > 0 && !adopted[first] {
			first = before[first]
		}
		for end := at; end > first; {
			begin := max(first, (end-1)/perJob*perJob)
			jobs = append(jobs, span{begin, end})
			end = begin
		}
		at = first
	}
	slices.Reverse(jobs)
	return jobs
}
