// Package topology says what lies beyond the edge of a universe: how a coordinate outside the grid folds back into it.
//
// The notation and the index maps are Golly's bounded grids (help page "Bounded Grids"), with the coordinate origin at
// the top-left cell, x to the right and y down.
//
// It is not a neighbourhood (package rule) and holds no cells (package grid). It imports only the standard library, so that everything may import it.
//
// Start with [Parse], which reads Golly's suffixes ("T30+5,20"), and [Topology.Fold]. A [Kind] is a row of one table, from which notation, checks
// and folding follow; CONTRIBUTING.md lists what a further kind takes.
package topology
