package bench

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/console"
)

// TestBenchEnsemble measures two small studies. It leaves no folder behind.
func TestBenchEnsemble(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	o := clitest.Gosper(t, t.TempDir(), "bench", "ensemble", "--size", "16x24", "-n", "2,5", "-g", "25", "--repeats", "1",
		"--engine", "cpu", "--json")
	var r EnsembleReport
	if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil {
		t.Fatalf("%v\n%s%s", err, o.Stdout, o.Stderr)
	}
	if r.Rule != "B3/S23" || r.Width != 16 || r.Height != 24 || r.Depth != nil || r.Generations != 25 ||
		r.Engine != "cpu" || len(r.Studies) != 2 {
		t.Errorf("%+v", r)
	}
	for i, n := range []int{2, 5} {
		if s := r.Studies[i]; s.Universes != n || s.Kernels <= 0 || s.Command <= 0 {
			t.Errorf("%d universes: %+v", n, s)
		}
	}
	for size, depth := range map[string]int{"8x6x5": 5, "8": 8} {
		o := clitest.Gosper(t, t.TempDir(), "bench", "ensemble", "--rule", "3D4,5/5", "--size", size, "-n", "3", "-g", "10",
			"--repeats", "1", "--engine", "cpu", "--json")
		var r EnsembleReport
		if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil {
			t.Fatalf("%v\n%s%s", err, o.Stdout, o.Stderr)
		}
		if r.Width != 8 || r.Depth == nil || *r.Depth != depth || len(r.Studies) != 1 {
			t.Errorf("%s: %+v", size, r)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	for _, args := range [][]string{
		{"-n", "0"},
		{"--every", "0"},
		{"--repeats", "0"},
		{"--rule", "no such"},
		{"--size", "8x8x8"}, // of a rule of two dimensions
		{"--rule", "3D4,5/5", "--size", "8x8"},
		{"--engine", "reference9"},
	} {
		if o := clitest.Gosper(t, t.TempDir(), append([]string{"bench", "ensemble"},
			args...)...); o.Code != console.InputError {
			t.Errorf("%v: exit code %d: %s", args, o.Code, o.Stderr)
		}
	}
}
