//go:build unix

package run

import (
	"bufio"
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestTwoRunsWithOneName starts a second run with the outputs of one under way: the second is refused, whether
// or not it may replace.
func TestTwoRunsWithOneName(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	flags := []string{
		"run", "--json", "--size", "100", "--engine", "cpu", "--to", "1e15", "--checkpoint", "a.ckpt",
		"--out", "a.rle", "--series", "a.csv", "--every", "1e6",
	}
	_, _, stop := clitest.Launch(t, dir, append(flags, "--seed", "1")...)
	clitest.WaitFor(t, filepath.Join(dir, ".a.csv.gosper-part")) // the last to be held
	for _, held := range [][]string{
		{"--checkpoint", "a.ckpt"},
		{"--out", "a.rle"},
		{"--series", "a.csv", "--every", "5"},
	} {
		for _, force := range []string{"", "--force"} {
			args := append([]string{"run", "--size", "100", "--seed", "2", "-g", "10"}, held...)
			if force != "" {
				args = append(args, force)
			}
			o := clitest.Gosper(t, dir, args...)
			if o.Code != console.InputError || !strings.Contains(o.Stderr, "another run is writing") &&
				!strings.Contains(o.Stderr, "already exists") {
				t.Errorf("%v: exit code %d: %s", args, o.Code, o.Stderr)
			}
		}
	}
	first := stop()
	if first.Code != console.Interrupted {
		t.Fatalf("exit code %d: %s", first.Code, first.Stderr)
	}
	if again := clitest.RunJSON(t, dir, "--resume", "a.ckpt", "-g", "0"); *again.Seed != "1" ||
		again.Hash != clitest.ParseReport(t, first).Hash {
		t.Errorf("the checkpoint is not the first run's: %+v", again)
	}
	clitest.Leftovers(t, dir, "a.ckpt", "a.rle", "a.csv")
}

// TestKilledRunsLoseNothing kills a run again and again, has it go on each time, and compares all it wrote with
// what a run that was never cut writes. GOSPER_KILLS says how often.
func TestKilledRunsLoseNothing(t *testing.T) {
	t.Parallel()
	kills := 4
	if n, err := strconv.Atoi(os.Getenv("GOSPER_KILLS")); err == nil {
		kills = n
	}
	universes := map[string][]string{
		"torus":     {"--size", "40x30", "--seed", "5", "--engine", "reference"},
		"unbounded": {"rpentomino", "--engine", "cpu"},
	}
	for name, universe := range universes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, 2))
			dir := t.TempDir()
			saved := filepath.Join(dir, "run.ckpt")
			outputs := []string{"--series", "run.csv", "--frames", "frames", "--every", "20"}
			from := universe
			for i := range kills {
				args := append([]string{"run", "-q", "--to", "1e15", "--checkpoint", "run.ckpt", "--checkpoint-every", "1ms"},
					outputs...)
				cmd := clitest.Command(t, dir, append(args, from...)...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				before, _ := os.Stat(saved)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				clitest.Until(t, "it saves something", func() bool {
					now, err := os.Stat(saved)
					return err == nil && (before == nil || !os.SameFile(before, now))
				})
				time.Sleep(time.Duration(random.IntN(20_000)) * time.Microsecond)
				if i%5 == 4 { // now and then by a signal that it can heed
					cmd.Process.Signal(syscall.SIGTERM)
				} else {
					cmd.Process.Kill()
				}
				cmd.Wait()
				if stderr.Len() > 0 {
					t.Fatalf("kill %d: %s", i, &stderr)
				}
				from = []string{"--resume", "run.ckpt"}
			}
			const ahead = 2000 // more than a run that was killed can have gone on after its last checkpoint
			to := strconv.FormatUint(generationOf(t, saved)+ahead, 10)
			clitest.RunJSON(t, dir, append([]string{
				"--resume", "run.ckpt", "--checkpoint", "run.ckpt", "--to", to, "--out",
				"run.rle",
			}, outputs...)...)
			uncut := t.TempDir()
			clitest.RunJSON(t, uncut, append(append([]string{"--checkpoint", "run.ckpt", "--to", to, "--out", "run.rle"},
				outputs...), universe...)...)
			got, want := clitest.Listing(t, dir), clitest.Listing(t, uncut)
			for path, text := range want {
				other, ok := got[path]
				if !ok || other != text && path != "run.ckpt" { // which names the folder of the frames
					t.Errorf("%s differs: %d bytes, want %d", path, len(other), len(text))
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d files, want %d", len(got), len(want))
				for path := range got {
					if _, ok := want[path]; !ok {
						t.Error(path)
					}
				}
			}
		})
	}
}

// TestCheckpointsThatFail takes the folder of the checkpoints away from a run. It warns and goes on; at the end
// it fails if the folder is still gone, with its other files written.
func TestCheckpointsThatFail(t *testing.T) {
	for _, comesBack := range []bool{false, true} {
		t.Run(strconv.FormatBool(comesBack), func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			folder, away := filepath.Join(dir, "folder"), filepath.Join(dir, "away")
			if err := os.Mkdir(folder, 0o777); err != nil {
				t.Fatal(err)
			}
			cmd, stderr, stop := clitest.Launch(t, dir, "run", "--json", "--size", "64", "--rule", "B3/S23~flip=0.01", "--seed",
				"3", "--to", "1e15", "--engine", "cpu", "--checkpoint",
				"folder/a.ckpt", "--checkpoint-every", "10ms", "--out", "a.rle")
			defer cmd.Process.Kill()
			clitest.WaitFor(t, filepath.Join(folder, "a.ckpt"))
			if err := os.Rename(folder, away); err != nil {
				t.Fatal(err)
			}
			line, err := stderr.(*bufio.Reader).ReadString('\n')
			if !strings.Contains(line, "no checkpoint of generation") || !strings.Contains(line, "the run goes on") {
				t.Fatalf("warning %q (%v)", line, err)
			}
			if comesBack {
				if err := os.Rename(away, folder); err != nil {
					t.Fatal(err)
				}
			}
			o := stop()
			cut := clitest.ParseReport(t, o)
			code, where := console.Failure, away
			if comesBack {
				code, where = console.Interrupted, folder
			}
			if o.Code != code || comesBack != (o.Stderr == "") {
				t.Errorf("exit code %d, want %d: %s", o.Code, code, o.Stderr)
			}
			if r := clitest.RunJSON(t, dir, "a.rle", "-g", "0"); r.Generation != cut.Generation || r.Hash != cut.Hash {
				t.Errorf("the pattern is of generation %d, want %d", r.Generation, cut.Generation)
			}
			g := generationOf(t, filepath.Join(where, "a.ckpt"))
			if comesBack != (g == cut.Generation) {
				t.Errorf("checkpoint of generation %d, the run ended at %d", g, cut.Generation)
			}
		})
	}
}

// TestFramesThatFail takes the folder of the frames away from a run: it ends there, with all else saved.
func TestFramesThatFail(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd, stderr, _ := clitest.Launch(t, dir, "run", "--json", "--size", "64", "--seed", "3", "--to", "1e15", "--frames",
		"frames", "--every", "5",
		"--checkpoint", "a.ckpt", "--out", "a.rle")
	defer cmd.Process.Kill()
	clitest.WaitFor(t, filepath.Join(dir, "frames", "frame-0000000100.png"))
	for i := 0; ; i++ {
		if err := os.Rename(filepath.Join(dir, "frames"), filepath.Join(dir, "away"+strconv.Itoa(i))); err != nil {
			t.Fatal(err)
		}
		if os.WriteFile(filepath.Join(dir, "frames"), nil, 0o666) == nil {
			break // else a frame was faster and has made the folder again
		}
	}
	text, err := io.ReadAll(stderr)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := console.Status(cmd.ProcessState.ExitCode()); code != console.Failure ||
		!strings.Contains(string(text), "frames") {
		t.Errorf("exit code %d: %s", code, text)
	}
	g := generationOf(t, filepath.Join(dir, "a.ckpt"))
	if r := clitest.RunJSON(t, dir, "a.rle", "-g", "0"); r.Generation != g || g%5 != 0 {
		t.Errorf("the pattern is of generation %d, the checkpoint of %d", r.Generation, g)
	}
}

// TestPipes writes into named pipes: one with a reader, and one without, where Ctrl-C must end the wait. None
// is replaced.
func TestPipes(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.rle")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip(err)
	}
	cmd, _, _ := clitest.Launch(t, dir, "run", "glider", "--json", "-g", "4", "--out", "pipe.rle", "--out", "a.rle")
	got, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	if want, err := os.ReadFile(filepath.Join(dir, "a.rle")); err != nil || string(got) != string(want) {
		t.Errorf("the pipe gave %q, want %q (%v)", got, want, err)
	}
	_, _, stop := clitest.Launch(t, dir, "run", "glider", "--json", "-g", "4", "--out", "pipe.rle", "--out", "b.rle")
	clitest.WaitFor(t, filepath.Join(dir, "b.rle"))
	// The signal may come before the program begins to wait for a reader. Then it ends as any interrupted run does.
	if o := stop(); o.Code != console.Interrupted && (o.Code != console.Failure ||
		!strings.Contains(o.Stderr, "no program reads this pipe")) {
		t.Errorf("exit code %d: %s", o.Code, o.Stderr)
	}
	_, _, stop = clitest.Launch(t, dir, "run", "--json", "--size", "64", "--seed", "3", "--to", "1e15", "--out", "pipe.rle",
		"--frames", "frames", "--every", "5")
	clitest.WaitFor(t, filepath.Join(dir, "frames", "frame-0000000100.png"))
	if o := stop(); o.Code != console.Failure || !strings.Contains(o.Stderr, "no program reads this pipe") {
		t.Errorf("a run that is interrupted: exit code %d: %s", o.Code, o.Stderr)
	}
	for _, args := range [][]string{
		{"run", "--resume", "pipe.rle"},
		{"run", "glider", "--checkpoint", "pipe.rle", "--force"},
	} {
		if o := clitest.Gosper(t, dir, args...); o.Code != console.InputError {
			t.Errorf("%v: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
	if info, err := os.Stat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("the pipe is now %v (%v)", info, err)
	}
}
