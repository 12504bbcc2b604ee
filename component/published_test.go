package component_test

import (
	"bufio"
	"context"
	"encoding/hex"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/grid"
	"github.com/gosper-life/gosper/grid/gridtest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	_ "github.com/gosper-life/gosper/sim/cpu"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// TestPublishedClusters holds the clusters of soups and of their ash to testdata/clusters.tsv, which a brute-force
// program that shares no code with Gosper has computed. Its universes are tori. "none" stands for the same cells on a
// plane.
func TestPublishedClusters(t *testing.T) {
	file, err := os.Open("testdata/clusters.tsv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Scan() // the header
	rows := 0
	var l component.Labeller
	for lines.Scan() {
		f := strings.Split(lines.Text(), "\t")
		w, h := atoi(t, f[0]), atoi(t, f[1])
		density, err := strconv.ParseFloat(f[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		g := run(t, w, h, uint64(atoi(t, f[2])), density, uint64(atoi(t, f[4])))
		if hash, err := grid.BytesHash(t.Context(), g); err != nil || hex.EncodeToString(hash[:]) != f[6] {
			t.Fatalf("%s: the universe is another one: %x %v", lines.Text()[:40], hash, err)
		}
		c, err := component.ParseConnectivity(f[7])
		if err != nil {
			t.Fatal(err)
		}
		kind := topology.Torus
		if f[8] == "none" {
			kind = topology.Plane
		}
		got, err := l.Label(g, topology.Topology{Kind: kind, W: w, H: h}, c)
		if err != nil {
			t.Fatal(err)
		}
		var histogram []string
		for size, n := range got.Sizes.All() {
			histogram = append(histogram, fmt.Sprintf("%d:%d", size, n))
		}
		if s := &got.Sizes; fmt.Sprint(s.Count(), s.Largest(), s.Cells()) != f[9]+" "+f[10]+" "+f[5] ||
			strings.Join(histogram, " ") != f[11] {
			t.Errorf("%s×%s seed %s gen %s %s-connected %s: got %d clusters, largest %d: %v, want %s, %s: %s",
				f[0], f[1], f[2], f[4], f[7], f[8], s.Count(), s.Largest(), histogram, f[9], f[10], f[11])
		}
		rows++
	}
	if rows < 20 {
		t.Errorf("only %d rows were looked at", rows)
	}
}

func atoi(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(s)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// run makes a soup of B3/S23 on a torus and runs it.
func run(t testing.TB, w, h int, seed uint64, density float64, generations uint64) *grid.Grid {
	t.Helper()
	ctx := context.Background()
	r, err := rule.Parse("B3/S23")
	if err != nil {
		t.Fatal(err)
	}
	e, err := sim.Open(ctx, "cpu", sim.Config{Rule: r, Topology: topology.Topology{Kind: topology.Torus, W: w, H: h}})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if err := soup.Fill(ctx, e, w, h, seed, density, 1, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Step(ctx, generations); err != nil {
		t.Fatal(err)
	}
	g, err := grid.New(w, h, 1)
	if err != nil {
		t.Fatal(err)
	}
	grid.InMemory(grid.Copy(g, e, gridtest.Extent(t, e), 0, 0))
	return g
}

func BenchmarkLabel(b *testing.B) {
	for _, bench := range []struct {
		name        string
		side        int
		density     float64
		generations uint64
	}{{"ash", 4096, 0.5, 3000}, {"ash", 128, 0.5, 3000}, {"soup", 4096, 0.5, 0}, {"soup", 128, 0.5, 0}} {
		b.Run(fmt.Sprintf("%s/%d", bench.name, bench.side), func(b *testing.B) {
			g := run(b, bench.side, bench.side, 1, bench.density, bench.generations)
			var l component.Labeller
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.Label(g, topology.Topology{Kind: topology.Torus, W: bench.side, H: bench.side},
					component.Eight); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(bench.side*bench.side*b.N)/b.Elapsed().Seconds()/1e9, "Gcells/s")
		})
	}
}

func BenchmarkLabelVolume(b *testing.B) {
	for _, side := range []int{32, 128} {
		for _, density := range []float64{0.05, 0.3} {
			b.Run(fmt.Sprintf("%d/%v", side, density), func(b *testing.B) {
				t := topology.Topology{Kind: topology.Torus, W: side, H: side * side, D: side}
				g := run(b, side, side*side, 1, density, 0)
				var l component.Labeller
				b.ReportAllocs()
				for b.Loop() {
					if _, err := l.Label(g, t, component.TwentySix); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(side*side*side*b.N)/b.Elapsed().Seconds()/1e9, "Gcells/s")
			})
		}
	}
}
