package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
	"github.com/gosper-life/gosper/cmd/gosper/internal/output"
)

// gosperPath is the program under test, built once.
var gosperPath string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "gosper")
	if err == nil {
		gosperPath = filepath.Join(dir, "gosper")
		if runtime.GOOS == "windows" {
			gosperPath += ".exe"
		}
		build := exec.Command("go", "build", "-buildvcs=false", "-o", gosperPath, "github.com/gosper-life/gosper/cmd/gosper")
		build.Stderr = os.Stderr
		err = build.Run()
	}
	code := 1
	if err == nil {
		code = m.Run()
	} else {
		fmt.Fprintln(os.Stderr, "building gosper:", err)
	}
	os.RemoveAll(dir)
	os.Exit(code)
}

// command is gosper, about to run in dir.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), gosperPath, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOSPER_ENGINE=", "GOSPER_THREADS=2")
	return cmd
}

// outcome is what a run of the program left.
type outcome struct {
	code   console.Status // -1: killed
	stdout string
	stderr string
}

func finish(t *testing.T, cmd *exec.Cmd) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return outcome{console.Status(cmd.ProcessState.ExitCode()), stdout.String(), stderr.String()}
}

// gosper runs the program to its end.
func gosper(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return finish(t, command(t, dir, args...))
}

// report is the JSON that gosper run --json prints.
type report struct {
	Rule           string          `json:"rule"`
	Width          int             `json:"width"`
	Height         int             `json:"height"`
	Topology       string          `json:"topology"`
	Generation     uint64          `json:"generation"`
	Generations    uint64          `json:"generations"`
	Reason         string          `json:"reason"`
	Recurrence     *uint64         `json:"recurrence"`
	Leaving        int             `json:"leaving"`
	Population     uint64          `json:"population"`
	States         []uint64        `json:"cells_by_state"`
	Hash           string          `json:"hash"`
	Engine         string          `json:"engine"`
	Device         string          `json:"device"`
	Plan           string          `json:"plan"`
	Seconds        *float64        `json:"seconds"`
	CellsPerSecond *float64        `json:"cells_per_second"`
	Seed           *string         `json:"seed"`
	Density        *float64        `json:"density"`
	Joules         *float64        `json:"joules"`
	Watts          *float64        `json:"watts"`
	CellsPerJoule  *float64        `json:"cells_per_joule"`
	Clusters       *clusterSummary `json:"clusters"`
	Out            []string        `json:"out"`
	Repeat         string          `json:"repeat"`
}

func parseReport(t *testing.T, o outcome) report {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewBufferString(o.stdout))
	decoder.DisallowUnknownFields()
	var r report
	if err := decoder.Decode(&r); err != nil || decoder.More() {
		t.Fatalf("output is not one report: %v\n%s%s", err, o.stdout, o.stderr)
	}
	return r
}

// runJSON is gosper run --json, which must succeed.
func runJSON(t *testing.T, dir string, args ...string) report {
	t.Helper()
	o := gosper(t, dir, append([]string{"run", "--json"}, args...)...)
	if o.code != 0 {
		t.Fatalf("gosper run %v: exit code %d\n%s", args, o.code, o.stderr)
	}
	return parseReport(t, o)
}

// waitFor waits for a file to appear.
func waitFor(t *testing.T, path string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !output.Exists(path); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%s did not appear", path)
		}
	}
}

// leftovers reports files that should not be there.
func leftovers(t *testing.T, dir string, expected ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != len(expected) {
		t.Errorf("files %v, want %v", entries, expected)
	}
}
