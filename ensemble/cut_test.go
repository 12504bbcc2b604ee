package ensemble

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestCut(t *testing.T) {
	for _, c := range []struct {
		n, perJob   int
		there, want []span
	}{
		{5, 2, nil, []span{{0, 2}, {2, 4}, {4, 5}}},
		{8, 4, []span{{0, 4}, {4, 6}}, []span{{0, 4}, {4, 6}, {6, 8}}},                 // more universes than before
		{4, 4, []span{{0, 4}, {4, 8}}, []span{{0, 4}}},                                 // fewer
		{6, 4, []span{{0, 4}, {4, 8}}, []span{{0, 4}, {4, 6}}},                         // a job is not taken apart
		{6, 3, []span{{0, 2}, {2, 4}, {4, 6}}, []span{{0, 2}, {2, 4}, {4, 6}}},         // jobs of another length
		{6, 6, []span{{0, 2}, {1, 6}, {3, 5}}, []span{{0, 1}, {1, 6}}},                 // of those that overlap the best
		{9, 2, []span{{3, 4}}, []span{{0, 2}, {2, 3}, {3, 4}, {4, 6}, {6, 8}, {8, 9}}}, // what is done lies between
	} {
		var there []piece
		for i, s := range c.there {
			there = append(there, piece{s.first, s.end, 0, i})
		}
		var got []span
		for _, s := range cutJobs(c.n, c.perJob, there) {
			if isNew := s.Of < 0; isNew == slices.ContainsFunc(there, func(old piece) bool {
				return old == s
			}) || isNew != (s.Left == 1) {
				t.Errorf("%d by %d with %v there: %v", c.n, c.perJob, c.there, s)
			}
			got = append(got, span{s.First, s.End})
		}
		if diff := cmp.Diff(c.want, got, cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%d by %d with %v there: %s", c.n, c.perJob, c.there, diff)
		}
	}
}

// TestCutCoversAllOnce: jobs follow each other without gap or overlap. New jobs are at most as long as requested. The
// remaining work is as small as in the best of all choices. When all jobs are done, nothing is cut again.
func TestCutCoversAllOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, perJob := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "a job")
		there := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) piece {
			first := rapid.IntRange(0, 12).Draw(t, "first")
			return piece{
				first, first + rapid.IntRange(1, 6).Draw(t, "count"),
				rapid.SampledFrom([]float64{0, 0, 0.25, 0.5}).Draw(t, "left"), rapid.IntRange(0, 3).Draw(t, "of"),
			}
		}), 0, 6).Draw(t, "there")
		jobs := cutJobs(n, perJob, there)
		at, todo := 0, 0.0
		for _, j := range jobs {
			if j.First != at || j.End <= at {
				t.Fatalf("%v", jobs)
			}
			at = j.End
			todo += float64(j.End-j.First) * j.Left
			if slices.Contains(there, j) {
				continue
			}
			if j.Of != -1 || j.Left != 1 || j.End-j.First > perJob {
				t.Fatalf("%v is a new job, by %d", j, perJob)
			}
		}
		best := float64(n)
		for set := range 1 << len(there) {
			covered := make([]bool, n)
			left, fits := float64(n), true
			for i, s := range there {
				if set>>i&1 == 0 {
					continue
				}
				for u := s.First; u < s.End && fits; u++ {
					fits = u < n && !covered[u]
					if fits {
						covered[u] = true
						left -= 1 - s.Left
					}
				}
			}
			if fits {
				best = min(best, left)
			}
		}
		if at != n || todo > best {
			t.Fatalf("%v: the work of %v universes to do, that of %v would be enough", jobs, todo, best)
		}
		done := slices.Clone(jobs)
		for i := range done {
			done[i].Left, done[i].Of = 0, i
		}
		if again := cutJobs(n, perJob, append(done, there...)); todo == float64(n) && !slices.Equal(again, done) {
			t.Fatalf("%v are cut again: %v", jobs, again)
		}
	})
}
