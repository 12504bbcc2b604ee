package cuda

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/internal/gpu"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/soup"
	"github.com/gosper-life/gosper/topology"
)

// Clusters of soups and of what becomes of them are those that package component finds in the same cells, in
// every topology.
func TestGPUClusters(t *testing.T) {
	needGPU(t)
	for i, test := range []struct {
		rule, on    string
		device      string
		density     float64
		generations uint64
	}{
		{"B3/S23", "T1,1", "", 1, 0},
		{"B3/S23", "T100,70", "", 0.4, 0},
		{"B3/S23", "T2000,1500", "", 0.5, 500},
		{"B3/S23", "P777,1300", "", 0.407, 0},
		{"B3/S23", "T640+100,640", "", 0.3, 3},
		{"B3/S23", "K1000*,800", "", 0.45, 0},
		{"B3/S23", "C600,600", "", 0.41, 1},
		{"B3/S23", "S513", "", 0.4, 0},
		{"345/2/7", "T1500,1111", "", 0.5, 20}, // states that are not 1 between those that are
		{"B3/S23", "T4096,4099", "", 0.593, 0},
		{"B3/S23", "P4096,4099", "0,1", 0.407, 0},
		{"B3/S23", "T4096,4099", "0,1", 0.5, 700},
	} {
		t.Run(fmt.Sprintf("%s:%s %g gen %d on %q", test.rule, test.on, test.density, test.generations, test.device),
			func(t *testing.T) {
				if test.device != "" {
					driver, _ := gpu.Load()
					if n, err := driver.Count(); err != nil || n < 2 {
						t.Skip("one GPU only")
					}
				}
				e := soupOn(t, test.rule, test.on, test.device, uint64(i), test.density, test.generations)
				topo, _ := topology.Parse(test.on)
				for _, c := range []component.Connectivity{component.Eight, component.Four, component.Eight} {
					got, err := sim.Clusters(e, topo, c)
					if err != nil {
						t.Fatal(err)
					}
					want, err := component.Label(e, topo, c)
					if err != nil {
						t.Fatal(err)
					}
					if diff := cmp.Diff(histogram(&want), histogram(&got)); diff != "" || got.Span != want.Span {
						t.Errorf("%s-connected: span %v, want %v; sizes (-want +got): %s", c, got.Span, want.Span, diff)
					}
				}
			})
	}
}

func histogram(c *component.Clusters) map[uint64]uint64 {
	m := map[uint64]uint64{}
	for size, n := range c.Sizes.All() {
		m[size] = n
	}
	return m
}

// soupOn makes a soup on the GPU and runs it.
func soupOn(t testing.TB, name, on, device string, seed uint64, density float64, generations uint64) sim.Engine {
	r, err := rule.Parse(name)
	if err != nil {
		t.Fatal(err)
	}
	topo, err := topology.Parse(on)
	if err != nil {
		t.Fatal(err)
	}
	e, err := openGPU(sim.Config{Rule: r, Topology: topo, Device: device})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	s, err := soup.New(seed, density)
	if err == nil {
		err = e.(soup.Filler).FillSoup(s)
	}
	if err == nil {
		_, err = e.Step(t.Context(), generations)
	}
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Ash, half-full soups, and soups of the density at which a cluster begins to span them.
func BenchmarkClusters(b *testing.B) {
	needGPU(b)
	for _, cells := range []struct {
		name        string
		c           component.Connectivity
		density     float64
		generations uint64
	}{
		{"ash", component.Eight, 0.5, 3000},
		{"ash", component.Four, 0.5, 3000},
		{"half", component.Eight, 0.5, 0},
		{"half", component.Four, 0.5, 0},
		{"critical", component.Eight, 0.407, 0},
		{"critical", component.Four, 0.593, 0},
	} {
		for _, side := range []int{4096, 16384, 65536} {
			b.Run(fmt.Sprintf("%s%s/%d", cells.name, cells.c, side), func(b *testing.B) {
				topo := topology.Topology{Kind: topology.Torus, W: side, H: side}
				e := soupOn(b, "B3/S23", fmt.Sprintf("T%d,%d", side, side), "", 1, cells.density, cells.generations)
				if _, err := sim.Clusters(e, topo, cells.c); err != nil { // compiles, and takes memory
					b.Fatal(err)
				}
				for b.Loop() {
					if _, err := sim.Clusters(e, topo, cells.c); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(side)*float64(side)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
			})
		}
	}
}
