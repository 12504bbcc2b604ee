// Package model has the paper's model of the cost of CAT and of the reference, and of E, the cost of a tile's shape.
package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/gosper-life/gosper/papers/internal/cat/authors"
)

// Costs are the parameters of the paper's extended PRAM model: a machine of finite parallelism whose memories
// cost differently. Times are in units of an access to shared memory.
//
// The available copies of the paper lack the formulas and most numbers of its Table I. The formulas are
// reconstructed from its words and from the authors' script as cat_authors in docs/papers/data describes it.
// GH100 says which numbers are ours.
type Costs struct {
	Global       float64 // of an access to global memory, helped by the L2 cache; an access to shared memory costs 1
	Product      float64 // of a product of two fragments, in instructions of a tensor core that take a cycle
	Transition   float64 // of the transition function for a cell
	RegularCores float64 // of a multiprocessor
	TensorCores  float64 // of a multiprocessor
	Processors   int     // multiprocessors
}

// side is the side of the model's fragments.
const side = 16

// GH100 is the chip of the paper's model, with the 132 multiprocessors of an H100. A multiprocessor has 128 regular
// cores and 4 tensor cores. A tensor core takes 8 cycles for a product of 16×16×16 FP16: 4,096 multiplications and
// additions, 512 in a cycle. The costs of memory and transition are chosen. They are integers, as the authors' script
// takes them, and of the Pairs they come nearest to the one number that is printed.
var GH100 = Costs{Global: 5, Product: 8, Transition: 28, RegularCores: 128, TensorCores: 4, Processors: 132}

// Printed is REF over CAT at radius 16 on an H100, which the paper measured and says that its model agrees with.
const Printed = 101

// tolerance is the largest relative difference between a model's number and Printed.
const tolerance = 0.05

// Pairs returns GH100 with each pair of integer costs of memory and transition that agrees with Printed, with the
// authors' E. Memory costs 2 to 9 accesses to shared memory: more than one and not orders of magnitude more, as the
// paper says.
func Pairs() []Costs {
	var all []Costs
	for global := 2.0; global < 10; global++ {
		for transition := 1.0; transition < 1000; transition++ {
			c := GH100
			c.Global, c.Transition = global, transition
			if d := c.Speedup(side, Tile[0], Tile[1], authors.Efficiency(Tile[0],
				Tile[1]))/Printed - 1; math.Abs(d) <= tolerance {
				all = append(all, c)
			}
		}
	}
	return all
}

// Tile is the time of one multiprocessor for a tile of a×b fragments (Equation 15). E is a factor for the cost of the
// tile's shape: 1 for the best.
//
//	H, a fragment      T_H = 3·c_g + 4·c_s + 3·c_m      a·(b+2) of them over q_T tensor cores
//	S, a fragment      T_V = c_g + 6·c_s + 3·c_m        a·b of them over q_T
//	transition, a cell T_F = 3·c_g + c_f                a·b·f² of them over q_R regular cores
//	bands              T_B = one store for each of the f² elements of three, over q_R, whatever the shape
//
// With the 2k+1 bands of a radius beyond f, each 3 is 2k+1 and each 2 is 2k.
func (c Costs) Tile(radius, a, b int, e float64) float64 {
	reach := ceilDiv(max(radius, 1), side)
	bands := float64(2*reach + 1)
	rowSums := bands*c.Global + (bands + 1) + bands*c.Product
	columnSums := c.Global + 2*bands + bands*c.Product
	cells := float64(a * b * side * side)
	return e*(math.Ceil(float64(a*(b+2*reach))/c.TensorCores)*rowSums+
		math.Ceil(float64(a*b)/c.TensorCores)*columnSums+
		math.Ceil(cells/c.RegularCores)*(3*c.Global+c.Transition)) +
		bands*math.Ceil(side*side/c.RegularCores)
}

// CAT is the time for a generation of n×n cells (Equation 16): as many rounds of tiles as the multiprocessors need.
func (c Costs) CAT(n, radius, a, b int, e float64) float64 {
	fragments := ceilDiv(n, side)
	return float64(ceilDiv(ceilDiv(fragments, b)*ceilDiv(fragments, a), c.Processors)) * c.Tile(radius, a, b, e)
}

// REFCell is the time for a cell of a thread that reads its (2r+1)² neighbours from global memory, adds them
// up, applies the transition and writes (Equation 17).
func (c Costs) REFCell(radius int) float64 {
	n := float64((2*radius + 1) * (2*radius + 1))
	return n*c.Global + n - 1 + c.Transition + c.Global
}

// REF is the time for a generation of n×n cells (Equations 18 and 19): as many rounds of cells as all regular
// cores need.
func (c Costs) REF(n, radius int) float64 {
	return math.Ceil(float64(n)*float64(n)/(float64(c.Processors)*c.RegularCores)) * c.REFCell(radius)
}

// Speedup is REF's time over CAT's with tiles of a×b fragments where n has no limit (Equation 20).
func (c Costs) Speedup(radius, a, b int, e float64) float64 {
	cells := float64(a * b * side * side)
	return c.REFCell(radius) / c.RegularCores / (c.Tile(radius, a, b, e) / cells)
}

// Tile is the tile that the model is set up for.
var Tile = [2]int{1, 13}

// Scenario is a line of the paper's Table II: a machine, real or not, and a shape of tile.
type Scenario struct {
	Name, Change string
	Costs        Costs
	A, B         int
}

// Scenarios returns the paper's six for the costs of its chip. Only the size of its first change is known, "by a factor
// of four". The others are chosen: also four times, and a regular tile of 8×8, with which the paper's words on its
// table hold.
func (c Costs) Scenarios() []Scenario {
	change := func(f func(c *Costs)) Costs {
		c := c
		f(&c)
		return c
	}
	return []Scenario{
		{"GH100 Chip", "n/a", c, 1, 13},
		{"More TC Units", "4 × q_T", change(func(c *Costs) { c.TensorCores *= 4 }), 1, 13},
		{"Faster TC Units", "c_m / 4 *", change(func(c *Costs) { c.Product /= 4 }), 1, 13},
		{"More FP Units", "4 × q_R *", change(func(c *Costs) { c.RegularCores *= 4 }), 1, 13},
		{"Regular Tiles", "8×8 *", c, 8, 8},
		{"Expensive f", "4 × c_f *", change(func(c *Costs) { c.Transition *= 4 }), 1, 13},
	}
}

// Speedup is REF's time over CAT's at a radius, E being the authors' for its tile.
func (s Scenario) Speedup(radius int) float64 {
	return s.Costs.Speedup(radius, s.A, s.B, authors.Efficiency(s.A, s.B))
}

// FitCosts chooses the costs of memory and transition so that the model's speed-ups of CAT over REF, with tiles of
// 1×13, are nearest to measured ones, by radius. It uses least squares of logarithms, with each cost in steps of a
// twentieth. If memory costs much more than everything else, the speed-ups depend only on the ratio of the two costs.
// Therefore, among the pairs whose squares are within a tenth of the least, it takes the one with the least cost of
// memory.
func (c Costs) FitCosts(speedups map[int]float64) Costs {
	type fit struct {
		costs   Costs
		squares float64
	}
	var fits []fit // the best for each cost of memory, in rising order
	for global := 1.0; global <= 100; global = math.Round(global*1.05*100) / 100 {
		best := fit{squares: math.Inf(1)}
		for transition := 0.5; transition <= 2000; transition = math.Round(transition*1.05*100) / 100 {
			try := c
			try.Global, try.Transition = global, transition
			sum := 0.0
			for radius, speedup := range speedups {
				d := math.Log(try.Speedup(radius, Tile[0], Tile[1], 1) / speedup)
				sum += d * d
			}
			if sum < best.squares {
				best = fit{try, sum}
			}
		}
		fits = append(fits, best)
	}
	least := slices.MinFunc(fits, func(a, b fit) int { return cmp.Compare(a.squares, b.squares) }).squares
	return fits[slices.IndexFunc(fits, func(f fit) bool { return f.squares <= 1.1*least })].costs
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }
