//go:build unix

package clitest

import (
	"bufio"
	"bytes"
	"io"
	"os/exec"
	"syscall"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// Launch starts the program; stop ends it with SIGINT.
func Launch(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, stderr io.Reader, stop func() Outcome) {
	t.Helper()
	cmd = Command(t, dir, args...)
	var stdout, rest bytes.Buffer
	cmd.Stdout = &stdout
	pipe, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	in := bufio.NewReader(pipe)
	return cmd, in, func() Outcome {
		t.Helper()
		if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
			t.Fatal(err)
		}
		if _, err := rest.ReadFrom(in); err != nil {
			t.Fatal(err)
		}
		cmd.Wait()
		return Outcome{console.Status(cmd.ProcessState.ExitCode()), stdout.String(), rest.String()}
	}
}
