// Package component finds the connected clusters of cells in state 1: how many there are, how large they are,
// and whether one spans the universe.
//
// Two cells are neighbours if they touch at an edge, with Eight also at a corner, with Six at two of the
// corners. They may touch across the universe's edges, as its topology joins them.
//
// The labeller goes down the universe two rows at a time (one if corners do not count) and divides them into
// runs of columns with live cells. A run is part of one cluster, because cells in neighbouring columns of two
// rows touch. Shifts and logic of whole words find the runs, and where they touch runs of the rows above.
// Union-find joins them. No cell is read on its own. Clusters that no later row can reach are counted and
// dropped, so memory grows with the width of the universe and not with its area. Contacts across the edges are
// joined at the end, along the perimeter.
//
// In a volume the runs of all rows are kept, and joined with those of the row and the three rows of the layer before
// that they touch.
//
// The package counts clusters but does not look at their shape; package census identifies objects. The GPU's
// labeller is in package sim/cuda/internal/labels.
//
// Start with [Label], or with a [Labeller] for many universes.
package component
