package ensemble

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
	"github.com/gosper-life/gosper/internal/queue"
	"github.com/gosper-life/gosper/internal/result"
)

// The ensemble of the tests: jobs of some hundredths of a second.
var soups = []string{
	"--rule", "B3/S23", "--rule", "HighLife", "--size", "64", "--density", "0.2..0.6/0.2", "--universes", "8", "--per-job",
	"1",
	"--generations", "2000", "--every", "100", "--measure", "clusters,activity,entropy,settling", "--cap", "4000",
	"--dump", "0,1000..2000/500", "--dump-universes", "1,4..7", "--dump-as", "bits",
}

const soupJobs = 48

// dataFiles is the merged files of an ensemble: all but its manifest.
func dataFiles(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(dir, "*.parquet"))
	arrays, err2 := filepath.Glob(filepath.Join(dir, "*.npy"))
	if paths = append(paths, arrays...); err != nil || err2 != nil || len(paths) != 7+6 {
		t.Fatalf("%s: merged files %v, %v, %v", dir, paths, err, err2)
	}
	files := map[string][]byte{}
	for _, path := range paths {
		if files[filepath.Base(path)], err = os.ReadFile(path); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// keysIn lists the jobs that have results in a folder.
func keysIn(t *testing.T, dir string) []string {
	t.Helper()
	results, err := queue.OpenResults(dir)
	if err != nil {
		t.Fatal(err)
	}
	return results.Keys()
}

// manifestIn is the manifest of merged files.
func manifestIn(t *testing.T, dir string) result.Manifest {
	t.Helper()
	m, err := result.ReadManifest(filepath.Join(dir, manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMeansOfAnyNumberOfThreads: means, errors and averages over time are sums of fractions. They are the same bytes in
// any order of the jobs' ends, because universes are added in the order of their numbers.
func TestMeansOfAnyNumberOfThreads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var first map[string]string
	for _, threads := range []string{"1", "2", "3"} {
		clitest.MustRun(t, dir, "ensemble", "run", "--rule", "Ising~T=2.2..2.4/0.1", "--size", "8", "--size", "18", "-n", "37",
			"--per-job", "5", "-g", "40", "--every", "10", "--warmup", "10", "--root", "7", "--measure",
			"clusters,magnetisation,energy,structure,activity,entropy,correlation,autocorrelation", "--threads", threads,
			"--out", threads, "--format", "csv", "-q")
		files := map[string]string{}
		for _, name := range []string{"summary", "averages", "clusters", "samples", "values"} {
			data, err := os.ReadFile(filepath.Join(dir, threads, name+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			files[name] = string(data)
			if first != nil && first[name] != files[name] {
				t.Errorf("%s differs with %s threads", name, threads)
			}
		}
		if first == nil {
			first = files
		}
	}
}

// TestOneEnsembleManyWays runs one ensemble on one thread, on all, in seven shards, and by workers of which one
// is killed at work and whose coordinator, with the server in it, is killed and started again: all give the
// same files, byte for byte.
func TestOneEnsembleManyWays(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		if o := clitest.Gosper(t, dir, append([]string{"ensemble"}, args...)...); o.Code != 0 {
			t.Fatalf("gosper ensemble %v: exit code %d\n%s", args, o.Code, o.Stderr)
		}
	}
	run(append([]string{"run", "--threads", "1", "--out", "one"}, soups...)...)
	want := dataFiles(t, filepath.Join(dir, "one"))
	same := func(way string) {
		t.Helper()
		for name, data := range dataFiles(t, filepath.Join(dir, way)) {
			if !bytes.Equal(data, want[name]) {
				t.Errorf("%s: %s differs", way, name)
			}
		}
	}
	run(append([]string{"run", "--out", "all"}, soups...)...)
	same("all")

	merge := []string{"merge", "--out", "merged"}
	for i := 1; i <= 7; i++ {
		part := "part" + strconv.Itoa(i)
		run(append([]string{"run", "--shard", strconv.Itoa(i) + "/7", "--out", part}, soups...)...)
		merge = append(merge, part)
	}
	run(merge...)
	same("merged")

	t.Run("workers", func(t *testing.T) { workersDie(t, dir) })
	same("workers")
}

// workersDie runs the ensemble with three workers.
func workersDie(t *testing.T, dir string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	start := func(args ...string) *exec.Cmd {
		t.Helper()
		cmd := clitest.Command(t, dir, args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			cmd.Process.Kill()
			cmd.Wait()
		})
		return cmd
	}
	kill := func(cmd *exec.Cmd) { // as kill -9 does
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
	}
	done := func() int { return len(keysIn(t, filepath.Join(dir, "workers"))) }
	wait := func(jobs int) {
		t.Helper()
		clitest.Until(t, fmt.Sprintf("%d jobs are done", jobs), func() bool { return done() >= jobs })
	}
	coordinate := append([]string{"ensemble", "run", "--serve", address, "--ack-wait", "1s", "--out", "workers", "--json"},
		soups...)
	before := soupJobs
	for try := 0; before == soupJobs; try++ { // on a busy machine all may be done before this test is given a processor
		if try == 10 {
			t.Fatalf("all %d jobs were done before the coordinator was killed, %d times", before, try)
		}
		if err := os.RemoveAll(filepath.Join(dir, "workers")); err != nil {
			t.Fatal(err)
		}
		coordinator := start(coordinate...)
		var workers []*exec.Cmd
		for range 3 {
			workers = append(workers, start("worker", "--nats", "nats://"+address, "--threads", "1", "--quiet"))
		}
		wait(3)
		kill(workers[0]) // there is more to do than three workers can have done, so it is at work
		wait(8)
		kill(coordinator)
		before = done()
	}
	o := clitest.Finish(t, clitest.Command(t, dir, coordinate...))
	var s summary
	if err := json.Unmarshal([]byte(o.Stdout), &s); err != nil || o.Code != 0 || s.Done != soupJobs || s.Parked != 0 {
		t.Fatalf("exit code %d, %+v, %v\n%s", o.Code, s, err, o.Stderr)
	}
	if n := done(); n != soupJobs {
		t.Errorf("%d results of %d jobs", n, soupJobs)
	}
	// Every job counts, for the worker that did it and for the run that kept it, though one of each was killed.
	m := manifestIn(t, filepath.Join(dir, "workers"))
	jobs, kept := 0, 0
	for name, w := range m.Workers {
		jobs += w.Jobs
		if !strings.HasPrefix(w.Engine, "cpu") || w.Machine.Cores == 0 || w.Build.Go == "" {
			t.Errorf("worker %s says of itself %+v", name, w)
		}
	}
	for _, run := range m.Runs {
		kept += run.Jobs
	}
	if jobs != soupJobs || kept != soupJobs || len(m.Runs) != 2 || !m.Runs[0].Killed || m.Runs[1].Killed {
		t.Errorf("%d jobs by %d workers and %d in %d runs, want %d: %+v", jobs, len(m.Workers), kept, len(m.Runs), soupJobs,
			m.Runs)
	}
}

func TestEnsembleGoesOnAfterInterrupt(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := append([]string{"ensemble", "run", "--threads", "1", "--out", "a"}, soups...)
	jobs := filepath.Join(dir, "a")
	for try := 0; ; try++ {
		cmd := clitest.Command(t, dir, args...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		clitest.Until(t, "two jobs are done", func() bool { return len(keysIn(t, jobs)) >= 2 })
		if err := cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
			cmd.Process.Kill()
			cmd.Wait()
			t.Skip("no interrupts here:", err)
		}
		cmd.Wait()
		code, n := console.Status(cmd.ProcessState.ExitCode()), len(keysIn(t, jobs))
		if n == soupJobs && try < 10 { // on a busy machine all may be done before this test is given a processor
			if err := os.RemoveAll(jobs); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if code != console.Interrupted || n < 2 || n >= soupJobs {
			t.Errorf("exit code %d, %d results after an interrupt", code, n)
		}
		break
	}
	if o := clitest.Gosper(t, dir, "ensemble", "status", "a", "--json"); o.Code != 0 {
		t.Error(o.Stderr)
	}
	if o := clitest.Gosper(t, dir, args...); o.Code != 0 {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
	dataFiles(t, filepath.Join(dir, "a"))
}

// TestLocalWorkers has worker processes started by the run itself.
func TestLocalWorkers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	o := clitest.Gosper(t, dir, append([]string{"ensemble", "run", "--workers", "2", "--out", "a"}, soups...)...)
	if o.Code != 0 {
		t.Fatalf("exit code %d\n%s", o.Code, o.Stderr)
	}
	dataFiles(t, filepath.Join(dir, "a"))
	if output.Exists(filepath.Join(dir, "a", "queue")) {
		t.Error("the queue was left behind")
	}
}

// TestLocalWorkersAreReplaced kills the worker processes of a run: while it may have been a job's fault others
// take their place, and then the run ends with one line instead of waiting for nobody.
func TestLocalWorkersAreReplaced(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the children of a process are found in /proc")
	}
	t.Parallel()
	dir := t.TempDir()
	for _, c := range []struct {
		name      string
		kills     int // of workers; those of a run that ends by itself: all
		code      int
		universes string // so many that the last kill finds work undone
		want      string
	}{
		{"killed1", 1, 0, "8", ""},
		{"killed", math.MaxInt, 1, "2000", "gosper: all workers have ended repeatedly, the last with signal: killed\n"},
	} {
		run := clitest.Command(t, dir, append([]string{
			"ensemble", "run", "--workers", "1", "--tries", "2", "--ack-wait", "1s", "--out", c.name, "--quiet",
		}, append(slices.Clone(soups), "--universes", c.universes)...)...)
		var said bytes.Buffer
		run.Stderr = &said
		if err := run.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- run.Wait() }() // whose error is its exit code
		killed := map[int]bool{}
		clitest.Until(t, "so many workers were started, or the run has ended", func() bool {
			for _, pid := range childrenOf(t, run.Process.Pid) {
				if worker, err := os.FindProcess(pid); err == nil && !killed[pid] && worker.Kill() == nil {
					killed[pid] = true
					break
				}
			}
			return len(killed) >= c.kills || len(ended) > 0
		})
		<-ended
		if code := run.ProcessState.ExitCode(); code != c.code || said.String() != c.want {
			t.Errorf("after %d kills: exit code %d, %q, want %d, %q", c.kills, code, said.String(), c.code, c.want)
		}
	}
	dataFiles(t, filepath.Join(dir, "killed1"))
}

// childrenOf is the processes that a process has started.
func childrenOf(t *testing.T, pid int) []int {
	t.Helper()
	lists, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid)) // by thread
	if err != nil {
		t.Fatal(err)
	}
	var pids []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, digits := range strings.Fields(string(text)) {
			child, err := strconv.Atoi(digits)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(pids, child)
		}
	}
	return pids
}

// TestServeWithToken: a worker without the token is told so in one line, one that has it does the work.
func TestServeWithToken(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	run := clitest.Command(t, dir,
		append([]string{"ensemble", "run", "--serve", address, "--token", "open-sesame", "--out", "a"}, soups...)...)
	var said bytes.Buffer
	run.Stderr = &said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		run.Process.Kill()
		run.Wait()
	})
	o := clitest.Gosper(t, dir, "worker", "--nats", "nats://"+address)
	want := "gosper: the queue at nats://" + address +
		" refuses the connection: the token of nats://TOKEN@host:port is wrong or missing\n"
	if o.Code != 1 || o.Stderr != want {
		t.Errorf("without a token: exit code %d, %q", o.Code, o.Stderr)
	}
	worker := clitest.Command(t, dir, "worker", "--nats", "nats://open-sesame@"+address, "--quiet")
	if err := worker.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		worker.Process.Kill()
		worker.Wait()
	})
	if err := run.Wait(); err != nil { // nobody but the worker does its jobs
		t.Errorf("%v\n%s", err, said.String())
	}
	if want := "workers join with: gosper worker --nats nats://open-sesame@" + address + "\n"; said.String() != want {
		t.Errorf("the run said %q, want %q", said.String(), want)
	}
	dataFiles(t, filepath.Join(dir, "a"))
}

func TestTokenIsKept(t *testing.T) {
	dir := t.TempDir()
	first, err := keptToken(dir)
	again, err2 := keptToken(dir)
	other, err3 := keptToken(t.TempDir())
	if err := errors.Join(err, err2, err3); err != nil || len(first) < 20 || again != first || other == first {
		t.Errorf("tokens %q, %q of the same folder, %q of another; %v", first, again, other, err)
	}
}

// TestHistoriesWarn: an elementary rule, odd or even, is run with a warning. Life has none.
func TestHistoriesWarn(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct{ rule, says string }{
		{"W30", "W30 draws the history"}, {"W105", "W105 draws the history"}, {"B3/S23", ""},
	} {
		o := clitest.MustRun(t, dir, "ensemble", "run", "--rule", test.rule, "--size", "16", "-n", "1", "-g", "1",
			"--dry-run")
		if warned := strings.Contains(o.Stderr, "history"); warned != (test.says != "") ||
			!strings.Contains(o.Stderr, test.says) {
			t.Errorf("%s says %q", test.rule, o.Stderr)
		}
	}
}
