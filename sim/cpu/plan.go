package cpu

import (
	"fmt"
	"strings"

	"github.com/gosper-life/gosper/logic"
	"github.com/gosper-life/gosper/rule"
	"github.com/gosper-life/gosper/topology"
)

// Plan is a schedule: how a universe is advanced, never what comes out.
type Plan struct {
	Depth int // generations a pass
	Bands int // row bands, one goroutine each
}

// String prints a plan as ParsePlan reads it.
func (p Plan) String() string { return fmt.Sprintf("portable,depth=%d,bands=%d", p.Depth, p.Bands) }

// ParsePlan reads a plan: "portable,depth=2,bands=1".
func ParsePlan(s string) (Plan, error) {
	var p Plan
	rest, ok := strings.CutPrefix(s, "portable,")
	if n, err := fmt.Sscanf(rest, "depth=%d,bands=%d", &p.Depth, &p.Bands); !ok || err != nil || n != 2 || p.String() != s {
		return Plan{}, fmt.Errorf("plan %q is not of the form portable,depth=2,bands=1", s)
	}
	return p, nil
}

// Valid reports, as an error, why a plan cannot serve a rule on a topology. It is the only place that refuses.
func (p Plan) Valid(r rule.Rule, t topology.Topology) error {
	switch {
	case p.Depth < 1 || p.Depth > maxDepth:
		return fmt.Errorf("plan %v: depth must be 1 to %d", p, maxDepth)
	case p.Bands < 1 || p.Bands > t.H:
		return fmt.Errorf("plan %v: bands must be 1 to the height, %d", p, t.H)
	case p.Depth > 1 && !ghostsFollow(r, t):
		return fmt.Errorf("plan %v: depth must be 1 for rule %v on %v, whose edges turn the cells beyond them", p, r, t)
	}
	return nil
}

const maxDepth = 16

// ghostsFollow reports whether cells beyond the edges evolve by the rule like the cells they are copies of, so that they may be
// advanced for several generations. Where a cross-surface or sphere has its corners, neighbourhoods are torn: never there.
func ghostsFollow(r rule.Rule, t topology.Topology) bool {
	if t.Kind == topology.Cross || t.Kind == topology.Sphere {
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
// each row once anyway.
func choose(r rule.Rule, p *logic.Program, t topology.Topology, threads int) Plan {
	plan := Plan{Depth: 1, Bands: 1}
	if p.Warm == 0 && p.Up == 1 && ghostsFollow(r, t) {
		plan.Depth = 2
	}
	const least = 1 << 15 // cells a band needs to be worth a goroutine
	plan.Bands = max(1, min(threads, t.H, t.H/(8*(1+p.Up)), t.H*t.W/least))
	return plan
}
