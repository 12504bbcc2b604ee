//go:build linux

package labels

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// checkPublished compares the clusters that a device finds with those of a brute-force program.
// component/published_test.go does the same for package component.
func checkPublished(t testing.TB, dev *gpu.Device) {
	file, err := os.Open("../../../../component/testdata/clusters.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // the header
	rows := 0
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		var w, h int
		var seed, generations uint64
		var density float64
		if _, err := fmt.Sscan(strings.Join(f[:5], " "), &w, &h, &seed, &density, &generations); err != nil {
			t.Fatal(err)
		}
		c, err := component.ParseConnectivity(f[7])
		if err != nil {
			t.Fatal(err)
		}
		topo := topology.Topology{Kind: topology.Torus, W: w, H: h}
		g := run(t, topo, seed, density, generations)
		if f[8] == "none" {
			topo.Kind = topology.Plane
		}
		j, err := component.NewJoiner(topo, c)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range parts(t, dev, g, h, 2, c) {
			if err := j.Add(p); err != nil {
				t.Fatal(err)
			}
		}
		got, err := j.Clusters()
		if err != nil {
			t.Fatal(err)
		}
		var histogram []string
		for size, n := range got.Sizes.All() {
			histogram = append(histogram, fmt.Sprintf("%d:%d", size, n))
		}
		if s := &got.Sizes; fmt.Sprint(s.Count(), s.Largest(), s.Cells()) != f[9]+" "+f[10]+" "+f[5] ||
			strings.Join(histogram, " ") != f[11] {
			t.Errorf("%s: got %d clusters, largest %d: %v", lines.Text(), s.Count(), s.Largest(), histogram)
		}
		rows++
	}
	if rows < 20 {
		t.Errorf("only %d rows were looked at", rows)
	}
}

// run makes a soup of B3/S23 and runs it.
func run(t testing.TB, topo topology.Topology, seed uint64, density float64, generations uint64) *grid.Grid {
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(t.Context(), "cpu", sim.Config{Rule: r, Topology: topo})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(t.Context(), e, topo.W, topo.H, seed, density, 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(t.Context(), generations); err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(topo.W, topo.H, 1)
	if err != nil {
		t.Fatal(err)
	}
	grid.InMemory(grid.Copy(g, e, gridtest.Extent(t, e), 0, 0))
	return g
}

func TestPublished(t *testing.T) {
	_, dev := newHost(t)
	checkPublished(t, dev)
}

func TestGPUPublished(t *testing.T) { checkPublished(t, newGPU(t)) }
