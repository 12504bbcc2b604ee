package plan

import (
	"math"
	"slices"

	"github.com/gosper-life/gosper/internal/compile"
	"github.com/gosper-life/gosper/internal/compile/circuit"
	"github.com/gosper-life/gosper/internal/compile/rowprog"
	"github.com/gosper-life/gosper/internal/random"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim/cpu/internal/codegen"
	"github.com/gosper-life/gosper/sim/cpu/internal/layout"
	"github.com/gosper-life/gosper/topology"
)

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
	const least = 1 << 15 // cells a band needs to be worth a goroutine
	if t.Volume() {
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
	plan.Threads = max(1, min(threads, rows/(8*(1+p.Up)), t.H*t.W/least))
	return plan
}

// runsOf returns the number of runs of layers of a narrow volume, 0 if there should be none. Runs fill vectors
// if layers are small and many. A pass turns the layers beyond both ends of all runs, each of which takes about
// as long as a layer is computed. Measured on a core with AVX-512 for 3D4,5/5, in 10⁹ cells/s: without runs
// 0.7, 2.4, 8.3, 20 and 48 at sides of 16, 32, 64, 128 and 512, and with full vectors 50 before layers are
// turned.
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
	without := min(48, 0.02*math.Pow(float64(t.W)*float64(t.LayerRows()), 1.45/2))
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

// bestSlabs weighs what it costs to cut a universe into more slabs and fewer strips. Long rows outgrow the
// first-level cache. Short rows start their sums too often. Few rows warm up too often. Where strips or slabs
// do not divide the size there is padding.
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
