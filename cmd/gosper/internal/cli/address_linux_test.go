package cli

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

func TestCheckAddresses(t *testing.T) {
	if err := checkAddresses(800<<20+leastAddresses, 800<<20); err != nil {
		t.Error(err)
	}
	err := checkAddresses(900<<20, 800<<20)
	const want = "addresses are limited to 921600 kB (ulimit -v): want at least 966656, " +
		"of which the Go runtime reserves 819200"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestLimitedAddresses runs many threads under a limit on the address space. With a heap of the C library for each of
// them the addresses run out, and the Go runtime ends the program with a list of goroutines.
func TestLimitedAddresses(t *testing.T) {
	const threads = "16"
	cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -v 2000000; exec "$@"`, "sh",
		clitest.Program(t), "run", "--size", "2048", "-g", "300", "--threads", threads)
	cmd.Env = append(os.Environ(), "GOMAXPROCS="+threads, "MALLOC_ARENA_MAX=")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "population") {
		t.Errorf("%v, %.300s", err, out)
	}
}
