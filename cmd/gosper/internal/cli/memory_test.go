package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// A universe that outgrows its memory is saved, and goes on from there.
func TestRunOutOfMemory(t *testing.T) {
	dir := t.TempDir()
	o := gosper(t, dir, "run", "rpentomino", "--rule", "B1/S012", "-g", "100000", "--memory", "2M", "--checkpoint", "c.ckpt", "--out", "o.rle", "--json")
	var s summary
	if err := json.Unmarshal([]byte(o.stdout), &s); err != nil {
		t.Fatalf("%v: %s %s", err, o.stdout, o.stderr)
	}
	if o.code != console.Failure || s.Reason != "memory" || s.Generation == 0 || s.Population == 0 || len(s.Out) != 2 {
		t.Errorf("exit code %d, summary %+v", o.code, s)
	}
	if strings.Count(o.stderr, "\n") != 1 || !strings.Contains(o.stderr, "2 MiB allowed; --resume c.ckpt goes on with more --memory") {
		t.Errorf("error %q", o.stderr)
	}
	var again summary
	o = gosper(t, dir, "run", "--resume", "c.ckpt", "-g", "0", "--json")
	if err := json.Unmarshal([]byte(o.stdout), &again); err != nil || again.Hash == nil || s.Hash == nil || *again.Hash != *s.Hash || again.Generation != s.Generation {
		t.Errorf("resumed: %+v, %v", again, err)
	}
	o = gosper(t, dir, "run", "o.rle", "--memory", "2M", "-g", "1000000", "-q")
	if o.code != console.Failure || !strings.Contains(o.stderr, "--checkpoint FILE") {
		t.Errorf("without a checkpoint: exit code %d, %q", o.code, o.stderr)
	}
	if o = gosper(t, filepath.Dir(dir), "run", "glider", "--memory", "7"); o.code != console.InputError {
		t.Errorf("--memory 7: exit code %d", o.code)
	}
}
