package clitest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/sim/simtest"
)

// Fault ends the process at a system call about some files, or has the call fail: the Nth one of each thread.
type Fault struct {
	Call, What string // as strace has them: "fsync", "error=EIO"
	N          int
}

func (f Fault) String() string { return fmt.Sprintf("%s %d: %s", f.Call, f.N, f.What) }

// Kills reports whether the fault ends the process.
func (f Fault) Kills() bool { return strings.HasPrefix(f.What, "signal") }

const (
	kill    = "signal=KILL"
	failing = "error=EIO"
	full    = "error=ENOSPC"
)

// calls are the system calls that write files, or look at them, with their faults.
var calls = []struct {
	name   string
	faults []string
}{
	{"openat", []string{kill, failing, full}},
	{"write", []string{kill, failing, full}},
	{"pwrite64", []string{kill, failing, full}},
	{"fsync", []string{kill, failing, full}},
	{"linkat", []string{kill, failing, full}},
	{"renameat", []string{kill, failing, full}},
	{"mkdirat", []string{kill, failing, full}},
	{"ftruncate", []string{kill, failing}},
	{"unlinkat", []string{kill, failing}},
	{"pread64", []string{failing}},
	{"read", []string{failing}},
	{"flock", []string{failing}},
	{"fstat", []string{failing}},
	{"newfstatat", []string{failing}},
	{"close", []string{kill, failing}},
}

// EachFault calls try for the faults of all system calls, for the first call, the second, the fourth and so on
// until try returns false because there was no such call. GOSPER_LONG has it take every call.
func EachFault(t *testing.T, try func(f Fault) (hit bool)) {
	t.Helper()
	hits := 0
	for _, call := range calls {
		for _, what := range call.faults {
			for n := 1; try(Fault{call.name, what, n}); {
				hits++
				if os.Getenv(simtest.LongVariable) != "" {
					n++
				} else {
					n *= 2
				}
			}
		}
	}
	t.Logf("%d faults", hits)
	if hits == 0 {
		t.Error("no fault was injected")
	}
}

// NeedFaults skips a test where no faults can be injected.
func NeedFaults(t *testing.T) {
	t.Helper()
	text, err := exec.CommandContext(t.Context(), "strace", "-f", "-o", filepath.Join(t.TempDir(), "trace"), "true").
		CombinedOutput()
	if err != nil {
		t.Skipf("no system calls can be made to fail here, which takes strace: %v %s", err, text)
	}
}

// WithFault prepares gosper to run in dir with a fault in a system call about one of these paths, which are
// absolute. The process of the command is the tracer, which ends as gosper ends, with its exit code or its signal.
// Both are in a process group of their own, to which signals for gosper go (the tracer ignores them but SIGKILL).
// The end of the test kills the group. hits is called after the end, and returns how often the fault happened, which is
// at most once in each thread.
func WithFault(t *testing.T, dir string, f Fault, paths []string, args ...string) (cmd *exec.Cmd, hits func() int) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "trace")
	cmd = Command(t, dir, args...)
	traced := []string{
		"strace", "-f", "-o", trace, "-e", "trace=" + f.Call, "-e",
		fmt.Sprintf("inject=%s:%s:when=%d", f.Call, f.What, f.N),
	}
	for _, path := range paths {
		traced = append(traced, "-P", path)
	}
	cmd.Args = slices.Concat(traced, []string{cmd.Path}, args)
	var err error
	if cmd.Path, err = exec.LookPath("strace"); err != nil {
		t.Fatal(err)
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return SignalGroup(cmd, syscall.SIGKILL) }
	cmd.WaitDelay = 10 * time.Second
	return cmd, func() int {
		text, err := os.ReadFile(trace)
		if err != nil {
			t.Error(err)
		}
		if f.Kills() && cmd.ProcessState.ExitCode() < 0 {
			return 1
		}
		return strings.Count(string(text), "(INJECTED)")
	}
}

// SignalGroup sends a signal to the process group of a command that WithFault has prepared.
func SignalGroup(cmd *exec.Cmd, s syscall.Signal) error { return syscall.Kill(-cmd.Process.Pid, s) }
