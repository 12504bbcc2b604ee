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

// recomputed has that other program compute the tables of an ensemble that the arguments make, and checks that it
// compares some columns.
func recomputed(t *testing.T, columns []string, args ...string) {
	t.Helper()
	t.Parallel()
	python := numpy(t)
	program, err := filepath.Abs("testdata/recompute_more.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	args = append([]string{"ensemble", "run", "--format", "jsonl", "--samples", "all", "--out", "soups", "-q"}, args...)
	clitest.MustRun(t, dir, args...)
	out, err := exec.CommandContext(t.Context(), python, program, filepath.Join(dir, "soups")).CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Logf("numbers that agree:\n%s", out)
	for _, column := range columns {
		if !strings.Contains(string(out), column+" ") {
			t.Errorf("%s was not compared", column)
		}
	}
}

// TestNumpyAgreesOnWhatSpans is of soups that span the torus in either direction, both or none.
func TestNumpyAgreesOnWhatSpans(t *testing.T) {
	recomputed(t, []string{"samples.span", "summary.percolating_one error"},
		"--rule", "B3/S23", "--size", "20x12", "--density", "0.42", "-n", "24", "--per-job", "10",
		"-g", "8", "--every", "2", "--dump", "0..8/2", "--measure", "percolation")
}

// TestNumpyAgreesOnAvalanches is of piles that grains have fallen on, and drops further ones at the same places.
func TestNumpyAgreesOnAvalanches(t *testing.T) {
	recomputed(t, []string{"values.height_inside", "summary.avalanche_size_from error"},
		"--rule", "Sandpile~p=0.3", "--topology", "plane", "--size", "20x12", "--density", "0.9", "-n", "6",
		"--per-job", "4", "-g", "12", "--every", "4", "--dump", "0..12/4", "--measure", "avalanches")
}

// TestNumpyAgreesOnStates is of a rule of four states, which all measures of it tell apart.
func TestNumpyAgreesOnStates(t *testing.T) {
	t.Parallel()
	python := numpy(t)
	program, err := filepath.Abs("testdata/recompute_states.py")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	clitest.MustRun(t, dir, "ensemble", "run", "--rule", "R1/T1/C4/NM", "--start", "shares~1=0.4,2=0.2,3=0.1", "--size", "32",
		"-n", "3", "-g", "6", "--every", "3", "--dump", "0,3,6", "--distance", "4",
		"--measure", "entropy,mutual,agreement,spectrum,states", "--format", "jsonl", "--out", "four", "-q")
	out, err := exec.CommandContext(t.Context(), python, program, filepath.Join(dir, "four"), "4").CombinedOutput()
	if want := "entropy\nstate\nmutual\nagreement\nspectrum\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant %s", err, out, want)
	}
}
