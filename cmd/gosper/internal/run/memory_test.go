package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// A universe that outgrows its memory is saved, and can be continued from there.
func TestRunOutOfMemory(t *testing.T) {
	dir := t.TempDir()
	o := clitest.Gosper(t, dir, "run", "rpentomino", "--rule", "B1/S012", "-g", "100000", "--memory", "2M", "--checkpoint",
		"c.ckpt", "--out", "o.rle", "--json")
	var s summary
	if err := json.Unmarshal([]byte(o.Stdout), &s); err != nil {
		t.Fatalf("%v: %s %s", err, o.Stdout, o.Stderr)
	}
	if o.Code != console.Failure || s.Reason != "memory" || s.Generation == 0 || s.Population.Sign() == 0 ||
		len(s.Out) != 2 {
		t.Errorf("exit code %d, summary %+v", o.Code, s)
	}
	if strings.Count(o.Stderr, "\n") != 1 || !strings.Contains(o.Stderr,
		"2 MiB allowed; to continue, use --resume c.ckpt with more --memory") {
		t.Errorf("error %q", o.Stderr)
	}
	var again summary
	o = clitest.Gosper(t, dir, "run", "--resume", "c.ckpt", "-g", "0", "--json")
	if err := json.Unmarshal([]byte(o.Stdout), &again); err != nil || again.Hash == nil || s.Hash == nil ||
		*again.Hash != *s.Hash || again.Generation != s.Generation {
		t.Errorf("resumed: %+v, %v", again, err)
	}
	o = clitest.Gosper(t, dir, "run", "o.rle", "--memory", "4M", "-g", "1000000", "-q")
	if o.Code != console.Failure || !strings.Contains(o.Stderr, "--checkpoint FILE") {
		t.Errorf("without a checkpoint: exit code %d, %q", o.Code, o.Stderr)
	}
	if o = clitest.Gosper(t, filepath.Dir(dir), "run", "glider", "--memory", "7"); o.Code != console.InputError {
		t.Errorf("--memory 7: exit code %d", o.Code)
	}
}

// TestReadingWithinMemory: a pattern may take half of --memory while it is read. A row of 2^20 cells takes 4096 tiles
// of 8 KiB.
func TestReadingWithinMemory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "row.cells"), []byte(strings.Repeat("O", 1<<20)+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	o := clitest.Gosper(t, dir, "run", "row.cells", "--memory", "48M", "-g", "0")
	lines := strings.Count(o.Stderr, "\n")
	if o.Code != console.InputError || !strings.Contains(o.Stderr, "the limit is 25165824") || lines != 1 {
		t.Errorf("48M: exit code %d, %q", o.Code, o.Stderr)
	}
	if o = clitest.Gosper(t, dir, "run", "row.cells", "--memory", "96M", "-g", "0"); o.Code != 0 {
		t.Errorf("96M: exit code %d, %q", o.Code, o.Stderr)
	}
}
