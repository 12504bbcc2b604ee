package bench_test

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestBenchHostsRefuses: what cannot be estimated is refused in one line, before workers are waited for.
func TestBenchHostsRefuses(t *testing.T) {
	for args, want := range map[string]string{
		"--hosts 0":              "want at least 1",
		"--hosts 2,40 --size 64": "at most 32 bands",
		"--serve nowhere":        "want HOST:PORT",
		"--token a/b":            "want letters",
	} {
		o := clitest.Gosper(t, t.TempDir(), append([]string{"bench", "hosts"}, strings.Fields(args)...)...)
		if o.Code != console.InputError || !strings.Contains(o.Stderr, want) || strings.Count(o.Stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, want %d and %q\n%s", args, o.Code, console.InputError, want, o.Stderr)
		}
	}
}
