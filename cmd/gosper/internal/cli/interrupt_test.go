package cli

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestInterruptedLoading: Ctrl-C while a universe is loaded, which hashed life takes long for, leaves a word instead of a summary.
func TestInterruptedLoading(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for flags, want := range map[string]int{"--json": 1, "-q": 0} {
		var stdout, stderr bytes.Buffer
		c := &console.Console{Out: &stdout, Err: &stderr}
		err := dispatch(ctx, c, []string{"run", "--topology", "unbounded", "--size", "200", "--engine", "hashlife", flags})
		if code := end(c, err); code != 130 || stdout.Len() > 0 || strings.Count(stderr.String(), "no generation was run\n") != want {
			t.Errorf("%s: exit code %d\n%s%s", flags, code, &stdout, &stderr)
		}
	}
}
