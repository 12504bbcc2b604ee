// Package authors has the measurements that CAT's authors published with their paper: see docs/papers/data/cat_authors.
package authors

import (
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
	"sync"

	"github.com/gosper-life/gosper/docs/papers/data"
)

// Device is the GPU of all the authors' measurements except those of Scaling.
const Device = "NVIDIA H100"

// Side is the side of the universes of the authors' tiles, power and curves, the largest of Sizes.
const Side = 60416

// PowerGenerations is the number of generations in the authors' measurements of power.
const PowerGenerations = 1000

// file returns the rows of a file of the authors' measurements, by name of column.
func file(name string) []map[string]string {
	f, err := data.CAT.Open("cat_authors/" + name)
	if err != nil {
		panic(err)
	}
	defer f.Close()
	records, err := csv.NewReader(f).ReadAll()
	if err != nil {
		panic(fmt.Sprintf("%s: %v", name, err))
	}
	var lines []map[string]string
	for _, record := range records[1:] {
		line := map[string]string{}
		for i, cell := range record {
			line[records[0][i]] = cell
		}
		lines = append(lines, line)
	}
	return lines
}

// number returns the number in a cell of a file, or NaN if the cell is empty.
func number(cell string) float64 {
	if cell == "" {
		return math.NaN()
	}
	v, err := strconv.ParseFloat(cell, 64)
	if err != nil {
		panic(err)
	}
	return v
}

type key struct {
	gpu, method  string
	radius, side int
}

var times = sync.OnceValue(func() map[key]float64 {
	all := map[key]float64{}
	for _, name := range []string{"time.csv", "gpus.csv"} {
		for _, l := range file(name) {
			gpu := l["gpu"]
			all[key{gpu, l["method"], int(number(l["radius"])), int(number(l["side"]))}] = number(l["milliseconds"]) / 1e3
		}
	}
	return all
})

// Time returns the authors' seconds a generation for a method on an H100, on a universe of side² cells, one of
// Sizes. It returns 0 if there are none.
func Time(method string, radius, side int) float64 {
	return times()[key{"", method, radius, side}]
}

// Scaling returns the same from the comparison of GPUs ("V100", "A100", "H100") on 40960² cells.
func Scaling(gpu, method string, radius int) float64 {
	return times()[key{gpu, method, radius, ScalingSide}]
}

// Shape is the speed of CAT with a tile of A×B fragments.
type Shape struct {
	A, B  int
	Speed float64 // in any unit
}

// ScalingSide is the side of the universes on which GPUs are compared.
const ScalingSide = 40960

// Tiles returns the speeds of the tiles that the authors measured and that ran.
var Tiles = sync.OnceValue(func() []Shape {
	var all []Shape
	for _, l := range file("tiles.csv") {
		if ms := number(l["milliseconds"]); ms > 0 {
			all = append(all, Shape{int(number(l["wide"])), int(number(l["high"])), Side * Side / ms * 1e3})
		}
	}
	return all
})

// Power is the power, energy and time of a thousand generations.
type Power struct{ Watts, Joules, Seconds float64 }

var powers = sync.OnceValue(func() map[key]Power {
	all := map[key]Power{}
	for _, l := range file("power.csv") {
		all[key{"", l["method"], int(number(l["radius"])), Side}] = Power{
			number(l["watts"]), number(l["joules"]),
			number(l["seconds"]),
		}
	}
	return all
})

// PowerOf returns the authors' readings for a method over a thousand generations on Side² cells. They read the GPU's
// power from before the first generation until after the last. It is zero if they published nothing.
func PowerOf(method string, radius int) Power {
	return powers()[key{"", method, radius, Side}]
}

// Point is a reading of a curve of power.
type Point struct{ Seconds, Watts float64 }

// Curve returns some of the readings of that run. Only radius 1, 5, 10 and 16 have curves.
func Curve(method string, radius int) []Point {
	return curves()[key{"", method, radius, Side}]
}

var curves = sync.OnceValue(func() map[key][]Point {
	all := map[key][]Point{}
	for _, l := range file("curves.csv") {
		k := key{"", l["method"], int(number(l["radius"])), Side}
		all[k] = append(all[k], Point{number(l["seconds"]), number(l["watts"])})
	}
	return all
})

// Efficiency returns E(w, h) of the authors' script for their model, for tiles of w×h fragments. It is a factor
// of the time, while ours is a factor of the speed.
func Efficiency(w, h int) float64 {
	x, y := float64(w), float64(h)
	terms := []float64{
		1, x, y, x * x, y * y, x * y, x * x * x, y * y * y, x * x * y, x * y * y, x * x * x * x,
		y * y * y * y, x * x * x * y, x * x * y * y, x * y * y * y,
	}
	sum := 0.0
	for i, t := range terms {
		sum += coefficients[i] * t
	}
	return 1 + 10*sum
}

var coefficients = [15]float64{
	0.243024186, -0.0447182865, -0.0820349265, 0.00327250347, 0.00798429639, 0.00954041156, -8.63804245e-5, -3.11990690e-4,
	-1.99175457e-4,
	-1.89184273e-4, 7.04926203e-7, 4.36420144e-6, 3.02194010e-6, -2.66749914e-6, 2.42283670e-6,
}
