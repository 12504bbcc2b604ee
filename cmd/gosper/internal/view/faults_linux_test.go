package view

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/checkpoint"
)

// TestServeFaults has system calls about a kept universe fail, or end the server, one after the other, while its
// owner comes back, fills it again and the server ends. The file is then the old one or a new one, and whole. If it
// is not the new one, the server has said so, and a server without faults goes on with what is there.
func TestServeFaults(t *testing.T) {
	clitest.NeedFaults(t)
	const oldRule, newRule = "B36/S23:T64,64", "B2/S:T64,64"
	begin := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	mine := keepsOne(ctx, t, begin)
	const name = "u-mine.ckpt"
	before, err := os.ReadFile(filepath.Join(begin, "kept", name))
	if err != nil {
		t.Fatal(err)
	}

	clitest.EachFault(t, func(f clitest.Fault) bool {
		dir := t.TempDir()
		kept := filepath.Join(dir, "kept")
		file := filepath.Join(kept, name)
		if err := errors.Join(os.Mkdir(kept, 0o700), os.WriteFile(file, before, 0o600)); err != nil {
			t.Fatal(err)
		}
		// visit has the owner come to a server, fill the universe if it is as before, and interrupts the server.
		visit := func(f *clitest.Fault) (code int, hit bool, stdout, stderr string, refused error) {
			args := append(slices.Clone(serving), "--sessions-dir", kept)
			cmd, hits := clitest.Command(t, dir, args...), func() int { return 0 }
			interrupt, kill := func() { cmd.Process.Signal(os.Interrupt) }, func() { cmd.Process.Kill() }
			if f != nil {
				cmd, hits = clitest.WithFault(t, dir, *f, []string{
					kept, file, filepath.Join(kept, "."+name+".gosper-part"), filepath.Join(kept, "server"),
					filepath.Join(kept, ".server.gosper-part"),
				}, args...)
				interrupt = func() { clitest.SignalGroup(cmd, syscall.SIGINT) }
				kill = func() { clitest.SignalGroup(cmd, syscall.SIGKILL) }
			}
			var problems bytes.Buffer
			cmd.Stderr = &problems
			out := starts(t, cmd)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
			defer cancel()
			stop := context.AfterFunc(ctx, kill)
			address, err := listens(out)
			if refused = err; err == nil {
				var g *guest
				if g, refused = come(ctx, address, mine.EditKey); refused == nil {
					refused = g.fills(newRule, oldRule, newRule)
					g.conn.CloseNow()
				}
				interrupt()
			}
			rest, _ := io.ReadAll(out)
			cmd.Wait()
			if !stop() {
				t.Errorf("%v: the server hangs: %s", f, problems.String())
			}
			return cmd.ProcessState.ExitCode(), hits() > 0, string(rest), problems.String(), refused
		}
		code, hit, _, told, refused := visit(&f)
		if !hit {
			return false
		}
		after, err := os.ReadFile(file)
		if err != nil {
			t.Errorf("%v: the file is gone: %v", f, err)
			return true
		}
		isNew := !bytes.Equal(after, before)
		switch {
		case strings.Contains(told, "goroutine "), code < 0 && !f.Kills(), code > 2:
			t.Errorf("%v: exit code %d: %s", f, code, told)
		case strings.Contains(told, "not a gosper checkpoint"), strings.Contains(told, "is no universe"):
			t.Errorf("%v: a false reason: %s", f, told)
		case isNew && ruleOf(t, file) != newRule:
			t.Errorf("%v: the file holds a universe under %s", f, ruleOf(t, file))
		case isNew && strings.Contains(lastWord(told), "is not kept"),
			!isNew && strings.Contains(lastWord(told), "is kept"):
			t.Errorf("%v: the universe is new in the file: %v, but they are told %s", f, isNew, told)
		case !isNew && told == "" && code >= 0:
			t.Errorf("%v: the new universe is not kept, and nobody is told: %v", f, refused)
		case refused != nil && code == 0 && !strings.Contains(refused.Error(), "kept, but it cannot be brought back"):
			t.Errorf("%v: the owner is told %v", f, refused)
		}
		for path, text := range clitest.Listing(t, kept) {
			// An empty part file only reserves a name. It stays if the server cannot see whether it is still its own.
			if strings.HasSuffix(path, ".gosper-part") && text != "" && !f.Kills() && !strings.Contains(told, path) {
				t.Errorf("%v: %s is left: %s", f, path, told)
			}
		}
		code, _, rest, told, refused := visit(nil)
		if refused != nil || code != 0 || told != "" || !strings.Contains(rest, ": 1\n") ||
			ruleOf(t, file) != newRule {
			t.Errorf("%v: then exit code %d, %v, %s%s", f, code, refused, rest, told)
		}
		return true
	})
}

// lastWord returns the last line about the universe. The server tries to keep a universe again after a failure. A fault
// happens once in each thread, so the second try may have one too, and only its message must be true at the end.
func lastWord(told string) string {
	return told[max(0, strings.LastIndex(told, "gosper: the universe mine is ")):]
}

// ruleOf reads a whole checkpoint, and returns its rule with the suffix of its size.
func ruleOf(t *testing.T, path string) string {
	t.Helper()
	f, err := checkpoint.Open(path)
	if err != nil {
		t.Error(err)
		return ""
	}
	defer f.Close()
	e, err := sim.Open(t.Context(), "reference", f.Config())
	if err == nil {
		err = f.Restore(e)
	}
	if err != nil {
		t.Error(err)
	}
	return f.Config().Rule.String() + f.Config().Topology.Suffix()
}
