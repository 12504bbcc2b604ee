// Package data holds what the tables of the papers need beside our measurements: what authors published as
// files, and a histogram.
package data

import "embed"

// CAT has the files of cat_authors; its README says where they are from.
//
//go:embed cat_authors/*.csv
var CAT embed.FS

// PlayneClusters has the clusters of a hundred half-full soups of B3/S23 on tori of 128², of seeds 1 to 100, by
// generation and size, as CSV. Cells with a common corner are connected.
//
//go:embed playne-clusters.csv
var PlayneClusters []byte
