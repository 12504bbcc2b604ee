// Package figure draws the figures of measurements as PNG and SVG files: lines, points and bars with their errors, and heat maps.
// Equal figures make equal files.
//
// It knows nothing of ensembles or papers: ensemble/figures and papers say what stands in a figure.
//
// Start with [Figure] and its Save.
package figure
