package ensemble

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// fewSoups is an ensemble of a moment.
var fewSoups = []string{
	"ensemble", "run", "--rule", "life", "--size", "16", "--per-job", "3", "-g", "20", "--every",
	"10", "--measure", "clusters", "--quiet",
}

// sameTables compares the merged tables in two folders.
func sameTables(t *testing.T, a, b string) {
	t.Helper()
	tables, err := filepath.Glob(filepath.Join(a, "*.parquet"))
	if err != nil || len(tables) != 4 {
		t.Fatalf("%v, %v", tables, err)
	}
	for _, path := range tables {
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(b, filepath.Base(path))); !bytes.Equal(want, got) {
			t.Errorf("%s and %s differ in %s; %v", a, b, filepath.Base(path), err)
		}
	}
}

// TestEnsembleGrows: more universes in the same folder are added to the existing ones, fewer are refused, and the
// files are equal to those of one run.
func TestEnsembleGrows(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.MustRun(t, dir, append(fewSoups, "-n", "7", "--out", "a")...)
	before := keysIn(t, filepath.Join(dir, "a"))
	clitest.MustRun(t, dir, append(fewSoups, "-n", "20", "--out", "a")...)
	clitest.MustRun(t, dir, append(fewSoups, "-n", "20", "--out", "b")...)
	sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	// 7 universes by 3 end with a job of one, and those up to 20 begin behind it: 7..8, 9..11, 12..14, 15..17, 18..19.
	if n := len(keysIn(t, filepath.Join(dir, "a"))); len(before) != 3 || n != 3+5 {
		t.Errorf("%d jobs, then %d", len(before), n)
	}
	if m := manifestIn(t, filepath.Join(dir, "a")); len(m.Runs) != 2 || m.Runs[0].Jobs != 3 || m.Runs[1].Jobs != 5 {
		t.Errorf("%+v", m.Runs)
	}
	o := clitest.Gosper(t, dir, append(fewSoups, "-n", "19", "--out", "a")...)
	if want := "gosper: a has 20 universes of each rule, size, start and density: you can add more, but 19 are fewer\n"; o.Code != 2 || o.Stderr != want {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
}

// TestPooledRoots: folders of other roots are put together, in any order, and the table of an ensemble that was
// merged before in another format is not left beside.
func TestPooledRoots(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.MustRun(t, dir, append(fewSoups, "-n", "7", "--out", "a")...)
	clitest.MustRun(t, dir, append(fewSoups, "-n", "5", "--root", "2", "--out", "b", "--format", "csv")...)
	clitest.MustRun(t, dir, "ensemble", "merge", "a", "b", "--out", "ab")
	clitest.MustRun(t, dir, "ensemble", "merge", "b", "a", "--out", "ba")
	sameTables(t, filepath.Join(dir, "ab"), filepath.Join(dir, "ba"))
	if m := manifestIn(t, filepath.Join(dir, "ab")); len(m.Runs) != 2 || len(m.Runs[0].Command) == 0 ||
		m.Runs[0].Command[len(m.Runs[0].Command)-1] != "a" {
		t.Errorf("the commands that computed are not told: %+v", m.Runs)
	}
	clitest.MustRun(t, dir, "ensemble", "run", "ab/spec.json", "--out", "again", "--quiet")
	sameTables(t, filepath.Join(dir, "ab"), filepath.Join(dir, "again"))
	if o := clitest.Gosper(t, dir, "ensemble", "merge", "a", "b"); o.Code != 2 ||
		!strings.HasPrefix(o.Stderr, "gosper: --out DIR is missing: ") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	clitest.MustRun(t, dir, "ensemble", "merge", "b")
	if left, err := filepath.Glob(filepath.Join(dir, "b", "*.csv")); len(left) > 0 || err != nil {
		t.Errorf("%v are left beside Parquet files", left)
	}
}

// TestDamagedResultIsDoneAgain: status and run name the file, the run does the job again, and the merged files
// are right.
func TestDamagedResultIsDoneAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.MustRun(t, dir, append(fewSoups, "-n", "7", "--out", "a")...)
	clitest.MustRun(t, dir, append(fewSoups, "-n", "7", "--out", "b")...)
	logs, err := filepath.Glob(filepath.Join(dir, "a", "jobs", "*.log"))
	if err != nil || len(logs) != 1 {
		t.Fatal(logs, err)
	}
	text, err := os.ReadFile(logs[0])
	if err != nil {
		t.Fatal(err)
	}
	entry := text[bytes.LastIndex(text, []byte(`{"job":"`)):]
	entry[bytes.IndexByte(entry, '\n')+20] ^= 1 // in the result
	if err := os.WriteFile(logs[0], text, 0o666); err != nil {
		t.Fatal(err)
	}
	var s Status
	o := clitest.MustRun(t, dir, "ensemble", "status", "a", "--json")
	if err := json.Unmarshal([]byte(o.Stdout), &s); err != nil || s.Done != 2 || len(s.Damaged) != 1 ||
		filepath.Join(dir, s.Damaged[0].Path) != logs[0] {
		t.Errorf("%+v, %v", s, err)
	}
	if o := clitest.MustRun(t, dir, "ensemble", "status", "a"); !strings.Contains(o.Stdout,
		"  damaged    "+s.Damaged[0].Path+" is damaged at byte ") {
		t.Errorf("%s", o.Stdout)
	}
	if o := clitest.Gosper(t, dir, "ensemble", "merge", "a"); o.Code != 1 ||
		!strings.HasPrefix(o.Stderr, s.Damaged[0].Path+" is damaged at byte ") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if o := clitest.MustRun(t, dir, append(fewSoups, "-n", "7", "--out", "a")...); !strings.HasSuffix(o.Stderr,
		"is lost; the missing jobs run again\n") {
		t.Errorf("%q", o.Stderr)
	}
	sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, "b"))
	if o := clitest.MustRun(t, dir, "ensemble", "status", "a"); strings.Contains(o.Stdout, "damaged") ||
		!strings.HasPrefix(o.Stdout, "3 of 3 jobs are done (100.0 %)") {
		t.Errorf("%s", o.Stdout)
	}
}

// TestTwoRunsOfOneFolder: the second is told who is at work, with exit code 1. The remains of a dead process do not
// matter.
func TestTwoRunsOfOneFolder(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// A minute of work on two threads, but soon begun: under the race detector the first of 20000 took 80 s.
	args := append(append([]string{"ensemble", "run", "--out", "a"}, soups...), "--universes", "3000")
	first := clitest.Command(t, dir, args...)
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	defer first.Wait()
	defer first.Process.Kill()
	clitest.WaitFor(t, filepath.Join(dir, "a", "jobs")) // with its first result
	o := clitest.Gosper(t, dir, args...)
	want := regexp.MustCompile(
		`^gosper: a is in use by process \d+ on \S+ since [-0-9]+ [:0-9]+: gosper ensemble run --out a .*; wait for it or end it first\n$`)
	if o.Code != 1 || !want.MatchString(o.Stderr) {
		t.Errorf("the second: exit code %d, %q", o.Code, o.Stderr)
	}
	first.Process.Kill()
	first.Wait()
	if !output.Exists(filepath.Join(dir, "a", "run.lock")) {
		t.Error("no lock is left of the process that was killed")
	}
	if o := clitest.Gosper(t, dir, append(fewSoups, "-n", "1", "--out", "a")...); o.Code != 2 ||
		!strings.HasPrefix(o.Stderr, "gosper: a holds another ensemble") {
		t.Errorf("after the first was killed: exit code %d, %q", o.Code, o.Stderr)
	}
	if output.Exists(filepath.Join(dir, "a", "run.lock")) {
		t.Error("the lock was left behind")
	}
}

// TestManifestHoldsNoToken: what is published gives nothing away.
func TestManifestHoldsNoToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	clitest.MustRun(t, dir, append(fewSoups, "-n", "2", "--out", "a", "--serve", "127.0.0.1:0", "--workers", "1",
		"--token", "open-sesame")...)
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if bytes.Contains(text, []byte("open-sesame")) {
			t.Errorf("%s holds the token", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// TestPlacesAreAdded: sizes and densities are added to a folder, or pooled from several, and the files are equal to
// those of one run. Finished jobs do not run again. Fits and figures take folders that do not form a product.
func TestPlacesAreAdded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(out string, args ...string) {
		clitest.MustRun(t, dir, append(slices.Concat(fewSoups, args), "-n", "4", "--out", out)...)
	}
	run("a", "--density", "0.3")
	before := keysIn(t, filepath.Join(dir, "a"))
	run("a", "--density", "0.3", "--density", "0.4")
	run("whole", "--density", "0.3", "--density", "0.4")
	sameTables(t, filepath.Join(dir, "a"), filepath.Join(dir, "whole"))
	if after := keysIn(t, filepath.Join(dir, "a")); len(before) != 2 || len(after) != 4 {
		t.Errorf("jobs %v, then %v", before, after)
	}
	run("b", "--density", "0.4", "--density", "0.5")
	clitest.MustRun(t, dir, "ensemble", "merge", "b", "a", "--out", "ab")
	run("three", "--density", "0.3..0.5/0.1")
	sameTables(t, filepath.Join(dir, "ab"), filepath.Join(dir, "three"))
	if o := clitest.Gosper(t, dir, append(fewSoups, "--density", "0.5", "-n", "4", "--out", "a")...); o.Code != 2 ||
		!strings.Contains(o.Stderr, "give those that it has as well") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	run("large", "--density", "0.35", "--size", "24") // after --size 16: both
	clitest.MustRun(t, dir, "ensemble", "merge", "a", "large", "--out", "rows")
	o := clitest.MustRun(t, dir, append(fewSoups, "--density", "0.35", "--size", "24", "-n", "4", "--add", "--out",
		"a")...)
	sameTables(t, filepath.Join(dir, "rows"), filepath.Join(dir, "a"))
	if after := keysIn(t, filepath.Join(dir, "a")); len(after) != 8 { // two of each place
		t.Errorf("jobs %v; %s", after, o.Stdout)
	}
	if o := clitest.Gosper(t, dir, "ensemble", "crossing", "a", "ab", "--quantity", "density"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "a and ab both have B3/S23 on T16,16 from density 0.3") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	if o := clitest.Gosper(t, dir, "ensemble", "exponent", "a", "a"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "both have") {
		t.Errorf("one folder twice: exit code %d, %q", o.Code, o.Stderr)
	}
	clitest.MustRun(t, dir, "ensemble", "plot", "three", "large", "--against", "density", "--format", "svg", "--out",
		"figures",
		"-q")
	figure, err := os.ReadFile(filepath.Join(dir, "figures", "density.svg"))
	if err != nil || !bytes.Contains(figure, []byte("24")) {
		t.Errorf("the figure has no curve of size 24; %v", err)
	}
	o = clitest.MustRun(t, dir, "ensemble", "exponent", "three", "large", "--quantity", "n_s", "--from", "1", "--to", "9")
	if n := strings.Count(o.Stdout, "\n"); n != 5 {
		t.Errorf("%d exponents of 5 places:\n%s", n, o.Stdout)
	}
	first := clitest.MustRun(t, dir, "ensemble", "exponent", "three", "large", "--quantity", "n_s", "--from", "1", "--to",
		"9",
		"--generation", "0")
	if first.Stdout == o.Stdout || strings.Count(first.Stdout, "\n") != 5 {
		t.Errorf("exponents of generation 0 are\n%s", first.Stdout)
	}
	clitest.MustRun(t, dir, "plot", "three/clusters.parquet", "--generation", "10", "--out", "sizes.svg", "-q")
	figure, err = os.ReadFile(filepath.Join(dir, "sizes.svg"))
	if err != nil || !bytes.Contains(figure, []byte("Clusters at generation 10")) {
		t.Errorf("the figure is not of generation 10; %v", err)
	}
	if o := clitest.Gosper(t, dir, "plot", "three/clusters.parquet", "--generation", "11"); o.Code != 2 ||
		!strings.Contains(o.Stderr, "generation 11 was not sampled") {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
}

// TestRowsOfASpec: a spec lists rows beside a product. More rows, universes and generations are added to the
// folder, flags override keys of rows, and fits and figures take each place at its own last generation.
func TestRowsOfASpec(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const head = "measures = [\"magnetisation\"]\nrules = [\"Ising~T=2..2.5/0.25\"]\nsizes = [\"8\", \"12\"]\n" +
		"universes = 6\ngenerations = 20\nkeep = true\n"
	spec := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	spec("coarse.toml", head)
	spec("fine.toml", head+"[[rows]]\nrules = [\"Ising~T=2.3\"]\nuniverses = 8\ngenerations = 30\n")
	spec("finer.toml", head+"[[rows]]\nrules = [\"Ising~T=2.3\"]\nuniverses = 10\ngenerations = 30\n"+
		"[[rows]]\nrules = [\"Ising~T=2.1\"]\nuniverses = 2\n")
	spec("longer.toml", head+"[[rows]]\nrules = [\"Ising~T=2.3\"]\nuniverses = 10\ngenerations = 40\n"+
		"[[rows]]\nrules = [\"Ising~T=2.1\"]\nuniverses = 2\n")
	jobs := 0
	for _, c := range []struct {
		spec string
		jobs int // more than before
	}{{"coarse", 6}, {"fine", 2}, {"fine", 0}, {"finer", 4}, {"longer", 4}} {
		clitest.MustRun(t, dir, "ensemble", "run", c.spec+".toml", "--out", "a", "--quiet")
		clitest.MustRun(t, dir, "ensemble", "run", c.spec+".toml", "--out", c.spec, "--quiet")
		want, err := os.ReadFile(filepath.Join(dir, c.spec, "summary.parquet"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(filepath.Join(dir, "a", "summary.parquet")); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: the summary differs from that of a new folder; %v", c.spec, err)
		}
		if jobs += c.jobs; len(keysIn(t, filepath.Join(dir, "a"))) != jobs {
			t.Errorf("%s: %d jobs, want %d", c.spec, len(keysIn(t, filepath.Join(dir, "a"))), jobs)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"coarse.toml --out a", "a holds another ensemble"},
		{"longer.toml --out a -n 3", "a holds another ensemble"},
		{"longer.toml --out a -g 5", "row 1: it has run to generation 20"},
		{"coarse.toml --rule Ising~T=2.5 -g 60 --out a --add", "two of the ensembles have Ising~T=2.5 on T8,8"},
		{"coarse.toml --measure energy --out a --add", "--add: "},
		{"fine.toml --out c --until-error magnetisation=1", "this ensemble has rows with numbers of their own"},
	} {
		if o := clitest.Gosper(t, dir, append([]string{"ensemble", "run"}, strings.Fields(c.args)...)...); o.Code != 2 ||
			!strings.Contains(o.Stderr, c.want) {
			t.Errorf("%s: exit code %d, %q, want %q", c.args, o.Code, o.Stderr, c.want)
		}
	}
	o := clitest.MustRun(t, dir, "ensemble", "run", "finer.toml", "-n", "2", "-g", "3", "--out", "b", "--dry-run")
	if !strings.Contains(o.Stdout, "20 universes, at most 1 sample of each, in 10 jobs") {
		t.Errorf("flags do not override the keys of rows:\n%s", o.Stdout)
	}
}
