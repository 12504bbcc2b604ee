package ensemble

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
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

// TestCutCoversAllOnce: jobs follow each other without gap or overlap; those that were not there are as long as asked at most; as few universes
// are to be done as in the best choice of all; and once all are done nothing is cut anew.
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
			t.Fatalf("%v are cut anew: %v", jobs, again)
		}
	})
}

// merged is the files of a merge by name.
func merged(t *testing.T, p *Plan, from Store) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	m, err := p.Merge(t.Context(), from, false, Output{Dir: dir, Ext: ".parquet"})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, name := range m.Files {
		if files[name], err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func sameFiles(t *testing.T, what string, want, got map[string][]byte) {
	t.Helper()
	if len(want) != len(got) || len(want) == 0 {
		t.Errorf("%s: %d files, want %d", what, len(got), len(want))
	}
	for name := range want {
		if !bytes.Equal(want[name], got[name]) {
			t.Errorf("%s: %s differs", what, name)
		}
	}
}

// checked is a plan of everything, with so many universes and a root.
func checked(t *testing.T, universes, perJob int, root string) *Plan {
	t.Helper()
	spec := everything()
	spec.Universes, spec.PerJob, spec.Root = universes, perJob, root
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestMoreUniverses: what was done of an ensemble is made use of by one with more universes, which has the files of one that was run at
// once.
func TestMoreUniverses(t *testing.T) {
	few := checked(t, 5, 3, "1")
	there := runAll(t, few)
	more, err := few.WithUniverses(11)
	if err != nil {
		t.Fatal(err)
	}
	if !more.Extends(few) || few.Extends(more) || checked(t, 11, 3, "2").Extends(few) {
		t.Error("which ensemble extends which?")
	}
	more.Adopt(slices.Collect(maps.Keys(there)))
	done := 0
	var r Runner
	for j := range more.Jobs() {
		if there.Has(j.Key()) {
			done += j.Count
			continue
		}
		result, err := r.Run(t.Context(), j)
		if err != nil {
			t.Fatal(err)
		}
		if there[j.Key()], err = result.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	if want := few.Universes(); done != want {
		t.Errorf("%d universes were made use of, want %d", done, want)
	}
	atOnce := checked(t, 11, 4, "1")
	sameFiles(t, "more universes", merged(t, atOnce, runAll(t, atOnce)), merged(t, more, there))
}

// TestPool: universes of two roots together give the same files in whatever order they are named, and as a spec that names both.
func TestPool(t *testing.T) {
	a, b := checked(t, 5, 3, "b"), checked(t, 4, 2, "a")
	all := runAll(t, a)
	maps.Copy(all, runAll(t, b))
	var first map[string][]byte
	for _, plans := range [][]*Plan{{a, b}, {b, a}, {a, b, checked(t, 2, 2, "a")}} {
		pooled, err := Pool(plans...)
		if err != nil {
			t.Fatal(err)
		}
		pooled.Adopt(slices.Collect(maps.Keys(all)))
		files := merged(t, pooled, all)
		if first == nil {
			first = files
		}
		sameFiles(t, "another order", first, files)
	}
	spec, err := Parse("pooled.toml", []byte(`
		rules = ["life", "B2/S345/4"]
		sizes = ["16", "P12,9"]
		densities = [0.2, 0.4]
		root = "a"
		universes = 4
		pooled = [{root = "b", universes = 5}]
		generations = 30
		every = 15
		measures = ["activity", "entropy", "correlation", "clusters", "percolation", "settling"]
		cap = 500
		per_job = 2`))
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	results := runAll(t, p)
	sameFiles(t, "a spec", first, merged(t, p, results))
	dir := t.TempDir()
	if _, err := p.Merge(t.Context(), results, false, Output{Dir: dir, Ext: ".csv"}); err != nil {
		t.Fatal(err)
	}
	seeds := map[uint64]bool{}
	for i, u := range rowsOf[Universe](t, dir, "universes.csv") {
		if u.Index != uint64(i%9) {
			t.Errorf("universe %d of a place has number %d", i%9, u.Index)
		}
		seeds[u.Seed] = true
	}
	if len(seeds) != p.Universes() {
		t.Errorf("%d seeds of %d universes", len(seeds), p.Universes())
	}
	if _, err := Pool(a, checkedTimes(t)); err == nil {
		t.Error("ensembles that measure at other times are pooled")
	}
	spec.Pooled = append(spec.Pooled, Part{"a", 1})
	if _, err := spec.Check(); err == nil || err.Error() != `root "a" is there twice: its universes would be counted twice` {
		t.Errorf("got %v", err)
	}
}

func checkedTimes(t *testing.T) *Plan {
	t.Helper()
	spec := everything()
	spec.Every = 10
	p, err := spec.Check()
	if err != nil {
		t.Fatal(err)
	}
	return p
}
