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
	compared := ""
	for _, test := range []struct{ size, density string }{
		{"20x12", "0.1"},
		{"14", "0.3"}, // correlation lengths are those of squares, and only dense soups have them
	} {
		size := test.size
		clitest.MustRun(t, dir, "ensemble", "run", "--rule", "B3/S23", "--size", size, "--density", test.density, "-n", "12",
			"--per-job", "5", "-g", "8", "--every", "2", "--dump", "0..8/1", "--distance", "5", "--warmup", "4",
			"--measure", "activity,entropy,correlation,kinetics,magnetisation,energy,structure,mutual,autocorrelation",
			"--measure", "spreading,settling,twotime,damage,spectrum,agreement,potts,states,bits", "--waiting", "2,4",
			"--format", "jsonl", "--samples", "all", "--out", size, "-q")
		out, err := exec.CommandContext(t.Context(), python,
			program, filepath.Join(dir, size)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", size, err, out)
		}
		compared += string(out)
	}
	varies := map[string]bool{}
	for line := range strings.Lines(compared) {
		fields := strings.Fields(line)
		varies[fields[0]] = varies[fields[0]] || fields[len(fields)-1] != "zero"
	}
	for column, shown := range varies {
		if !shown {
			t.Errorf("%s is 0 or missing everywhere, which shows nothing", column)
		}
	}
	t.Logf("numbers that agree:\n%s", compared)
	for _, column := range []string{
		"samples.population", "values.overlap", "summary.density error", "clusters.squares_rest", "kinetics.flux_error",
		"universes.transient", "averages.binder", "summary.two_time_density error", "summary.correlation_length error",
		"averages.correlation_length", "summary.damage_square_distance error", "averages.order_susceptibility error",
		"summary.agreement_connected error", "averages.potts_energy_variance", "summary.energy_variance error",
	} {
		if !strings.Contains(compared, column+" ") {
			t.Errorf("%s was not compared", column)
		}
	}
}
