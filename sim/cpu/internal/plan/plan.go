// Package plan decides how the processor advances a universe: in bands of rows or in tiles, by which code, how
// many generations a pass, on how many threads. Every valid plan leads to the same cells.
package plan

import (
	"fmt"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/topology"
)

// Plan describes how a universe is advanced. It never changes the result.
type Plan struct {
	Code    codegen.Code
	Tiles   bool // tiles, of which only those that change are computed; otherwise row bands of a bounded universe
	Slabs   int  // slabs of rows, or blocks of tiles, side by side in a vector
	Runs    int  // runs of layers of a volume, side by side in a vector in place of strips; 0: none
	Depth   int  // generations a pass
	Threads int  // goroutines; a bounded universe has one band of rows for each, a volume a stack of layers
	Alone   bool // a small creature that is alone is advanced by itself, in the box around it
}

// String prints a plan as sim.Config.Plan takes it.
func (p Plan) String() string {
	shape := "bands"
	if p.Tiles {
		shape = "tiles"
	}
	text := fmt.Sprintf("%s,%s,slabs=%d,depth=%d,threads=%d", p.Code, shape, p.Slabs, p.Depth, p.Threads)
	if p.Runs > 0 {
		text += fmt.Sprintf(",runs=%d", p.Runs)
	}
	if p.Alone {
		text += alone
	}
	return text
}

// alone stands behind a plan with Alone.
const alone = ",alone"

// WithAlone returns the text of a plan with Alone.
func WithAlone(text string) string { return strings.TrimSuffix(text, alone) + alone }

// adjust changes a plan as settings ask: a plan as String prints it, or some of its parts, like "avx2" or
// "depth=4,threads=1".
func (p Plan) adjust(settings string) (Plan, error) {
	for part := range strings.SplitSeq(settings, ",") {
		name, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		switch {
		case name == "slabs" && err == nil:
			p.Slabs = n
		case name == "runs" && err == nil:
			p.Runs = n
		case name == "depth" && err == nil:
			p.Depth = n
		case name == "threads" && err == nil:
			p.Threads = n
		case part == "tiles" || part == "bands":
			p.Tiles = part == "tiles"
		case part == alone[1:]:
			p.Alone = true
		case codegen.Code(part).Lanes() > 0:
			p.Code = codegen.Code(part)
		default:
			return p, fmt.Errorf(
				"plan %q: unknown part %q, want one of %s, %s, %s, %s, %s, bands, tiles, slabs=N, depth=N, threads=N, runs=N, alone",
				settings, part, codegen.Portable, codegen.AVX2, codegen.AVX512, codegen.NEON, codegen.SIMD128)
		}
	}
	return p, nil
}

// Lanes is the number of words of the plan's vectors. Portable code takes one word at a time, but of a volume its rows
// are those of several slabs, because loops along one short row cost more than what they do.
func (p Plan) Lanes(t topology.Topology) int {
	if p.Code == codegen.Portable && t.Volume() {
		return 8
	}
	return p.Code.Lanes()
}

// Valid returns an error if a plan cannot run a rule on a topology. Only Valid refuses plans.
func (p Plan) Valid(r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: "cpu", What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	if err := p.Code.Available(); err != nil {
		return refuse("%v", err)
	}
	switch {
	case p.Depth < 1 || p.Depth > MaxDepth:
		return refuse("the depth must be 1 to %d", MaxDepth)
	case p.Threads < 1 || p.Threads > mostThreads:
		return refuse("the threads must be 1 to %d", mostThreads)
	case p.Tiles:
		return p.validTiles(r, t, refuse)
	case t.Kind == topology.Unbounded:
		return refuse("the unbounded plane is made of tiles")
	case p.Slabs < 1 || p.Lanes(t)%p.Slabs != 0:
		return refuse("the slabs must divide the words of a vector, %d", p.Lanes(t))
	case p.Slabs > t.LayerRows():
		return refuse("the slabs must be 1 to the height, %d", t.LayerRows())
	case p.Runs != 0:
		return p.validRuns(r, t, refuse)
	case t.Volume() && p.Threads > t.D:
		return refuse("the threads must be 1 to the layers, %d", t.D)
	case t.Volume():
		return nil
	case p.Threads*p.Slabs > t.H:
		return refuse("the threads times the slabs must be 1 to the height, %d", t.H)
	case p.Depth > 1 && !haloFollows(r, t):
		return refuse("the depth must be 1 on %v: a cell beyond an edge is not a cell that evolves by the rule", t)
	}
	return nil
}

// validRuns is Valid for runs of layers. Bits of vectors beyond the last run must stay dead.
func (p Plan) validRuns(r rule.Rule, t topology.Topology, refuse func(why string, args ...any) error) error {
	switch most := 64 * p.Lanes(t); {
	case !runsSuit(r, t):
		return refuse(
			"runs of layers are for tori of three dimensions, and rules without chance, B0 and dependence on the place")
	case p.Runs < 1 || p.Runs > most || t.D%p.Runs != 0:
		return refuse("the runs must divide the layers, %d, and be 1 to %d", t.D, most)
	case p.Slabs != 1 || p.Depth != 1:
		return refuse("runs of layers need slabs=1 and depth=1")
	case p.Threads > t.D/p.Runs:
		return refuse("the threads must be 1 to the layers of a run, %d", t.D/p.Runs)
	}
	return nil
}

// runsSuit reports whether a universe can be cut into runs of layers.
func runsSuit(r rule.Rule, t topology.Topology) bool {
	return t.Volume() && t.Kind == topology.Torus && r.Chance == nil && !r.BirthOnEmpty() && !r.DependsOnPlace()
}

// validTiles is Valid for tiles, which are dead where nothing is stored.
func (p Plan) validTiles(r rule.Rule, t topology.Topology, refuse func(why string, args ...any) error) error {
	core := Core(p.Depth * r.Radius())
	torus := t.WrapsStraight() && t.W >= core && t.H >= core && !r.BirthOnEmpty()
	switch {
	case r.Chance != nil:
		return refuse("tiles are for rules without chance")
	case t.Kind != topology.Unbounded && !torus:
		return refuse("tiles are for the unbounded plane and, unless the rule has B0, tori of %d cells a side or more", core)
	case p.Code == codegen.Portable && (p.Slabs < 1 || p.Slabs > 64):
		return refuse("the blocks side by side must be 1 to 64")
	case p.Code != codegen.Portable && p.Slabs != p.Code.Lanes():
		return refuse("the blocks side by side must be as many as the words of a vector, %d", p.Code.Lanes())
	}
	return nil
}

// MaxDepth is the most generations a pass may take.
const MaxDepth = 16

// mostThreads is more than the cores of any machine. There is a limit because each thread needs rows or blocks
// of its own.
const mostThreads = 4096

// Core is the side of the blocks of tiles for a pass that reaches the given number of cells. A pass reaches at
// most half a block.
func Core(reach int) int { return 32 << bits.Len(uint(max(0, (reach-1)/16))) }

// haloFollows reports whether a halo can be advanced for several generations: the cells beyond the edges must evolve
// by the rule like the cells that they are copies of. If they are copies of cells in other rows, the rule must not
// depend on the place of a cell.
func haloFollows(r rule.Rule, t topology.Topology) bool {
	if !t.KeepsRows() && (r.Chance != nil || r.DependsOnPlace()) {
		return false
	}
	for _, s := range t.Gluings() {
		if !r.Invariant(s) {
			return false
		}
	}
	return true
}

// CommonMultiple is the smallest number of generations that is a whole number of passes of both depths.
func CommonMultiple(a, b int) int {
	x, y := a, b
	for y != 0 {
		x, y = y, x%y
	}
	return a / x * b
}
