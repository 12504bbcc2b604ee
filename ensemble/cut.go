package ensemble

import "slices"

// piece is the universes First to End-1.
type piece struct {
	First, End int
	// Left is the share of the work of each of these universes that is left to do: 0 for results of the ensemble,
	// less than 1 for those of fewer generations. It is 1 for new jobs.
	Left float64
	Of   int // the caller's number of a result that exists; -1 for new jobs
}

// cutJobs divides n universes into jobs. From the jobs that already have results, it takes those that leave the
// least work to do. The rest becomes new jobs, which end at multiples of perJob. Jobs do not overlap, because
// the counts of a job cannot be split.
func cutJobs(n, perJob int, there []piece) []piece {
	there = slices.DeleteFunc(slices.Clone(there), func(s piece) bool { return s.End > n })
	// These are the places where a job may begin or end. The path from 0 to n goes from place to place, either
	// through universes that have to be done, or along a finished job.
	places := []int{0, n}
	ending := map[int][]piece{} // finished jobs by their end
	for _, s := range there {
		places = append(places, s.First, s.End)
		ending[s.End] = append(ending[s.End], s)
	}
	slices.Sort(places)
	places = slices.Compact(places)
	least := map[int]float64{0: 0} // the least work to do before a place
	before := map[int]int{}        // the place before it on the path that leaves the least
	adopted := map[int]piece{}     // the finished job along which that path reaches a place
	for i, at := range places[1:] {
		previous := places[i]
		least[at], before[at] = least[previous]+float64(at-previous), previous
		for _, s := range ending[at] {
			d := least[s.First] + float64(s.End-s.First)*s.Left
			if _, along := adopted[at]; d < least[at] || d == least[at] && (!along || s.First < before[at]) {
				least[at], before[at], adopted[at] = d, s.First, s
			}
		}
	}
	var jobs []piece // in reverse order
	for at := n; at > 0; {
		if s, along := adopted[at]; along {
			jobs = append(jobs, s)
			at = s.First
			continue
		}
		first := before[at]
		for first > 0 {
			if _, along := adopted[first]; along {
				break
			}
			first = before[first]
		}
		for end := at; end > first; {
			begin := max(first, (end-1)/perJob*perJob)
			jobs = append(jobs, piece{begin, end, 1, -1})
			end = begin
		}
		at = first
	}
	slices.Reverse(jobs)
	return jobs
}
