package cli

import (
	"os"
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
