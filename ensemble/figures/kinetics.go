package figures

import (
	"fmt"
	"math"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/internal/figure"
)

// drawKinetics draws, for each of the first places, the numbers of clusters of some sizes against time, and the flux
// between sizes from sample to sample.
func drawKinetics(clusters []ensemble.ClusterSize, rows []ensemble.Kinetics) []Drawing {
	const mostPlaces = 8
	places, groups := grouped(rows)
	_, numbers := grouped(clusters)
	var drawings []Drawing
	for i, p := range places[:min(mostPlaces, len(places))] {
		suffix := ""
		if len(places) > 1 {
			suffix = fmt.Sprintf("-%d", i+1)
		}
		own := []ensemble.Place{p}
		drawings = append(drawings,
			Drawing{Name: "kinetics" + suffix, Figure: drawNumbers(numbers[p], own)},
			Drawing{Name: "flux" + suffix, Figure: drawFlux(groups[p], own)})
	}
	return drawings
}

// drawNumbers draws n(s) against time for sizes up to 8, and for larger ones that are about 1.5 times the one before.
// Generation 0, for which a logarithmic axis has no place, is left out.
func drawNumbers(rows []ensemble.ClusterSize, places []ensemble.Place) figure.Figure {
	series := map[uint64]*figure.Series{}
	var sizes []uint64
	for size, most := uint64(1), largestOf(rows); size <= most; {
		value := float64(size)
		sizes, series[size] = append(sizes, size), &figure.Series{Line: true, Value: &value}
		if size++; size > 9 {
			size += (size - 1) / 2
		}
	}
	for _, row := range rows {
		if s := series[row.Size]; s != nil && row.Generation > 0 {
			*s = with(*s, float64(row.Generation), row.PerCell, row.Error)
		}
	}
	f := figure.Figure{
		Title: "Clusters by size against time" + about(places),
		Note: errorNote(" (bands)", universesOf(rows, func(c *ensemble.ClusterSize) uint64 { return c.Universes })) +
			" Sizes up to 8, and some larger ones.",
		X:     figure.Axis{Label: "generation", Log: true},
		Y:     figure.Axis{Label: "n(s) = clusters of size s / (W·H·universes)", Log: true},
		Scale: figure.Axis{Label: "size s, cells", Log: true},
	}
	for _, size := range sizes {
		if s := series[size]; len(s.X) > 0 {
			f.Series = append(f.Series, *s)
		}
	}
	return f
}

// drawFlux draws the flux times the time, which is the change in a unit of the logarithm of time. Samples at
// logarithmic times are then alike.
func drawFlux(rows []ensemble.Kinetics, places []ensemble.Place) figure.Figure {
	f := figure.Figure{
		Title: "Becker–Döring flux between sizes" + about(places),
		Note: errorNote(" (bands)", universesOf(rows, func(k *ensemble.Kinetics) uint64 { return k.Universes })) +
			" J(s) is the rate at which clusters of more than s cells become more.",
		X:     figure.Axis{Label: "size s, cells", Log: true},
		Y:     figure.Axis{Label: "J(s)·t, clusters/cell"},
		Scale: figure.Axis{Label: "generation", Log: true},
	}
	for len(rows) > 0 {
		since, generation := rows[0].Since, rows[0].Generation
		value := float64(generation)
		s := figure.Series{Line: true, Value: &value}
		for len(rows) > 0 && rows[0].Generation == generation {
			row := &rows[0]
			if since > 0 {
				times := float64(generation-since) / math.Log(float64(generation)/float64(since))
				var e *float64
				if row.FluxError != nil {
					scaled := *row.FluxError * times
					e = &scaled
				}
				s = with(s, float64(row.Size), row.Flux*times, e)
			}
			rows = rows[1:]
		}
		if len(s.X) > 0 {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

func largestOf(rows []ensemble.ClusterSize) (most uint64) {
	for i := range rows {
		most = max(most, rows[i].Size)
	}
	return most
}
