// Package topology says what lies beyond the edge of a universe: how a coordinate outside the grid maps to a
// cell inside.
//
// The notation and the index maps are Golly's bounded grids (help page "Bounded Grids"), with the coordinate origin at
// the top-left cell, x to the right and y down.
//
// It does not describe neighbourhoods (package rule) and stores no cells (package grid). It imports only the
// standard library, so every package may import it.
//
// Start with [Parse], which reads Golly's suffixes ("T30+5,20"), and [Topology.Fold]. A [Kind] is a row of one
// table. Notation, checks and folding follow from it. CONTRIBUTING.md lists the steps to add a kind.
package topology
