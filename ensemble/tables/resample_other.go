//go:build !amd64

package tables

// weigh is products.
func weigh(weights []uint16, sums *[atOnce][]float64, found *[atOnce][side]float64) {
	products(weights, sums, found)
}
