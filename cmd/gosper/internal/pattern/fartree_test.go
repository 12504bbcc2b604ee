package pattern

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestDiffOfFarTrees: trees of which each row has 2^32 tiles are compared by their squares.
func TestDiffOfFarTrees(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, last string) string {
		var b strings.Builder
		b.WriteString("[M2] (test)\n#R B3/S23\n**$**$\n")
		for level := 4; level < 40; level++ {
			n := level - 3
			fmt.Fprintf(&b, "%d %d %d %d %d\n", level, n, n, n, n)
		}
		b.WriteString(last)
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	full, part := write("full.mc", "40 37 37 37 37\n"), write("part.mc", "40 37 37 37 0\n")
	for _, test := range []struct{ a, b, want string }{
		{full, full, "the same 75,557,863,725,914,323,419,136 cells\n"},
		{full, part, fmt.Sprintf("first difference at 0,1: state 1 in %s, 0 in %s\n", full, part)},
	} {
		var out strings.Builder
		c := console.Console{Out: &out, Err: &out}
		cmd := DiffCommand{A: test.a, B: test.b}
		err := cmd.Run(t.Context(), &c)
		if out.String() != test.want || (err == nil) != (test.a == test.b) {
			t.Errorf("%s, %s: %q, %v; want %q", test.a, test.b, out.String(), err, test.want)
		}
	}
}
