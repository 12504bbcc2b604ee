package dashboard_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/cmd/gosper/internal/cli"
	"github.com/gosper-life/gosper/cmd/gosper/internal/clitest"
	"github.com/gosper-life/gosper/cmd/gosper/internal/view/dashboard"
)

func TestMain(m *testing.M) { clitest.Main(m, cli.Main) }

// get asks a dashboard.
func get(t *testing.T, d *dashboard.Dashboard, path string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
	return w
}

// read asks a dashboard for JSON.
func read[T any](t *testing.T, d *dashboard.Dashboard, path string) (v T) {
	t.Helper()
	w := get(t, d, path)
	if err := json.Unmarshal(w.Body.Bytes(), &v); err != nil {
		t.Fatalf("%s: %d, %v", path, w.Code, err)
	}
	return v
}

// TestStarts: the viewer gets the first cells of universes.
func TestStarts(t *testing.T) {
	parent := t.TempDir()
	got := clitest.Finish(t, clitest.Command(t, parent, "ensemble", "run", "--rule", "B3/S23", "--size", "16", "-n", "1",
		"-g", "4", "--start", "exact~1=9", "--start", "gauss~length=2", "--start", "pattern~of=glider,flip=0.1",
		"--density", "0.3", "--out", "starts", "-q"))
	if got.Code != 0 {
		t.Fatalf("code %d: %s", got.Code, got.Stderr)
	}
	d, err := dashboard.Open(t.Context(), filepath.Join(parent, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	all := read[[]dashboard.Universe](t, d, "/universes")
	if len(all) != 3 || !strings.HasSuffix(all[2].Cells, "3o!") || all[0].Cells != "" ||
		all[2].Start != "pattern~of=glider,flip=0.1" ||
		all[0].Start != "exact~1=9" || all[0].Density != 0 || all[1].Start != "gauss~length=2" || all[1].Density != 0.3 ||
		all[0].Seed == all[1].Seed {
		t.Errorf("%+v", all)
	}
}

// TestDashboard follows an ensemble from before its first job to its last.
func TestDashboard(t *testing.T) {
	parent := t.TempDir()
	dir := filepath.Join(parent, "soups")
	run := func(more ...string) {
		t.Helper()
		args := append([]string{
			"ensemble", "run", "--rule", "B3/S23", "--size", "32", "--size", "48", "-n", "60", "-g", "40", "--every", "10",
			"--measure", "clusters",
			"--per-job", "20", "--out", dir, "-q",
		}, more...)
		if got := clitest.Finish(t, clitest.Command(t, parent, args...)); got.Code != 0 {
			t.Fatalf("code %d: %s", got.Code, got.Stderr)
		}
	}
	if _, err := dashboard.Open(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "holds no ensemble") {
		t.Errorf("a folder without an ensemble: %v", err)
	}
	run("--shard", "1/2")
	d, err := dashboard.Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	half := read[dashboard.State](t, d, "/state")
	if half.Jobs != 6 || half.Done != 3 || half.Merged != 3 || half.Universes != 120 || half.Known != 60 ||
		len(half.Workers) != 1 || half.Workers[0].Jobs != 3 || half.Problem != "" {
		t.Errorf("with half of the jobs: %+v", half)
	}
	if len(half.Figures) < 3 {
		t.Fatalf("figures: %+v", half.Figures)
	}
	before := get(t, d, "/figure/"+half.Figures[0].Name).Body.String()
	if !strings.Contains(before, "<svg") {
		t.Errorf("the figure is %.100q", before)
	}
	run("--shard", "2/2")
	if err := dashboard.Refresh(d, t.Context()); err != nil {
		t.Fatal(err)
	}
	all := read[dashboard.State](t, d, "/state")
	if all.Done != 6 || all.Merged != 6 || all.Known != 120 ||
		get(t, d, "/figure/"+half.Figures[0].Name).Body.String() == before {
		t.Errorf("with all jobs: %+v, or the figure has not changed", all)
	}
	first := read[[]dashboard.Universe](t, d, "/universes")
	rest := read[[]dashboard.Universe](t, d, "/universes?from=100")
	if len(first) != 100 || len(rest) != 20 || first[0].Rule != "B3/S23:T32,32" || first[0].Generation != 40 ||
		first[0].Seed == 0 || rest[19].Rule != "B3/S23:T48,48" {
		t.Errorf("%d and %d universes, the first is %+v, the last %+v", len(first), len(rest), first[0], rest[19])
	}
	if got := read[[]dashboard.Universe](t, d, "/universes?from=9999"); len(got) != 0 {
		t.Errorf("universes beyond the last: %d", len(got))
	}
	for _, path := range []string{"/figure/none", "/figure/../../spec.json", "/", "/else"} {
		if code := get(t, d, path).Code; code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
