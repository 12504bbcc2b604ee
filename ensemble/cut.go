package ensemble

import "slices"

// span is the universes first to end-1.
type span struct{ first, end int }

// cut divides n universes into jobs. From the jobs that already have results, it takes those that leave the fewest universes to do. The rest becomes
// new jobs, which end at multiples of perJob. Jobs do not overlap, because the counts of a job cannot be split.
func cut(n, perJob int, there []span) []span {
	there = slices.DeleteFunc(slices.Clone(there), func(s span) bool { return s.end > n })
	// These are the places where a job may begin or end. The path from 0 to n goes from place to place, either through universes that have to be
	// done, or along a finished job.
	places := []int{0, n}
	ending := map[int][]int{} // where finished jobs begin, by their end
	for _, s := range there {
		places = append(places, s.first, s.end)
		ending[s.end] = append(ending[s.end], s.first)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	least := map[int]int{0: 0} // the fewest universes to do before a place
	before := map[int]int{}    // the place before it on the path that leaves the fewest
	adopted := map[int]bool{}  // whether that path reaches a place along a finished job
	for i, at := range places[1:] {
		previous := places[i]
		least[at], before[at] = least[previous]+at-previous, previous
		for _, first := range ending[at] {
			if d := least[first]; d < least[at] || d == least[at] && (!adopted[at] || first < before[at]) {
				least[at], before[at], adopted[at] = d, first, true
			}
		}
	}
	var jobs []span // in reverse order
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
