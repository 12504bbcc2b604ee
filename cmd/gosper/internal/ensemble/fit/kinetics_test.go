package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/gosper-life/gosper/ensemble"
)

// TestBalance: the equation of Becker and Döring for single cells lacks the change of the density, also if no cluster
// is a single cell and if sizes are missing.
func TestBalance(t *testing.T) {
	place := ensemble.Place{Rule: "B3/S23", Topology: "T10,10", Width: 10, Height: 10}
	for _, rates := range []map[uint64]float64{
		{1: -0.5, 2: 0.125, 5: 0.25},
		{3: 0.5, 4: -0.25, 9: 0.125},
		{1: -2, 2: 1}, // pairs of single cells: no cell is born or dies
	} {
		var d ensemble.Data
		clusters, mass := 0.0, 0.0
		for size := uint64(1); size < 10; size++ {
			if rate, there := rates[size]; there {
				row := ensemble.Kinetics{Place: place, Since: 2, Generation: 4, Size: size, Universes: 3, Rate: rate}
				for larger, rate := range rates {
					if larger > size {
						row.Flux += rate
					}
				}
				d.Kinetics = append(d.Kinetics, row)
				clusters, mass = clusters+rate, mass+float64(size)*rate
			}
		}
		places, err := kineticsOf(d)
		if err != nil || len(places) != 1 || len(places[0].Intervals) != 1 {
			t.Fatalf("%+v, %v", places, err)
		}
		in := places[0].Intervals[0]
		if in.Clusters != clusters || in.Mass != mass || in.Singles != rates[1] ||
			math.Abs(in.Singles-in.Balance-mass) > 1e-12 {
			t.Errorf("%v: got %+v, want clusters %v, density %v", rates, in, clusters, mass)
		}
	}
}

// TestMassIsChecked: cells in clusters that are not those of the density are refused.
func TestMassIsChecked(t *testing.T) {
	place := ensemble.Place{Rule: "B3/S23", Topology: "T10,10", Width: 10, Height: 10}
	d := ensemble.Data{
		Kinetics: []ensemble.Kinetics{{Place: place, Since: 2, Generation: 4, Size: 1}},
		Clusters: []ensemble.ClusterSize{
			{Place: place, Generation: 4, Size: 1, PerCell: 0.125}, {Place: place, Generation: 4, Size: 3, PerCell: 0.25},
		},
		Summary: []ensemble.Summary{{Place: place, Generation: 4, Quantity: "density", Mean: 0.875}},
	}
	if _, err := kineticsOf(d); err != nil {
		t.Error(err)
	}
	d.Summary[0].Mean = 0.75
	if _, err := kineticsOf(d); err == nil ||
		!strings.Contains(err.Error(), "generation 4: clusters have 0.875 of the cells, and 0.75 are in state 1") {
		t.Errorf("got %v", err)
	}
	if _, err := kineticsOf(ensemble.Data{}); err == nil || !strings.Contains(err.Error(), "kinetics were not measured") {
		t.Errorf("got %v", err)
	}
}
