package ensemble

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/result"
)

// TestUnboundedEnsemble: universes of an ensemble on the unbounded plane are equal to those of gosper run with the
// same seeds. The tables have the measures with a meaning there, and they do not depend on how the work is divided.
func TestUnboundedEnsemble(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	soups := []string{
		"ensemble", "run", "--rule", "life", "--rule", "B2/S/3", "--topology", "unbounded", "--size", "8x9", "--density",
		"0.4", "-n", "3", "-g", "30", "--every", "15",
		"--measure", "clusters", "--quiet",
	}
	clitest.MustRun(t, dir, append(soups, "--out", "a", "--format", "csv")...)
	clitest.MustRun(t, dir, append(soups, "--out", "b", "--format", "csv", "--per-job", "2", "--workers", "2")...)
	var files []string
	for _, path := range must(filepath.Glob(filepath.Join(dir, "a", "*.csv"))) {
		files = append(files, filepath.Base(path))
		if a, b := must(hashOfFile(path)), must(hashOfFile(filepath.Join(dir, "b", filepath.Base(path)))); a != b {
			t.Errorf("%s depends on the jobs", path)
		}
	}
	if !slices.Equal(files, []string{"summary.csv", "universes.csv", "values.csv"}) {
		t.Errorf("tables %v", files)
	}
	values := must(result.Read[ensemble.Value](filepath.Join(dir, "a", "values.csv")))
	// samples, and population, box_width, box_height, clusters, largest, second_moment, second_moment_rest
	const each = 3 * 7
	if len(values) != 2*3*each {
		t.Errorf("%d values", len(values))
	}
	found := map[string]float64{}
	for _, v := range values {
		if strings.Contains(v.Quantity, "density") {
			t.Errorf("%+v", v)
		}
		found[fmt.Sprint(v.Seed, v.Generation, v.Quantity)] = v.Value
	}
	for _, v := range values[:2*each] {
		if v.Quantity != "population" || v.Topology != "T0" || v.Width != 8 || v.Height != 9 {
			continue
		}
		o := clitest.MustRun(t, dir, "run", "--rule", v.Rule, "--topology", "unbounded", "--size", "8x9", "--density", "0.4",
			"--seed", fmt.Sprint(v.Seed), "-g", fmt.Sprint(v.Generation), "--clusters", "8", "--json")
		var r clitest.Report
		if err := json.Unmarshal([]byte(o.Stdout), &r); err != nil {
			t.Fatal(err)
		}
		of := func(quantity string) float64 { return found[fmt.Sprint(v.Seed, v.Generation, quantity)] }
		if of("population") != float64(r.Population) || of("box_width") != float64(r.Width) ||
			of("box_height") != float64(r.Height) || of("clusters") != float64(r.Clusters.Count) {
			t.Errorf("seed %d at generation %d: %+v", v.Seed, v.Generation, r)
		}
	}
	if o := clitest.Gosper(t, dir, "ensemble", "run", "--rule", "life~flip=0.1", "--topology", "unbounded", "--size", "8",
		"-n", "3", "-g", "30", "--out", "c"); o.Code != 2 ||
		o.Stderr != "gosper: rule B3/S23~flip=0.1 gives life by chance to infinitely many dead cells: want bounded universes\n" {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
	clitest.MustRun(t, dir, append(soups, "--out", "d", "--dry-run")...)
	o := clitest.Gosper(t, dir, append(soups, "--out", "a", "-g", "60")...)
	if want := "gosper: a: it has run to generation 30, and universes on the unbounded plane do not keep their last states; else choose another --out\n"; o.Code != 2 || o.Stderr != want {
		t.Errorf("exit code %d, %q", o.Code, o.Stderr)
	}
}

// must is a value that cannot fail here.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
