package tables

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/ensemble"
	"github.com/gosper-life/gosper/ensemble/internal/measure"
	"github.com/gosper-life/gosper/ensemble/internal/sums"
)

// kineticsOf returns the rows of the changes from one sample of a number of universes to the next, by rising size.
//
// If clusters gain and lose single cells, dn(s)/dt = J(s−1) − J(s) for s ≥ 2 (J. M. Ball, J. Carr and O. Penrose,
// "The Becker–Döring cluster equations", Comm. Math. Phys. 104 (1986), 657). J(s) is then the rate at which clusters
// of more than s cells become more. The flux here is that rate, also if clusters change in other ways.
func kineticsOf(before, now *sums.Sizes, place ensemble.Place, since, generation,
	universes uint64,
) []ensemble.Kinetics {
	sizes := sizesOf(before, now)
	rows := make([]ensemble.Kinetics, len(sizes))
	per := float64(place.Width) * float64(place.Height) * float64(generation-since)
	// the mean of the differences of universes, from sums of their numbers in both samples and of squares and products
	difference := func(n, was, nn, waswas, product uint64) (mean float64, err *float64) {
		sum, sign := n-was, 1.0
		if n < was {
			sum, sign = was-n, -1
		}
		if err = errorOfMean(universes, sum, nn+waswas-2*product); err != nil {
			*err /= per
		}
		return sign * float64(sum) / float64(universes) / per, err
	}
	var larger, was ensemble.SizeSums // sums of the sizes above, whose clusters are those of more than s cells
	var products uint64
	for i, size := range slices.Backward(sizes) {
		n, m := *now.At(size), *before.At(size)
		row := ensemble.Kinetics{Place: place, Since: since, Generation: generation, Size: size, Universes: universes}
		row.Rate, row.RateError = difference(n.Clusters, m.Clusters, n.Squares, m.Squares, n.Products)
		row.Flux, row.FluxError = difference(larger.Clusters, was.Clusters, larger.Tails, was.Tails, products)
		row.Growth, row.GrowthError = growth(&n, &m, universes, float64(generation-since))
		rows[i] = row
		larger.Clusters, larger.Tails, products = larger.Clusters+n.Clusters, larger.Tails+n.Tails, products+n.TailProducts
		was.Clusters, was.Tails = was.Clusters+m.Clusters, was.Tails+m.Tails
	}
	return rows
}

// sizesOf returns the sizes that clusters have in one of two samples, rising.
func sizesOf(before, now *sums.Sizes) []uint64 {
	var sizes []uint64
	for _, t := range []*sums.Sizes{before, now} {
		for _, row := range t.Rows(0) {
			if row.Clusters > 0 {
				sizes = append(sizes, row.Size)
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// growth returns the change of the logarithm of a mean in a generation, and its standard error to first order:
// that of the mean of n/⟨n⟩ − n′/⟨n′⟩ over universes.
func growth(now, before *ensemble.SizeSums, universes uint64, generations float64) (rate, err *float64) {
	if now.Clusters == 0 || before.Clusters == 0 {
		return nil, nil
	}
	a, b, n := float64(now.Clusters), float64(before.Clusters), float64(universes)
	r := float64(measure.Log2(a/b)*math.Ln2) / generations
	if universes < 2 {
		return &r, nil
	}
	square := float64(now.Squares)/a/a + float64(before.Squares)/b/b - 2*float64(now.Products)/a/b
	e := math.Sqrt(max(0, square)*n/(n-1)) / generations
	return &r, &e
}
