package cpu

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/sim"
	"github.com/gosper-life/gosper/topology"
)

// Plan is a schedule: how a universe is advanced, never what comes out.
type Plan struct {
	Tiles   bool // tiles of the unbounded plane; otherwise row bands of a bounded universe
	Lanes   int  // words of a vector
	Slabs   int  // slabs of rows side by side in a vector
	Depth   int  // generations a pass
	Threads int  // goroutines; a bounded universe has one band of rows for each
}

// String prints a plan as ParsePlan reads it.
func (p Plan) String() string {
	shape := "bands"
	if p.Tiles {
		shape = "tiles"
	}
	return fmt.Sprintf("portable,%s,lanes=%d,slabs=%d,depth=%d,threads=%d", shape, p.Lanes, p.Slabs, p.Depth, p.Threads)
}

// ParsePlan reads a plan: "portable,bands,lanes=1,slabs=1,depth=2,threads=1".
func ParsePlan(s string) (Plan, error) {
	p := Plan{Tiles: strings.HasPrefix(s, "portable,tiles,")}
	_, rest, _ := strings.Cut(s, "lanes=")
	_, err := fmt.Sscanf(rest, "%d,slabs=%d,depth=%d,threads=%d", &p.Lanes, &p.Slabs, &p.Depth, &p.Threads)
	if err != nil || p.String() != s {
		return Plan{}, fmt.Errorf("plan %q is not of the form %v", s, Plan{Lanes: 1, Slabs: 1, Depth: 2, Threads: 1})
	}
	return p, nil
}

// valid reports, as an error, why a plan cannot serve a rule on a topology. It is the only place that refuses.
func (p Plan) valid(r rule.Rule, t topology.Topology) error {
	refuse := func(why string, args ...any) error {
		return &sim.Unsupported{Engine: "cpu", What: fmt.Sprintf("plan %v", p), Why: fmt.Sprintf(why, args...)}
	}
	switch {
	case p.Tiles != (t.Kind == topology.Unbounded):
		return refuse("tiles are for the unbounded plane, bands for all others")
	case p.Depth < 1 || p.Depth > maxDepth:
		return refuse("the depth must be 1 to %d", maxDepth)
	case p.Lanes != 1 && p.Lanes != 4 && p.Lanes != 8:
		return refuse("the lanes must be 1, 4 or 8")
	case p.Slabs < 1 || p.Lanes%p.Slabs != 0 || p.Tiles && p.Slabs != 1:
		return refuse("the slabs must divide the lanes, and be 1 for tiles")
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

// choose picks a plan: two generations a pass save half the traffic where a row's program is short; rules with running sums read
// each row once anyway. Tiles take 6 generations, which the periods of the oscillators common in ash divide.
func choose(r rule.Rule, p *logic.Program, t topology.Topology, threads int) Plan {
	if t.Kind == topology.Unbounded {
		return Plan{Tiles: true, Lanes: 1, Slabs: 1, Depth: max(1, 6/radius(p)), Threads: threads}
	}
	plan := Plan{Lanes: 1, Slabs: 1, Depth: 1, Threads: 1}
	if p.Warm == 0 && p.Up == 1 && ghostsFollow(r, t) {
		plan.Depth = 2
	}
	const least = 1 << 15 // cells a band needs to be worth a goroutine
	plan.Threads = max(1, min(threads, t.H, t.H/(8*(1+p.Up)), t.H*t.W/least))
	return plan
}
