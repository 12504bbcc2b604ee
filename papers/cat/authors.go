package cat

import (
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gosper-life/gosper/docs/papers/data"
)

// AuthorsDevice is the GPU of the authors' measurements but those of AuthorsGPUs.
const AuthorsDevice = "NVIDIA H100"

// AuthorsSide is the side of the universes of the authors' tiles, power and curves, the largest of Sizes.
const AuthorsSide = 60416

// authorsFile are the lines of a file of the authors' own measurements below its first, by name of column.
func authorsFile(name string) []map[string]string {
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

// number is a cell of a file; NaN where it is empty.
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

type authorsKey struct {
	gpu, method  string
	radius, side int
}

var authorsTimes = sync.OnceValue(func() map[authorsKey]float64 {
	all := map[authorsKey]float64{}
	for _, name := range []string{"time.csv", "gpus.csv"} {
		for _, l := range authorsFile(name) {
			gpu := l["gpu"]
			all[authorsKey{gpu, l["method"], int(number(l["radius"])), int(number(l["side"]))}] = number(l["milliseconds"]) / 1e3
		}
	}
	return all
})

// AuthorsTime is the seconds a generation that the authors published of a method on an H100 and universes of side² cells, one of Sizes; 0
// where there is none.
func AuthorsTime(method string, radius, side int) float64 {
	return authorsTimes()[authorsKey{"", method, radius, side}]
}

// AuthorsScaling is the same of the comparison of GPUs ("V100", "A100", "H100") on 40960² cells.
func AuthorsScaling(gpu, method string, radius int) float64 {
	return authorsTimes()[authorsKey{gpu, method, radius, ScalingSide}]
}

// ScalingSide is the side of the universes on which GPUs are compared.
const ScalingSide = 40960

// AuthorsTiles are the speeds of the tiles that the authors measured, those that ran.
var AuthorsTiles = sync.OnceValue(func() []Shape {
	var all []Shape
	for _, l := range authorsFile("tiles.csv") {
		if ms := number(l["milliseconds"]); ms > 0 {
			all = append(all, Shape{int(number(l["wide"])), int(number(l["high"])), AuthorsSide * AuthorsSide / ms * 1e3})
		}
	}
	return all
})

// Power is what a thousand generations took.
type Power struct{ Watts, Joules, Seconds float64 }

var authorsPowers = sync.OnceValue(func() map[authorsKey]Power {
	all := map[authorsKey]Power{}
	for _, l := range authorsFile("power.csv") {
		all[authorsKey{"", l["method"], int(number(l["radius"])), AuthorsSide}] = Power{number(l["watts"]), number(l["joules"]), number(l["seconds"])}
	}
	return all
})

// AuthorsPower is what the authors measured over a thousand generations of a method on AuthorsSide² cells, by readings of the GPU's power
// from before the first generation until after the last; zero where there is none.
func AuthorsPower(method string, radius int) Power {
	return authorsPowers()[authorsKey{"", method, radius, AuthorsSide}]
}

// Point is a reading of a curve of power.
type Point struct{ Seconds, Watts float64 }

// AuthorsCurve are the readings of that run, thinned; there are some at radius 1, 5, 10 and 16.
func AuthorsCurve(method string, radius int) []Point {
	return authorsCurves()[authorsKey{"", method, radius, AuthorsSide}]
}

var authorsCurves = sync.OnceValue(func() map[authorsKey][]Point {
	all := map[authorsKey][]Point{}
	for _, l := range authorsFile("curves.csv") {
		k := authorsKey{"", l["method"], int(number(l["radius"])), AuthorsSide}
		all[k] = append(all[k], Point{number(l["seconds"]), number(l["watts"])})
	}
	return all
})

// AuthorsEfficiency is E(w, h) of the authors' script for their model, for tiles of w×h fragments: a factor of the time, unlike ours, which
// is one of the speed.
func AuthorsEfficiency(w, h int) float64 {
	x, y := float64(w), float64(h)
	terms := []float64{1, x, y, x * x, y * y, x * y, x * x * x, y * y * y, x * x * y, x * y * y, x * x * x * x, y * y * y * y, x * x * x * y, x * x * y * y, x * y * y * y}
	sum := 0.0
	for i, t := range terms {
		sum += authorsCoefficients[i] * t
	}
	return 1 + 10*sum
}

var authorsCoefficients = [15]float64{
	0.243024186, -0.0447182865, -0.0820349265, 0.00327250347, 0.00798429639, 0.00954041156, -8.63804245e-5, -3.11990690e-4, -1.99175457e-4,
	-1.89184273e-4, 7.04926203e-7, 4.36420144e-6, 3.02194010e-6, -2.66749914e-6, 2.42283670e-6,
}

// Expected is about how many seconds a generation of a method takes on an H100, by what the authors published of it or of its like: good
// enough to say beforehand how long a measurement will take.
func Expected(method string, radius, side int) float64 {
	like := method
	switch {
	case method == string(Base8):
		like = string(Base)
	case !slices.Contains(Published, Method(method)):
		like = string(CAT)
	}
	if strings.EqualFold(method, "gosper") {
		return Expected(string(CAT), radius, side) / 8
	}
	seconds := AuthorsTime(like, min(radius, 16), AuthorsSide) * float64(side) * float64(side) / (AuthorsSide * AuthorsSide)
	return max(seconds, 1e-5)
}
