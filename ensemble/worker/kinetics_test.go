package worker

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gosper-life/gosper/component"
	"github.com/gosper-life/gosper/ensemble"
)

// TestKinetics computes the sums of measure kinetics again, size by size, from the clusters of every universe in every
// sample: of numbers n of clusters of s cells and N(s) of those of at least s cells, with the sample before.
func TestKinetics(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		spec := ensemble.Spec{
			Rules:     []string{rapid.SampledFrom([]string{"B3/S23", "B2/S345/4", "B36/S125", "B/S"}).Draw(t, "rule")},
			Sizes:     []string{rapid.SampledFrom([]string{"8", "13x9", "P7,12", "K10*,6"}).Draw(t, "size")},
			Densities: ensemble.Densities{rapid.SampledFrom([]float64{0, 0.1, 0.3}).Draw(t, "density")},
			Universes: rapid.IntRange(1, 4).Draw(t, "universes"), Generations: 12,
			Times:    rapid.SliceOfN(rapid.Uint64Range(0, 12), 1, 4).Draw(t, "times"),
			Measures: []string{"kinetics"},
		}
		study, err := spec.Check()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(study.Spec.Measures, "clusters") {
			t.Fatalf("kinetics without clusters: %v", study.Spec.Measures)
		}
		at := study.Points[0]
		cells := uint64(at.Topology.W * at.Topology.H)
		var kept [][]map[uint64]uint64 // by universe and sample: numbers of clusters by size
		for i := range uint64(spec.Universes) {
			states := history(t, at, ensemble.Seed(study.Spec.Root, at.Place(), i, false), spec.Generations)
			var sizes []map[uint64]uint64
			for _, g := range study.Times {
				found, err := component.Label(states[g], at.Topology, study.Wanted.Connectivity)
				if err != nil {
					t.Fatal(err)
				}
				sizes = append(sizes, maps.Collect(found.Sizes.All()))
			}
			kept = append(kept, sizes)
		}
		// count returns how many clusters of the sizes from … to a universe has in a sample, none before the first one.
		count := func(universe, sample int, from, to uint64) (n uint64) {
			if sample >= 0 {
				for size, number := range kept[universe][sample] {
					if from <= size && size <= to {
						n += number
					}
				}
			}
			return n
		}
		var want []ensemble.SizeSum
		for sample, g := range study.Times {
			for s := uint64(1); s <= cells; s++ {
				row := ensemble.SizeSum{Generation: g, Size: s}
				for u := range kept {
					n, was := count(u, sample, s, s), count(u, sample-1, s, s)
					all, allWere := count(u, sample, s, cells), count(u, sample-1, s, cells)
					row.Products += n * was
					row.Tails += all*all - (all-n)*(all-n)
					row.TailProducts += all*allWere - (all-n)*(allWere-was)
				}
				if row.Products+row.Tails+row.TailProducts > 0 {
					want = append(want, row)
				}
			}
		}
		var r Worker
		defer r.Close()
		for j := range study.Jobs() {
			encoded, err := r.Do(t.Context(), j.Encode())
			if err != nil {
				t.Fatal(err)
			}
			result, err := ensemble.DecodeResult(encoded)
			if err != nil {
				t.Fatal(err)
			}
			var got []ensemble.SizeSum
			for _, c := range result.Clusters {
				c.Clusters, c.Squares, c.Largest, c.Ties = 0, 0, 0, 0
				got = append(got, c)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
