//go:build unix

package run

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/sim/checkpoint"
)

// endless are flags of runs that only a signal ends. None of the universes repeats itself soon: a run would
// leap to its end.
var endless = map[string][]string{
	"torus":       {"--rule", "B2/S", "--size", "300x200", "--seed", "5"},
	"generations": {"--rule", "brians-brain", "--size", "100", "--topology", "klein", "--seed", "5"},
	"unbounded":   {"acorn", "--engine", "cpu"}, // hashed life has an end in sight
	"B0":          {"--rule", "B03/S23", "--size", "65", "--seed", "5", "--golly-b0"},
	"reference":   {"--rule", "B2/S", "--size", "40", "--seed", "5", "--engine", "reference"},
}

// generationOf is the generation of a checkpoint, which must be whole.
func generationOf(t *testing.T, path string) uint64 {
	t.Helper()
	file, err := checkpoint.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return file.Header.Generation
}

// TestKilledRunResumes kills runs without warning while they write checkpoints, goes on from what is there and
// compares with runs that were never cut.
func TestKilledRunResumes(t *testing.T) {
	for name, flags := range endless {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			saved := filepath.Join(dir, "run.ckpt")
			args := append([]string{"run", "--to", "1000000000000", "--checkpoint", saved, "--checkpoint-every", "1ms"},
				flags...)
			cmd := clitest.Command(t, dir, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			clitest.WaitFor(t, saved)
			time.Sleep(50 * time.Millisecond) // into the midst of some later checkpoint
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			if cmd.Wait() == nil {
				t.Fatal("the run ended before it was killed")
			}
			to := strconv.FormatUint(generationOf(t, saved)+100, 10)
			resumed := clitest.RunJSON(t, dir, "--resume", saved, "--to", to)
			uncut := clitest.RunJSON(t, dir, append([]string{"--to", to}, flags...)...)
			if resumed.Hash != uncut.Hash || resumed.Population != uncut.Population || resumed.Generation != uncut.Generation {
				t.Errorf("resumed: %+v\nuncut: %+v", resumed, uncut)
			}
			if uncut.Seed != nil && (resumed.Seed == nil || *resumed.Seed != *uncut.Seed || *resumed.Density != *uncut.Density) {
				t.Errorf("resumed: seed %v, density %v", resumed.Seed, resumed.Density)
			}
		})
	}
}

// TestInterruptedRunSavesEverything sends SIGINT or SIGTERM to a run with every kind of output, on a torus and
// on the unbounded plane.
func TestInterruptedRunSavesEverything(t *testing.T) {
	for name, test := range map[string]struct {
		signal syscall.Signal
		flags  []string
	}{
		"torus, interrupt": {syscall.SIGINT, []string{"--size", "128", "--seed", "9", "--engine", "cpu"}},
		"torus, terminate": {syscall.SIGTERM, []string{"--size", "128", "--seed", "9", "--engine", "cpu"}},
		"plane, interrupt": {syscall.SIGINT, []string{"rpentomino", "--engine", "cpu"}},
		"tree, interrupt":  {syscall.SIGINT, []string{"rpentomino", "--engine", "hashlife"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, flags := t.TempDir(), test.flags
			args := append([]string{
				"run", "--json", "--quiet", "--to", "1000000000000", "--out", "a.rle", "--out", "a.npy.gz", "--series", "a.csv",
				"--every", "1000",
				"--checkpoint", "a.ckpt", "--checkpoint-every", "20ms",
			}, flags...)
			cmd := clitest.Command(t, dir, args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			clitest.WaitFor(t, filepath.Join(dir, "a.ckpt"))
			if err := cmd.Process.Signal(test.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			o := clitest.Outcome{
				Code: console.Status(cmd.ProcessState.ExitCode()), Stdout: stdout.String(),
				Stderr: stderr.String(),
			}
			if o.Code != console.Interrupted || o.Stderr != "" {
				t.Fatalf("exit code %d, want %d\n%s", o.Code, console.Interrupted, o.Stderr)
			}
			cut := clitest.ParseReport(t, o)
			if g := generationOf(t, filepath.Join(dir, "a.ckpt")); g != cut.Generation {
				t.Errorf("checkpoint of generation %d, want %d", g, cut.Generation)
			}
			if o := clitest.Gosper(t, dir, "diff", "a.rle", "a.npy.gz"); o.Code != 0 {
				// The array has no place for a position, so both are compared from 0,0 on.
				t.Errorf("outputs differ: %s%s", o.Stdout, o.Stderr)
			}
			again := clitest.RunJSON(t, dir, "a.rle", "--to", strconv.FormatUint(cut.Generation, 10))
			uncut := clitest.RunJSON(t, dir, append([]string{"--to", strconv.FormatUint(cut.Generation, 10)}, flags...)...)
			if again.Hash != cut.Hash || uncut.Hash != cut.Hash {
				t.Errorf("hash %s; of the file written %s, of a run never cut %s", cut.Hash, again.Hash, uncut.Hash)
			}
			rows, err := os.ReadFile(filepath.Join(dir, "a.csv"))
			if err != nil {
				t.Fatal(err)
			}
			if got, want := strings.Count(string(rows), "\n"), int(cut.Generation/1000)+2; got != want {
				t.Errorf("series of %d lines, want %d", got, want)
			}
			clitest.Leftovers(t, dir, "a.rle", "a.npy.gz", "a.csv", "a.ckpt")
		})
	}
}

// TestSecondInterruptKills sends SIGINT until a run ends whose generations take long: the second one that it
// hears kills it. A run that has not begun the generation when it hears the first ends as interrupted runs do,
// so it is then given longer.
func TestSecondInterruptKills(t *testing.T) {
	t.Parallel()
	var ended *os.ProcessState
	for before := 200 * time.Millisecond; before < 10*time.Minute; before *= 4 {
		dir := t.TempDir()
		cmd := clitest.Command(t, dir, "run", "--engine", "reference", "--rule", "R200,C0,M1,S1..2,B3,NM", "--size", "512",
			"--frames", "frames", "--every", "1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		clitest.WaitFor(t, filepath.Join(dir, "frames", "frame-0000000000.png")) // the first generation is next
		time.Sleep(before)
		over := make(chan struct{})
		go func() {
			cmd.Wait()
			close(over)
		}()
		for running := true; running; {
			cmd.Process.Signal(syscall.SIGINT)
			select {
			case <-over:
				running = false
			case <-time.After(100 * time.Millisecond):
			}
		}
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() == syscall.SIGINT {
			return
		}
		ended = cmd.ProcessState
	}
	t.Errorf("ended with %v, want a death by SIGINT", ended)
}
