package ensemble

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestEnsembleGoesOn: an ensemble that kept its last states goes on to more generations, also in shards and by
// workers, after it was killed in between, and with more universes at the same time; its files are those of a
// run to the end.
func TestEnsembleGoesOn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(out string, args ...string) clitest.Outcome {
		t.Helper()
		args = append([]string{
			"ensemble", "run", "--rule", "B3/S23~flip=0.01", "--size", "16", "--per-job", "3", "--every",
			"10", "--measure", "clusters", "--out", out, "--quiet",
		}, args...)
		return clitest.Gosper(t, dir, args...)
	}
	must := func(o clitest.Outcome) {
		t.Helper()
		if o.Code != 0 {
			t.Fatalf("exit code %d, %s", o.Code, o.Stderr)
		}
	}
	must(run("straight", "-n", "20", "-g", "50"))

	must(run("a", "-n", "11", "-g", "20", "--keep"))
	// As if killed: some jobs of generation 30 are done, the others are not, and then it goes on to 50.
	must(run("a", "-n", "11", "-g", "30", "--shard", "2/3"))
	must(run("a", "-n", "20", "-g", "50"))
	sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, "straight"))
	if n, m := len(keysIn(t, filepath.Join(dir, "a"))), manifestIn(t, filepath.Join(dir, "a")); n != 4+1+8 ||
		len(m.Runs) != 1 || m.Runs[0].Jobs != 8 {
		t.Errorf("%d jobs, %+v", n, m.Runs)
	}

	must(run("b", "-n", "20", "-g", "20", "--keep"))
	must(run("b", "-n", "20", "-g", "50", "--workers", "2"))
	sameTables(t, filepath.Join(dir, "b"), filepath.Join(dir, "straight"))

	for _, shard := range []string{"1/2", "2/2"} {
		out := "part" + shard[:1]
		must(run(out, "-n", "20", "-g", "20", "--keep", "--shard", shard))
		must(run(out, "-n", "20", "-g", "50", "--shard", shard))
	}
	clitest.MustRun(t, dir, "ensemble", "merge", "part1", "part2", "--out", "c")
	sameTables(t, filepath.Join(dir, "c"), filepath.Join(dir, "straight"))

	must(run("d", "-n", "2", "-g", "20"))
	for _, c := range []struct {
		out  string
		args []string
		want string
	}{
		{
			"a",
			[]string{"-n", "20", "-g", "40"},
			"a: it has run to generation 50: it can go on to more, but 40 are fewer; else choose another --out",
		},
		{
			"a",
			[]string{"-n", "19", "-g", "60"},
			"a has 20 universes of each rule, size, start and density: you can add more, but 19 are fewer",
		},
		{
			"a",
			[]string{"-n", "20", "-g", "60", "--times", "15"},
			"a: it has no sample of generation 15, which it has passed: it can have further ones from generation 51 on; else choose another --out",
		},
		{
			"d",
			[]string{"-n", "2", "-g", "40"},
			"d: it was run to generation 20 without keep (--keep), so it cannot go on to 40; else choose another --out",
		},
	} {
		if o := run(c.out, c.args...); o.Code != 2 || o.Stderr != "gosper: "+c.want+"\n" {
			t.Errorf("%v: exit code %d, %q", c.args, o.Code, o.Stderr)
		}
	}
	if o := run("a", "-n", "20", "-g", "60", "--measure", "entropy"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "holds another ensemble") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	must(run("d", "-n", "2", "-g", "20", "--keep")) // again, and keeps
	must(run("d", "-n", "2", "-g", "40"))
	if text, err := os.ReadFile(filepath.Join(dir, "d", "earlier.json")); err != nil ||
		!strings.Contains(string(text), `"generations": 20`) {
		t.Errorf("%s, %v", text, err)
	}
}
