// Package fit holds the commands that find critical points and exponents in merged ensembles: gosper ensemble
// crossing, exponent and collapse. Package internal/scaling computes them. It also has gosper ensemble kinetics, which
// shows how cluster sizes change. It also has gosper ensemble kinetics, which
// shows how cluster sizes change.
package fit
