// Package fit holds the commands that evaluate merged ensembles. gosper ensemble crossing, exponent and collapse find
// critical points and exponents, which package internal/scaling computes. gosper ensemble kinetics and lags show how
// cluster sizes change and how long cells are remembered.
package fit
