// Package fit holds the commands that find critical points and exponents in merged ensembles: gosper ensemble
// crossing, exponent and collapse. Package internal/scaling computes them.
package fit
