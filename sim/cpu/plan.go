package cpu

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gosper-life/gosper/internal/jit"
	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Plan is a schedule: how a universe is advanced, never what comes out.
type Plan struct {
	Code    Code
	Tiles   bool // tiles, of which only those that change are computed; otherwise row bands of a bounded universe
	Slabs   int  // slabs of rows, or blocks of tiles, side by side in a vector
	Depth   int  // generations a pass
	Threads int  // goroutines; a bounded universe has one band of rows for each
}

// Code is what executes the rule's program.
type Code string

const (
	Portable Code = "portable" // Go loops over words
	AVX2     Code = "avx2"     // machine code made at run time
	AVX512   Code = "avx512"
)

// lanes is the words of a vector.
func (c Code) lanes() int {
	switch c {
	case AVX512:
		return 8
	case AVX2:
		return 4
	case Portable:
		return 1
	}
	return 0
}

// available reports, as an error, why this machine cannot run such code.
func (c Code) available() error {
	switch err := jit.Available(); {
	case c == Portable:
		return nil
	case err != nil:
		return err
	case c == AVX2 && !jit.HasAVX2() || c == AVX512 && !jit.HasAVX512():
		return fmt.Errorf("this processor has no %s", c)
	}
	return nil
}

// fastestCode is the best code this machine can run.
func fastestCode() Code {
	for _, c := range []Code{AVX512, AVX2} {
		if c.available() == nil {
			return c
		}
	}
	return Portable
}

// String prints a plan as sim.Config.Plan takes it.
func (p Plan) String() string {
	shape := "bands"
	if p.Tiles {
		shape = "tiles"
	}
	return fmt.Sprintf("%s,%s,slabs=%d,depth=%d,threads=%d", p.Code, shape, p.Slabs, p.Depth, p.Threads)
}

// adjust changes a plan as asked: settings is a plan as String prints it, or some of its parts, "avx2" or "depth=4,threads=1".
func (p Plan) adjust(settings string) (Plan, error) {
	for part := range strings.SplitSeq(settings, ",") {
		name, number, _ := strings.Cut(part, "=")
		n, err := strconv.Atoi(number)
		switch {
		case name == "slabs" && err == nil:
			p.Slabs = n
		case name == "depth" && err == nil:
			p.Depth = n
		case name == "threads" && err == nil:
			p.Threads = n
		case part == "tiles" || part == "bands":
			p.Tiles = part == "tiles"
		case Code(part).lanes() > 0:
			p.Code = Code(part)
		default:
			return p, fmt.Errorf("plan %q: %q is none of %s, %s, %s, bands, tiles, slabs=N, depth=N, threads=N",
				settings, part, Portable, AVX2, AVX512)
		}
	}
	return p, nil
}

// valid reports, as an error, why a plan cannot serve a rule on a topology. It is the only place that refuses.
func (p Plan) valid(r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: "cpu", What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	if err := p.Code.available(); err != nil {
		return refuse("%v", err)
	}
	switch {
	case !p.Tiles && t.Kind == topology.Unbounded:
		return refuse("the unbounded plane is made of tiles")
	case p.Tiles && !tileable(r, t, p.Depth):
		return refuse("tiles are for the unbounded plane and, unless the rule has B0, tori of %d cells a side or more", coreFor(p.Depth*r.Radius()))
	case p.Depth < 1 || p.Depth > maxDepth:
		return refuse("the depth must be 1 to %d", maxDepth)
	case p.Tiles && p.Code == Portable && (p.Slabs < 1 || p.Slabs > 64):
		return refuse("the blocks side by side must be 1 to 64")
	case p.Tiles && p.Code != Portable && p.Slabs != p.Code.lanes():
		return refuse("the blocks side by side must be as many as the words of a vector, %d", p.Code.lanes())
	case !p.Tiles && (p.Slabs < 1 || p.Code.lanes()%p.Slabs != 0):
		return refuse("the slabs must divide the words of a vector, %d", p.Code.lanes())
	case p.Slabs > t.H && !p.Tiles:
		return refuse("the slabs must be 1 to the height, %d", t.H)
	case p.Threads < 1 || !p.Tiles && p.Threads*p.Slabs > t.H:
		return refuse("the threads times the slabs must be 1 to the height, %d", t.H)
	case p.Depth > 1 && !p.Tiles && !ghostsFollow(r, t):
		return refuse("the depth must be 1 on %v: a row does not hold the cells beside it, or edges turn them", t)
	}
	return nil
}

const maxDepth = 16

// ghostsFollow reports whether cells beyond the edges evolve by the rule like the cells they are copies of, so that they may be
// advanced for several generations, and the cells to the left and right can be had from each row alone.
func ghostsFollow(r rule.Rule, t topology.Topology) bool {
	if !rowLocal(t) {
		return false
	}
	for _, s := range t.Gluings() {
		if !r.Invariant(s) {
			return false
		}
	}
	return true
}

// choose picks a plan. Programs with running sums compute so much that few generations a pass are enough; tiles take 6
// generations, which the periods of the oscillators common in ash divide.
func choose(code Code, r rule.Rule, p *logic.Program, t topology.Topology, threads int) Plan {
	plan := Plan{Code: code, Slabs: 1, Depth: 1, Threads: threads}
	if len(p.Ops) > longestCode {
		plan.Code = Portable
	}
	if t.Kind == topology.Unbounded {
		return tilePlan(plan.Code, p, threads)
	}
	plan.Slabs = bestSlabs(plan, p, t)
	switch {
	case !ghostsFollow(r, t):
	case p.Warm == 0:
		plan.Depth = 6
		plan.Slabs = bestSlabs(plan, p, t)
	case plan.Code != Portable && radius(p) <= 12:
		plan.Depth = 2
	}
	const least = 1 << 15 // cells a band needs to be worth a goroutine
	rows := t.H / plan.Slabs
	plan.Threads = max(1, min(threads, rows/(8*(1+p.Up)), t.H*t.W/least))
	return plan
}

// bestSlabs weighs what cutting a universe into more slabs and fewer strips costs: long rows outgrow the first-level cache, short ones
// start their sums too often; few rows warm up too often; and where strips or slabs do not divide the size there is padding.
func bestSlabs(plan Plan, p *logic.Program, t topology.Topology) int {
	spread, kept := 0, p.Planes*(1+(plan.Depth-1)*(p.Up-p.Down+1))
	for _, e := range p.Extents() {
		spread = max(spread, e.Hi-e.Lo)
	}
	for _, s := range p.Stores {
		if !p.Ops[s.Value.Value].Once { // else it is one vector
			kept += plan.Depth * p.Streams[s.Stream].Depth
		}
	}
	best, least := 1, math.Inf(1)
	for slabs := 1; slabs <= plan.Code.lanes() && slabs <= t.H; slabs *= 2 {
		l := newLayout(t.W, t.H, plan.Code.lanes(), slabs, radius(p))
		const perRow = 3 // vectors' worth of work that every row costs
		padding := float64(l.nv*l.strips) / float64(t.W) * float64(l.nh*slabs) / float64(t.H)
		along := 1 + (float64(spread)/2+perRow)/float64(l.nv)
		down := 1 + (float64(p.Warm)/3+float64(plan.Depth*radius(p)))/float64(l.nh)
		const cache = 32 << 10
		crowding := 1 + 0.3*max(0, float64(kept*l.stride*8)/cache-1.25)
		if cost := padding * along * down * min(crowding, 2); cost < least {
			best, least = slabs, cost
		}
	}
	return best
}

// tilePlan picks a plan for tiles.
func tilePlan(code Code, p *logic.Program, threads int) Plan {
	if radius(p) > widestMachineBlocks {
		code = Portable
	}
	plan := Plan{Code: code, Tiles: true, Slabs: code.lanes(), Depth: max(1, 6/max(1, radius(p))), Threads: threads}
	if code == Portable && radius(p) == 1 {
		plan.Slabs = 16 // longer loops
	}
	return plan
}

// tileable reports whether a universe can be made of tiles, which are dead where nothing is stored.
func tileable(r rule.Rule, t topology.Topology, depth int) bool {
	core := coreFor(depth * r.Radius())
	return t.Kind == topology.Unbounded ||
		t.Kind == topology.Torus && t.Axis == topology.NoAxis && t.W >= core && t.H >= core && !r.BirthOnEmpty()
}

// widestMachineBlocks is the radius beyond which several blocks side by side outgrow the caches.
const widestMachineBlocks = 64

// longestCode is how many ops a program may have to be compiled.
const longestCode = 10000
