package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestInterruptedLoading: Ctrl-C while a universe is loaded, which hashed life takes long for, leaves a word
// instead of a summary.
func TestInterruptedLoading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for flags, want := range map[string]int{"--json": 1, "-q": 0} {
		var stdout, stderr bytes.Buffer
		c := &console.Console{Out: &stdout, Err: &stderr}
		err := dispatch(ctx, c, []string{"run", "--topology", "unbounded", "--size", "200", "--engine", "hashlife", flags})
		if code := end(c, err); code != 130 || stdout.Len() > 0 ||
			strings.Count(stderr.String(), "no generation was run\n") != want {
			t.Errorf("%s: exit code %d\n%s%s", flags, code, &stdout, &stderr)
		}
	}
}

// TestInterruptedIdentify: Ctrl-C ends the search for the objects of a glider that meets a block after 8
// million generations.
func TestInterruptedIdentify(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	far := filepath.Join(t.TempDir(), "far.lif")
	glider := "0 0\n1 0\n2 0\n2 -1\n1 -2\n" // to the right and down
	if err := os.WriteFile(far, []byte("#Life 1.06\n"+glider+
		"2000000 2000000\n2000001 2000000\n2000000 2000001\n2000001 2000001\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var stdout, stderr bytes.Buffer
	c := &console.Console{Out: &stdout, Err: &stderr}
	err := dispatch(ctx, c, []string{"identify", far, "--box", "1e7", "--generations", "1e8"})
	if code := end(c, err); code != 130 || stdout.Len() > 0 || stderr.Len() > 0 {
		t.Errorf("exit code %d\n%s%s", code, &stdout, &stderr)
	}
}
