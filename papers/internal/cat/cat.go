// Package cat holds the methods of "CAT: Cellular Automata on Tensor cores": sums of neighbourhoods by products
// with band matrices, and the five methods that the paper compares it with, for larger-than-Life rules on tori.
// Each method runs on a GPU with its own kernels. Without a GPU the same arithmetic runs in plain Go.
//
// Every method but Bits and Volume keeps a cell in one or two bytes. The universe has a margin around it. A halo kernel
// fills it from the opposite edge before each generation, as in the paper, so any width and height from 1 up is
// possible. See Options.FixedHalo for the step alone.
package cat

import (
	"fmt"
	"slices"

	"github.com/gosper-life/gosper/rule"
)

// Method is a way to compute a generation.
type Method string

// The methods that the paper measures, variants of them, and implementations of its future work.
const (
	Base Method = "BASE" // a thread a cell, neighbours from global memory; blocks of 32×32 threads
	// a block's cells and their halo in shared memory, the halo filled by the first four rows of threads
	Shared Method = "SHARED"
	Coarse Method = "COARSE" // a larger tile in shared memory, several cells a thread
	MCell  Method = "MCELL"  // two cells a thread; a 32-bit addition for each neighbour, read once for both
	Pack   Method = "PACK"   // packet coding: eight cells a 64-bit word, neighbours cell by cell, a lookup table
	CAT    Method = "CAT"    // products of 16×16 FP16 fragments with bands, by WMMA; see Options.Tile

	Base8      Method = "BASE-8"      // BASE in blocks of 32×8 threads
	MCellPairs Method = "MCELL-DP4A"  // MCELL with two cells a read and an instruction that adds both
	Prefix     Method = "PACK-PREFIX" // eight cells a 64-bit word, sums of whole words by prefix sums
	MMA        Method = "CAT-MMA"     // CAT by the instructions below WMMA, ldmatrix and mma

	Cached    Method = "CAT-CACHED"    // all cells of the tile in shared memory first
	Registers Method = "CAT-REGISTERS" // no shared memory: a product's result is a factor of the next one without a move
	Int8      Method = "CAT-INT8"      // the same in INT8, 32×32 fragments
	Rows      Method = "CAT-ROWS"      // INT8 products row by row of the neighbourhood: diamonds, circles
	Temporal  Method = "CAT-TEMPORAL"  // INT8, several generations a launch in registers; see Options.Generations
	Bits      Method = "CAT-BITS"      // binary products, a bit a cell: diamonds, circles

	// Volume is CAT in three dimensions, for cubes: INT8, a bit a cell in memory; see Options.Layers. It is not one
	// of All, and it needs a GPU.
	Volume Method = "CAT-VOLUME"
)

// Published are the methods of the paper, in its order. Variants are other ways to do the same. Beyond are methods that
// the paper leaves to the future.
var (
	Published = []Method{Base, Shared, Coarse, MCell, Pack, CAT}
	Variants  = []Method{Base8, MCellPairs, Prefix, MMA}
	Beyond    = []Method{Cached, Registers, Int8, Temporal, Rows, Bits}
)

// All are all methods for two dimensions.
func All() []Method { return slices.Concat(Published, Variants, Beyond) }

// MaxRadius returns the largest radius of a method: 16 for the published ones, and more for variants of CAT
// with more bands.
func (m Method) MaxRadius() int {
	switch m {
	case MMA, Registers, Int8:
		return 64
	case Rows, Bits:
		return 32
	case Cached:
		return 22 // FP16 holds sums up to 2048 = 45²+23
	}
	return 16
}

// KnownTiles has the tiles for which CAT has a separate kernel, in which the tile is a constant. The authors
// also compile their program for one tile. Any other tile is an argument of one more kernel.
var KnownTiles = [][2]int{{1, 5}, {1, 13}, {1, 14}, {1, 30}, {2, 5}, {4, 4}, {4, 8}, {8, 8}}

// Changes has the changes with which a method can be run, to find where its kernel spends time. CAT has these: the tile
// is an argument of the kernel; a warp loads the three bands once; fragments are padded in shared memory so that banks
// do not conflict; a thread applies the rule to two cells; the last three together. BASE has these: the place of each
// neighbour is computed from its coordinates; the loop over rows is unrolled too; the first two together; the kernel
// promises that the next cells do not overlap the cells (__restrict__).
var Changes = map[Method][]string{
	CAT: {Argument, "bands", "padded", "pairs", "all"}, Base: {"indices", "unrolled", "all", "restrict"},
}

// Argument is the change of CAT that makes the tile an argument of the kernel.
const Argument = "argument"

// Options are the settings of a method. The zero value was best on an H200.
type Options struct {
	// Tile is the width and height of a block's tile in fragments; for CAT, MMA and Cached. 0: the authors' for
	// the GPU (CAT: 1×14 on compute capability 9.0, else 1×13), 1×13 (MMA), 4×8 or, where shared memory is short,
	// 2×4 (Cached).
	Tile [2]int
	// Change is one of the method's Changes; "": none. Those of CAT but Argument are for the tile 1×14, those of BASE
	// for the radii 1 and 16.
	Change string
	// Warps of a block; MMA and Cached. 0: chosen by the tile. CAT has eight.
	Warps int
	// Rows is the height of the strip of a warp: rows of cells (Prefix), of fragments (Registers, Int8). 0: chosen
	// by size. For Volume it is the height of a warp's patch, one of PatchRows. 0: the first of them.
	Rows int
	// Layers of the universe; Volume. The height is that of all layers together.
	Layers int
	// Generations of a launch; Temporal. 0: the largest number that a halo of eight cells allows, at least one. See
	// MostGenerations.
	Generations int
	// FixedHalo fills the halo only when cells are loaded. From the second generation on, cells near the edges are
	// wrong, and the time is that of the step alone. The paper's times include the halo. GPUs only.
	FixedHalo bool
}

// The patch that a warp of Temporal keeps in its registers, in cells.
const patchColumns, patchRows = 128, 64

// MostGenerations returns the greatest number of generations of a launch at a radius: 1 for all methods but Temporal,
// whose halo of generations·radius cells must leave some rows of a patch.
func (m Method) MostGenerations(radius int) int {
	if m == Temporal {
		return (patchRows - 1) / 2 / radius
	}
	return 1
}

// PatchRows are the possible heights of the patch of 32 columns with which a warp of Volume goes through the layers.
var PatchRows = []int{32, 64}

// WrittenShare returns the share of the cells of Temporal's patches that a launch with the given number of generations
// writes. Neighbouring patches write the others.
func WrittenShare(radius, generations int) float64 {
	halo := radius * generations
	return float64((patchColumns-2*roundUp(halo, 8))*(patchRows-2*halo)) / (patchColumns * patchRows)
}

// LaunchGenerations returns the number of generations of a launch at a radius.
func (m Method) LaunchGenerations(radius int, o Options) int {
	switch {
	case m != Temporal:
		return 1
	case o.Generations == 0:
		return max(8/radius, 1)
	}
	return o.Generations
}

// RuleError says that a method cannot run a rule.
type RuleError struct {
	Method Method
	Rule   string
	Why    string
}

func (e *RuleError) Error() string {
	return fmt.Sprintf("%s cannot run %s: %s", e.Method, e.Rule, e.Why)
}

// transition is a rule on sums that include the cell itself: once, or in a cross twice. An interval whose lo is
// above its hi is empty.
type transition struct {
	radius          int
	cross, volume   bool
	widths          []int // Rows, Bits: by row distance, 0 to radius, how far the neighbourhood extends to both sides
	birth, survival rule.Interval
}

// next returns the next state.
func (t transition) next(cell uint8, sum int) uint8 {
	in := t.birth
	if cell != 0 {
		in = t.survival
	}
	if in.Lo <= sum && sum <= in.Hi {
		return 1
	}
	return 0
}

// transitionOf returns the rule as a transition of the method.
func (m Method) transitionOf(r rule.Rule) (transition, error) {
	refuse := func(format string, args ...any) (transition, error) {
		return transition{}, &RuleError{m, r.String(), fmt.Sprintf(format, args...)}
	}
	n := r.Neighbourhood
	if n.Volume != (m == Volume) {
		return refuse("%s is for three dimensions, the other methods for two", Volume)
	}
	var widths []int
	if m == Rows || m == Bits {
		widths = widthsOf(n)
	}
	switch {
	case r.Kind() != rule.KindCounting || r.States != 2 || r.StateWeights != nil:
		return refuse("two states and counts of live neighbours are needed")
	case n.Radius > m.MaxRadius():
		return refuse("the radius is at most %d", m.MaxRadius())
	case m == Rows || m == Bits:
		if widths == nil {
			return refuse(
				"each row of the neighbourhood must be an interval around the cell's column, the same above and below (NM, NN, NC, N2)")
		}
	case m == CAT || m == MMA || m == Cached:
		if n.Letter != 'M' && n.Letter != '+' {
			return refuse("a Moore neighbourhood (NM) or a cross (N+) is needed")
		}
	case n.Letter != 'M':
		return refuse("a Moore neighbourhood (NM) is needed")
	}
	t := transition{radius: n.Radius, cross: n.Letter == '+', volume: n.Volume, widths: widths}
	var err error
	interval := func(c rule.Counts, centre int) rule.Interval {
		c = c.Clip(0, n.TotalWeight())
		switch len(c) {
		case 0:
			return rule.Interval{Lo: 1, Hi: 0}
		case 1:
			return rule.Interval{Lo: c[0].Lo + centre, Hi: c[0].Hi + centre}
		}
		_, err = refuse("births and survivals are one interval each")
		return rule.Interval{}
	}
	centre := 1
	if t.cross {
		centre = 2
	}
	t.birth, t.survival = interval(r.Birth, 0), interval(r.Survival, centre)
	return t, err
}

// widthsOf returns, by row distance from 0 to radius, how far a neighbourhood extends to both sides. It returns
// nil if its rows are not such intervals.
func widthsOf(n rule.Neighbourhood) []int {
	has := func(dx, dy int) bool { return dx == 0 && dy == 0 || n.Weight(dx, dy) == 1 }
	widths := make([]int, n.Radius+1)
	size := 0
	for dy := range widths {
		if !has(0, dy) {
			return nil
		}
		w := 0
		for w < n.Radius && has(w+1, dy) {
			w++
		}
		widths[dy] = w
		for dx := -w; dx <= w; dx++ {
			if !has(dx, dy) || !has(dx, -dy) {
				return nil
			}
		}
		size += 2 * (2*w + 1)
	}
	if size-(2*widths[0]+1)-1 != n.TotalWeight() || n.Size() != n.TotalWeight() {
		return nil // other cells, or weights
	}
	return widths
}

// reach returns the number of fragments to each side of a fragment that contain cells of its neighbourhoods.
func (t transition) reach(side int) int { return (t.radius + side - 1) / side }
