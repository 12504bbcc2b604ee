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
		if diff := cmp.Diff(c.want, cut(c.n, c.perJob, c.there), cmp.AllowUnexported(span{})); diff != "" {
			t.Errorf("%d by %d with %v there: %s", c.n, c.perJob, c.there, diff)
		}
	}
}

// TestCutCoversAllOnce: jobs follow each other without gap or overlap; those that were not there are as long as asked at most; as few universes are
// to be done as in the best choice of all; and once all are done nothing is cut again.
func TestCutCoversAllOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, perJob := rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "a job")
		there := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) span {
			first := rapid.IntRange(0, 12).Draw(t, "first")
			return span{first, first + rapid.IntRange(1, 6).Draw(t, "count")}
		}), 0, 6).Draw(t, "there")
		jobs := cut(n, perJob, there)
		at, todo := 0, 0
		for _, j := range jobs {
			if j.first != at || j.end <= at {
				t.Fatalf("%v", jobs)
			}
			at = j.end
			if !slices.Contains(there, j) {
				todo += j.end - j.first
				if j.end-j.first > perJob {
					t.Fatalf("%v is a new job of more than %d", j, perJob)
				}
			}
		}
		best := n
		for set := range 1 << len(there) {
			covered := make([]bool, n)
			left, fits := n, true
			for i, s := range there {
				if set>>i&1 == 0 {
					continue
				}
				for u := s.first; u < s.end && fits; u++ {
					fits = u < n && !covered[u]
					if fits {
						covered[u] = true
						left--
					}
				}
			}
			if fits {
				best = min(best, left)
			}
		}
		if at != n || todo > best {
			t.Fatalf("%v: %d universes to do, %d would be enough", jobs, todo, best)
		}
		if again := cut(n, perJob, append(jobs, there...)); todo == n && !slices.Equal(again, jobs) {
			t.Fatalf("%v are cut again: %v", jobs, again)
		}
	})
}
