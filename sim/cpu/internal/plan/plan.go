// Package plan decides how the processor advances a universe: in bands of rows or in tiles, by which code, how
// many generations a pass, on how many threads. Every valid plan leads to the same cells.
package plan

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
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
	return t.Volume() && t.Kind == topology.Torus && !r.Random() && !r.BirthOnEmpty() && !r.DependsOnPlace()
}

// validTiles is Valid for tiles, which are dead where nothing is stored.
func (p Plan) validTiles(r rule.Rule, t topology.Topology, refuse func(why string, args ...any) error) error {
	core := Core(p.Depth * r.Radius())
	torus := t.WrapsStraight() && t.W >= core && t.H >= core && !r.BirthOnEmpty()
	switch {
	case r.Random():
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
	if !t.KeepsRows() && (r.Random() || r.DependsOnPlace()) {
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

// Make returns the plan that settings ask for. Settings are a plan in the form of Plan.String, or some of its parts;
// Make chooses the others. p is the program of the rule by columns. The error names the part that is not allowed.
func Make(settings string, r rule.Rule, p *rowprog.Program, t topology.Topology, threads int) (Plan, error) {
	code := codegen.Fastest()
	if len(p.Ops) > compile.LongestProgram {
		code = codegen.Portable
	}
	plan := choose(code, r, p, t, threads)
	if settings != "" {
		asked, err := plan.adjust(settings)
		if err != nil {
			return Plan{}, err
		}
		plan = choose(asked.Code, r, p, t, threads) // the other parts follow the code
		if asked.Tiles {
			plan = ForTiles(plan.Code, p.Radius(), threads)
		}
		if plan, err = plan.adjust(settings); err != nil {
			return Plan{}, err
		}
	}
	return plan, plan.Valid(r, t)
}

// choose picks a plan. Programs with running sums compute so much that few generations a pass are enough. Tiles
// take 6 generations a pass, a multiple of the periods of the common oscillators.
func choose(code codegen.Code, r rule.Rule, p *rowprog.Program, t topology.Topology, threads int) Plan {
	plan := Plan{Code: code, Slabs: 1, Depth: 1, Threads: threads}
	if t.Kind == topology.Unbounded {
		return ForTiles(plan.Code, p.Radius(), threads)
	}
	plan.Slabs = bestSlabs(plan, p, t)
	if t.Volume() {
		const least = 1 << 15 // cells a stack needs to be worth a goroutine
		plan.Threads = max(1, min(threads, t.D, t.H*t.W/least))
		plan.Depth = volumeDepth(plan, p, t)
		if runs := runsOf(plan, r, p, t); runs > 0 {
			plan.Runs, plan.Slabs, plan.Depth = runs, 1, 1
			plan.Threads = min(plan.Threads, t.D/runs)
		}
		return plan
	}
	switch {
	case !haloFollows(r, t):
	case !t.KeepsRows() && t.W < 16*slices.Max(Tried(p))*p.Radius(): // the margin costs more than it saves
	case p.Warm == 0:
		plan.Depth = 6
		plan.Slabs = bestSlabs(plan, p, t)
	case plan.Code != codegen.Portable && p.Radius() <= 12:
		plan.Depth = 2
	}
	rows := t.H / plan.Slabs
	plan.Threads = max(1, min(threads, rows/(8*(1+p.Up)), worthThreads(plan, p, t)))
	return plan
}

// worthThreads is the most threads that make passes faster. In each pass they wait for each other twice, and waking a
// thread takes some 5 µs. With AVX-512 a band of 3·2^18 cells takes 20 µs for six generations of Conway's rule, whose
// program has eight tables. Portable code takes 20 times as long, and random bits 50 times.
func worthThreads(plan Plan, p *rowprog.Program, t topology.Topology) int {
	const enough = 3 << 18 * 6 * 8
	work := t.H * t.W * plan.Depth * max(1, p.Cost().Tables)
	switch {
	case len(p.Chances) > 0:
		work *= 50
	case plan.Code == codegen.Portable:
		work *= 20
	default:
		work *= 8 / plan.Code.Lanes()
	}
	return work / enough
}

// Lists reports whether an engine of a small volume has two copies of the cells and lists of rows, made once. Both
// copies, and the lists for two generations, must take about as much memory as the second-level cache. The program
// and the layout are the engine's.
func (p Plan) Lists(t topology.Topology, program *rowprog.Program, l *layout.Layout) bool {
	const cells, pointers = 512 << 10, 256 << 10 // bytes
	width := 1 + len(program.Stores) + len(program.Out)
	for i := range program.Ops {
		if program.Ops[i].Kind == rowprog.Load {
			width++
		}
	}
	return p.Depth == 1 && p.Threads == 1 && p.Runs == 0 && p.Code != codegen.Portable &&
		len(program.Chances) == 0 && program.Cycle() <= 2 && 8*t.D*l.Rows*program.Planes*l.Stride <= cells &&
		8*t.D*(program.Warm+l.Rows)*width <= pointers
}

// runsOf returns the number of runs of layers of a narrow volume, 0 if there should be none. Runs fill vectors
// if layers are small and many. A pass turns the layers beyond both ends of all runs, each of which takes about
// as long as a layer is computed. Measured on a core with AVX-512 for 3D4,5/5, in 10⁹ cells/s:
//
//	side            16    32   64   128   512
//	without runs   0.9   3.1   10    26    48
//	with lists     4.5    11   31    54
//
// Full vectors reach 50 before layers are turned.
func runsOf(plan Plan, r rule.Rule, p *rowprog.Program, t topology.Topology) int {
	if !runsSuit(r, t) || t.W < 4*p.Radius() {
		return 0
	}
	size := 64 * plan.Lanes(t)
	runs := min(size, t.D)
	for t.D%runs != 0 {
		runs--
	}
	layers := float64(t.D / runs)
	with := 50 * float64(runs) / float64(size) * layers / (layers + float64(2*p.Layers))
	area := float64(t.W) * float64(t.LayerRows())
	without := min(48, 0.02*math.Pow(area, 1.45/2))
	if l := layout.New(t.W, t.LayerRows(), plan.Lanes(t), plan.Slabs, p.Radius()); plan.Lists(t, p, &l) {
		without = min(54, 0.1*math.Pow(area, 1.38/2))
	}
	if with > 1.3*without {
		return runs
	}
	return 0
}

// volumeDepth weighs the cost of a deep pass of a volume against its savings. The cost is the additional layers that
// are computed at both ends of a stack. The saving is that cells are read and written only once a pass, which takes
// as long as some tables. That does not matter if the universe stays in the second-level cache, and it saves nothing
// if the layers of the generations between do not stay in the third.
func volumeDepth(plan Plan, p *rowprog.Program, t topology.Topology) int {
	const second, third = 512 << 10, 16 << 20
	l := layout.New(t.W, t.LayerRows(), plan.Lanes(t), plan.Slabs, p.Radius())
	layer := 8 * l.Stride * l.Rows * p.Planes
	if layer*t.D <= second*plan.Threads {
		return 1
	}
	traffic := 8.5 * float64(p.Planes) / float64(max(1, p.Cost().Tables))
	best, least := 1, math.Inf(1)
	for _, depth := range []int{1, 2, 3, 4, 6} {
		along := 1 + float64((depth-1)*p.Layers*plan.Threads)/float64(t.D)
		cost := along * (1 + traffic/float64(depth))
		if cost < least && (depth == 1 || depth*(2*p.Layers+1)*layer <= third) {
			best, least = depth, cost
		}
	}
	return best
}

// Tried lists the depths of which an engine finds the best by trying. Running sums cost much in rows that are
// computed along.
func Tried(p *rowprog.Program) []int {
	if p.Warm > 0 {
		return []int{1, 2, 3}
	}
	return []int{4, 6, 8}
}

// bestSlabs weighs the costs of more slabs and fewer strips. Long rows outgrow the first-level cache. Short rows start
// their sums too often. Few rows warm up too often. Where strips or slabs do not divide the size there is padding.
func bestSlabs(plan Plan, p *rowprog.Program, t topology.Topology) int {
	spread, kept := 0, p.Planes*(1+(plan.Depth-1)*(p.Up-p.Down+1))
	for _, e := range p.Extents() {
		spread = max(spread, e.Hi-e.Lo)
	}
	for _, s := range p.Stores {
		if !p.Ops[s.Value.Value].Once { // else it is one vector
			kept += plan.Depth * p.Streams[s.Stream].Depth
		}
	}
	drawn := slices.ContainsFunc(p.Chances, func(c circuit.Chance) bool { return c.Most > random.Rare })
	perRow := 3.0 // vectors' worth of work that every row costs
	if len(p.Chances) > 0 && !drawn {
		perRow = 100 // points are found row by row
	}
	h, lanes := t.LayerRows(), plan.Lanes(t)
	best, least := 1, math.Inf(1)
	for slabs := 1; slabs <= lanes && slabs <= h; slabs *= 2 {
		l := layout.New(t.W, h, lanes, slabs, p.Radius())
		padding := float64(l.Vectors*l.Strips) / float64(t.W) * float64(l.Rows*slabs) / float64(h)
		along := 1 + (float64(spread)/2+perRow)/float64(l.Vectors)
		down := 1 + (float64(p.Warm)/3+float64(plan.Depth*p.Radius()))/float64(l.Rows)
		const cache = 32 << 10
		crowding := 1 + 0.3*max(0, float64(kept*l.Stride*8)/cache-1.25)
		laying := 1.0
		if drawn { // random bits are laid in strips: by words, where these are as long
			laying += 64 / float64(l.Vectors)
		}
		if cost := padding * along * down * min(crowding, 2) * laying; cost < least {
			best, least = slabs, cost
		}
	}
	return best
}

// ForTiles picks a plan for tiles, for a program of a radius.
func ForTiles(code codegen.Code, radius, threads int) Plan {
	if radius > widestMachineBlocks {
		code = codegen.Portable
	}
	plan := Plan{Code: code, Tiles: true, Slabs: code.Lanes(), Depth: max(1, 6/max(1, radius)), Threads: threads}
	if code == codegen.Portable && radius == 1 {
		plan.Slabs = 16 // longer loops
	}
	return plan
}

// widestMachineBlocks is the radius beyond which blocks side by side in a vector outgrow the caches.
const widestMachineBlocks = 64
