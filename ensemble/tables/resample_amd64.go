package tables

import "github.com/gosper-life/gosper/internal/jit"

var hasVectors = jit.HasAVX2()

// weigh is products, with vectors of four samples if the processor has AVX2.
func weigh(weights []uint16, sums *[atOnce][]float64, found *[atOnce][side]float64) {
	if !hasVectors {
		products(weights, sums, found)
		return
	}
	vectorProducts(&weights[0], len(sums[0]), sums, found)
}

// vectorProducts is products for n groups, at least one. It multiplies and adds in the same order.
//
//go:noescape
func vectorProducts(weights *uint16, n int, sums *[atOnce][]float64, found *[atOnce][side]float64)
