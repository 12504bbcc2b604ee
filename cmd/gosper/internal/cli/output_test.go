package cli

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

func TestOutputThatIsLostIsAFailure(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip("no device that is always full: ", err)
	}
	defer full.Close()
	for _, args := range [][]string{
		{},
		{"--help"},
		{"run", "--help"},
		{"version"},
		{"rules"},
		{"convert", "block", "-"},
		{"run", "block", "-g", "1"},
		{"run", "block", "-g", "1", "--json"},
		{"run", "block", "-g", "9", "-q", "--series", "-", "--every", "1"},
	} {
		cmd := clitest.Command(t, t.TempDir(), args...)
		cmd.Stdout = full
		var stderr strings.Builder
		cmd.Stderr = &stderr
		err := cmd.Run()
		if console.Status(cmd.ProcessState.ExitCode()) != console.Failure || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("gosper %v: %v, %s", args, err, stderr.String())
		}
	}
}

// TestOutputThatCannotBeMade writes into a folder that is a file. That is seen before anything is computed, and
// the name is the one that was given.
func TestOutputThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	ensemble := []string{"ensemble", "run", "--rule", "B3/S23", "--size", "8", "-n", "2", "-g", "2", "-q", "--out"}
	clitest.MustRun(t, dir, append(ensemble, "life")...)
	clitest.MustRun(t, dir, "ensemble", "merge", "life")
	clitest.MustRun(t, dir, "run", "glider", "-g", "3", "--series", "s.csv", "--every", "1", "-q")
	clitest.MustRun(t, dir, "run", "glider", "-g", "3", "--series", "file", "--every", "1", "-q")
	before := clitest.Listing(t, dir)
	for _, args := range [][]string{
		append(ensemble, "file/x"),
		{"ensemble", "merge", "life", "--out", "file/x"},
		{"ensemble", "plot", "life", "--out", "file/x"},
		{"plot", "s.csv", "--out", "file/x.png"},
		{"run", "glider", "-g", "3", "--every", "1", "--frames", "file/x"},
		{"run", "glider", "-g", "3", "--every", "1", "--series", "file/x"},
		{"run", "glider", "-g", "3", "--out", "file/x.rle"},
		{"run", "glider", "-g", "3", "--checkpoint", "file/x"},
		{"render", "glider", "--out", "file/x.png"},
		{"convert", "glider", "file/x.rle"},
		{"census", "--soups", "1", "--out", "file/x.csv"},
	} {
		o := clitest.Gosper(t, dir, args...)
		if o.Code != console.InputError || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
			!strings.Contains(o.Stderr, " cannot be written: not a directory") {
			t.Errorf("gosper %v: exit code %d, %s%s", args, o.Code, o.Stdout, o.Stderr)
		}
	}
	if after := clitest.Listing(t, dir); !maps.Equal(after, before) {
		t.Errorf("files before: %v, after: %v", before, after)
	}
}

// TestCensusHoldsItsFile: nobody else writes the file while soups run. If it cannot be written in the end, the
// summary is printed all the same.
func TestCensusHoldsItsFile(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no interrupts to send")
	}
	dir := t.TempDir()
	cmd := clitest.Command(t, dir, "census", "--soups", "1e9", "--seed", "a", "--out", "c.csv", "--json")
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	part := filepath.Join(dir, ".c.csv.gosper-part")
	clitest.WaitFor(t, part)
	for _, args := range [][]string{
		{"census", "--soups", "1", "--out", "c.csv"},
		{"run", "glider", "-g", "1", "--series", "c.csv", "--every", "1"},
	} {
		if o := clitest.Gosper(t, dir, args...); o.Code != console.InputError ||
			!strings.Contains(o.Stderr, "another run is writing this file") {
			t.Errorf("gosper %v: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
	if err := os.Remove(part); err != nil { // so that it cannot get its name
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if code := console.Status(cmd.ProcessState.ExitCode()); code != console.Failure ||
		strings.Count(stderr.String(), "\n") != 1 {
		t.Errorf("exit code %d, %s", code, &stderr)
	}
	var summary struct {
		Soups       uint64
		Out         []string
		Interrupted bool
	}
	if err := json.Unmarshal([]byte(stdout.String()), &summary); err != nil || !summary.Interrupted ||
		len(summary.Out) != 0 {
		t.Errorf("%+v, %v: %s", summary, err, &stdout)
	}
	clitest.Leftovers(t, dir)
}

// TestServeSaysHowLargeItsSoupIs: gosper serve alone shows a smaller soup than the other commands.
func TestServeSaysHowLargeItsSoupIs(t *testing.T) {
	for command, want := range map[string]string{
		"run": "Default for soups: 4096.", "serve": "Default for soups: 4096, or 1024 if no flag names a universe.",
	} {
		help := strings.Join(strings.Fields(clitest.MustRun(t, t.TempDir(), command, "--help").Stdout), " ")
		if !strings.Contains(help, want) {
			t.Errorf("gosper %s --help does not say %q", command, want)
		}
	}
}

// TestReadersAreBounded: each command that reads patterns refuses one that takes more than --memory.
func TestReadersAreBounded(t *testing.T) {
	dir := t.TempDir()
	clitest.MustRun(t, dir, "run", "--size", "4096", "--seed", "1", "-g", "0", "-q", "--out", "soup.rle")
	for _, args := range [][]string{
		{"info", "soup.rle"},
		{"convert", "soup.rle", "other.rle"},
		{"diff", "soup.rle", "soup.rle"},
		{"identify", "soup.rle"},
		{"run", "soup.rle", "-g", "0"},
	} {
		o := clitest.Gosper(t, dir, append(args, "--memory", "1M")...)
		if o.Code != console.InputError || strings.Count(o.Stderr, "\n") != 1 ||
			!strings.Contains(o.Stderr, "of memory, the limit is ") {
			t.Errorf("gosper %v: exit code %d, %s", args, o.Code, o.Stderr)
		}
	}
	clitest.MustRun(t, dir, "diff", "soup.rle", "soup.rle", "--memory", "200M")
	clitest.Leftovers(t, dir, "soup.rle")
}
