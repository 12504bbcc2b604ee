package cli

import (
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// TestNamesOfOtherPrograms holds the ways of asking for the version, and for help, that people bring along.
func TestNamesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	said := func(args ...string) string {
		t.Helper()
		o := clitest.Finish(t, clitest.Command(t, t.TempDir(), args...))
		if o.Code != 0 || o.Stderr != "" {
			t.Errorf("%v: exit code %d, %s", args, o.Code, o.Stderr)
		}
		return o.Stdout
	}
	for want, ways := range map[string][][]string{
		said("version"):       {{"--version"}, {"-V"}},
		said("--help"):        {{"-h"}, {"help"}},
		said("run", "--help"): {{"run", "-h"}, {"help", "run"}},
	} {
		if strings.Count(want, " ") < 3 {
			t.Errorf("too short: %q", want)
		}
		for _, way := range ways {
			if got := said(way...); got != want {
				t.Errorf("%v prints %q, want %q", way, got, want)
			}
		}
	}
}
