package figures

import "strings"

// wording is the text of a figure about a quantity: its title, and the name of its axis with the unit.
type wording struct {
	title, axis string
	per         float64 // the number of cells for which it is drawn; 0 if it is drawn as it is
}

var wordings = map[string]wording{
	"density":              {"Density", "density, share of cells in state 1", 0},
	"population":           {"Population", "population, cells not in state 0", 0},
	"births":               {"Births", "births a generation", 0},
	"deaths":               {"Deaths", "deaths a generation", 0},
	"activity":             {"Activity", "share of cells that change", 0},
	"entropy":              {"Entropy of blocks (plug-in)", "bits a cell", 0},
	"entropy_miller_madow": {"Entropy of blocks (Miller–Madow)", "bits a cell", 0},
	"entropy_grassberger":  {"Entropy of blocks (Grassberger)", "bits a cell", 0},
	"box_width":            {"Width of the bounding box", "width, cells", 0},
	"box_height":           {"Height of the bounding box", "height, cells", 0},

	"clusters":           {"Clusters", "clusters a cell, clusters / (W·H)", 1},
	"largest":            {"Largest cluster", "share of cells in it, largest / (W·H)", 1},
	"second_moment":      {"Second moment of cluster sizes", "sum of s² n(s) over sizes s", 1},
	"second_moment_rest": {"Second moment of cluster sizes without the largest", "sum of s² n(s) over sizes s", 1},

	"percolating":       {"Percolation", "share of universes that a cluster spans", 0},
	"percolating_x":     {"Percolation along x", "share of universes that a cluster spans along x", 0},
	"percolating_y":     {"Percolation along y", "share of universes that a cluster spans along y", 0},
	"percolating_z":     {"Percolation along z", "share of universes that a cluster spans along z", 0},
	"percolating_both":  {"Percolation along x and y", "share of universes spanned along x and y", 0},
	"percolating_all":   {"Percolation along all axes", "share of universes spanned along x, y and z", 0},
	"percolating_given": {"Percolation along a given axis", "share of universes that a cluster spans along it", 0},
	"percolating_one": {
		"Percolation along a given axis only",
		"share of universes spanned along it and not along the other", 0,
	},
	"correlation": {"Correlation within universes", "mean of: product − own density²", 0},
	"connected":   {"Connected correlation", "mean product − (mean density)²", 0},

	"magnetisation":      {"Magnetisation", "magnetisation m", 0},
	"abs_magnetisation":  {"Absolute magnetisation", "mean |m|", 0},
	"magnetisation_2":    {"Second moment of the magnetisation", "mean m²", 0},
	"magnetisation_4":    {"Fourth moment of the magnetisation", "mean m^4", 0},
	"binder":             {"Binder cumulant", "Binder cumulant U", 0},
	"susceptibility":     {"Susceptibility", "N × (mean m² − squared mean |m|)", 0},
	"energy":             {"Energy", "energy e of a spin", 0},
	"energy_2":           {"Second moment of the energy", "mean e²", 0},
	"energy_variance":    {"Variance of the energy", "N × variance of e", 0},
	"spin":               {"Mean spin", "mean spin m", 0},
	"structure":          {"Structure factor along the axes", "S(q)", 0},
	"correlation_length": {"Correlation length", "correlation length ξ, cells", 0},
	"spectrum":           {"Power spectrum", "S(k)", 0},
	"mutual":             {"Mutual information of two cells", "mutual information I, bits", 0},

	"agreement":           {"Pairs in the same state", "share of pairs of cells in the same state", 0},
	"share":               {"Shares of the states", "share of cells", 0},
	"agreement_connected": {"Connected agreement", "share of equal pairs − sum of squared shares", 0},

	"overlap":           {"Overlap with the first sample", "share of cells in state 1 both times", 0},
	"first_density":     {"Density of the first sample", "density, share of cells in state 1", 0},
	"now_density":       {"Density", "density, share of cells in state 1", 0},
	"autocorrelation":   {"Autocorrelation with the first sample", "autocorrelation", 0},
	"two_time_overlap":  {"Overlap of two times", "share of cells in state 1 both times", 0},
	"two_time_before":   {"Density at the waiting time", "density, share of cells in state 1", 0},
	"two_time_now":      {"Density", "density, share of cells in state 1", 0},
	"two_time_product":  {"Product of the densities of two times", "mean product of the densities", 0},
	"two_time_before_2": {"Squared density at the waiting time", "mean squared density", 0},
	"two_time_now_2":    {"Squared density", "mean squared density", 0},
	"two_time_cells":    {"Autocorrelation of cells", "C(t_w, t) of cells", 0},
	"two_time_density":  {"Autocorrelation of the density", "C(t_w, t) of the density", 0},

	"alive":                  {"Survival", "survival probability P(t)", 0},
	"live":                   {"Live cells", "number of cells in state 1, N(t)", 0},
	"squares":                {"Squared distances of live cells", "sum of r², cells²", 0},
	"extent":                 {"Extent of live cells", "largest distance along an axis, cells", 0},
	"square_distance":        {"Mean square distance of live cells", "R²(t), cells²", 0},
	"extent_alive":           {"Extent of universes that live", "largest distance along an axis, cells", 0},
	"damaged":                {"Survival of damage", "share of universes with damage", 0},
	"damage":                 {"Damage", "share of cells that differ", 0},
	"damage_squares":         {"Squared distances of damage", "sum of r², cells²", 0},
	"damage_extent":          {"Extent of damage", "largest distance along an axis, cells", 0},
	"damage_square_distance": {"Mean square distance of damage", "R²(t), cells²", 0},
	"damage_extent_alive":    {"Extent of damage that survives", "largest distance along an axis, cells", 0},

	"height":                  {"Height of the pile", "mean height at rest, grains a cell", 0},
	"height_inside":           {"Height inside the pile", "mean height at rest, grains a cell", 0},
	"avalanche_size":          {"Avalanche size", "mean size s, topplings", 0},
	"avalanche_area":          {"Avalanche area", "mean area, cells", 0},
	"avalanche_duration":      {"Avalanche duration", "mean duration, generations", 0},
	"avalanche_size_from":     {"Sizes of avalanches", "share of grains with avalanches of s or more", 0},
	"avalanche_duration_from": {"Durations of avalanches", "share of grains with avalanches of t or longer", 0},
	"fire_size":               {"Fire size", "mean size s, cells", 0},
	"fire_duration":           {"Fire duration", "mean duration, generations", 0},
	"fire_size_from":          {"Sizes of fires", "share of flashes with fires of s or more", 0},
	"fire_duration_from":      {"Durations of fires", "share of flashes with fires of t or longer", 0},

	"bit":                   {"Bits of the states", "share of cells with the bit", 0},
	"state":                 {"Shares of the states", "share of cells", 0},
	"order":                 {"Order parameter", "order parameter M", 0},
	"order_2":               {"Second moment of the order parameter", "mean M²", 0},
	"order_4":               {"Fourth moment of the order parameter", "mean M^4", 0},
	"order_binder":          {"Binder cumulant of the order parameter", "Binder cumulant of M", 0},
	"order_susceptibility":  {"Susceptibility of the order parameter", "N × variance of M", 0},
	"potts_energy":          {"Energy", "energy e of a spin", 0},
	"potts_energy_2":        {"Second moment of the energy", "mean e²", 0},
	"potts_energy_variance": {"Variance of the energy", "N × variance of e", 0},
}

// alongs describes the number in the name of a quantity, such as the 3 of "correlation 3". Those of measures that
// programs add are not known here.
var alongs = map[string]string{
	"correlation": "distance along the axes, cells", "connected": "distance along the axes, cells",
	"mutual":              "distance along the axes, cells",
	"agreement":           "distance along the axes, cells",
	"agreement_connected": "distance along the axes, cells",
	"share":               "state",
	"structure":           "q, wavelengths around the torus along the axes",
	"spectrum":            "k, wavelengths along the shorter side",
	"two_time_overlap":    "waiting time", "two_time_before": "waiting time", "two_time_now": "waiting time",
	"two_time_product": "waiting time", "two_time_before_2": "waiting time", "two_time_now_2": "waiting time",
	"two_time_cells": "waiting time", "two_time_density": "waiting time",
	"bit": "bit of the state", "state": "state",
	"avalanche_size_from": "s, topplings", "avalanche_duration_from": "t, generations",
	"fire_size_from": "s, cells", "fire_duration_from": "t, generations",
}

// million is the number of cells for which occurrences of patterns are drawn.
const million = 1e6

// wordingOf is the text for a quantity. Quantities of other programs and own instruments have their
// names as words.
func wordingOf(quantity string) wording {
	plain, _, numbered := strings.Cut(quantity, " ")
	if w, known := wordings[plain]; known {
		if numbered {
			w.title += " (" + quantity + ")"
		}
		return w
	}
	if name, found := strings.CutPrefix(quantity, "pattern_"); found {
		return wording{"Occurrences of pattern " + name, "pattern " + name + ", per million cells", million}
	}
	if name, found := strings.CutPrefix(quantity, "isolated_"); found {
		return wording{"Isolated pattern " + name, "isolated pattern " + name + ", per million cells", million}
	}
	words := strings.ReplaceAll(quantity, "_", " ")
	return wording{strings.ToUpper(words[:1]) + words[1:], words, 0}
}
