package ensemble

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
)

// numpy returns a Python that has numpy, that of the system if the first one on the path has none.
func numpy(t *testing.T) string {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.Command(python, "-c", "import numpy").Run() == nil {
			return python
		}
	}
	t.Skip("no Python with numpy (package python3-numpy): tables are not computed again")
	return ""
}

// TestNumpyAgrees has another program, which shares nothing with this one, compute the tables of an ensemble again
// from the cells that were dumped. The soups are thin, so that some universes die and every column varies.
func TestNumpyAgrees(t *testing.T) {
	t.Parallel()
	python := numpy(t)
	program, err := filepath.Abs("testdata/recompute.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clitest.MustRun(t, dir, "ensemble", "run", "--rule", "B3/S23", "--size", "20x12", "--density", "0.1", "-n", "12",
		"--per-job", "5", "-g", "8", "--every", "2", "--dump", "0..8/1", "--distance", "5", "--warmup", "4",
		"--measure", "activity,entropy,correlation,kinetics,magnetisation,energy,structure,mutual,autocorrelation",
		"--measure", "spreading,settling,twotime", "--waiting", "2,4", "--format", "jsonl", "--samples", "all", "--out", "soups", "-q")
	run := func() (string, error) {
		out, err := exec.CommandContext(t.Context(), python, program, filepath.Join(dir, "soups")).CombinedOutput()
		return string(out), err
	}
	out, err := run()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("numbers that agree:\n%s", out)
	for _, column := range []string{
		"samples.population", "values.overlap", "summary.density error", "clusters.squares_rest", "kinetics.flux_error",
		"universes.transient", "averages.binder", "summary.two_time_density error",
	} {
		if !strings.Contains(out, column+" ") {
			t.Errorf("%s was not compared", column)
		}
	}
}
