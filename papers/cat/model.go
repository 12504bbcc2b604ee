package cat

import (
	"cmp"
	"math"
	"slices"
)

// Costs are the parameters of the paper's extended PRAM model: a machine of finite parallelism whose memories cost differently. Times are
// in units of an access to shared memory, cells in those of one multiprocessor.
//
// The formulas and most numbers are lost in the copies of the paper at hand. What is here is put together again from its description:
// what each step reads, multiplies and writes.
type Costs struct {
	Global       float64 // of an access to global memory, helped by the L2 cache; an access to shared memory costs 1
	Product      float64 // of a product of two fragments, in instructions of a tensor core that take a cycle
	Transition   float64 // of the transition function for a cell
	RegularCores float64 // of a multiprocessor
	TensorCores  float64 // likewise
}

// modelSide is the side of the model's fragments.
const modelSide = 16

// GH100 is the chip that the paper sets its model up for: 128 regular and 4 tensor cores a multiprocessor, each of which takes 8 cycles
// for a product of 16×16×16 FP16 (4,096 of its 512 multiplications and additions a cycle). The costs of memory and transition are ours,
// small multiples as the paper asks, such that REF over CAT is 101 at radius 16, what the paper measured of BASE and says its model
// agrees with.
var GH100 = Costs{Global: 2, Product: 8, Transition: 16, RegularCores: 128, TensorCores: 4}

// CAT is the time for a cell by CAT with tiles of a×b fragments, efficiency being how well a multiprocessor does with that shape: 1 for
// the best.
//
//	H, a fragment      T_H = 3·c_g + 4·c_s + 3·c_m      a·(b+2) of them over q_T tensor cores
//	S, a fragment      T_V = c_g + 6·c_s + 3·c_m        a·b of them over q_T
//	transition, a cell T_F = 3·c_g + c_f                a·b·f² of them over q_R regular cores
//	bands              T_B = one store for each of the f² elements of three, over q_R
//
// With the 2k+1 bands of a radius beyond f, each 3 is 2k+1 and each 2 is 2k.
func (c Costs) CAT(radius, a, b int, efficiency float64) float64 {
	reach := ceilDiv(max(radius, 1), modelSide)
	bands := float64(2*reach + 1)
	rowSums := bands*c.Global + (bands + 1) + bands*c.Product
	columnSums := c.Global + 2*bands + bands*c.Product
	cells := float64(a * b * modelSide * modelSide)
	tile := math.Ceil(float64(a*(b+2*reach))/c.TensorCores)*rowSums +
		math.Ceil(float64(a*b)/c.TensorCores)*columnSums +
		cells/c.RegularCores*(3*c.Global+c.Transition) +
		bands*modelSide*modelSide/c.RegularCores
	return tile / cells / efficiency
}

// REF is the time for a cell by a thread that reads and adds its neighbours one by one: ((2r+1)²·(c_g + 1) + c_f + c_g)/q_R.
func (c Costs) REF(radius int) float64 {
	n := float64(2*radius + 1)
	return (n*n*(c.Global+1) + c.Transition + c.Global) / c.RegularCores
}

// Scenario is a line of the paper's second table: a machine, real or not, and a shape of tile.
type Scenario struct {
	Name, Change string
	Costs        Costs
	A, B         int
}

// Scenarios are the paper's six. The sizes of its changes are lost but for the first, "by a factor of four"; the others are set to four
// times too, and the regular tile to 13×13.
func Scenarios() []Scenario {
	change := func(f func(c *Costs)) Costs {
		c := GH100
		f(&c)
		return c
	}
	return []Scenario{
		{"GH100 chip", "none", GH100, 1, 13},
		{"More tensor cores", "4 × q_T", change(func(c *Costs) { c.TensorCores *= 4 }), 1, 13},
		{"Faster tensor cores", "c_m / 4", change(func(c *Costs) { c.Product /= 4 }), 1, 13},
		{"More regular cores", "4 × q_R", change(func(c *Costs) { c.RegularCores *= 4 }), 1, 13},
		{"Regular tiles", "13×13", GH100, 13, 13},
		{"Expensive transition", "4 × c_f", change(func(c *Costs) { c.Transition *= 4 }), 1, 13},
	}
}

// Speedup is REF's time over CAT's at a radius, with the efficiency of its tile.
func (s Scenario) Speedup(radius int, efficiency func(a, b int) float64) float64 {
	return s.Costs.REF(radius) / s.Costs.CAT(radius, s.A, s.B, efficiency(s.A, s.B))
}

// FitCosts chooses the costs of memory and transition, the rest as it is, so that the model's speed-ups of CAT over REF, with tiles of
// 1×13, come nearest to measured ones by radius: least squares of logarithms, each cost in steps of a twentieth. Where memory costs much
// more than all else the speed-ups tell only the ratio of the two costs, so of the pairs whose squares are within a tenth of the least
// the one with the least cost of memory is taken.
func (c Costs) FitCosts(speedups map[int]float64) Costs {
	type fit struct {
		costs   Costs
		squares float64
	}
	var fits []fit // the best of each cost of memory, rising
	for global := 1.0; global <= 100; global = math.Round(global*1.05*100) / 100 {
		best := fit{squares: math.Inf(1)}
		for transition := 0.5; transition <= 2000; transition = math.Round(transition*1.05*100) / 100 {
			try := c
			try.Global, try.Transition = global, transition
			sum := 0.0
			for radius, speedup := range speedups {
				d := math.Log(try.REF(radius) / try.CAT(radius, 1, 13, 1) / speedup)
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
