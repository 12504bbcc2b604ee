package tables

import (
	"cmp"
	"math"
	"slices"

	"github.com/gosper-life/gosper/census"
	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
	"github.com/gosper-life/gosper/rule"
)

// clusterSizes returns the rows for the sums over the given number of universes of a place.
func clusterSizes(t *sums.Sizes, place ensemble.Place, generation uint64, universes int) []ensemble.ClusterSize {
	var rows []ensemble.ClusterSize
	for _, s := range t.Rows(generation) {
		if s.Clusters == 0 { // there were some in the sample before
			continue
		}
		rows = append(rows, clusterSize(place, generation, s.Size, uint64(universes), s.SizeSums))
	}
	return rows
}

// clusterSize returns the row for the sums over the given number of universes of a place.
func clusterSize(place ensemble.Place, generation, size, universes uint64,
	sums ensemble.SizeSums,
) ensemble.ClusterSize {
	c := ensemble.ClusterSize{
		Place: place, Generation: generation, Size: size, Universes: universes,
		Clusters: sums.Clusters, Squares: sums.Squares, Largest: sums.Largest,
		SquaresRest: sums.Squares - 2*sums.Ties + sums.Largest,
	}
	cells := float64(place.Width) * float64(place.Height)
	perCell := func(sum, squares uint64) (float64, *float64) {
		err := errorOfMean(universes, sum, squares)
		if err != nil {
			*err /= cells
		}
		return float64(sum) / float64(universes) / cells, err
	}
	c.PerCell, c.Error = perCell(c.Clusters, c.Squares)
	c.PerCellRest, c.ErrorRest = perCell(c.Clusters-c.Largest, c.SquaresRest)
	return c
}

// objectsOf returns the objects in the sums over the given number of universes of a place, the commonest first.
// The shares of one universe have no errors.
func objectsOf(s sums.Objects, place ensemble.Place, universes int) []ensemble.Object {
	var objects []ensemble.Object
	n, all := float64(universes), s[""]
	r, _ := rule.Parse(place.Rule) // without its file it has more than two states, and no names
	for _, sum := range s.Rows(place) {
		if sum.Code == "" {
			continue
		}
		o := ensemble.Object{
			Place: place, Code: sum.Code, Name: census.Name(r, sum.Code), Universes: uint64(universes),
			Soups: sum.Soups, Count: sum.Count,
		}
		o.Share = float64(sum.Count) / float64(all.Count)
		if universes > 1 {
			residuals := float64(sum.Squares) - float64(2*o.Share*float64(sum.Products)) +
				float64(o.Share*o.Share*float64(all.Squares))
			e := math.Sqrt(max(residuals, 0)*n/(n-1)) / float64(all.Count)
			o.Error = &e
		}
		objects = append(objects, o)
	}
	slices.SortStableFunc(objects, func(a, b ensemble.Object) int { return cmp.Compare(b.Count, a.Count) })
	return objects
}
