// Package figure draws figures of measurements as PNG and SVG files: lines, points and bars with their errors,
// and heat maps. Equal figures give equal files.
//
// It does not know ensembles or papers. Packages ensemble/figures and papers decide what a figure shows.
//
// Start with [Figure] and its Save.
package figure
