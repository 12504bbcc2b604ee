package playne

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/papers/experiment"
	"github.com/gosper-life/gosper/papers/internal/papertest"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/batch"
	"github.com/gosper-life/gosper/topology"
)

// The histogram on Playne and Hawick's page is what its soups give today, cluster for cluster.
func TestPlayneHistogram(t *testing.T) {
	life, err := rule.Parse(experiment.Life)
	if err != nil {
		t.Fatal(err)
	}
	const side = 128
	b, err := batch.Open(t.Context(), "cpu", batch.Config{
		Rule: life, Topology: topology.Topology{Kind: topology.Torus, W: side, H: side}, Universes: Many, Threads: 2,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	soups := make([]batch.Soup, Many)
	for i := range soups {
		soups[i] = batch.Soup{Seed: uint64(i + 1), Density: 0.5}
	}
	if err := b.Fill(t.Context(), soups); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	fmt.Fprintln(&got, "generation,size,clusters")
	generation := uint64(0)
	var found batch.Histograms
	for _, g := range []uint64{1, 10, 100, 1000} {
		if err := b.Step(t.Context(), g-generation); err != nil {
			t.Fatal(err)
		}
		generation = g
		if err := b.Clusters(t.Context(), component.Eight, &found); err != nil {
			t.Fatal(err)
		}
		counts := make([]uint64, side*side+1)
		for i := range Many {
			for _, n := range found.Of(i) {
				counts[n.Size] += uint64(n.Count)
			}
		}
		for size, n := range counts {
			if n > 0 {
				fmt.Fprintf(&got, "%d,%d,%d\n", g, size, n)
			}
		}
	}
	const path = "../../../docs/papers/data/playne-clusters.csv"
	if *papertest.Update {
		if err := os.WriteFile(path, got.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Error(path + " is not what the soups give")
	}
}
