// Package clitest runs gosper in tests. The test binary is also the program: when it is started again, TestMain
// calls Main, and Main runs the command line.
package clitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// asProgram is the environment variable that tells the test binary to act as the program.
const asProgram = "GOSPER_TEST_IS_PROGRAM"

// Main runs the tests, or the program if a test has started this process.
func Main(m *testing.M, program func(args []string) int) {
	fuzzes := slices.Contains(os.Args, "-test.fuzzworker") // a process of a test, but not the program
	if os.Getenv(asProgram) != "" && !fuzzes {
		os.Exit(program(os.Args[1:]))
	}
	os.Setenv(asProgram, "1") // for all processes that tests start
	if signal.Ignored(os.Interrupt) {
		// A script in the background ignores interrupts. Its processes inherit that unless this one listens, and a process
		// that a test interrupts would then go on.
		signal.Notify(make(chan os.Signal, 1), os.Interrupt)
	}
	os.Exit(m.Run())
}

// Program returns the path of the file to start.
func Program(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Command prepares gosper to run in dir. If the program does not end, the test fails, and the program prints the stacks
// of its goroutines.
func Command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, Program(t), args...)
	cmd.Cancel = func() error {
		if t.Context().Err() != nil {
			return cmd.Process.Kill() // the test is over
		}
		t.Errorf("gosper %v does not end", args)
		return cmd.Process.Signal(syscall.SIGQUIT)
	}
	cmd.WaitDelay = time.Minute
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOSPER_ENGINE=", "GOSPER_THREADS=2")
	return cmd
}

// Outcome is the result of a run of the program.
type Outcome struct {
	Code   console.Status // -1 if the process was killed
	Stdout string
	Stderr string
}

// Finish runs a command to its end.
func Finish(t *testing.T, cmd *exec.Cmd) Outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return Outcome{console.Status(cmd.ProcessState.ExitCode()), stdout.String(), stderr.String()}
}

// Gosper runs the program to its end.
func Gosper(t *testing.T, dir string, args ...string) Outcome {
	t.Helper()
	return Finish(t, Command(t, dir, args...))
}

// Report is the JSON that gosper run --json prints.
type Report struct {
	Rule           string    `json:"rule"`
	Width          int       `json:"width"`
	Height         int       `json:"height"`
	Depth          *int      `json:"depth"`
	Topology       string    `json:"topology"`
	Generation     uint64    `json:"generation"`
	Generations    uint64    `json:"generations"`
	Reason         string    `json:"reason"`
	Period         *uint64   `json:"period"`
	Lifespan       *uint64   `json:"lifespan"`
	Leaving        int       `json:"leaving"`
	Background     uint8     `json:"background"`
	Population     uint64    `json:"population"`
	States         []uint64  `json:"cells_by_state"`
	Hash           string    `json:"hash"`
	Engine         string    `json:"engine"`
	Device         string    `json:"device"`
	Plan           string    `json:"plan"`
	Replaced       *string   `json:"replaced"`
	ReplacedAt     *uint64   `json:"replaced_generation"`
	Seconds        *float64  `json:"seconds"`
	CellsPerSecond *float64  `json:"cells_per_second"`
	Seed           *string   `json:"seed"`
	Density        *float64  `json:"density"`
	Joules         *float64  `json:"joules"`
	Watts          *float64  `json:"watts"`
	CellsPerJoule  *float64  `json:"cells_per_joule"`
	Clusters       *Clusters `json:"clusters"`
	Out            []string  `json:"out"`
	Repeat         string    `json:"repeat"`
}

// Clusters are the clusters of a Report.
type Clusters struct {
	Connectivity int     `json:"connectivity"`
	Count        uint64  `json:"count"`
	Cells        uint64  `json:"cells"`
	Largest      uint64  `json:"largest"`
	Spans        string  `json:"span"`
	Seconds      float64 `json:"seconds"`
}

// ParseReport reads the output of gosper run --json.
func ParseReport(t *testing.T, o Outcome) Report {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewBufferString(o.Stdout))
	decoder.DisallowUnknownFields()
	var r Report
	if err := decoder.Decode(&r); err != nil || decoder.More() {
		t.Fatalf("output is not one report: %v\n%s%s", err, o.Stdout, o.Stderr)
	}
	return r
}

// RunJSON runs gosper run --json, which must succeed.
func RunJSON(t *testing.T, dir string, args ...string) Report {
	t.Helper()
	o := Gosper(t, dir, append([]string{"run", "--json"}, args...)...)
	if o.Code != 0 {
		t.Fatalf("gosper run %v: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return ParseReport(t, o)
}

// patience is the longest time that anything may take on a machine that has much else to do.
const patience = 5 * time.Minute

// Until waits until a condition holds. If that takes too long, it fails the test and calls the condition what.
func Until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never %s", what)
		}
	}
}

// WaitFor waits for a file to appear.
func WaitFor(t *testing.T, path string) {
	t.Helper()
	Until(t, path+" appears", func() bool { return output.Exists(path) })
}

// Leftovers reports files that should not exist.
func Leftovers(t *testing.T, dir string, expected ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(expected) {
		t.Errorf("files %v, want %v", entries, expected)
	}
}

// MustRun runs gosper, which must succeed.
func MustRun(t *testing.T, dir string, args ...string) Outcome {
	t.Helper()
	o := Gosper(t, dir, args...)
	if o.Code != 0 {
		t.Fatalf("gosper %v: exit code %d\n%s", args, o.Code, o.Stderr)
	}
	return o
}

// Listing returns the content of every file below a folder, by its path there. Folders themselves are left out.
func Listing(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			found[path] = ""
			return err
		}
		text, err := os.ReadFile(filepath.Join(dir, path))
		found[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}
