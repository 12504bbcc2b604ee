// Package component finds the connected clusters of cells in state 1: how many there are, their sizes, and whether one
// spans the universe.
//
// Two cells are neighbours when they touch, over an edge or (Eight) over a corner too, through the universe's own
// topology: across the seams of a torus, shifted or twisted where the topology says so.
//
// The labeller goes down the universe two rows at a time (one if corners do not count) and splits them into runs of
// columns with live cells. A run is part of one cluster, because cells in neighbouring columns of two rows touch. Shifts
// and logic of whole words find the runs, and where they touch runs of the rows above. Union-find joins them. No cell is
// looked at alone. Clusters that no later row can reach are counted and forgotten, so memory grows with the width of the
// universe and not with its area. What crosses the edges is joined at the end, along the perimeter.
//
// It counts clusters and does not tell them apart by shape: what an object is, and what it is called, is package census's matter. The GPU's labellers are
// in sim/cuda.
//
// Start with [Label], or with a [Labeller] for many universes.
package component
