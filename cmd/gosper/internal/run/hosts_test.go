//go:build unix

package run

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/internal/bandfiles"
)

// joining is the URL in the line that says how workers join.
var joining = regexp.MustCompile(`gosper worker --nats (nats://\S+)`)

// startHosts starts a run on hosts with a server of its own, and returns the URL for workers.
func startHosts(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, url string, ended func() clitest.Outcome) {
	t.Helper()
	cmd = clitest.Command(t, dir, append([]string{"run", "--json"}, args...)...)
	var stdout strings.Builder
	cmd.Stdout = &stdout
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	for url == "" {
		if !lines.Scan() {
			t.Fatalf("the run ended before it said how to join: %v", cmd.Wait())
		}
		if m := joining.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	return cmd, url, func() clitest.Outcome {
		var rest strings.Builder
		for lines.Scan() {
			rest.WriteString(lines.Text() + "\n")
		}
		cmd.Wait()
		return clitest.Outcome{
			Code: console.Status(cmd.ProcessState.ExitCode()), Stdout: stdout.String(),
			Stderr: rest.String(),
		}
	}
}

// startWorker starts a worker, which ends with the test at the latest.
func startWorker(t *testing.T, url string) *exec.Cmd {
	t.Helper()
	w := clitest.Command(t, t.TempDir(), "worker", "--nats", url, "--threads", "1", "--quiet")
	if err := w.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		w.Process.Kill() // it may have ended
		w.Wait()
	})
	return w
}

// TestHosts runs a universe on two workers, of which one is replaced; ends it with a signal; and goes on with
// one worker. The report, the series and the checkpoint are those of a run on one machine.
func TestHosts(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{"--rule", "brians-brain", "--size", "300x200", "--density", "0.3", "--seed", "5"}
	saved := filepath.Join(dir, "saved")
	cmd, url, ended := startHosts(t, dir, append([]string{
		"--hosts", "2", "--to", "1000000000000", "--checkpoint", "saved", "--checkpoint-every", "1ms", "--series", "a.csv",
		"--every", "100",
	}, flags...)...)
	generation := func() uint64 {
		m, err := bandfiles.Read(saved)
		if err != nil {
			return 0 // not written yet
		}
		return m.Generation
	}
	first := startWorker(t, url)
	startWorker(t, url)
	clitest.Until(t, "there is a checkpoint", func() bool { return generation() > 0 })
	if err := first.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	first.Wait()
	at := generation()
	startWorker(t, url)
	clitest.Until(t, "the run goes on", func() bool { return generation() > at+1000 })
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	o := ended()
	if o.Code != console.Interrupted {
		t.Fatalf("exit code %d, want %d\n%s", o.Code, console.Interrupted, o.Stderr)
	}
	cut := clitest.ParseReport(t, o)
	if g := generation(); g != cut.Generation || g <= at {
		t.Errorf("checkpoint of generation %d, want %d", g, cut.Generation)
	}

	to := strconv.FormatUint(cut.Generation+150, 10)
	_, url, ended = startHosts(t, dir, "--hosts", "1", "--resume", "saved", "--checkpoint", "saved", "--to", to,
		"--series", "a.csv",
		"--every", "100")
	startWorker(t, url)
	o = ended()
	if o.Code != 0 {
		t.Fatalf("exit code %d: %s", o.Code, o.Stderr)
	}
	got := clitest.ParseReport(t, o)
	want := clitest.RunJSON(t, dir, append([]string{"--to", to, "--series", "b.csv", "--every", "100"}, flags...)...)
	if got.Hash != want.Hash || got.Population != want.Population || got.Generation != want.Generation {
		t.Errorf("on hosts: %+v\non one machine: %+v", got, want)
	}
	a, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "b.csv"))
	if err != nil {
		t.Fatal(err)
	}
	if string(a) != string(b) {
		t.Errorf("the series differ: %d bytes and %d bytes", len(a), len(b))
	}
}

// TestHostsCut: a run that is interrupted while it waits for a lost worker keeps its series and says how to continue.
func TestHostsCut(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{"--rule", "brians-brain", "--size", "120x80", "--density", "0.3", "--seed", "5"}
	saved := filepath.Join(dir, "saved")
	cmd, url, ended := startHosts(t, dir, append([]string{
		"--hosts", "1", "--to", "1000000000000", "--checkpoint", "saved", "--checkpoint-every", "1ms", "--series", "a.csv",
		"--every", "100",
	}, flags...)...)
	worker := startWorker(t, url)
	clitest.Until(t, "there is a checkpoint", func() bool {
		m, err := bandfiles.Read(saved)
		return err == nil && m.Generation > 0
	})
	for _, end := range []struct {
		*exec.Cmd
		os.Signal
	}{{worker, syscall.SIGTERM}, {cmd, syscall.SIGINT}} {
		if err := end.Process.Signal(end.Signal); err != nil {
			t.Fatal(err)
		}
		if end.Cmd == worker {
			worker.Wait()
		}
	}
	o := ended()
	m, err := bandfiles.Read(saved)
	if err != nil {
		t.Fatal(err)
	}
	// The path is left out: the program may know the folder by another name.
	if o.Code != console.Interrupted || !strings.Contains(o.Stderr, "waited for 1 worker: --resume ") ||
		!strings.HasSuffix(o.Stderr, fmt.Sprintf("saved continues at generation %d\n", m.Generation)) {
		t.Fatalf("exit code %d, want %d\n%s", o.Code, console.Interrupted, o.Stderr)
	}
	got := clitest.ParseReport(t, o)
	there := clitest.RunJSON(t, dir, append([]string{"--to", strconv.FormatUint(m.Generation, 10)}, flags...)...)
	if got.Generation != m.Generation || got.Reason != "interrupted" || got.Population != there.Population {
		t.Errorf("%+v, want %+v of the checkpoint", got, there)
	}
	clitest.Leftovers(t, dir, "a.csv", "saved")
	a, err := os.ReadFile(filepath.Join(dir, "a.csv"))
	if err != nil {
		t.Fatal(err)
	}
	want := clitest.Gosper(t, dir, append([]string{
		"run", "--to", strconv.Itoa(100 * bytes.Count(a, []byte("\n"))), "--series", "-", "--every", "100", "--quiet",
	}, flags...)...)
	if len(a) == 0 || !strings.HasPrefix(want.Stdout, string(a)) {
		t.Errorf("the series of %d bytes is not the beginning of that of one machine\n%s", len(a), want.Stderr)
	}
}

// TestHostsPattern: a pattern runs as on one machine, under a rule with chance as well, and goes on from a checkpoint.
func TestHostsPattern(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{
		"acorn", "--rule", "B3/S23~flip=1e-5", "--size", "200x130", "--seed", "5", "--at", "20,-3",
		"--clusters", "8",
	}
	args := flags
	for _, to := range []string{"300", "500"} {
		_, url, ended := startHosts(t, dir, append([]string{
			"--hosts", "2", "--to", to, "--checkpoint", "saved",
		}, args...)...)
		startWorker(t, url)
		startWorker(t, url)
		got := clitest.ParseReport(t, ended())
		want := clitest.RunJSON(t, dir, append([]string{"--to", to}, flags...)...)
		if got.Hash != want.Hash || got.Population != want.Population || got.Generation != want.Generation {
			t.Errorf("on hosts: %+v\non one machine: %+v", got, want)
		}
		if g, w := got.Clusters, want.Clusters; g == nil || g.Count != w.Count || g.Largest != w.Largest || g.Count == 0 {
			t.Errorf("clusters %+v, want %+v", g, w)
		}
		if again, _ := strings.CutPrefix(got.Repeat, "gosper run "); again == "" || clitest.RunJSON(t, dir,
			strings.Fields(strings.ReplaceAll(again, "'", ""))...).Hash != want.Hash {
			t.Errorf("%s does not repeat the run", got.Repeat)
		}
		args = []string{"--resume", "saved", "--clusters", "8"}
	}
}

// runOnHosts runs a universe on hosts to its end.
func runOnHosts(t *testing.T, dir string, workers int, args ...string) clitest.Outcome {
	t.Helper()
	_, url, ended := startHosts(t, dir, append(args, "--hosts", strconv.Itoa(workers))...)
	for range workers {
		startWorker(t, url)
	}
	return ended()
}

// TestHostsFiles: workers write the file that one machine writes, and begin from such a file. One machine reads their
// checkpoint.
func TestHostsFiles(t *testing.T) {
	t.Parallel()
	for _, rule := range []string{"345/2/7:T200,131", "3D4,5/5:T30,20,18"} {
		dir := t.TempDir()
		same := func(name string, got clitest.Outcome, alone ...string) {
			t.Helper()
			if got.Code != 0 {
				t.Fatalf("exit code %d\n%s", got.Code, got.Stderr)
			}
			r := clitest.ParseReport(t, got)
			if len(r.Out) < 1 || r.Out[0] != name {
				t.Errorf("files %v, want %s", r.Out, name)
			}
			want := clitest.RunJSON(t, dir, append(alone, "--out", "alone-"+name)...)
			if r.Hash != want.Hash || r.Generation != want.Generation || r.Population != want.Population {
				t.Errorf("on hosts: %+v\non one machine: %+v", r, want)
			}
			a, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			b, err := os.ReadFile(filepath.Join(dir, "alone-"+name))
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(a, b) {
				t.Errorf("%s: %d bytes, want %d others", name, len(a), len(b))
			}
		}
		flags := []string{"--rule", rule, "--density", "0.3", "--seed", "5", "--to", "12"}
		same("a.npy", runOnHosts(t, dir, 3, append(flags, "--out", "a.npy", "--checkpoint", "saved")...), flags...)
		alone := clitest.RunJSON(t, dir, append(flags[:len(flags)-1:len(flags)-1], "20")...)
		// One machine continues the run from its folder.
		if r := clitest.RunJSON(t, dir, "--resume", "saved", "--to", "20"); r.Hash != alone.Hash || r.Generations != 8 ||
			r.Repeat != alone.Repeat {
			t.Errorf("continued on one machine: %+v\nwithout hosts: %+v", r, alone)
		}
		info := clitest.Gosper(t, dir, "info", "saved", "--json")
		if r := clitest.RunJSON(t, dir, "--resume", "saved", "-g", "0"); info.Code != 0 || r.Hash == alone.Hash ||
			!strings.Contains(info.Stdout, r.Hash) {
			t.Errorf("%s\nwant hash %s\n%s", info.Stdout, r.Hash, info.Stderr)
		}
		flags = []string{"a.npy", "--rule", rule, "-g", "5"}
		same("b.npy", runOnHosts(t, dir, 2, append(flags, "--out", "b.npy")...), flags...)
		again := append(flags, "--out", "b.npy", "--hosts", "2")
		if o := clitest.Gosper(t, dir, append([]string{"run"}, again...)...); o.Code != console.InputError ||
			!strings.Contains(o.Stderr, "b.npy") || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("an existing file: exit code %d\n%s", o.Code, o.Stderr)
		}
		clitest.Leftovers(t, dir, "saved", "a.npy", "alone-a.npy", "b.npy", "alone-b.npy")
	}
}

// TestHostsPicture: the picture of a run on hosts is that of gosper render at the same scale.
func TestHostsPicture(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{"--rule", "345/2/4:T4099,131", "--seed", "5", "--density", "0.3"}
	o := runOnHosts(t, dir, 3, append(flags, "-g", "7", "--out", "a.png")...)
	if o.Code != 0 {
		t.Fatalf("exit code %d\n%s", o.Code, o.Stderr)
	}
	clitest.MustRun(t, dir, append([]string{"render", "--from", "7", "--scale", "1/4", "--out", "b.png"}, flags...)...)
	a, err := os.ReadFile(filepath.Join(dir, "a.png"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(dir, "b.png"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Errorf("%d bytes, want %d others", len(a), len(b))
	}
}

// TestHostsRefuses: what cannot run on hosts is refused in one line, and nothing is written.
func TestHostsRefuses(t *testing.T) {
	dir, claimed := t.TempDir(), t.TempDir()
	// as a run leaves it that is killed before its first checkpoint
	if err := os.WriteFile(filepath.Join(claimed, "checkpoint.json"), []byte(
		`{"version":1,"run":"r","universe":{"rule":"B3/S23","topology":"T64,64","seed":1,"density":0.5},"bands":null}`,
	), 0o666); err != nil {
		t.Fatal(err)
	}
	if bandfiles.Is(claimed) {
		t.Error("a folder without a checkpoint cannot be used")
	}
	if o := clitest.Gosper(t, dir, "run", "--size", "64", "--hosts", "2", "--dry-run", "-g", "5"); o.Code != 0 ||
		!strings.Contains(o.Stdout, "in 2 bands of 32 rows") {
		t.Errorf("--dry-run: %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
	for args, want := range map[string]string{
		"--hosts 2 acorn":                               "cannot be cut into bands",
		"--hosts 2 acorn --reverse --size 64":           "--hosts runs soups and patterns",
		"--hosts 2 --out a.rle":                         "want --out FILE.npy",
		"--hosts 2 --out a.npy.gz":                      "want --out FILE.npy",
		"--hosts 2 --out -":                             "want --out FILE.npy",
		"--hosts 2 --out a.png --rule 3D4,5/5 --size 8": "pictures of universes of two dimensions",
		"--hosts 2 --frames f --every 2":                "no host has all cells",
		"--hosts 2 --until stable":                      "no host has all cells",
		"--hosts 2 --hash bytes":                        "no host has all cells",
		"--hosts 2 --plan portable":                     "choose their plans",
		"--hosts 0":                                     "want at least 1",
		"--hosts -1":                                    "want at least 1",
		"--dry-run":                                     "needs --hosts",
		"--hosts 40 --size 64":                          "at most 32 bands",
		"--hosts 2 --size 64 --topology klein":          "cannot be cut into bands",
		"--hosts 2 --rule InstantForestFire --size 64":  "burn across",
		"--hosts 2 --resume none":                       "--resume none: want the folder",
		"--hosts 2 --resume " + claimed:                 "ended before its first checkpoint",
		"--hosts 2 --resume none --size 64":             "leave out --rule, --size",
		"--hosts 2 --size 64 --serve nowhere":           "want HOST:PORT",
		"--hosts 2 --size 64 --series a.csv --every 0":  "--every N",
	} {
		o := clitest.Gosper(t, dir, append([]string{"run", "-g", "5"}, strings.Fields(args)...)...)
		if o.Code != console.InputError || !strings.Contains(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", args, o.Code, console.InputError, want, o.Stderr)
		}
	}
	clitest.Leftovers(t, dir)
}
